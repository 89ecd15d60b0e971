// The matrices of an assignment problem, facilities x facilities each, one after the other in the buffer `matrices`; the Rust
// side is src/kernels/qap/matrices.rs. With A the flows and B the distances:

/// A and B.
const FLOWS: u32 = 0u;
const DISTANCES: u32 = 1u;
/// Where A is symmetric, A and B + its transpose; else where B is, A + its transpose and B; else A and B again, and in
/// FLOWS_BACK and DISTANCES_BACK (ASYMMETRIC) their transposes.
const FLOWS_THERE: u32 = 2u;
const DISTANCES_THERE: u32 = 3u;
/// For a pair (u, v): m(u, u) + m(v, v) - m(u, v) - m(v, u), m being A and B.
const FLOW_CORNERS: u32 = 4u;
const DISTANCE_CORNERS: u32 = 5u;
/// What each facility costs at each location by itself.
const PLACING: u32 = 6u;
const FLOWS_BACK: u32 = 7u;
const DISTANCES_BACK: u32 = 8u;

fn entry(matrix: u32, row: u32, column: u32) -> i32 {
    return bitcast<i32>(matrices[(matrix * params.facilities + row) * params.facilities + column]);
}
