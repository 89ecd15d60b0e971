//! What kernels of several families use: tours in arrays, work queues, distances, costs of tours, the state of a colony; and the kernel
//! that measures a device.

pub(crate) mod array_tour;
pub(crate) mod distances;
pub(crate) mod pairs;
pub mod probe;
pub mod progress;
pub(crate) mod queue;
pub(crate) mod slices;
mod space;
pub mod state;
pub mod tour_cost;
