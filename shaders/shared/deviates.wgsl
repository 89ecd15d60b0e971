// Where the table buffer has the ring of deviates that `deviates` draws for an iteration; the Rust side is src/algorithm/fixed.rs.

const DEVIATES: u32 = 2560u;
