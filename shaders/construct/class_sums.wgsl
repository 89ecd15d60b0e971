// Sums of the classes of a roulette wheel, to which lanes add the options of a list: in workgroup memory, block by block (construct/linear).

override BLOCK_SUMS: u32 = 3u * CLASSES;

/// First those of the first block.
var<workgroup> block_sums: array<atomic<u32>, BLOCK_SUMS>;

/// Clears all sums; a barrier comes before the next addition.
fn clear_sums(lane: u32) {
    for (var class_ = lane; class_ < CLASSES; class_ += CREW) {
        clear_sum(class_);
    }
}

/// Adds an option, if it counts.
fn add_option(city: u32, other: u32, counts: bool) {
    let short = weight_at(city, other);
    let within = select(0u, within_block(short), counts);
    // There are three, whatever stands in the memory that a checkpoint has filled.
    let block = min(block_of(short), 2u);
    atomicAdd(&block_sums[block * CLASSES + ((other >> 1u) & (CLASSES - 1u))], within);
}

/// Adds all options to sums that were cleared; the two in a word of the list are on their way together.
fn add_options(city: u32, lane: u32) {
    let count = options();
    for (var i = 2u * lane; i < count; i += 2u * CREW) {
        let pair = visited_load(i >> 1u);
        let both = i + 1u < count;
        add_option(city, pair & 0xFFFFu, true);
        add_option(city, select(pair & 0xFFFFu, pair >> 16u, both), both);
    }
}

/// The sum of a class.
fn listed_sum(class_: u32) -> vec2<u32> {
    let first = atomicLoad(&block_sums[class_]);
    let second = atomicLoad(&block_sums[class_ + CLASSES]);
    return wide_of_blocks(vec3<u32>(first, second, atomicLoad(&block_sums[class_ + 2u * CLASSES])));
}

fn clear_sum(class_: u32) {
    atomicStore(&block_sums[class_], 0u);
    atomicStore(&block_sums[class_ + CLASSES], 0u);
    atomicStore(&block_sums[class_ + 2u * CLASSES], 0u);
}
