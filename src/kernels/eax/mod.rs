//! Edge assembly crossover (Nagata and Kobayashi 2013): [`recombine`] makes the children of two parents, [`replace`] puts the best of
//! them in the place of the first parent, [`edge_overlap`] measures how alike a population is.

pub mod edge_overlap;
pub mod recombine;
pub mod replace;

use crate::wgsl::block;

block! {
    /// How far a walk has come; `shaders/eax/progress.wgsl` documents the fields.
    pub struct WalkProgress {
        pub padding: u32,
        pub construct_done: u32,
        pub padding_between: u32,
        pub search_begun: u32,
        pub search_done: u32,
        pub gained: u32,
        pub children: u32,
        pub drawn: u32,
        pub walked: u32,
        pub padding_behind: [u32; 7],
    }
}
