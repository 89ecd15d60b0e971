// What differs from one call of a kernel to the next.

struct Call {
    /// The unit (ant, city, tour position, piece of a tour) that this dispatch begins with.
    first: u32,
    /// The unit after its last.
    end: u32,
    padding_a: u32,
    padding_b: u32,
}
