//! Translated kernels compute what WGSL says they do, by the emulator.

use super::emulator::run;
use super::*;

/// A kernel of one invocation that reads `input` and writes `output`, an array of these; with indices that are trusted, and checked.
fn kernels(functions: &str, body: &str, of: &str) -> [Ptx; 2] {
    let source = format!(
        "@group(0) @binding(2) var<storage, read> input: array<u32>;
        @group(0) @binding(4) var<storage, read_write> output: array<{of}>;
        var<workgroup> here: array<u32, 8>;
        {functions}
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) lane: u32) {{ {body} }}"
    );
    [Indices::Trusted, Indices::Checked].map(|indices| {
        translate("tried", &source, &[], options(90, indices)).unwrap_or_else(|error| panic!("{body}: {error}"))
    })
}

/// What both leave in an `output` of so many words, where `input` has these.
fn left(kernels: &[Ptx; 2], input: &[u32], output: usize) -> Vec<u32> {
    let [trusted, checked] = kernels.each_ref().map(|ptx| run(ptx, &[input, &vec![0; output]]));
    assert_eq!(trusted, checked);
    trusted
}

/// Words at the ends of what there is, and between.
const WORDS: [u32; 12] = [0, 1, 2, 7, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fff0, u32::MAX];

/// An expression of `a` and `b`, and what it is.
type Case = (&'static str, fn(u32, u32) -> u32);

fn hold(cases: &[Case], declared: &str, words: &[u32], skips: impl Fn(&str, u32, u32) -> bool) {
    for (expression, expected) in cases {
        let kernels = kernels("", &format!("{declared} output[0] = {expression};"), "u32");
        for a in words {
            for b in words.iter().filter(|b| !skips(expression, *a, **b)) {
                let found = left(&kernels, &[*a, *b], 1)[0];
                assert_eq!(found, expected(*a, *b), "{expression} of {a:#x} and {b:#x}");
            }
        }
    }
}

#[test]
fn whole_numbers() {
    let cases: [Case; 34] = [
        ("a + b", |a, b| a.wrapping_add(b)),
        ("a - b", |a, b| a.wrapping_sub(b)),
        ("a * b", |a, b| a.wrapping_mul(b)),
        ("a / b", |a, b| a / b),
        ("a % b", |a, b| a % b),
        ("a / 8u", |a, _| a / 8),
        ("a % 8u", |a, _| a % 8),
        ("a / 10u", |a, _| a / 10),
        ("a & b", |a, b| a & b),
        ("a | b", |a, b| a | b),
        ("a ^ b", |a, b| a ^ b),
        ("~a", |a, _| !a),
        ("a << b", |a, b| a << (b % 32)),
        ("a >> b", |a, b| a >> (b % 32)),
        ("a << 5u", |a, _| a << 5),
        ("a >> 5u", |a, _| a >> 5),
        ("u32(a == b)", |a, b| u32::from(a == b)),
        ("u32(a != b)", |a, b| u32::from(a != b)),
        ("u32(a < b)", |a, b| u32::from(a < b)),
        ("u32(a <= b)", |a, b| u32::from(a <= b)),
        ("u32(a > b)", |a, b| u32::from(a > b)),
        ("u32(a >= b)", |a, b| u32::from(a >= b)),
        ("min(a, b)", |a, b| a.min(b)),
        ("max(a, b)", |a, b| a.max(b)),
        ("clamp(a, 3u, 40u)", |a, _| a.clamp(3, 40)),
        ("countOneBits(a)", |a, _| a.count_ones()),
        ("countLeadingZeros(a)", |a, _| a.leading_zeros()),
        ("countTrailingZeros(a)", |a, _| a.trailing_zeros()),
        ("firstLeadingBit(a)", |a, _| a.checked_ilog2().unwrap_or(u32::MAX)),
        ("firstTrailingBit(a)", |a, _| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        ("reverseBits(a)", |a, _| a.reverse_bits()),
        ("select(a, b, a < b)", |a, b| a.max(b)),
        ("u32((a < b) == (a < 8u)) + 2u * u32((a < b) != (b < 8u))", |a, b| {
            u32::from((a < b) == (a < 8)) + 2 * u32::from((a < b) != (b < 8))
        }),
        ("u32(a < b && !(a == 2u) || b > 32u)", |a, b| u32::from(a < b && a != 2 || b > 32)),
    ];
    let by_zero = |expression: &str, _, b| b == 0 && ["a / b", "a % b"].contains(&expression);
    hold(&cases, "let a = input[0]; let b = input[1];", &WORDS, by_zero);
}

#[test]
fn signed_numbers() {
    let cases: [Case; 15] = [
        ("u32(a + b)", |a, b| a.wrapping_add(b)),
        ("u32(a - b)", |a, b| a.wrapping_sub(b)),
        ("u32(a * b)", |a, b| a.wrapping_mul(b)),
        ("u32(a / b)", |a, b| (a as i32).wrapping_div(b as i32) as u32),
        ("u32(a % b)", |a, b| (a as i32).wrapping_rem(b as i32) as u32),
        ("u32(-a)", |a, _| a.wrapping_neg()),
        ("u32(a >> (input[1] & 63u))", |a, b| ((a as i32) >> (b % 32)) as u32),
        ("u32(a >> 3u)", |a, _| ((a as i32) >> 3) as u32),
        ("u32(a < b)", |a, b| u32::from((a as i32) < b as i32)),
        ("u32(a >= b)", |a, b| u32::from(a as i32 >= b as i32)),
        ("u32(min(a, b))", |a, b| (a as i32).min(b as i32) as u32),
        ("u32(max(a, b))", |a, b| (a as i32).max(b as i32) as u32),
        ("u32(abs(a))", |a, _| (a as i32).unsigned_abs()),
        ("u32(firstLeadingBit(a))", |a, _| (if (a as i32) < 0 { !a } else { a }).checked_ilog2().unwrap_or(u32::MAX)),
        ("bitcast<u32>(f32(a))", |a, _| (a as i32 as f32).to_bits()),
    ];
    // The quotient that no number is, and division by zero.
    let skips = |expression: &str, a, b| expression.contains(['/', '%']) && (b == 0 || (a == 1 << 31 && b == u32::MAX));
    hold(&cases, "let a = bitcast<i32>(input[0]); let b = bitcast<i32>(input[1]);", &WORDS, skips);
}

#[test]
fn floats() {
    let numbers = [0.0f32, -0.5, 0.5, 1.5, 2.5, -2.5, 3.0, 1e9, -7.25].map(f32::to_bits);
    fn of(a: u32, b: u32, result: impl Fn(f32, f32) -> f32) -> u32 {
        result(f32::from_bits(a), f32::from_bits(b)).to_bits()
    }
    let cases: [Case; 15] = [
        ("bitcast<u32>(a + b)", |a, b| of(a, b, |a, b| a + b)),
        ("bitcast<u32>(a - b)", |a, b| of(a, b, |a, b| a - b)),
        ("bitcast<u32>(a * b)", |a, b| of(a, b, |a, b| a * b)),
        ("bitcast<u32>(a / b)", |a, b| of(a, b, |a, b| a / b)),
        ("bitcast<u32>(-a)", |a, b| of(a, b, |a, _| -a)),
        ("bitcast<u32>(abs(a))", |a, b| of(a, b, |a, _| a.abs())),
        ("bitcast<u32>(round(a))", |a, b| of(a, b, |a, _| a.round_ties_even())),
        ("bitcast<u32>(floor(a))", |a, b| of(a, b, |a, _| a.floor())),
        ("bitcast<u32>(ceil(a))", |a, b| of(a, b, |a, _| a.ceil())),
        ("bitcast<u32>(sqrt(abs(a)))", |a, b| of(a, b, |a, _| a.abs().sqrt())),
        ("u32(a < b) + 2u * u32(a != b)", |a, b| {
            let [a, b] = [a, b].map(f32::from_bits);
            u32::from(a < b) + 2 * u32::from(a != b)
        }),
        ("u32(max(a, 0.0))", |a, _| f32::from_bits(a).max(0.0) as u32),
        ("u32(i32(a))", |a, _| f32::from_bits(a) as i32 as u32),
        ("bitcast<u32>(f32(input[0]))", |a, _| (a as f32).to_bits()),
        ("bitcast<u32>(dot(vec2<f32>(a, b), vec2<f32>(b, 2.0)))", |a, b| of(a, b, |a, b| a * b + b * 2.0)),
    ];
    let by_zero = |expression: &str, _, b| expression.contains("a / b") && f32::from_bits(b) == 0.0;
    hold(&cases, "let a = bitcast<f32>(input[0]); let b = bitcast<f32>(input[1]);", &numbers, by_zero);
}

#[test]
fn ways_through_a_kernel() {
    let functions = "struct Pair { first: u32, both: vec2<u32> }
        fn first_above(most: u32) -> u32 {
            for (var i = 0u; i < 8u; i++) { if input[i] > most { return i; } }
            return 99u;
        }
        fn turned(pair: Pair) -> Pair { return Pair(pair.both.y, vec2<u32>(pair.first, pair.both.x)); }
        fn doubled(to: ptr<function, u32>) { *to = *to * 2u; }";
    let input = [5, 3, 8, 1, 9, 2, 7, 4];
    let found = |body: &str| left(&kernels(functions, body, "u32"), &input, 4);
    assert_eq!(found("output[0] = first_above(7u); output[1] = first_above(9u);"), [2, 99, 0, 0]);
    // Loops that go on and end early, one within another.
    let body = "var sum = 0u; var i = 0u;
        loop {
            if i == 7u { break; }
            if input[i] == 8u { continue; }
            for (var j = 0u; j < i; j++) { if input[j] == 1u { break; } sum += input[j]; }
            continuing { i++; }
        }
        output[0] = sum; output[1] = i;";
    let sum = (0..7usize).filter(|&i| input[i] != 8).map(|i| input[..i].iter().take_while(|x| **x != 1).sum::<u32>());
    assert_eq!(found(body), [sum.sum(), 7, 0, 0]);
    // A switch with a case of several numbers and one for the rest, in a loop that goes on from within.
    let body = "for (var i = 0u; i < 8u; i++) {
            switch input[i] { case 1u, 2u { output[0] += 10u; } case 8u { continue; } default { output[1] += 1u; } }
            output[2] += input[i];
        }";
    assert_eq!(found(body), [20, 5, 31, 0]);
    // Branches of one statement, of several, and with an array at an index that is not known.
    let body = "var own: array<u32, 4>; var kept = 1u;
        for (var i = 0u; i < 8u; i++) { if input[i] % 2u == 0u { own[i % 4u] += input[i]; } else { kept = kept * 3u + i; } }
        if kept > 5u { kept = own[input[3]]; }
        output[0] = own[0]; output[1] = own[2]; output[2] = kept; output[3] = own[3];";
    let mut own = [0u32; 4];
    (0..8).filter(|&i| input[i] % 2 == 0).for_each(|i| own[i % 4] += input[i]);
    assert_eq!(found(body), [own[0], own[2], own[1], own[3]]);
    let body = "let pair = turned(turned(Pair(input[0], vec2<u32>(input[1], input[2]))));
        var last = pair.first; doubled(&last);
        output[0] = pair.first; output[1] = pair.both.x; output[2] = pair.both.y; output[3] = last;";
    assert_eq!(found(body), [3, 8, 5, 6]);
    let body = "here[3] = input[0]; workgroupBarrier(); here[lane + 2u] = here[3] + 1u; output[0] = here[2]; output[1] = here[3];";
    assert_eq!(found(body), [6, 5, 0, 0]);
}

#[test]
fn atomics() {
    let body = "let before = atomicAdd(&output[0], 5u); atomicSub(&output[0], 2u); atomicMax(&output[1], input[0]);
        atomicMin(&output[1], 6u); atomicOr(&output[2], 12u); atomicAnd(&output[2], 6u); atomicXor(&output[2], 1u);
        let held = atomicCompareExchangeWeak(&output[3], 0u, 4u); let other = atomicCompareExchangeWeak(&output[3], 0u, 9u);
        atomicStore(&output[4], atomicExchange(&output[0], 8u) + 100u * u32(held.exchanged) + 1000u * u32(other.exchanged));
        atomicStore(&output[5], before + other.old_value);";
    assert_eq!(left(&kernels("", body, "atomic<u32>"), &[7], 6), [8, 6, 5, 4, 103, 4]);
}

/// What instructions compute in place of functions of `shaders/shared/fixed.wgsl`, which other names are translated line by line for.
#[test]
fn intrinsics_compute_what_the_shaders_say() {
    let shader = include_str!("../../../../../shaders/shared/fixed.wgsl");
    let body = "let a = vec2<u32>(input[0], input[1]); let b = vec2<u32>(input[2], input[3]);
        let sum = add_wide(a, b); let less = subtract_wide(a, b);
        output[0] = mul_high(a.x, b.x); output[1] = sum.x; output[2] = sum.y; output[3] = less.x; output[4] = less.y;
        output[5] = u32(less_wide(a, b));";
    let plain = |text: &str| {
        let names = ["mul_high", "add_wide", "subtract_wide", "less_wide"];
        names.iter().fold(text.to_owned(), |text, name| text.replace(name, &format!("plain_{name}")))
    };
    let [by_instructions, by_words] = [kernels(shader, body, "u32"), kernels(&plain(shader), &plain(body), "u32")];
    for instruction in ["mul.hi.u32", "add.u64", "sub.u64", "setp.lt.u64"] {
        assert!(by_instructions[0].text.contains(instruction), "{instruction}");
        assert!(!by_words[0].text.contains(instruction), "{instruction}");
    }
    for a in WORDS {
        for b in WORDS {
            for input in [[a, b, b, a], [a, a, b, b], [a, b, a, b], [a, 7, b, 7]] {
                let found = left(&by_instructions, &input, 6);
                assert_eq!(found, left(&by_words, &input, 6), "{input:?}");
                let [x, y] = [[input[0], input[1]], [input[2], input[3]]]
                    .map(|[low, high]| u64::from(low) | u64::from(high) << 32);
                let high = (u64::from(input[0]) * u64::from(input[2])) >> 32;
                let (sum, less) = (x.wrapping_add(y), x.wrapping_sub(y));
                let words =
                    [high as u32, sum as u32, (sum >> 32) as u32, less as u32, (less >> 32) as u32, u32::from(x < y)];
                assert_eq!(found, words, "{input:?}");
            }
        }
    }
}
