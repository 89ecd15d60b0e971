//! Myrmex solves the travelling salesman problem and the quadratic assignment problem on any GPU, by ant colony optimisation,
//! Lin-Kernighan search and edge assembly crossover: WGSL compute shaders through wgpu on Vulkan, Metal and DX12, the same kernels as
//! PTX on CUDA, and CPU twins that give bit-identical solutions where there is no GPU.
//!
//! ```
//! use std::{ops::ControlFlow, time::Duration};
//! use myrmex::{Settings, Solver, Stop, Target, tsp::{Kind, generate}};
//!
//! let instance = generate(Kind::Uniform, 60, 1)?;
//! let mut solver = Solver::new(&instance, &Settings::default(), Target::Auto)?;
//! let solution = solver.run(&Stop::time(Duration::from_millis(200)), |_| ControlFlow::Continue(()))?;
//! println!("a tour of cost {} on {}", solution.cost, solver.device());
//! # Ok::<(), myrmex::Error>(())
//! ```
//!
//! Read an instance with [`tsp::Instance::read`] or [`qap::Instance::read`], or make one from coordinates or matrices; choose
//! [`Settings`] (the default suits every problem) and a [`Target`]; make a [`Solver`], and let it [`run`](Solver::run) until a
//! [`Stop`] rule holds, or [`step`](Solver::step) it from a loop of your own. [`Settings::recipe`] says what will run.
//! `docs/maintain/architecture.md` shows how the parts fit.
#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod algorithm;
pub mod backend;
pub mod colony;
mod error;
mod instance;
pub mod kernels;
pub mod report;
mod run;
pub mod settings;
mod text;

pub use algorithm::choices::{
    BestOn, Breadth, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Start, Strategy,
    TrailUpdate, Visited,
};
pub use algorithm::mmas::Schedule;
pub use backend::KernelTiming;
pub use backend::wgpu::{Device, DeviceInfo, list as devices};
pub use error::{Error, Result};
/// The glam whose vectors hold coordinates.
pub use glam;
pub use instance::problem::{Problem, Shape, ShapeKind};
pub use instance::tsp::Rounding;
pub use instance::{qap, tsp};
pub use kernels::plan::Plan;
pub use run::{
    Ended, Incumbent, Outlook, PhaseEnded, PhaseRecord, Progress, Solution, Solver, Stop, Target, TracePoint,
};
pub use settings::{
    Algorithm, AntColonySystem, AntSystem, Colonies, Cunning, Eax, Effort, Execution, Faco, LkEax, MaxMin, PRESETS,
    Preset, Recipe, Settings, Windows,
};
/// The wgpu that this crate is built with, for host applications that hand their device over.
pub use wgpu;

/// The README, whose example is compiled and run with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
