// What the search of an assignment keeps between dispatches, one stretch of the buffer `memory` an ant; the Rust side is
// `MemoryLayout` in src/kernels/qap/delta_table.rs. In order:
//
// - the present location of each facility;
// - facilities x locations: the first iteration in which a facility, or one like it, may go back to a location;
// - without PRODUCTS, pairs as in pairs.wgsl: the first iteration in which an exchange is not tabu;
// - a table from which the changes of cost come: facilities x pitch (PRODUCTS), or pairs;
// - where invocations cannot keep the changes of their exchanges in registers, those changes, which of them are tabu, until when at least, and
//   which always.

/// An empty facility may go back nowhere, so that an exchange of two of them is always tabu, and one with another facility is tabu when that
/// may not go back.
const NEVER: u32 = 0x7FFFFFFFu;

fn visited_at() -> u32 {
    return params.facilities;
}

fn barred_at() -> u32 {
    return params.facilities * (params.facilities + 1u);
}

fn table_at() -> u32 {
#if PRODUCTS
    return barred_at();
#else
    return barred_at() + pair_rows() * params.facilities;
#endif
}

#if TABLE_IN_STORAGE
#if PRODUCTS
fn kept_at() -> u32 {
    return table_at() + PLACES * PITCH;
}
#endif
#endif
