//! What the translation looks like, and what it computes.

use super::*;
use crate::backend::Processors;

mod computed;
mod emulator;

const HEAD: &str = "@group(0) @binding(0) var<uniform> params: vec2<u32>;
    @group(0) @binding(2) var<storage, read> input: array<vec2<u32>>;
    @group(0) @binding(4) var<storage, read_write> output: array<u32>;
    override LANES: u32 = 4u;
    var<workgroup> here: array<u32, LANES>;";

fn options(capability: u32, indices: Indices) -> Options {
    let processors = Processors { count: 80, workgroup_bytes: 100 << 10 };
    Options { capability, indices, processors, lanes: 1536, registers: 1 << 16 }
}

fn main_with(body: &str, indices: Indices) -> Result<Ptx, String> {
    let entry = "@compute @workgroup_size(LANES) fn main(@builtin(local_invocation_index) lane: u32)";
    translate("tried", &format!("{HEAD} {entry} {{ {body} }}"), &[("LANES", 64)], options(90, indices))
}

fn main(body: &str) -> Result<Ptx, String> {
    main_with(body, Indices::Trusted)
}

#[test]
fn arguments_and_memory_are_laid_out() {
    let ptx = main("here[lane] = input[lane].y; workgroupBarrier(); output[lane] = here[params.x];").unwrap();
    assert_eq!((ptx.lanes, ptx.workgroup_bytes, ptx.argument_bytes), (64, 256, 16 + 16 + 2 * 16));
    assert_eq!(ptx.params, Some(16..32));
    assert_eq!(main("output[lane] = lane;").unwrap().params, None);
    let buffer = |binding, offset, element_bytes| BoundBuffer { binding, offset, element_bytes };
    assert_eq!(ptx.buffers, [buffer(2, 32, 8), buffer(4, 48, 4)]);
    assert!(ptx.text.contains(".entry tried(") && ptx.text.contains(".maxntid 64, 1, 1"));
    // 256 bytes are no limit; 40 KiB are.
    assert!(!ptx.text.contains(".minnctapersm"));
    let large = format!(
        "{HEAD} var<workgroup> large: array<u32, 10240>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {{ large[lane] = lane; }}"
    );
    let large = translate("large", &large, &[], options(90, Indices::Trusted)).unwrap();
    assert!(large.text.contains("\n.minnctapersm 2\n{\n"));
    // Nor are many workgroups where a kernel says that few come to a processor.
    let few = format!("{HEAD} override RESIDENT: u32 = 1u; @compute @workgroup_size(LANES) fn main() {{}}");
    let few = translate("few", &few, &[("LANES", 64), (RESIDENT, 3)], options(90, Indices::Trusted)).unwrap();
    assert!(few.text.contains("\n.minnctapersm 3\n{\n"));
    assert!(ptx.text.contains("bar.sync 0;") && ptx.text.contains("ld.global.nc.b32"));
}

#[test]
fn subgroups_reduce_by_one_instruction_where_there_is_one() {
    let source = |capability| {
        let body = "output[lane] = subgroupMax(lane);";
        let entry = "@compute @workgroup_size(LANES) fn main(@builtin(local_invocation_index) lane: u32)";
        translate("tried", &format!("{HEAD} {entry} {{ {body} }}"), &[], options(capability, Indices::Trusted))
            .unwrap()
            .text
    };
    assert!(source(90).contains("redux.sync.max.u32"));
    // Four invocations exchange twice.
    assert_eq!(source(75).matches("shfl.sync.bfly").count(), 2);
}

#[test]
fn indices_are_checked_where_they_are_not_trusted_and_held_under_a_guard() {
    let body = "output[lane] = input[lane].y; if lane < 3u { here[0] = here[lane]; }";
    let count = |indices, what: &str| main_with(body, indices).unwrap().text.matches(what).count();
    for what in ["setp.gt", "min.u32"] {
        assert_eq!((count(Indices::Trusted, what), count(Indices::Checked, what)), (0, 3));
    }
    let guarded = "var x = 0u; if lane < 3u { x = here[lane]; } output[0] = x;";
    for indices in [Indices::Trusted, Indices::Checked] {
        assert_eq!(main_with(guarded, indices).unwrap().text.matches("min.u32").count(), 1);
    }
}

#[test]
fn joined_conditions_are_one_instruction() {
    let count = |condition: &str, what: &str| {
        main(&format!("if {condition} {{ output[lane] = 1u; }}")).unwrap().text.matches(what).count()
    };
    assert_eq!((count("lane < 3u && params.x > 2u", "and.pred"), count("lane < 3u", "and.pred")), (1, 0));
    assert_eq!(count("lane < 3u && params.x > 2u && params.y > 2u", "and.pred"), 2);
}

#[test]
fn what_is_not_translated_is_named() {
    assert!(main("output[lane] = u32(sin(f32(lane)));").unwrap_err().contains("Sin"));
    assert!(main("output[lane] = nothing;").unwrap_err().contains("nothing"));
}
