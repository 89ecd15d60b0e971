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

/// Where those of the problem at hand begin: the matrices of problems that share a dispatch lie one behind the other.
var<private> matrices_at: u32;

/// The number of an ant among those of its problem, whose matrices are meant from now on.
fn begin_problem(ant: u32) -> u32 {
    matrices_at = ant / params.ants * params.matrix_words;
    return ant % params.ants;
}

#if ALIKE
/// Behind the matrices: the first of the facilities that may stand for each, so that to exchange two of a class changes nothing; then for
/// each the next of its class.
fn classes_at() -> u32 {
#if ASYMMETRIC
    let all = 9u;
#else
    let all = 7u;
#endif
    return matrices_at + all * params.facilities * params.facilities;
}

fn class_of(facility: u32) -> u32 {
    return matrices[classes_at() + facility];
}

fn next_alike(facility: u32) -> u32 {
    return matrices[classes_at() + params.facilities + facility];
}
#else
fn class_of(facility: u32) -> u32 {
    return facility;
}
#endif

fn entry(matrix: u32, row: u32, column: u32) -> i32 {
    return bitcast<i32>(matrices[matrices_at + (matrix * params.facilities + row) * params.facilities + column]);
}
