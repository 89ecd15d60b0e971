//! Myrmex solves the travelling salesman problem and the quadratic assignment problem by ant colony optimisation on any GPU:
//! WGSL compute shaders through wgpu on Vulkan, Metal and DX12, with CPU twins that give bit-identical solutions where there
//! is no GPU.
//!
//! ```
//! use std::{ops::ControlFlow, time::Duration};
//! use myrmex::{Config, Solver, Stop, Target, tsp::{Kind, generate}};
//!
//! let instance = generate(Kind::Uniform, 60, 1)?;
//! let mut solver = Solver::new(&instance, &Config::suited_to(&instance), Target::Auto)?;
//! let solution = solver.run(&Stop::time(Duration::from_millis(200)), |_| ControlFlow::Continue(()))?;
//! println!("a tour of cost {} on {}", solution.cost, solver.device());
//! # Ok::<(), myrmex::Error>(())
//! ```
//!
//! Read an instance with [`tsp::Instance::read`] or [`qap::Instance::read`], or make one from coordinates or matrices, choose a [`Config`] ([`Config::suited_to`] an instance, or
//! an ant system of your own) and a [`Target`], make a [`Solver`], and let it [`run`](Solver::run) until a [`Stop`] rule holds, or
//! [`step`](Solver::step) it from a loop of your own. `docs/architecture.md` shows how the parts fit.
#![warn(missing_docs)]

pub mod aco;
pub mod backend;
pub mod colony;
mod error;
pub mod kernels;
mod problem;
pub mod qap;
pub mod report;
mod solver;
mod text;
pub mod tsp;

pub use aco::acs::AcsParams;
pub use aco::ant_system::{AntSystemParams, Weighting};
pub use aco::assembly::AssemblyParams;
pub use aco::cas::CasParams;
pub use aco::config::{
    Algorithm, Assignment, BestOn, Candidates, Chains, Config, Deposit, LocalSearch, LocalUpdate, Memory, Selection,
    Start, Strategy, Tabu, TrailUpdate,
};
pub use aco::focused::FocusedParams;
pub use aco::mmas::{MmasParams, Schedule};
pub use aco::presets::{PRESETS, Preset};
pub use aco::system::{Parameters, System};
pub use backend::KernelTiming;
pub use backend::wgpu::{Device, DeviceInfo, list as devices};
pub use error::{Error, Result};
/// The glam whose vectors hold coordinates.
pub use glam;
pub use kernels::plan::Plan;
pub use problem::{Problem, Rounding, Shape, ShapeKind};
pub use solver::{Ended, Progress, Solution, Solver, Stop, Target, TracePoint};
/// The wgpu that this crate is built with, for host applications that hand their device over.
pub use wgpu;
