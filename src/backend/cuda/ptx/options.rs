//! What kernels are translated for.

use crate::backend::Processors;

/// What is done about indices into arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// One that is not below the array's length sets the fault word, and is then held below it.
    Checked,
    /// They are taken as they are: for kernels whose tests have passed with checks.
    Trusted,
}

/// How kernels are translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Compute capability of the device, major × 10 + minor; what is translated for it runs on later ones too.
    pub capability: u32,
    /// What is done about indices into arrays.
    pub indices: Indices,
    /// The device's processors.
    pub processors: Processors,
    /// Invocations that each runs at a time.
    pub lanes: u32,
    /// 32-bit registers of each.
    pub registers: u32,
}

/// Registers that an invocation is never denied.
const REGISTERS_EACH: u32 = 64;

impl Options {
    /// Workgroups of so many invocations and bytes that a processor has at a time, where memory holds so few, or so few are asked for, that each
    /// invocation can have more registers than its share in a full processor.
    pub(super) fn workgroups(&self, lanes: u32, bytes: u32, asked: Option<u32>) -> Option<u32> {
        let held = self.processors.room(bytes).min(asked.unwrap_or(u32::MAX));
        (held * lanes < self.lanes).then(|| held.min(self.registers / (REGISTERS_EACH * lanes)).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Indices, Options};
    use crate::backend::Processors;

    #[test]
    fn registers_are_for_those_whom_memory_holds() {
        let processors = Processors { count: 132, workgroup_bytes: 228 << 10 };
        let options =
            Options { capability: 90, indices: Indices::Trusted, processors, lanes: 2048, registers: 1 << 16 };
        // A full processor, by memory of none or little.
        assert_eq!((options.workgroups(32, 0, None), options.workgroups(128, 12 << 10, None)), (None, None));
        // Eleven workgroups, of which eight have 64 registers a lane; five with room for more; a single one.
        assert_eq!(options.workgroups(128, 19 << 10, None), Some(8));
        assert_eq!(options.workgroups(128, 40 << 10, None), Some(5));
        assert_eq!(options.workgroups(1024, 200 << 10, None), Some(1));
        // Two that are asked for, of five and of one that memory holds.
        assert_eq!(
            (options.workgroups(160, 40 << 10, Some(2)), options.workgroups(160, 200 << 10, Some(2))),
            (Some(2), Some(1))
        );
    }
}
