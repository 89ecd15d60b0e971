// The Euclidean distance of two points whose coordinates differ by `apart`, rounded to the nearest whole number or up (CEILING). A square root
// in 32-bit floating point is close, and integers decide, so that all devices agree. Coordinates span less than 2^22; in thousandths
// (THOUSANDTHS) distances are less than 10^6, and so coordinates less than 2^30.
//
// The root in floating point is off by less than 5.5 units of 2^-23 (half of one from the sum of squares, 4.5 from the root where a
// device takes it from the inverse one, half from the rounding), which is less than 1 for distances below 1.5 million. Where
// some may be longer (FAR), one step of Newton's method corrects it.

#if THOUSANDTHS
/// Whether two points are less than so many thousandths apart.
fn is_nearer(apart: vec2<u32>, limit: u32) -> bool {
    // The square less the limit's, as high 2^30 + middle 2^16 + low; each sum of products fits in 32 bits, if only without a sign.
    let upper = apart >> vec2<u32>(15u);
    let lower = apart & vec2<u32>(32767u);
    let low = i32(dot(lower, lower) - (limit & 32767u) * (limit & 32767u));
    let middle = i32(dot(upper, lower) - (limit >> 15u) * (limit & 32767u)) + (low >> 16u);
    let high = i32(dot(upper, upper) - (limit >> 15u) * (limit >> 15u)) + (middle >> 14u);
    return high < 0;
}

fn euclidean(apart: vec2<i32>) -> u32 {
    let near_apart = vec2<f32>(apart);
    let near = u32(sqrt(dot(near_apart, near_apart)) * 0.001 + 0.5);
    let far = vec2<u32>(abs(apart));
    let less = near > 0u && is_nearer(far, 1000u * near - 500u);
    let more = !is_nearer(far, 1000u * near + 500u);
    return near + select(0u, 1u, more) - select(0u, 1u, less);
}
#else

fn euclidean(apart: vec2<i32>) -> u32 {
    let near_apart = vec2<f32>(apart);
    let square = apart.x * apart.x + apart.y * apart.y;
    let near_root = sqrt(dot(near_apart, near_apart));
#if CEILING
    var root = i32(near_root + 1.0);
#else
    var root = max(i32(near_root + 0.5), 1);
#endif
#if FAR
    // The square less the root's: it fits in 32 bits, though neither does.
    let near_rest = square - root * root;
    root = max(root + i32(round(f32(near_rest) / f32(2 * root))), 1);
#endif
    let rest = square - root * root;
#if CEILING
    let more = rest > 0;
    let less = rest <= 1 - 2 * root;
#else
    let more = rest > root;
    let less = rest <= -root;
#endif
    return u32(root + select(0, 1, more) - select(0, 1, less));
}
#endif
