// Reversals that can be taken back.
const JOURNAL: u32 = 128u;
