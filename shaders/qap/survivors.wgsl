// Which individuals and children survive, in one invocation: by their order of cost as many as there are individuals, no two of the same
// cost while there are others.
// The CPU twin is in src/kernels/qap/survivors.rs.

#include qap/cost_of

@group(0) @binding(5) var<storage, read> ranks: array<u32>;
/// Whether it survives: for each individual, and behind them for each child, 1 or 0.
@group(0) @binding(6) var<storage, read_write> survivors: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let most = params.individuals;
    let all_of_both = 2u * most;
    var kept = 0u;
    var last = vec2<u32>(0u, 0u);
    for (var rank = 0u; rank < all_of_both; rank++) {
        let it = ranks[rank];
        let cost = cost_of(it);
        // Before the first iteration there are no individuals.
        let exists = it >= most || state.iteration > 0u;
        let survives = exists && kept < most && (kept == 0u || any(cost != last));
        survivors[it] = select(0u, 1u, survives);
        kept += select(0u, 1u, survives);
        last = cost;
    }
    // Of those that cost the same as others as many as there is room for.
    for (var rank = 0u; rank < all_of_both; rank++) {
        let it = ranks[rank];
        if kept < most && survivors[it] == 0u {
            survivors[it] = 1u;
            kept += 1u;
        }
    }
}
