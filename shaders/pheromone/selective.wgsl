// A selective pheromone memory (Skinderowicz 2016, section 3.2, figure 5): each city keeps the trails of a few of its edges in a circular buffer;
// all others have the first trail.
//
// A record is one word, so that the city of one trail is never read with the level of another. Its upper 16 bits are the city, the lower ones
// the trail's level: its logarithm above the first trail in 1/2048 octave. Records are read and written by atomics, which caches of single
// processors do not hold back. The Rust side is src/algorithm/selective.rs.
// The kernel that includes this declares `records: array<atomic<u32>>`, cities x `pitch` words: the records, and how many
// were ever added.

#include shared/exp2
#include shared/log2

/// Where the record of an edge lies; NONE if there is none.
fn slot_of(city: u32, other: u32, pitch: u32) -> u32 {
    let base = city * pitch;
    var slot = NONE;
    for (var i = 0u; i + 1u < pitch; i++) {
        if (atomicLoad(&records[base + i]) >> 16u) == other {
            slot = base + i;
        }
    }
    return slot;
}

fn level_at(slot: u32) -> u32 {
    if slot == NONE {
        return 0u;
    }
    return atomicLoad(&records[slot]) & 0xFFFFu;
}

/// Writes a level to its slot, or over the oldest record.
fn keep_level(city: u32, other: u32, slot: u32, level: u32, pitch: u32) {
    var place = slot;
    if place == NONE {
        let base = city * pitch;
        place = base + atomicAdd(&records[base + pitch - 1u], 1u) % (pitch - 1u);
    }
    atomicStore(&records[place], (other << 16u) | level);
}

/// 2^31 * 2^(-level/2048).
fn power_below(level: u32) -> u32 {
    let exponent = 15872u - min(level >> 2u, 15872u);
    let mantissa = exp2_mantissa(exponent & 511u);
    let octave = exponent >> 9u;
    if octave < 15u {
        return mantissa >> (15u - octave);
    }
    return mantissa << (octave - 15u);
}

/// -2048 * log2(z / 2^31), rounded.
fn levels_below(z: u32) -> u32 {
    return (2031616u - min(log2_fixed(max(z, 1u)), 2031616u) + 16u) >> 5u;
}

/// The level of (1 - rate) trail + rate first.
fn worn_level(level: u32, rate: u32) -> u32 {
    let z = ((0u - rate) >> 1u) + mul_high(rate, power_below(level));
    return level - min(levels_below(z), level);
}

/// The level of (1 - rate) trail + rate best, where `best` is the level of the best tour's deposit.
fn raised_level(level: u32, best: u32, rate: u32) -> u32 {
    let below = best - min(level, best);
    let z = (rate >> 1u) + mul_high(0u - rate, power_below(below));
    return best - min(levels_below(z), best);
}
