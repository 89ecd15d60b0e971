//! How far a unit has come in an iteration: the Rust side of `shaders/shared/progress.wgsl`. A unit has the block of construction and behind
//! it that of its local search, which each search declares for itself and all begin with [`SearchTags`].

use bytemuck::Pod;

use crate::wgsl::block;

/// Words of a unit's progress.
pub const PROGRESS_WORDS: usize = 16;

/// Where local search begins in them.
pub const SEARCH_AT: usize = size_of::<ConstructProgress>() / 4;

block! {
    /// How far construction has come; fields as documented in the WGSL struct.
    pub struct ConstructProgress {
        pub begun: u32,
        pub done: u32,
        pub step: u32,
    }
}

block! {
    /// What every local search begins its progress with: `shaders/shared/search_tags.wgsl`.
    pub struct SearchTags {
        pub begun: u32,
        pub done: u32,
    }
}

impl ConstructProgress {
    /// That of a unit by its words.
    pub(in crate::kernels) fn of(unit: &[u32]) -> &Self {
        bytemuck::from_bytes(bytemuck::cast_slice(&unit[..SEARCH_AT]))
    }

    /// The same for writing.
    pub(in crate::kernels) fn of_mut(unit: &mut [u32]) -> &mut Self {
        bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut unit[..SEARCH_AT]))
    }
}

impl SearchTags {
    /// Those of a unit by its words.
    pub(in crate::kernels) fn of(unit: &[u32]) -> &Self {
        bytemuck::from_bytes(bytemuck::cast_slice(&unit[SEARCH_AT..SEARCH_AT + size_of::<Self>() / 4]))
    }

    /// The same for writing.
    pub(in crate::kernels) fn of_mut(unit: &mut [u32]) -> &mut Self {
        bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut unit[SEARCH_AT..SEARCH_AT + size_of::<Self>() / 4]))
    }
}

/// The progress of a unit's local search, of the kind that the kernel has, for writing.
pub(in crate::kernels) fn search_of<S: Pod>(unit: &mut [u32]) -> &mut S {
    bytemuck::from_bytes_mut(bytemuck::cast_slice_mut(&mut unit[SEARCH_AT..PROGRESS_WORDS]))
}
