// What individuals and, behind them, their children cost. Before the first iteration there are no individuals.

fn cost_of(number: u32) -> vec2<u32> {
    if number >= params.individuals {
        return costs[number - params.individuals];
    }
    return select(unit_costs[number], vec2<u32>(0xFFFFFFFFu, 0xFFFFFFFFu), state.iteration == 0u);
}
