// How far a unit has come in an iteration, so that a kernel with a loop budget can go on in the next dispatch: 16 words a unit, the block
// of construction and behind it that of local search. A tag is the number of the iteration, counted from 1, so that nothing needs to be
// cleared between iterations. The kernel that includes this includes the SearchProgress of its local search as well, 13 words that begin
// with its tags: shared/search_tags, or that of two_opt, lin_kernighan or qap. The Rust side is src/kernels/shared/progress.rs.

struct ConstructProgress {
    /// Iteration for which construction has begun, and for which it is complete.
    begun: u32,
    done: u32,
    /// Cities of the tour, or facilities, that have their place.
    step: u32,
}

struct Progress {
    construct: ConstructProgress,
    search: SearchProgress,
}
