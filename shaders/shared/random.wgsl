// Counter-based random words; the Rust side is src/algorithm/random.rs.
// A word depends on (seed, iteration, ant) through the stream's two keys and on its number in the stream, never on the
// lane that asks for it, so the number of lanes changes no result.

/// The number of the word that draws where an ant begins; its steps take words from 0 on.
const FIRST_CITY: u32 = 0xFFFFFFFFu;
/// The stream that belongs to no ant: for what all ants of an iteration share.
const NO_ANT: u32 = 0xFFFFFFFFu;

/// PCG's output permutation (O'Neill 2014), as a hash.
fn pcg_hash(word: u32) -> u32 {
    let state = word * 747796405u + 2891336453u;
    let mixed = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (mixed >> 22u) ^ mixed;
}

/// The keys of the stream of one ant in one iteration; seed.x is the low word.
fn stream_keys(seed: vec2<u32>, iteration: u32, ant: u32) -> vec2<u32> {
    let first = pcg_hash(seed.x ^ pcg_hash(iteration ^ pcg_hash(ant + 0x51ED270Bu)));
    let second = pcg_hash(seed.y ^ pcg_hash(ant ^ pcg_hash(iteration + 0x2545F491u)));
    return vec2<u32>(first, second);
}

/// A cheap random number for the draws of a step, at half the cost of a word: multiplied by an odd constant, its upper bits are random enough.
/// keys.x is odd.
fn quick_mix(keys: vec2<u32>, counter: u32) -> u32 {
    let word = counter * keys.x + keys.y;
    return word ^ (word >> 16u);
}

/// Word `counter` of a stream.
fn random_word(keys: vec2<u32>, counter: u32) -> u32 {
    var word = counter * 0x9E3779B1u + keys.x;
    word = (word ^ (word >> 16u)) * 0x7FEB352Du;
    word = (word ^ (word >> 15u)) + keys.y;
    word = (word ^ (word >> 13u)) * 0x846CA68Bu;
    return word ^ (word >> 16u);
}
