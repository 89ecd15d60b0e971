// Distances of places in space (SPACE). A place is three whole numbers of 21 bits, in two words, counted in 2^-DOWN or 2^UP of the unit of
// distances: a square root in 32-bit floating point is close, and integers decide, so that all devices agree.
//
// The root in floating point is off by less than 5.8 units of 2^-23 (three quarters of one from the sum of squares, else as in
// shared/euclidean), and so by less than 3 for roots below 4 million; a step of Newton's method brings it to one beside the nearest.
//
// On a sphere (SPHERE) the root is a chord. Where two places are more than a quarter of a circle apart, the chord from one to the place opposite
// the other is taken, and the arc from half of a circumference: a series for short arcs is enough.

#include shared/fixed

override SPACE_UP: u32 = 0u;
override SPACE_DOWN: u32 = 0u;
/// What is added before parts are cut off.
override SPACE_ADD: u32 = 0u;

/// Bits of a coordinate. The first word has x, and above it the upper bits of z, without a sign; the second one y, and the others.
const AXIS_BITS: u32 = 21u;
const AXIS_MASK: u32 = 0x1FFFFFu;

fn place_in_space(site: vec2<i32>) -> vec3<i32> {
    let words = bitcast<vec2<u32>>(site);
    let z = ((words.x >> AXIS_BITS) << (32u - AXIS_BITS)) | (words.y >> AXIS_BITS);
    return vec3<i32>(i32(words.x & AXIS_MASK), i32(words.y & AXIS_MASK), i32(z));
}

/// The length of a vector, rounded to the nearest whole number.
fn root_in_space(apart: vec3<i32>) -> u32 {
    let near_apart = vec3<f32>(apart);
    let near_root = sqrt(near_apart.x * near_apart.x + near_apart.y * near_apart.y + near_apart.z * near_apart.z);
    let square = apart.x * apart.x + apart.y * apart.y + apart.z * apart.z;
    var root = max(i32(near_root + 0.5), 1);
    // The square less the root's: it fits in 32 bits, though neither does.
    let near_rest = square - root * root;
    root = max(root + i32(round(f32(near_rest) / f32(2 * root))), 1);
    let rest = square - root * root;
    return u32(root + select(0, 1, rest > root) - select(0, 1, rest <= -root));
}

#if SPHERE
/// 2^51 over the diameter, half of the circumference (0: no places are more than a quarter of a circle apart), and twice the centre.
override SPHERE_INVERSE: u32 = 0u;
override SPHERE_HALF_WAY: u32 = 0u;
override SPHERE_CENTRE_X: u32 = 0u;
override SPHERE_CENTRE_Y: u32 = 0u;
override SPHERE_CENTRE_Z: u32 = 0u;

/// By these an arc is longer than its chord: with y, the square of the chord over the diameter, (asin(sqrt(y)) / sqrt(y) - 1) / y is
/// SERIES_0 + SERIES_1 y + ... + SERIES_4 y^4 - SERIES_5 y^5 + SERIES_6 y^6 within 1.4 * 10^-7 for y up to 0.503 (Chebyshev), in units of
/// 2^-32.
const SERIES_0: u32 = 715828197u;
const SERIES_1: u32 = 322061670u;
const SERIES_2: u32 = 193631676u;
const SERIES_3: u32 = 108936802u;
const SERIES_4: u32 = 209097461u;
const SERIES_5: u32 = 211355324u;
const SERIES_6: u32 = 367092275u;
/// Bits of a coordinate from the centre that are left out where places are told to lie on different sides.
const COARSE_BITS: u32 = 9u;

/// The arc over a chord.
fn arc_over(chord: u32) -> u32 {
    // The chord over the diameter, in units of 2^-29.
    let share = mul_high(chord << 10u, SPHERE_INVERSE) << 3u;
    let y = mul_high(share, share);
    var series = SERIES_5 - mul_high(SERIES_6, y);
    series = SERIES_4 - mul_high(series, y);
    series = SERIES_3 + mul_high(series, y);
    series = SERIES_2 + mul_high(series, y);
    series = SERIES_1 + mul_high(series, y);
    series = SERIES_0 + mul_high(series, y);
    return chord + ((mul_high(chord << 10u, mul_high(series, y)) + 512u) >> 10u);
}

/// How far two places lie apart, in parts.
fn parts_between(a: vec3<i32>, b: vec3<i32>) -> u32 {
    let centre = bitcast<vec3<i32>>(vec3<u32>(SPHERE_CENTRE_X, SPHERE_CENTRE_Y, SPHERE_CENTRE_Z));
    let coarse_a = (2 * a - centre) >> vec3<u32>(COARSE_BITS);
    let coarse_b = (2 * b - centre) >> vec3<u32>(COARSE_BITS);
    let product = coarse_a.x * coarse_b.x + coarse_a.y * coarse_b.y + coarse_a.z * coarse_b.z;
    let far = (SPHERE_HALF_WAY != 0u) & (product < 0);
    let arc = arc_over(root_in_space(select(a - b, a + b - centre, far)));
    return select(arc, SPHERE_HALF_WAY - arc, far);
}
#else

/// How far two places lie apart, in parts.
fn parts_between(a: vec3<i32>, b: vec3<i32>) -> u32 {
    return root_in_space(a - b);
}
#endif

fn in_space(a: vec2<i32>, b: vec2<i32>) -> u32 {
    return ((parts_between(place_in_space(a), place_in_space(b)) << SPACE_UP) + SPACE_ADD) >> SPACE_DOWN;
}
