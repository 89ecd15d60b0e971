//! The WGSL arithmetic against the Rust arithmetic, on the GPU, over random and extreme numbers.

mod common;

use myrmex::aco::fixed::{gumbel, log2_fixed, mul_high, tables};
use myrmex::aco::random::Stream;
use myrmex::backend::wgpu::WgpuBackend;
use myrmex::backend::{Access, Backend, Call, KernelSpec};
use myrmex::kernels::compose::compose;

const COUNT: usize = 1 << 16;

const MAIN: &str = "
@group(0) @binding(0) var<uniform> params: vec4<u32>;
@group(0) @binding(1) var<uniform> call: vec4<u32>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> numbers: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> results: array<array<u32, 8>>;

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
}
";

fn expected(table: &[u32], x: [u32; 4]) -> [u32; 8] {
    let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let quotient = wide(x[1], x[0]) / u64::from(x[2].max(1));
    let state = x[0].wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
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

    let source =
        ["shared/fixed", "shared/random", "shared/gumbel", "shared/log2"].map(|name| compose(name, &[]).unwrap());
    let mut backend = WgpuBackend::new(common::gpu()).unwrap();
    let bound_tables = backend.buffer_with("tables", &table).unwrap();
    let bound_numbers = backend.buffer_with("numbers", numbers.as_flattened()).unwrap();
    let results = backend.buffer("results", COUNT * 8).unwrap();
    let kernel = backend
        .kernel(KernelSpec {
            name: "fixed_point",
            source: source.concat() + MAIN,
            constants: vec![],
            params: vec![0; 16],
            bindings: vec![(bound_tables, Access::Read), (bound_numbers, Access::Read), (results, Access::Write)],
            workgroup_bytes: 0,
            twin: |_| {},
        })
        .unwrap();
    backend.run(&[Call { kernel, units: 0..COUNT as u32 }]).unwrap();
    let got = backend.read(results, 0..COUNT * 8).unwrap();
    for (row, x) in got.chunks(8).zip(numbers) {
        assert_eq!(row, expected(&table, x), "{x:?}");
    }
}
