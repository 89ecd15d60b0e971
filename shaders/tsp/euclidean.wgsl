// The Euclidean distance of spots that lie `apart`, rounded to the nearest whole number or up (CEILING). A square root in 32-bit
// floating point comes near, integers decide, so that all devices agree. Coordinates span less than 2^22.

fn euclidean(apart: vec2<i32>) -> u32 {
    let near_apart = vec2<f32>(apart);
    let square = apart.x * apart.x + apart.y * apart.y;
    let near_root = max(i32(sqrt(dot(near_apart, near_apart)) + 0.5), 1);
    // The square less the root's: it fits in 32 bits, though neither does. Newton's step brings the root within 1.
    let near_rest = square - near_root * near_root;
    let root = near_root + i32(round(f32(near_rest) / f32(2 * near_root)));
    let rest = square - root * root;
#if CEILING
    let more = rest > 0;
    let less = rest <= 1 - 2 * root;
#else
    let more = rest > root;
    let less = rest <= -root;
#endif
    return u32(root + select(0, 1, more) - select(0, 1, less && root > 0));
}
