// Chooses an independent set of windows, those whose gains the colony takes over, in one workgroup. The set is the greedy one: windows
// are taken by falling gain, the lower number on a tie, and a window is chosen when it conflicts with none that was chosen before. All
// lanes find the same set in rounds: a round chooses each window that has the greatest gain among the undecided windows it conflicts with.
// Then the state moves on to the next iteration. The CPU twin is in src/kernels/merge/independent_set.rs.

#include shared/call
#include shared/fixed
#include shared/state
#include lin_kernighan/chained_progress

struct Params {
    windows: u32,
    /// Words of a row of `conflicts`.
    words: u32,
    /// Cities of a window.
    cities: u32,
    /// Loop turns of an invocation at most.
    budget: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> removed: array<u32>;
@group(0) @binding(3) var<storage, read> conflicts: array<u32>;
@group(0) @binding(4) var<storage, read> progress: array<ChainedProgress>;
@group(0) @binding(5) var<storage, read_write> state: State;
/// A bit for each window.
@group(0) @binding(6) var<storage, read_write> chosen: array<u32>;

override LANES: u32 = 256u;
override WORDS: u32 = 1u;

#include merge/removed_list

var<workgroup> undecided: array<atomic<u32>, WORDS>;
var<workgroup> taken: array<u32, WORDS>;
var<workgroup> wins: array<atomic<u32>, WORDS>;
var<workgroup> losses: array<atomic<u32>, WORDS>;
var<workgroup> open: atomic<u32>;
/// What the chosen windows gain together: the low word, and how often it went over.
var<workgroup> total: atomic<u32>;
var<workgroup> carried: atomic<u32>;
var<workgroup> failures: atomic<u32>;

/// Loop turns of this invocation.
var<private> spent: u32 = 0u;

/// Whether a window comes before another.
fn precedes(number: u32, other: u32) -> bool {
    let gain = removed_gain(number);
    let others = removed_gain(other);
    return gain > others || (gain == others && number < other);
}

/// What becomes of an undecided window in this round: 1 it is chosen, 2 it is out, 0 it waits.
fn verdict(number: u32) -> u32 {
    var wait = false;
    for (var word = 0u; word < params.words; word++) {
        let row = conflicts[number * params.words + word];
        spent += 1u + countOneBits(row);
        if (row & taken[word]) != 0u {
            return 2u;
        }
        var rivals = row & atomicLoad(&undecided[word]);
        while rivals != 0u && !wait {
            wait = precedes(word * 32u + firstTrailingBit(rivals), number);
            rivals &= rivals - 1u;
        }
    }
    return select(1u, 0u, wait);
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var word = lane; word < params.words; word += LANES) {
        atomicStore(&undecided[word], 0u);
        atomicStore(&wins[word], 0u);
        atomicStore(&losses[word], 0u);
        taken[word] = 0u;
    }
    if lane == 0u {
        atomicStore(&open, 0u);
        atomicStore(&total, 0u);
        atomicStore(&carried, 0u);
        atomicStore(&failures, 0u);
    }
    workgroupBarrier();
    let tag = state.iteration + 1u;
    for (var number = lane; number < params.windows; number += LANES) {
        if progress[number].search_done != tag {
            atomicOr(&failures, UNFINISHED_SEARCH);
        } else if removed_count(number) > 0u {
            atomicOr(&undecided[number >> 5u], 1u << (number & 31u));
            atomicOr(&open, 1u);
        }
    }
    workgroupBarrier();
    for (var round = 0u; round < params.windows && atomicLoad(&open) != 0u; round++) {
        for (var number = lane; number < params.windows && spent <= params.budget; number += LANES) {
            let bit = 1u << (number & 31u);
            if (atomicLoad(&undecided[number >> 5u]) & bit) != 0u {
                let now = verdict(number);
                if now == 1u {
                    atomicOr(&wins[number >> 5u], bit);
                    let gain = removed_gain(number);
                    if atomicAdd(&total, gain) > 0xffffffffu - gain {
                        atomicAdd(&carried, 1u);
                    }
                } else if now == 2u {
                    atomicOr(&losses[number >> 5u], bit);
                }
            }
        }
        spent += (params.windows + LANES - 1u) / LANES + 1u;
        if spent > params.budget {
            atomicOr(&failures, UNFINISHED_CHOICE);
        }
        workgroupBarrier();
        if lane == 0u {
            atomicStore(&open, 0u);
        }
        workgroupBarrier();
        let goes_on = (atomicLoad(&failures) & UNFINISHED_CHOICE) == 0u;
        for (var word = lane; word < params.words; word += LANES) {
            let won = atomicLoad(&wins[word]);
            taken[word] |= won;
            let left = atomicAnd(&undecided[word], ~(won | atomicLoad(&losses[word]))) & ~(won | atomicLoad(&losses[word]));
            atomicStore(&wins[word], 0u);
            atomicStore(&losses[word], 0u);
            if left != 0u && goes_on {
                atomicOr(&open, 1u);
            }
        }
        workgroupBarrier();
    }
    for (var word = lane; word < params.words; word += LANES) {
        chosen[word] = taken[word];
    }
    workgroupBarrier();
    if lane == 0u {
        let gain = atomicLoad(&total);
        let above = atomicLoad(&carried);
        state.failures |= atomicLoad(&failures);
        if (gain | above) > 0u {
            state.best_cost = subtract_wide(state.best_cost, vec2<u32>(gain, above));
            state.best_iteration = tag;
            state.restart_improved = tag;
        }
        state.iteration_cost = state.best_cost;
        state.restart_cost = state.best_cost;
        state.iteration = tag;
    }
}
