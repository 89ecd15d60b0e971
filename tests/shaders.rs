//! Without a GPU: every shader validates, its blocks have the layout Rust gives them, and it translates for each API.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::offset_of;
use std::sync::LazyLock;

use crate::common::compositions;
use myrmex::backend::KernelSpec;
use myrmex::backend::wgpu::uniform_flow::uniform_flow;
use myrmex::kernels::compose::{MODULES, compose};
use myrmex::kernels::construct::{deviates, focus};
use myrmex::kernels::eax::WalkProgress;
use myrmex::kernels::eax::{edge_overlap, recombine, replace};
use myrmex::kernels::lin_kernighan::{ChainedProgress, chained_search};
use myrmex::kernels::pheromone::{
    best, deposit, deposit_amount, global_update, local_update, serial_update, trail_update, unit_best,
};
use myrmex::kernels::qap::{assignment_cost, crossover, delta_table, survivors, tabu_search};
use myrmex::kernels::shared::progress::{ConstructProgress, PROGRESS_WORDS, SEARCH_AT, SearchTags};
use myrmex::kernels::shared::state::State;
use myrmex::kernels::shared::{probe, tour_cost};
use myrmex::kernels::two_opt::pieces;
use myrmex::kernels::windows::{window_order, window_search};
use myrmex::kernels::{construct, lin_kernighan, merge, two_opt};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use rayon::prelude::*;

/// Every composition by its name.
static COMPOSITIONS: LazyLock<BTreeMap<String, KernelSpec>> = LazyLock::new(compositions::all);

fn modules() -> impl ParallelIterator<Item = (&'static str, &'static KernelSpec, naga::Module)> {
    COMPOSITIONS.par_iter().map(|(name, spec)| {
        let module = naga::front::wgsl::parse_str(&spec.source)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&spec.source)));
        (name.as_str(), spec, module)
    })
}

/// The base kernels need no capability beyond WebGPU's core.
fn validate(name: &str, module: &naga::Module) -> naga::valid::ModuleInfo {
    let subgroups = name.contains("SUBGROUP");
    let capabilities = if subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if subgroups {
        validator.subgroup_stages(naga::valid::ShaderStages::COMPUTE);
        validator.subgroup_operations(naga::valid::SubgroupOperationSet::all());
    }
    validator.validate(module).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

/// The list of compositions cannot drift: it has both sides of every condition in every module, and every module.
#[test]
fn every_condition_of_every_module_is_met_and_not_met() {
    let names: Vec<(&str, BTreeSet<&str>)> = COMPOSITIONS
        .keys()
        .map(|name| {
            let (root, flags) = name.split_once(' ').unwrap_or((name, ""));
            (root, flags.split(' ').collect())
        })
        .collect();
    let conditions = |source: &'static str| source.lines().filter_map(|line| line.trim().strip_prefix("#if "));
    let mut unmet = Vec::new();
    for (module, source) in MODULES {
        // A line that is a module's alone tells where it is included.
        let own = source
            .lines()
            .find(|line| line.starts_with("fn ") || line.starts_with("const ") || line.starts_with("override "));
        let held = COMPOSITIONS.values().filter(|spec| own.is_none_or(|own| spec.source.contains(own))).count();
        if held == 0 {
            unmet.push(format!("no composition includes {module}"));
        }
        for flag in conditions(source).map(str::trim) {
            let sides = [true, false].map(|side| names.iter().any(|(_, flags)| flags.contains(flag) == side));
            if sides != [true; 2] {
                unmet.push(format!("{module}: {flag}"));
            }
        }
    }
    assert!(unmet.is_empty(), "{unmet:#?}");
}

#[test]
fn every_composition_translates_for_vulkan_metal_and_dx12() {
    modules().for_each(|(name, spec, module)| {
        let info = validate(name, &module);
        let constants = spec.constants.iter().map(|(name, value)| ((*name).to_owned(), f64::from(*value))).collect();
        let stage = Some((naga::ShaderStage::Compute, "main"));
        let (module, info) = naga::back::pipeline_constants::process_overrides(&module, &info, stage, &constants)
            .unwrap_or_else(|error| panic!("{name}: {error}"));

        naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None)
            .unwrap_or_else(|error| panic!("{name}, SPIR-V: {error}"));

        let msl = naga::back::msl::Options { fake_missing_bindings: true, ..Default::default() };
        naga::back::msl::write_string(&module, &info, &msl, &naga::back::msl::PipelineOptions::default())
            .unwrap_or_else(|error| panic!("{name}, MSL: {error}"));

        let hlsl = naga::back::hlsl::Options { fake_missing_bindings: true, ..Default::default() };
        let pipeline = naga::back::hlsl::PipelineOptions::default();
        let mut text = String::new();
        naga::back::hlsl::Writer::new(&mut text, &hlsl, &pipeline)
            .write(&module, &info, None)
            .unwrap_or_else(|error| panic!("{name}, HLSL: {error}"));
    });
    println!("{} compositions in SPIR-V, MSL and HLSL", COMPOSITIONS.len());
}

/// As browsers get them, compositions without subgroups are valid too, and their barriers depend on what one lane says.
/// `MYRMEX_BROWSER_SHADERS` names a file for them, which web/test.sh gives to a browser.
#[test]
fn compositions_are_valid_with_uniform_flow() {
    let plain = modules().filter(|(name, ..)| !name.contains("SUBGROUP"));
    let sources: Vec<(&str, String)> = plain.map(|(name, spec, _)| (name, uniform_flow(&spec.source))).collect();
    for (name, source) in &sources {
        let module = naga::front::wgsl::parse_str(source)
            .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(source)));
        validate(name, &module);
    }
    let changed = sources.iter().filter(|(_, source)| source.contains("same_for_all(")).count();
    assert!(changed > 100 && changed < sources.len(), "{changed} of {}", sources.len());
    if let Some(file) = std::env::var_os("MYRMEX_BROWSER_SHADERS") {
        std::fs::write(file, serde_json::to_string(&sources).unwrap()).unwrap();
    }
}

/// Plans beyond the grid, for sizes and devices drawn at random, ask for no composition that is not in the list.
#[test]
fn other_plans_ask_for_nothing_else() {
    let asked: Vec<String> = compositions::others(30_000)
        .collect::<Vec<_>>()
        .into_par_iter()
        .flat_map_iter(|(settings, shape, device)| compositions::kernels(&settings, &shape, &device))
        .map(|spec| compositions::name_of(&spec).to_owned())
        .collect();
    let unlisted: BTreeSet<&String> = asked.iter().filter(|name| !COMPOSITIONS.contains_key(*name)).collect();
    assert!(unlisted.is_empty(), "not in the list: {unlisted:#?}");
    assert!(asked.len() > 30_000, "{}", asked.len());
}

#[test]
fn base_kernels_stay_within_eight_storage_buffers() {
    modules().for_each(|(name, _, module)| {
        let storage = module
            .global_variables
            .iter()
            .filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }))
            .count();
        assert!(storage <= 8, "{name}: {storage}");
    });
}

/// Name and offset of each member of a WGSL struct, and its size.
fn layout(root: &str, name: &str) -> (Vec<(String, u32)>, u32) {
    let flags: &[&str] = match root {
        "construct/construct" => &["VISITED_BT", "ROWS_FULL"],
        "windows/window_search" => &["WINDOW"],
        "lin_kernighan/chained_search" => &["WINDOW", "OWN_SIZE"],
        _ => &[],
    };
    let source = compose(root, flags).unwrap();
    let module = naga::front::wgsl::parse_str(&source).unwrap();
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    let (_, ty) = found.unwrap_or_else(|| panic!("{root} has no struct {name}"));
    let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    let members = members.iter().map(|member| (member.name.clone().unwrap(), member.offset)).collect();
    (members, *span)
}

/// Names and offsets of a block's fields.
type Fields = &'static [(&'static str, usize)];

/// Blocks that Rust declares: their fields, and which of them some shader has.
#[derive(Default)]
struct Blocks(BTreeMap<&'static str, (Fields, BTreeSet<String>)>);

impl Blocks {
    /// Holds a shader's struct against one of Rust's, a shader calling padding what it does not read.
    fn hold(&mut self, root: &str, name: &str, ours: (&'static str, Fields, usize)) {
        let (rust, fields, size) = ours;
        let (members, span) = layout(root, name);
        let (_, read) = self.0.entry(rust).or_insert((fields, BTreeSet::new()));
        for (name, at) in members.into_iter().filter(|(name, _)| !name.starts_with("padding")) {
            assert!(fields.contains(&(name.as_str(), at as usize)), "{root}: {rust} has no {name} at {at}");
            read.insert(name);
        }
        assert_eq!(span as usize, size, "{root} {rust}");
    }
}

macro_rules! same_layout {
    ($blocks:expr, $root:literal, $name:literal, $ty:ty) => {
        $blocks.hold($root, $name, (std::any::type_name::<$ty>(), <$ty>::FIELDS, size_of::<$ty>()))
    };
}

#[test]
fn blocks_have_the_layout_that_rust_gives_them() {
    let mut blocks = Blocks::default();
    same_layout!(blocks, "construct/construct", "Params", construct::Params);
    same_layout!(blocks, "pheromone/deposit", "Params", deposit::Params);
    same_layout!(blocks, "pheromone/deposit_amount", "Params", deposit_amount::Params);
    same_layout!(blocks, "pheromone/serial_update", "Params", serial_update::Params);
    same_layout!(blocks, "construct/deviates", "Params", deviates::Params);
    same_layout!(blocks, "shared/probe", "Params", probe::Params);
    same_layout!(blocks, "pheromone/local_update", "Params", local_update::Params);
    same_layout!(blocks, "pheromone/global_update", "Params", global_update::Params);
    same_layout!(blocks, "two_opt/two_opt", "Params", two_opt::Params);
    same_layout!(blocks, "lin_kernighan/lin_kernighan", "Params", lin_kernighan::Params);
    same_layout!(blocks, "windows/window_order", "Params", window_order::Params);
    same_layout!(blocks, "windows/window_search", "Params", window_search::Params);
    same_layout!(blocks, "lin_kernighan/chained_search", "Params", chained_search::Params);
    same_layout!(blocks, "lin_kernighan/chained_search", "Head", chained_search::Head);
    same_layout!(blocks, "merge/conflicts", "Params", merge::conflicts::Params);
    same_layout!(blocks, "merge/independent_set", "Params", merge::conflicts::Params);
    same_layout!(blocks, "merge/mark", "Params", merge::mark::Params);
    same_layout!(blocks, "merge/paths", "Params", merge::paths::Params);
    same_layout!(blocks, "merge/order_index", "Params", merge::paths::Params);
    same_layout!(blocks, "merge/scatter", "Params", merge::scatter::Params);
    same_layout!(blocks, "eax/recombine", "Params", recombine::Params);
    same_layout!(blocks, "eax/edge_overlap", "Params", edge_overlap::Params);
    same_layout!(blocks, "eax/replace", "Params", replace::Params);
    same_layout!(blocks, "construct/focus", "Params", focus::Params);
    same_layout!(blocks, "two_opt/pieces", "Params", pieces::Params);
    same_layout!(blocks, "shared/tour_cost", "Params", tour_cost::Params);
    same_layout!(blocks, "pheromone/best", "Params", best::Params);
    same_layout!(blocks, "pheromone/trail_update", "Params", trail_update::Params);
    same_layout!(blocks, "pheromone/best", "State", State);
    same_layout!(blocks, "pheromone/best", "ConstructProgress", ConstructProgress);
    same_layout!(blocks, "two_opt/two_opt", "SearchProgress", two_opt::SearchProgress);
    same_layout!(blocks, "lin_kernighan/lin_kernighan", "SearchProgress", lin_kernighan::SearchProgress);
    same_layout!(blocks, "qap/tabu_search", "SearchProgress", tabu_search::SearchProgress);
    same_layout!(blocks, "windows/window_search", "ChainedProgress", ChainedProgress);
    same_layout!(blocks, "eax/recombine", "WalkProgress", WalkProgress);
    // Both blocks of a unit, one behind the other; `best` reads the tags of all kinds of progress at the same places.
    let halves = vec![("construct".to_owned(), 0), ("search".to_owned(), 4 * SEARCH_AT as u32)];
    let tags: Vec<_> = [("begun", offset_of!(SearchTags, begun)), ("done", offset_of!(SearchTags, done))]
        .map(|(name, offset)| (name.to_owned(), offset as u32))
        .into();
    for root in
        ["pheromone/best", "two_opt/two_opt", "two_opt/pieces", "lin_kernighan/lin_kernighan", "qap/tabu_search"]
    {
        assert_eq!(layout(root, "Progress"), (halves.clone(), 4 * PROGRESS_WORDS as u32), "{root}");
        assert_eq!(layout(root, "SearchProgress").0[..2], tags, "{root}");
    }
    let search_done = 4 * SEARCH_AT + offset_of!(SearchTags, done);
    assert_eq!(offset_of!(ConstructProgress, done), offset_of!(WalkProgress, construct_done));
    assert_eq!([offset_of!(WalkProgress, search_done), offset_of!(ChainedProgress, search_done)], [search_done; 2]);
    assert_eq!([size_of::<ChainedProgress>(), size_of::<WalkProgress>()], [4 * PROGRESS_WORDS; 2]);
    same_layout!(blocks, "pheromone/unit_best", "Params", unit_best::Params);
    same_layout!(blocks, "qap/assignment_cost", "Params", assignment_cost::Params);
    same_layout!(blocks, "qap/crossover", "Params", crossover::Params);
    same_layout!(blocks, "qap/cost_ranks", "Params", survivors::Params);
    same_layout!(blocks, "qap/survivors", "Params", survivors::Params);
    same_layout!(blocks, "qap/succession", "Params", survivors::Params);
    same_layout!(blocks, "qap/delta_table", "Params", delta_table::Params);
    same_layout!(blocks, "qap/tabu_search", "Params", tabu_search::Params);
    // Nor has Rust a field that no shader has.
    for (rust, (fields, read)) in blocks.0 {
        let unread = |name: &&str| !name.starts_with("padding") && !read.contains(*name);
        let unread: Vec<&str> = fields.iter().map(|(name, _)| *name).filter(unread).collect();
        assert!(unread.is_empty(), "no shader has {unread:?} of {rust}");
    }
}

#[test]
fn a_wrong_layout_would_be_noticed() {
    let right = trail_update::Params::FIELDS;
    let swapped: Vec<_> = right.iter().zip(right.iter().rev()).map(|((name, _), (_, at))| (*name, *at)).collect();
    let is_held = |fields: Vec<(&'static str, usize)>, size: usize| {
        let held = || Blocks::default().hold("pheromone/trail_update", "Params", ("it", fields.leak(), size));
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(held)).is_ok()
    };
    let size = size_of::<trail_update::Params>();
    assert!(is_held(right.to_vec(), size));
    assert!(!is_held(swapped, size) && !is_held(right[1..].to_vec(), size) && !is_held(right.to_vec(), size + 4));
}

/// Every composition in PTX; in the folder `MYRMEX_PTX`, where that is set, for an assembler to look at.
#[cfg(feature = "cuda")]
#[test]
fn every_composition_translates_for_cuda() {
    use myrmex::backend::Processors;
    use myrmex::backend::cuda::ptx::{Indices, Options, translate};
    let folder = std::env::var_os("MYRMEX_PTX").map(std::path::PathBuf::from);
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/maintain/cuda.md")).unwrap();
    let head = page.lines().find_map(|line| line.strip_prefix("| kernel | ")).expect("the page has a table");
    let instructions: Vec<&str> =
        head.trim_end_matches('|').split(" | ").map(|cell| cell.trim_matches([' ', '`'])).collect();
    let emitted: std::sync::Mutex<BTreeMap<&str, BTreeSet<usize>>> = Default::default();
    COMPOSITIONS.iter().collect::<Vec<_>>().into_par_iter().enumerate().for_each(|(number, (name, spec))| {
        for capability in [70, 90] {
            let processors = Processors { count: 132, workgroup_bytes: 228 << 10 };
            let indices = Indices::Trusted;
            let options = Options { capability, indices, processors, lanes: 2048, registers: 1 << 16 };
            let ptx = translate("kernel", &spec.source, &spec.constants, options)
                .unwrap_or_else(|error| panic!("{name}, PTX: {error}"));
            assert!(ptx.text.contains(".entry kernel("), "{name}");
            if capability == 90 {
                let has = |index: &usize| ptx.text.contains(instructions[*index]);
                emitted.lock().unwrap().entry(spec.name).or_default().extend((0..instructions.len()).filter(has));
            }
            if let Some(folder) = &folder {
                std::fs::write(folder.join(format!("{number}.{capability}.ptx")), format!("// {name}\n{}", ptx.text))
                    .unwrap();
            }
        }
    });
    println!("{} compositions in PTX", COMPOSITIONS.len());
    let row = |(kernel, found): (&&str, &BTreeSet<usize>)| {
        let cells = (0..instructions.len()).map(|index| if found.contains(&index) { " x |" } else { " |" });
        format!("| `{kernel}` |{}", cells.collect::<String>())
    };
    let emitted = emitted.into_inner().unwrap();
    let rows: Vec<String> = emitted.iter().map(row).collect();
    let told: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("| kernel | ")).skip(2).collect();
    let told: Vec<&str> = told.into_iter().take_while(|line| line.starts_with('|')).collect();
    assert!(told == rows, "docs/maintain/cuda.md should say\n{}", rows.join("\n"));
}
