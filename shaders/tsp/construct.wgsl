// Tour construction, composed of parts that do not know each other (each a file in construct/):
//
// - crew: who builds an ant's tour, a workgroup (crew_workgroup) or one invocation (crew_single, COARSE);
// - tabu: how the ant keeps its visited cities (tabu_lc, tabu_bt, tabu_ct; Skinderowicz 2020, section 4.1);
// - rows: which cities a step weighs and where weights come from (rows_candidates, rows_full, rows_trails,
//   rows_selective);
// - selection: how the next one is drawn (wrs, rwm_workgroup, rwm_single);
// - beyond: where to go when all candidates are visited.
//
// Crew and tabu change no result. A step that ends a dispatch (budget, or one step a dispatch where all ants of an Ant
// Colony System step together) leaves its state behind for the next. The CPU twin is src/kernels/construct.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress

struct Params {
    seed: vec2<u32>,
    cities: u32,
    ants: u32,
    /// Candidates in a row of `choice` or `heuristic`.
    candidates: u32,
    /// 32-bit words in a row of `weights`, or in a city's selective memory.
    pitch: u32,
    /// 32-bit words that keep an ant's visited cities.
    tabu_words: u32,
    /// Loop turns an invocation may spend in one dispatch, and what it spends on a step, on a look beyond the
    /// candidates, and on beginning and ending.
    budget: u32,
    step_turns: u32,
    beyond_turns: u32,
    entry_turns: u32,
    /// Steps of one dispatch.
    most_steps: u32,
    /// 0: each ant starts at a random city; else ants start this far from each other.
    stride: u32,
    /// Probability of a greedy step, times 2^32.
    greedy: u32,
    /// The octave of the greatest weight that can be, and the classes of a roulette wheel.
    top_octave: u32,
    classes: u32,
    /// Heuristic exponent times 256.
    beta: u32,
    /// Rate of the local update times 2^32, and at which steps it is made.
    local_rate: u32,
    period: u32,
    /// 1 when the way back has a trail of its own.
    directed: u32,
    padding_b: u32,
}

const NONE: u32 = 0xFFFFFFFFu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> state: State;
@group(0) @binding(4) var<storage, read_write> progress: array<Progress>;
/// ants x tabu words (COARSE: tabu words x ants): of ants that ran out of budget.
@group(0) @binding(5) var<storage, read_write> tabu_kept: array<u32>;
/// ants x cities.
@group(0) @binding(6) var<storage, read_write> tours: array<u32>;

/// Cities that the ant has visited.
var<private> visited_count: u32;

#if COARSE
#include tsp/construct/crew_single
#else
#include tsp/construct/crew_workgroup
#endif

#if TABU_LC
#include tsp/construct/tabu_lc
#endif
#if TABU_BT
#include tsp/construct/tabu_bt
#endif
#if TABU_CT
#include tsp/construct/tabu_ct
#endif

#if ROWS_CANDIDATES
#include tsp/construct/rows_candidates
#endif
#if ROWS_FULL
#include tsp/construct/rows_full
#endif
#if ROWS_TRAILS
#include tsp/construct/rows_trails
#endif
#if ROWS_SELECTIVE
#include tsp/construct/rows_selective
#endif

#include tsp/construct/selection

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let ant = crew_ant(group.x, invocation);
    let lane = crew_lane(invocation);
    let tag = state.iteration + 1u;
    if ant >= call.end || progress[ant].construct_done == tag {
        return;
    }
    let cities = params.cities;
    let tour = ant * cities;
    let keys = stream_keys(params.seed, state.iteration, ant);
    crew_begin(ant, lane);

    var step = 1u;
    var city = 0u;
    var previous = 0u;
    if progress[ant].construct_begun == tag {
        step = progress[ant].step;
        city = tours[tour + step - 1u];
        previous = tours[tour + max(step, 2u) - 2u];
        crew_load(ant, lane);
    } else {
        tabu_begin(lane);
        crew_sync();
        city = first_city(keys, ant);
        if lane == 0u {
            mark(city, 0u);
            tours[tour] = city;
        }
    }
    crew_sync();

    let first_step = step;
    var spent = params.entry_turns;
    while step < cities && spent < params.budget && step - first_step < params.most_steps {
        spent += params.step_turns;
        visited_count = step;
        arrive(city, previous, step, lane);
        var next = choose(city, step, keys, lane);
#if BEYOND
        if next == NONE {
            next = shortcut(city);
            // Nobody may mark the city before all have seen that it is free.
            crew_sync();
        }
        if next == NONE {
            spent += params.beyond_turns;
            next = beyond(city, lane);
        }
#endif
        if lane == 0u {
            mark(next, step);
            tours[tour + step] = next;
            walked(city, next, step);
        }
#if SYNC_STEPS
        crew_sync();
#endif
        previous = city;
        city = next;
        step += 1u;
    }
    crew_sync();
    if step == cities {
        arrive(city, previous, step, lane);
    }

    if step < cities {
        crew_store(ant, lane);
    }
    if lane == 0u {
        progress[ant].construct_begun = tag;
        progress[ant].step = step;
        if step == cities {
            walked(city, tours[tour], step);
            progress[ant].construct_done = tag;
        }
    }
}

/// Where the ant starts.
fn first_city(keys: vec2<u32>, ant: u32) -> u32 {
    if params.stride == 0u {
        return mul_high(random_word(keys, NONE), params.cities);
    }
    // The same offset for all ants of an iteration: as if ant 2^32 - 1 had drawn it.
    let offset = mul_high(random_word(stream_keys(params.seed, state.iteration, NONE), NONE), params.cities);
    return (offset + ((ant % params.cities) * params.stride) % params.cities) % params.cities;
}
