//! Windowed Lin-Kernighan search: [`window_order`] lays windows over the plane, [`window_search`] searches each of them.

pub mod window_order;
pub mod window_search;

use bytemuck::{Pod, Zeroable};

/// How far the search of a window has come; `shaders/windows/progress.wgsl` documents the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct WindowProgress {
    pub padding: u32,
    pub construct_done: u32,
    pub journalled: u32,
    pub search_begun: u32,
    pub search_done: u32,
    pub gain: u32,
    pub kicks: u32,
    pub steps: u32,
    pub head: u32,
    pub cost: u32,
    pub kicked: u32,
    pub waiting: u32,
    pub more: [u32; 4],
}
