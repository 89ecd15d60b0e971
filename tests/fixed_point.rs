//! The WGSL arithmetic against the Rust arithmetic, on the GPU, over random and extreme numbers.

use crate::common;
use myrmex::algorithm::fixed::{
    gumbel, heuristic_fall, log2_distance, log2_fixed, log2_near, long_linear, mul_high, share_16, short_linear,
    tables, trail_limit,
};
use myrmex::algorithm::random::Stream;
use myrmex::algorithm::selective::{raised_level, worn_level};
use myrmex::backend::{Access, Backend, Call, CpuBackend, KernelSpec};
use myrmex::kernels::compose::compose;
use myrmex::kernels::shared::probe;

const COUNT: usize = 1 << 16;

const MAIN: &str = "
@group(0) @binding(0) var<uniform> params: vec4<u32>;
@group(0) @binding(1) var<uniform> call: vec4<u32>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> numbers: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> results: array<array<u32, 16>>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let unit = call.x + group.x;
    let x = numbers[unit];
    results[unit][0] = mul_high(x.x, x.y);
    results[unit][1] = div_wide(x.x, x.y, max(x.z, 1u));
    results[unit][2] = shift_right_wide(x.xy, x.w & 63u);
    results[unit][3] = u32(less_wide(x.xy, x.zw));
    results[unit][4] = gumbel(x.x);
    results[unit][5] = log2_fixed(max(x.y, 1u));
    results[unit][6] = pcg_hash(x.x);
    results[unit][7] = random_word(stream_keys(x.xy, x.z, x.w), x.x);
    results[unit][8] = trail_limit(vec2<u32>(x.x, 0u), x.w & 31u, x.z);
    results[unit][9] = short_linear(x.x & 0x7FFFu, 63u + (x.y & 63u));
    let short = results[unit][9];
    let long = wide(blocks_from(short, true) + blocks_from(0u, true) + blocks_from(0xFFFFu, false));
    results[unit][10] = long.x ^ (long.y << 8u);
    results[unit][11] = log2_distance(x.x) + heuristic_fall(x.y & 0x1FFFFFu, x.z & 4095u);
    results[unit][12] = worn_level(x.x & 0xFFFFu, x.y);
    results[unit][13] = raised_level(x.x & 0xFFFFu, max(x.x & 0xFFFFu, x.z & 0xFFFFu), x.y);
    results[unit][14] = log2_near(max(x.y, 256u));
    results[unit][15] = share_16(x.x, x.y & 0xFFFFu);
}
";

fn expected(table: &[u32], x: [u32; 4]) -> [u32; 16] {
    let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let quotient = wide(x[1], x[0]) / u64::from(x[2].max(1));
    let state = x[0].wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let short = short_linear(x[0] & 0x7FFF, 63 + (x[1] & 63));
    let long = long_linear(short);
    let mixed = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    [
        mul_high(x[0], x[1]),
        u32::try_from(quotient).unwrap_or(u32::MAX),
        (wide(x[0], x[1]) >> (x[3] & 63)) as u32,
        u32::from(wide(x[0], x[1]) < wide(x[2], x[3])),
        gumbel(table, x[0]),
        log2_fixed(table, x[1].max(1)),
        (mixed >> 22) ^ mixed,
        Stream::new(wide(x[0], x[1]), x[2], x[3]).word(x[0]),
        trail_limit(u64::from(x[2]) << (x[3] & 31), u64::from(x[0]), x[3] & 31),
        short,
        (long + long_linear(0)) as u32 ^ (((long + long_linear(0)) >> 32) as u32) << 8,
        log2_distance(table, x[0]).wrapping_add(heuristic_fall(x[1] & 0x1F_FFFF, x[2] & 4095)),
        worn_level(table, x[0] & 0xFFFF, x[1]),
        raised_level(table, x[0] & 0xFFFF, (x[0] & 0xFFFF).max(x[2] & 0xFFFF), x[1]),
        log2_near(x[1].max(256)),
        share_16(x[0], x[1] & 0xFFFF),
    ]
}

#[test]
fn the_gpu_computes_what_the_cpu_computes() {
    let extreme = [0, 1, 2, 3, 31, 32, 33, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, u32::MAX, 0xFFFF, 0x1_0000];
    let stream = Stream::new(3, 1, 4);
    let number = |i: usize| -> [u32; 4] {
        std::array::from_fn(|j| {
            let word = stream.word((i * 4 + j) as u32);
            // A third of the numbers are extreme, a third small.
            match word % 3 {
                0 => extreme[(word >> 8) as usize % extreme.len()],
                1 => word >> (word & 31),
                _ => word,
            }
        })
    };
    let numbers: Vec<[u32; 4]> = (0..COUNT).map(number).collect();
    let table = tables();

    let source = ["shared/limit", "shared/random", "shared/gumbel", "shared/heuristic", "construct/linear"]
        .map(|name| compose(name, &[]).unwrap());
    // Of the selective memory the arithmetic alone, without what is in already.
    let selective = compose("pheromone/selective", &[]).unwrap();
    let selective = selective[selective.find("/// 2^31 * 2^(-level/2048).").unwrap()..].to_owned();
    let mut backend = common::backend();
    let bound_tables = backend.buffer_with("tables", table.clone()).unwrap();
    let bound_numbers = backend.buffer_with("numbers", numbers.as_flattened().to_vec()).unwrap();
    let results = backend.buffer("results", COUNT * 16).unwrap();
    let kernel = backend
        .kernel(KernelSpec {
            name: "fixed_point",
            source: source.concat() + &selective + MAIN,
            constants: vec![],
            params: vec![0; 16],
            bindings: vec![(bound_tables, Access::Read), (bound_numbers, Access::Read), (results, Access::Write)],
            workgroup_bytes: 0,
            units_per_workgroup: 1,
            twin: |_| {},
        })
        .unwrap();
    backend.run(&[Call { kernel, units: 0..COUNT as u32 }]).unwrap();
    let got = backend.read(results, 0..COUNT * 16).unwrap();
    for (row, x) in got.chunks(16).zip(numbers) {
        assert_eq!(row, expected(&table, x), "{x:?}");
    }
}

const DISTANCES: &str = "
@group(0) @binding(0) var<uniform> params: vec4<u32>;
@group(0) @binding(1) var<uniform> call: vec4<u32>;
@group(0) @binding(2) var<storage, read> apart: array<vec2<i32>>;
@group(0) @binding(3) var<storage, read_write> results: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let unit = call.x + group.x;
    results[unit] = euclidean(apart[unit]);
}
";

/// What a device makes of the vectors in `words`, by a shader with such a main function.
fn lengths(source: String, words: Vec<u32>, count: usize) -> Vec<u32> {
    let mut backend = common::backend();
    let apart = backend.buffer_with("apart", words).unwrap();
    let results = backend.buffer("results", count).unwrap();
    let kernel = backend
        .kernel(KernelSpec {
            name: "distances",
            source,
            constants: vec![],
            params: vec![0; 16],
            bindings: vec![(apart, Access::Read), (results, Access::Write)],
            workgroup_bytes: 0,
            units_per_workgroup: 1,
            twin: |_| {},
        })
        .unwrap();
    // As many workgroups as a dispatch may have.
    for first in (0..count as u32).step_by(60_000) {
        backend.run(&[Call { kernel, units: first..(first + 60_000).min(count as u32) }]).unwrap();
    }
    backend.read(results, 0..count).unwrap()
}

/// Lengths of every size up to the longest, in any direction, and as near to half and whole numbers as there are.
#[test]
fn distances_are_exact() {
    let stream = Stream::new(5, 1, 9);
    for (flags, longest) in [
        (&[] as &[&str], 1.5e6f64),
        (&["CEILING"], 1.5e6),
        (&["FAR"], 5.9e6),
        (&["FAR", "CEILING"], 5.9e6),
        (&["THOUSANDTHS"], 0.99e9),
    ] {
        let pairs: Vec<[i32; 2]> = (0..COUNT as u32)
            .map(|i| {
                let share = |word: u32| f64::from(stream.word(4 * i + word)) / 4_294_967_296.0;
                // A quarter nearly as long as may be, the others of all sizes.
                let length = longest * if i % 4 == 0 { 1.0 - share(0) / 64.0 } else { share(0).powi(6) };
                let (y, x) = (share(1) * std::f64::consts::TAU).sin_cos();
                // A square of r² + y² with y² about r, or y = 1, is just beside a half, or a whole number.
                let root = length.floor();
                let beside = root.sqrt().round() + f64::from(stream.word(4 * i + 2) % 3) - 1.0;
                let [x, y] = match i % 3 {
                    0 => [root, beside],
                    1 => [f64::from(stream.word(4 * i + 3) % 2), root],
                    _ => [length * x, length * y],
                };
                [x as i32, -y as i32]
            })
            .chain([[0, 0], [1, 0], [0, 1], [1, 1]])
            .collect();
        let words = bytemuck::cast_slice(&pairs).to_vec();
        let got = lengths(compose("shared/euclidean", flags).unwrap() + DISTANCES, words, pairs.len());
        for (&got, &[x, y]) in got.iter().zip(&pairs) {
            let square = u64::from(x.unsigned_abs()).pow(2) + u64::from(y.unsigned_abs()).pow(2);
            // The least d whose half above it, or which itself, is not short of the root.
            let covers = |d: u64| match flags {
                ["THOUSANDTHS"] => (1000 * d + 500).pow(2) > square,
                [.., "CEILING"] => d * d >= square,
                _ => d * d + d >= square,
            };
            let got = u64::from(got);
            assert!(covers(got) && (got == 0 || !covers(got - 1)), "{flags:?} {x} {y}: {got}");
        }
    }
}

/// Lengths in space of every size up to the longest, and as near to half and whole numbers as there are.
#[test]
fn roots_in_space_are_exact() {
    let stream = Stream::new(7, 1, 9);
    let most = (1i32 << 21) - 1;
    let vectors: Vec<[i32; 4]> = (0..50_000u32)
        .flat_map(|i| {
            let word = |axis: u32, bits: u32| (stream.word(4 * i + axis) >> (32 - bits)).cast_signed();
            let bits = 4 + i % 18;
            let scattered = [0, 1, 2].map(|axis| word(axis, bits));
            // 2² + 3² + 6² = 7², 1² + 2² + 2² = 3².
            let [k, sixth] = [word(3, 20), word(3, 18)];
            let beside = [
                [2 * sixth, 3 * sixth, 6 * sixth],
                [k, 2 * k, 2 * k - 1],
                [1, word(0, 21), 1],
                [most - word(1, 4), most, most],
            ];
            std::iter::once(scattered).chain(beside).map(|[x, y, z]| [x, -y, z, 0])
        })
        .chain([[0; 4], [1, 0, 0, 0], [1, 1, 1, 0], [2 * most, most, 0, 0]])
        .collect();
    let main = DISTANCES
        .replace("array<vec2<i32>>", "array<vec4<i32>>")
        .replace("euclidean(apart[unit])", "root_in_space(apart[unit].xyz)");
    let words = bytemuck::cast_slice(&vectors).to_vec();
    let got = lengths(compose("shared/space", &["SPACE"]).unwrap() + &main, words, vectors.len());
    for (got, vector) in got.into_iter().zip(&vectors) {
        let square: u64 = vector.map(|x| u64::from(x.unsigned_abs()).pow(2)).iter().sum();
        let covers = |root: u64| root * root + root >= square;
        assert!(covers(got.into()) && (got == 0 || !covers(u64::from(got) - 1)), "{vector:?}: {got}");
    }
}

/// What measures a device does on it what its twin does.
#[test]
fn probes_read_and_copy_the_same_everywhere() {
    let words = 1 << 10;
    // A congruential generator of full period: one cycle through all places.
    let table: Vec<u32> = (0..words).map(|place| (place * 5 + 1) % words).collect();
    let found = |mut backend: Box<dyn Backend>, stream: bool, length: u32, lanes: u32| {
        let from = backend.buffer_with("table", table.clone()).unwrap();
        let to = backend.buffer("found", table.len()).unwrap();
        let kernel = backend.kernel(probe::spec(stream, length, lanes, from, to).unwrap()).unwrap();
        let units = if stream { words / length } else { 16 };
        backend.run(&[Call { kernel, units: 1..units }]).unwrap();
        backend.read(to, 0..table.len()).unwrap()
    };
    for (stream, length, lanes) in [(false, 1, 32), (false, 777, 8), (true, 64, 32), (true, 64, 8), (true, 100, 64)] {
        let on_cpu = found(Box::new(CpuBackend::new()), stream, length, lanes);
        assert_eq!(found(common::backend(), stream, length, lanes), on_cpu, "{stream} {length} {lanes}");
        let (first, end) = if stream { (length, words / length * length) } else { (1, 16) };
        let (before, done) = on_cpu[..end as usize].split_at(first as usize);
        assert!(before.iter().all(|&word| word == 0));
        assert!(if stream { done == &table[first as usize..end as usize] } else { done.iter().any(|&word| word != 0) });
    }
}
