// What the individuals of a problem and, behind them, their children cost. Before the first iteration there are no individuals. Populations
// of problems that share a dispatch lie one behind the other.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
    /// Of a problem.
    individuals: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> state: State;
/// Of the children: low word, high word.
@group(0) @binding(3) var<storage, read> costs: array<vec2<u32>>;
/// Of the individuals.
@group(0) @binding(4) var<storage, read> unit_costs: array<vec2<u32>>;

/// The first individual of a problem.
fn population_of(problem: u32) -> u32 {
    return problem * params.individuals;
}

fn cost_of(problem: u32, number: u32) -> vec2<u32> {
    if number >= params.individuals {
        return costs[population_of(problem) + number - params.individuals];
    }
    return select(unit_costs[population_of(problem) + number], vec2<u32>(0xFFFFFFFFu, 0xFFFFFFFFu), state.iteration == 0u);
}
