//! What kernels are translated for.

/// What becomes of indices into arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// One that is not below the array's length sets the fault word, and is then held below it.
    Checked,
    /// They are taken as they are: for kernels whose tests have passed with checks.
    Trusted,
}

/// Devices of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Compute capability, major × 10 + minor; what is translated for it runs on later ones too.
    pub capability: u32,
    /// What becomes of indices.
    pub indices: Indices,
    /// What a processor has.
    pub room: Room,
}

/// What a processor has for all its workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Invocations at a time.
    pub lanes: u32,
    /// 32-bit registers.
    pub registers: u32,
}

/// Bytes of workgroup memory that the driver keeps of each workgroup's.
const KEPT_BYTES: u32 = 1024;
/// Registers that an invocation is never denied.
const REGISTERS_EACH: u32 = 64;

impl Room {
    /// Workgroups of so many invocations and bytes at a time, where memory holds so few that each invocation can have more registers than
    /// its share in a full processor.
    pub(super) fn workgroups(self, lanes: u32, bytes: u32) -> Option<u32> {
        let held = self.workgroup_bytes / (bytes + KEPT_BYTES);
        (held * lanes < self.lanes).then(|| held.min(self.registers / (REGISTERS_EACH * lanes)).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn registers_are_for_those_whom_memory_holds() {
        let room = Room { workgroup_bytes: 228 << 10, lanes: 2048, registers: 1 << 16 };
        // A full processor, by memory of none or little.
        assert_eq!((room.workgroups(32, 0), room.workgroups(128, 12 << 10)), (None, None));
        // Eleven workgroups, of which eight have 64 registers a lane; five with room for more; a single one.
        assert_eq!(room.workgroups(128, 19 << 10), Some(8));
        assert_eq!(room.workgroups(128, 40 << 10), Some(5));
        assert_eq!(room.workgroups(1024, 200 << 10), Some(1));
    }
}
