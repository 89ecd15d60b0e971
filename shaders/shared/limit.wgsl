// The level that trails settle at; the Rust side is src/algorithm/fixed.rs.

#include shared/fixed

/// 2^30 * reference / cost, saturated, never 0; the reference is shifted already.
fn trail_limit(cost: vec2<u32>, shift: u32, reference: u32) -> u32 {
    let divisor = max(shift_right_wide(cost, shift), 1u);
    return max(div_wide(reference >> 2u, reference << 30u, divisor), 1u);
}
