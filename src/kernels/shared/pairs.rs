//! Edges that stay in every tour: the Rust side of `shaders/shared/pairs.wgsl`.

/// Whether the edge between two cities stays, when the first `paired` cities are joined two and two.
#[inline(always)]
pub(in crate::kernels) fn is_pair(a: u32, b: u32, paired: u32) -> bool {
    a < paired && a ^ 1 == b
}

/// A shader's constants for so many cities in pairs.
pub(in crate::kernels) fn constants(paired: usize) -> Option<(&'static str, u32)> {
    (paired > 0).then_some(("PAIRS", 1))
}
