//! Edge assembly crossover (Nagata and Kobayashi 2013): [`recombine`] makes the children of two parents, [`replace`] puts the best of
//! them in the place of the first parent, [`edge_overlap`] measures how alike a population is.

pub mod edge_overlap;
pub mod recombine;
pub mod replace;

use bytemuck::{Pod, Zeroable};

/// How far a walk has come; `shaders/eax/progress.wgsl` documents the fields.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[expect(missing_docs, reason = "documented once, in the WGSL struct")]
pub struct WalkProgress {
    pub padding: u32,
    pub construct_done: u32,
    pub more: u32,
    pub search_begun: u32,
    pub search_done: u32,
    pub gained: u32,
    pub children: u32,
    pub drawn: u32,
    pub walked: u32,
    pub rest: [u32; 7],
}
