//! A colony: an ant system's buffers and kernels on a backend, and an iteration as a list of kernel calls.

mod mmas;

pub use mmas::Colony;
