// What differs from one call of a kernel to the next.

struct Call {
    /// The unit (ant, city or tour position) that workgroup 0 of this dispatch works on.
    first: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}
