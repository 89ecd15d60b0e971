//! How much work makes a share of its own for a thread.
//!
//! Less is done by the thread that needs it. Sharing it out would take longer, and where a program reads many small problems on rayon's threads, a thread
//! that waits for its shares begins other problems meanwhile, each on the stack of the one before, until the stack is full.

/// Entries of a list that are looked at once.
pub(super) const ENTRIES: usize = 1 << 13;

/// Rows that take so many steps each.
pub(super) fn rows(steps: usize) -> usize {
    (ENTRIES / steps.max(1)).max(1)
}
