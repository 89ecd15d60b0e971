//! Edge assembly crossover (Nagata and Kobayashi 2013): [`recombine`] makes the children of two parents, [`replace`] puts the best of
//! them in the place of the first parent, [`edge_overlap`] measures how alike a population is.

pub mod edge_overlap;
pub mod recombine;
pub mod replace;
