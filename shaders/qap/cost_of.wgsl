// What individuals and, behind them, their children cost. Before the first iteration there are no individuals.

#include shared/call
#include shared/fixed
#include shared/state

struct Params {
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

fn cost_of(number: u32) -> vec2<u32> {
    if number >= params.individuals {
        return costs[number - params.individuals];
    }
    return select(unit_costs[number], vec2<u32>(0xFFFFFFFFu, 0xFFFFFFFFu), state.iteration == 0u);
}
