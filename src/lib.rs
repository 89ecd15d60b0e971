//! Myrmex solves the travelling salesman problem and the quadratic assignment problem on any GPU, by ant colony optimisation,
//! Lin-Kernighan search and edge assembly crossover: WGSL compute shaders through wgpu on Vulkan, Metal and DX12, the same kernels as
//! PTX on CUDA, and CPU twins that give bit-identical solutions where there is no GPU. In browsers it is WebAssembly and WebGPU.
//!
//! ```
//! use std::time::Duration;
//! use myrmex::tsp::Instance;
//!
//! let points = [[0.0, 0.1], [0.7, 0.2], [0.4, 0.9], [0.1, 0.8], [0.6, 0.6]];
//! let solution = myrmex::solve(Instance::from_points(&points)?, Duration::from_millis(200))?;
//! println!("length {}: {:?}", solution.length, solution.permutation);
//! # Ok::<(), myrmex::Error>(())
//! ```
//!
//! Read an instance with [`Problem::read`], [`tsp::Instance::read`] or [`qap::Instance::read`], or make one from points
//! ([`tsp::Instance::from_points`]), degrees ([`tsp::Instance::from_lon_lat`]) or matrices. [`solve`] is the short way. The longer one is
//! to choose [`Settings`] (the default suits every problem) and a [`Target`], to make a [`Solver`], and to let it
//! [`run`](Solver::run) until a [`Stop`] rule holds, with an [`Observer`] or from a loop of your own ([`Solver::step`]).
//! A `Batch` solves many problems, several at a time. A [`Checkpoint`] lets a run go on later, on any device.
//! [`Settings::recipe`] says what will run.
//! `docs/maintain/architecture.md` shows how the parts fit.
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![cfg_attr(
    target_family = "wasm",
    allow(dead_code, unused_imports, reason = "browsers solve one problem at a time: packs of them are left out")
)]

pub mod algorithm;
// Inner parts, for this crate's own tools and tests: they change without notice.
#[doc(hidden)]
pub mod backend;
#[doc(hidden)]
pub mod colony;
mod error;
mod files;
mod instance;
#[doc(hidden)]
pub mod kernels;
pub mod report;
mod run;
#[doc(hidden)]
pub use run::ranks;
pub mod settings;
mod text;
mod wgsl;

pub use algorithm::choices::{
    BestOn, Breadth, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Start, Strategy,
    Topology, TrailUpdate, Visited,
};
pub use algorithm::mmas::Schedule;
pub use backend::devices;
#[cfg(target_family = "wasm")]
pub use backend::wgpu::Suspension;
pub use backend::wgpu::{Device, DeviceInfo};
pub use backend::{BackendKind, KernelTiming};
pub use error::{Error, Flaw, Result};
pub use files::write_file;
/// The glam whose vectors hold coordinates.
pub use glam;
pub use instance::problem::{FileForm, Problem, Shape, ShapeKind};
pub use instance::tsp::{Rounding, Space, Sphere};
pub use instance::{qap, tsp};
pub use kernels::plan::Plan;
pub use run::{
    Abandoned, Cancel, Checkpoint, DeviceLost, DeviceShare, Ended, Finished, Incumbent, Observer, Outlook, PhaseEnded,
    PhaseRecord, Progress, Proof, Ran, Resumed, Solution, Solver, Stop, Target, TracePoint, solve,
};
#[cfg(not(target_family = "wasm"))]
pub use run::{Batch, Found, Job, Solved, Source};
// How the program and the package of Python wait for runs, and the threads of these.
#[cfg(not(target_family = "wasm"))]
#[doc(hidden)]
pub use run::text_of;
#[doc(hidden)]
pub use run::{HeldUp, Patience, STACK_BYTES, UnderWay, thread_named};
pub use settings::{
    Algorithm, AntColonySystem, AntSystem, Chained, Colonies, Cunning, Eax, Effort, Execution, Faco, LkEax, MaxMin,
    Memetic, OnDeviceLost, PRESETS, Preset, Recipe, Settings, Windows,
};
pub use text::{decode, decode_from};
/// The wgpu that this crate is built with, for host applications that hand their device over.
pub use wgpu;

/// The README, whose example is compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// A page of the guide with an example.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/paths.md")]
pub struct Paths;

/// The page about many problems.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/batch.md")]
pub struct Many;

/// Another one.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/resume.md")]
pub struct Resume;

/// The page about the library.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/library.md")]
pub struct Library;
