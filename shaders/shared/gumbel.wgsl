// Gumbel deviates from the table buffer; the Rust side is src/aco/fixed.rs.
// The kernel that includes this declares `tables: array<u32>`, whose first 2048 words are the cells.

/// -log2(-log2 u) + 6 in 1/32768 octave, for u = (word + 1/2) / 2^32, of four words.
fn gumbels(words: vec4<u32>) -> vec4<u32> {
    let half = words >> vec4<u32>(31u);
    let upper = half == vec4<u32>(1u);
    let folded = select(words, ~words, upper);
    let class_ = countLeadingZeros(folded) - 1u;
    let mantissa = (folded << class_) << vec4<u32>(2u);
    let cell = (half << vec4<u32>(10u)) | (class_ << vec4<u32>(5u)) | (mantissa >> vec4<u32>(27u));
    let entry = vec4<u32>(tables[cell.x], tables[cell.y], tables[cell.z], tables[cell.w]);
    let step = ((entry & vec4<u32>(2047u)) * ((mantissa >> vec4<u32>(11u)) & vec4<u32>(0xFFFFu))) >> vec4<u32>(16u);
    let begin = entry >> vec4<u32>(11u);
    return select(begin + step, begin - step, upper);
}

fn gumbel(word: u32) -> u32 {
    return gumbels(vec4<u32>(word)).x;
}
