//! Most tests, one module a file, in one program: each would be linked with the whole library else, and compile what they share once more. Those of one
//! file: `cargo test --test all golden::`.

mod common;

mod batch;
mod bound;
mod chained;
mod cli;
mod colonies;
mod constraints;
mod devices;
mod distances;
mod docs;
mod eax;
mod errors;
mod facilities;
mod family;
mod files;
mod first_run;
mod fixed_point;
mod golden;
mod job;
mod kernels;
mod listings;
mod memetic;
mod nested;
mod outputs;
mod papers;
mod pictures;
mod qap;
mod qaplib;
mod quality;
mod ranks;
mod report;
mod resume;
mod runs;
mod search;
mod selection;
mod shaders;
mod tsplib;
mod turns;
mod units;
mod windows;
