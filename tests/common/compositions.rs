//! Every composition of a shader that a plan can ask for: derived from the plans of a grid of algorithms with their parameters,
//! problems and devices.

use std::collections::BTreeMap;

use myrmex::backend::{Backend, Capabilities, CpuBackend, KernelSpec, Processors};
use myrmex::colony::specs;
use myrmex::kernels::plan::{Plan, WindowPlan, WindowsPlan};
use myrmex::kernels::shared::probe;
use myrmex::{Algorithm, Rounding, Settings, Shape, ShapeKind, Space, Sphere};
use rayon::prelude::*;

use super::{Also, settings};

/// A GPU that a person may have; `subgroup` lanes where all subgroups have the same number.
fn gpu(subgroup: Option<u32>, kib: u32, lanes: u32) -> Capabilities {
    Capabilities {
        device: "a GPU".into(),
        wide: true,
        subgroup,
        quick_exchange: false,
        converges: false,
        own_words: 64,
        workgroup_bytes: kib << 10,
        processors: None,
        large: false,
        workgroup_invocations: lanes,
        buffer_bytes: 1 << 36,
        memory_bytes: None,
        loop_budget: 1 << 20,
        unbounded_calls: false,
    }
}

/// A software adapter, which has eight lanes or fewer.
pub fn software(subgroup: Option<u32>, kib: u32) -> Capabilities {
    Capabilities { wide: false, quick_exchange: true, loop_budget: 65_535, ..gpu(subgroup, kib, 1024) }
}

/// Devices of all kinds: software, small and large GPUs, with subgroups of all sizes and without, and some that tell of their
/// processors.
fn devices() -> Vec<Capabilities> {
    let sizes = [None, Some(4), Some(8), Some(16), Some(32), Some(64), Some(128)];
    let processors = Some(Processors { count: 132, workgroup_bytes: 228 << 10 });
    let mut all = vec![software(None, 16), software(None, 64), gpu(None, 16, 256), gpu(Some(32), 32, 64)];
    all.extend([(4, 32), (8, 32), (8, 16)].map(|(lanes, kib)| software(Some(lanes), kib)));
    for subgroup in sizes {
        let slow = gpu(subgroup, 48, 1024);
        let quick = Capabilities { quick_exchange: true, ..gpu(subgroup, 32, 256) };
        all.extend([
            slow,
            quick,
            Capabilities {
                processors,
                quick_exchange: true,
                converges: true,
                own_words: 128,
                ..gpu(subgroup, 227, 1024)
            },
        ]);
    }
    all
}

/// Parameters in words, each list one dimension of a grid.
fn grid(algorithm: &str, dimensions: &[&[&str]]) -> Vec<Settings> {
    dimensions.iter().fold(vec![settings(algorithm)], |all, dimension| {
        all.iter().flat_map(|settings| dimension.iter().map(move |words| settings.also(words))).collect()
    })
}

const SELECTIONS: &[&str] = &["selection=rwm", "selection=wrs", "selection=i-roulette"];
const STRATEGIES: &[&str] = &["strategy=coarse", "strategy=fine"];
const VISITED: &[&str] = &["visited=lc", "visited=bt", "visited=ct"];
const LANES: &[&str] = &["", "lanes=64"];
const SEARCHES: &[&str] = &[
    "local_search=none",
    "local_search=2opt",
    "local_search=2.5opt",
    "local_search=2.5opt-all",
    "local_search=oropt",
    "local_search=2opt-64",
    "local_search=2.5opt-64",
    "local_search=insertion",
    "local_search=lk",
    "local_search=lk breadth=narrow",
];

/// Settings for tours.
fn for_tours() -> Vec<Settings> {
    let candidates: &[&str] = &["", "candidates=8", "candidates=all", "candidates=12 memory=matrix"];
    let memories: &[&str] = &[
        "memory=matrix local_update=synchronous",
        "memory=matrix local_update=relaxed",
        "memory=matrix local_update=none",
        "memory=selective local_update=relaxed",
        "memory=selective local_update=none",
    ];
    let drawn: [&[&str]; 4] = [SELECTIONS, STRATEGIES, VISITED, LANES];
    let none: &[&str] = &["local_search=none"];
    let few: &[&str] = &["ants=40"];
    [
        grid("mmas", &[&[candidates, few, none], &drawn[..]].concat()),
        grid("acs", &[&[memories, few, none, &["", "candidates=8"]], &drawn[..]].concat()),
        grid("mmas", &[SEARCHES, candidates, &["ants=4", "ants=1000"]]),
        grid("mmas", &[candidates, none, few, &["", "trail_update=separate"], &["best_on=host", "best_on=device"]]),
        grid("as", &[&["", "elitist=3", "ranks=4"], &["deposit=serial", "deposit=atomic"], few, none]),
        grid("as", &[&["candidates=all", "candidates=8"], SELECTIONS, &["best_on=host", ""], few]),
        grid("acs", &[memories, SEARCHES, few]),
        grid("faco", &[SEARCHES, SELECTIONS, few]),
        grid("lk-eax", &[&["", "windows=4 window_size=8", "window_size=4096"], &["", "breadth=wide"]]),
        grid("clk", &[&["", "walks=1"], &["", "rebuild_length=0"]]),
        grid("eax", &[&["", "block_walks=0"], &["", "breadth=wide"]]),
    ]
    .concat()
}

/// Settings for assignments.
fn for_assignments() -> Vec<Settings> {
    let evaluations: &[&str] = &["", "move_evaluation=products", "move_evaluation=mata", "move_evaluation=non-mata"];
    let searches: &[&str] = &["local_search=tabu", "local_search=2opt"];
    let drawn: &[&[&str]] = &[&["local_search=none"], &["selection=rwm", "selection=wrs"], VISITED, LANES];
    [
        grid("cas", &[evaluations, searches]),
        grid("memetic", &[evaluations, searches]),
        grid("mmas", &[evaluations, searches, &["", "trail_update=separate"]]),
        grid("cas", drawn),
        grid("mmas", drawn),
        grid("mmas", &[&["local_search=none"], &["", "trail_update=separate"]]),
    ]
    .concat()
}

fn tours() -> Vec<Shape> {
    use Rounding::{Manhattan, Maximum, Nearest, NearestFar, Thousandths, Up, UpFar};
    let constrained = |size, directed, rounding, paired, gap| Shape {
        kind: ShapeKind::Tour { directed, rounding, paired, gap, doubled: paired == size },
        size,
        farthest: None,
    };
    let shape = |size, directed, rounding| constrained(size, directed, rounding, 0, false);
    let sphere = Some(Sphere { inverse: 1 << 30, ..Sphere::default() });
    let spaces = [None, sphere].map(|sphere| Rounding::Space(Space { sphere, ..Space::default() }));
    let in_plane = [Nearest, NearestFar, Up, UpFar, Thousandths, Manhattan, Maximum];
    let roundings: Vec<_> = std::iter::once(None).chain(in_plane.into_iter().chain(spaces).map(Some)).collect();
    let sizes = [30, 250, 1800, 3000, 9000, 12_000, 14_000, 30_000, 66_000];
    let mut all: Vec<Shape> =
        sizes.iter().flat_map(|&n| roundings.iter().map(move |it| shape(n, false, *it))).collect();
    all.extend([250, 3000].map(|n| shape(n, true, None)));
    // Fixed edges, and open paths with a given end: searches that keep them; asymmetric instances made symmetric.
    all.extend([constrained(3000, false, Some(Nearest), 8, true), constrained(3000, false, None, 8, false)]);
    all.extend([250, 9000, 12_000].map(|n| constrained(n, false, None, n, false)));
    all
}

fn assignments() -> Vec<Shape> {
    use myrmex::qap::Structure::{Dominant, Random};
    let kinds = [
        (Random, false, false),
        (Dominant, false, false),
        (Random, true, false),
        (Dominant, true, false),
        (Random, false, true),
        (Random, true, true),
    ];
    let shape = |size, (structure, asymmetric, alike)| Shape {
        kind: ShapeKind::Assignment { structure, asymmetric, empty: 0, alike },
        size,
        farthest: None,
    };
    [12, 60, 300].into_iter().flat_map(|size| kinds.map(|kind| shape(size, kind))).collect()
}

/// The same plan where a device has less room for the neighbours of many cities.
fn listed(plan: &Plan) -> Option<Plan> {
    let Plan::Windows(plan) = plan else { return None };
    plan.window.rounding?;
    Some(Plan::Windows(WindowsPlan { window: WindowPlan { listed: true, ..plan.window }, ..plan.clone() }))
}

/// The kernels of the plans of all phases; none for what is refused.
pub fn kernels(settings: &Settings, shape: &Shape, device: &Capabilities) -> Vec<KernelSpec> {
    let Ok(recipe) = settings.recipe_for_shape(shape, myrmex::Effort::Standard) else { return Vec::new() };
    let plans = recipe.phases.iter().filter_map(|phase| Plan::new(shape, 1 << 20, &phase.system, device).ok());
    plans.flat_map(|plan| listed(&plan).into_iter().chain([plan])).flat_map(|plan| specs(&plan)).collect()
}

/// A composition's name: its source's first line.
pub fn name_of(spec: &KernelSpec) -> &str {
    spec.source.lines().next().and_then(|line| line.strip_prefix("// ")).expect("sources begin with their name")
}

/// Every composition by its name, each as one plan asks for it.
pub fn all() -> BTreeMap<String, KernelSpec> {
    // The one kernel that no plan asks for measures a device.
    let mut host = CpuBackend::new();
    let buffer = host.buffer("none", 1).expect("there is memory");
    let probes = [false, true].map(|stream| probe::spec(stream, 1, 32, buffer, buffer).expect("it composes"));
    let problems = [(tours(), for_tours()), (assignments(), for_assignments())];
    // How distances are rounded does not matter to an Ant Colony System's construction, and drawing takes the same from all sizes.
    let matters = |shape: &Shape, settings: &Settings| {
        let draws = settings.execution.strategy.is_some();
        let acs = matches!(settings.algorithm, Algorithm::Acs(_));
        let rounded = matches!(shape.kind, ShapeKind::Tour { rounding: Some(it), .. } if it != Rounding::Nearest);
        !(draws && (acs && rounded || [250, 12_000, 14_000].contains(&shape.size)))
    };
    let pairs = problems.iter().flat_map(|(shapes, settings)| {
        let with = move |shape| settings.iter().map(move |settings| (shape, settings));
        shapes.iter().flat_map(with).filter(|(shape, settings)| matters(shape, settings))
    });
    let devices = devices();
    let named = |specs: Vec<KernelSpec>| specs.into_iter().map(|spec| (name_of(&spec).to_owned(), spec));
    let asked = pairs.collect::<Vec<_>>().into_par_iter().fold(BTreeMap::new, |mut all, (shape, settings)| {
        for device in &devices {
            named(kernels(settings, shape, device)).for_each(|(name, spec)| {
                all.entry(name).or_insert(spec);
            });
        }
        all
    });
    let mut all = asked.reduce(BTreeMap::new, |mut all, others| {
        others.into_iter().for_each(|(name, spec)| {
            all.entry(name).or_insert(spec);
        });
        all
    });
    all.extend(named(probes.to_vec()));
    all
}

/// So many settings, problems and devices drawn at random, the same at every call.
pub fn others(count: u32) -> impl Iterator<Item = (Settings, Shape, Capabilities)> {
    let problems = [(tours(), for_tours()), (assignments(), for_assignments())];
    let mut word = 1u32;
    let mut draw = move |below: usize| {
        word = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        ((u64::from(word) * below as u64) >> 32) as usize
    };
    (0..count).map(move |_| {
        let (shapes, settings) = &problems[draw(2)];
        let shape = shapes[draw(shapes.len())];
        let most = if matches!(shape.kind, ShapeKind::Tour { .. }) { 17 } else { 9 };
        let octave = 3 + draw(most - 3);
        let size = 5 + draw(1 << octave);
        let shape = match shape.kind {
            ShapeKind::Tour { directed, rounding, paired, gap, doubled } => {
                let paired = if doubled { size } else { paired.min(size) } / 2 * 2;
                // A doubled instance has an even number of nodes.
                let size = if doubled { paired } else { size };
                Shape { kind: ShapeKind::Tour { directed, rounding, paired, gap, doubled }, size, ..shape }
            }
            ShapeKind::Assignment { .. } => Shape { size, ..shape },
        };
        let subgroup = [None, Some(4), Some(8), Some(16), Some(32), Some(64), Some(128)][draw(7)];
        let processors = Processors { count: 8 + draw(200) as u32, workgroup_bytes: (32 + draw(200) as u32) << 10 };
        let (kib, lanes) = (16 + draw(200) as u32, 64 << draw(5));
        let device = match draw(4) {
            0 => software(subgroup.filter(|lanes| *lanes <= 16), kib),
            1 => Capabilities { quick_exchange: true, processors: Some(processors), ..gpu(subgroup, kib, 1024) },
            _ => Capabilities { quick_exchange: draw(2) == 0, ..gpu(subgroup, kib, lanes) },
        };
        (settings[draw(settings.len())], shape, device)
    })
}
