//! The CPU side of a kernel: a plain function over the same parameter block and the same buffers.
#![allow(unsafe_code, reason = "words as atomics")]

use std::ops::Range;
use std::sync::atomic::AtomicU32;

use super::clock::Clock;

/// A kernel's CPU twin.
pub type Twin = fn(&mut TwinCall<'_>);

/// What a twin works on.
pub struct TwinCall<'a> {
    /// The parameter block.
    pub params: &'a [u8],
    /// Values of the pipeline-overridable constants.
    pub constants: &'a [(&'static str, u32)],
    /// The units to work on.
    pub units: Range<u32>,
    pub(crate) reads: Vec<&'a [u32]>,
    pub(crate) writes: Vec<&'a mut [u32]>,
    pub(super) clock: Clock<'a>,
}

impl<'a> TwinCall<'a> {
    /// The parameter block as its type.
    ///
    /// # Panics
    /// When `P` is not the type the kernel's specification was made with: spec and twin live in one module.
    pub fn params<P: bytemuck::Pod>(&self) -> P {
        bytemuck::pod_read_unaligned(self.params)
    }

    /// The buffers bound for reading and those bound for writing, each in the order of the kernel's bindings.
    ///
    /// # Panics
    /// When the numbers differ from the specification's: spec and twin live in one module.
    pub fn buffers<const R: usize, const W: usize>(&mut self) -> ([&'a [u32]; R], [&'a mut [u32]; W]) {
        let reads = std::mem::take(&mut self.reads).try_into();
        let writes = std::mem::take(&mut self.writes).try_into();
        match (reads, writes) {
            (Ok(reads), Ok(writes)) => (reads, writes),
            _ => panic!("a twin asked for other bindings than its specification has"),
        }
    }

    /// When the call is to end, for twins whose units may take long: see [`Clock::unit`].
    pub fn clock(&self) -> Clock<'a> {
        self.clock.watched()
    }

    /// The units as indices.
    pub fn range(&self) -> Range<usize> {
        self.units.start as usize..self.units.end as usize
    }
}

/// A buffer as atomics, for twins whose units write to the same words.
pub fn atomics(words: &mut [u32]) -> &[AtomicU32] {
    // SAFETY: `AtomicU32` has the size, alignment and bit validity of `u32`, and the exclusive borrow of the words lasts
    // as long as the shared one of the atomics.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU32]) }
}
