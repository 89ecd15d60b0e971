// Ants construct solutions. The kernel is composed of parts that do not know each other, each a file in construct/:
//
// - walk: what a step is, from city to city of a tour (walk_tour) or from facility to facility of an assignment (walk_assignment,
//   ASSIGNMENT; there locations take the part of cities);
// - crew: the invocations that build an ant's solution, a workgroup (crew_workgroup) or a single one (crew_single, COARSE);
// - visited: how the ant keeps its visited set (visited_lc, visited_bt, visited_ct: Skinderowicz 2020, section 4.1; visited_register
//   and visited_octets are visited_bt in registers of the lanes);
// - rows: the cities that a step weighs, its options, and where their weights come from (rows_candidates, rows_full, rows_trails,
//   rows_selective);
// - selection: how the next city is drawn (wrs, rwm_workgroup, rwm_single);
// - beyond: where the ant goes when all its options are visited.
//
// Crew and visited change no result. A dispatch may end before the tour does: when the loop budget is spent, or after one step where all
// ants of an Ant Colony System step together. Then the next dispatch goes on. The CPU twin is src/kernels/construct/twin.rs.

#include shared/call
#include shared/fixed
#include shared/random
#include shared/state
#include shared/progress
#include shared/search_tags

struct Params {
    seed: vec2<u32>,
    cities: u32,
    ants: u32,
    /// Candidates in a row of `choice` or `heuristic`.
    candidates: u32,
    /// 32-bit words in a row of `weights`, or in a city's selective memory.
    pitch: u32,
    /// 32-bit words of an ant's visited set.
    visited_words: u32,
    /// Steps of one dispatch, and how many of them a look beyond the candidates costs.
    most_steps: u32,
    beyond_steps: u32,
    /// 0: each ant starts at a random city; else ants start this far from each other.
    stride: u32,
    /// Probability of a greedy step, times 2^32.
    greedy: u32,
    /// The octave of the greatest weight that can be, and the classes of a roulette wheel.
    top_octave: u32,
    classes: u32,
    /// Heuristic exponent times 256.
    beta: u32,
    /// Rate of the local update times 2^16, and at which steps it is made.
    local_rate: u32,
    period: u32,
    /// 1 when an edge has a trail in each direction.
    directed: u32,
    /// Cities in a row of the nearest that are no candidates.
    nearby: u32,
    /// A random word shifted right by so many bits is an index of the ring of deviates.
    ring_shift: u32,
    /// So many leading cities are joined two and two by edges that stay.
    paired: u32,
}

const NONE: u32 = 0xFFFFFFFFu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> call: Call;
/// Gumbel cells, logarithm, and the iteration's ring of deviates.
#if OCTETS
@group(0) @binding(2) var<storage, read> tables: array<vec4<u32>>;
#else
@group(0) @binding(2) var<storage, read> tables: array<u32>;
#endif
@group(0) @binding(3) var<storage, read> state: State;
@group(0) @binding(4) var<storage, read_write> progress: array<Progress>;
/// ants x words of a visited set (COARSE: words x ants), for ants that go on in the next dispatch.
@group(0) @binding(5) var<storage, read_write> visited_kept: array<u32>;
/// ants x cities.
@group(0) @binding(6) var<storage, read_write> tours: array<u32>;

#if RELAXED
/// As in the parameter block: steps from one local update to the next; 1 when an edge has a trail in each direction.
override PERIOD: u32 = 1u;
override DIRECTED: u32 = 0u;
#endif
#if ONE_EACH
/// As in the parameter block.
override CITIES: u32 = 1u;
override CANDIDATES: u32 = 1u;
#endif

/// Cities that the ant has visited.
var<private> visited_count: u32;

#if COARSE
#include construct/crew_single
#else
#include construct/crew_workgroup
#endif

#if VISITED_LC
#include construct/visited_lc
#endif
#if VISITED_BT
#if VISITED_REGISTER
#include construct/visited_register
#else
#if VISITED_OCTETS
#include construct/visited_octets
#else
#include construct/visited_bt
#endif
#endif
#endif
#if VISITED_CT
#include construct/visited_ct
#endif

#if ROWS_CANDIDATES
#include construct/rows_candidates
#endif
#if ROWS_FULL
#include construct/rows_full
#endif
#if ROWS_TRAILS
#include construct/rows_trails
#endif
#if ROWS_SELECTIVE
#include construct/rows_selective
#endif

#include construct/selection

#if ASSIGNMENT
#include construct/walk_assignment
#else
#include construct/walk_tour
#endif
