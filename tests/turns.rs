//! No invocation of a kernel takes more loop turns than a software adapter's budget, however large an instance it is asked for.

use myrmex::backend::Capabilities;
use myrmex::colony::specs;
use myrmex::kernels::plan::Plan;
use myrmex::kernels::turns::{LoopTurns, UNCOUNTED, loop_turns};
use myrmex::{Error, Rounding, Settings, Shape, ShapeKind};

use crate::common::compositions;

fn plans(settings: &Settings, shape: &Shape, device: &Capabilities) -> Vec<Result<Plan, Error>> {
    let Ok(recipe) = settings.recipe_for_shape(shape, myrmex::Effort::Standard) else { return Vec::new() };
    recipe.phases.iter().map(|phase| Plan::new(shape, 1 << 20, &phase.system, device)).collect()
}

#[test]
fn no_kernel_passes_the_loop_budget_at_any_size() {
    let (mut accepted, mut refused, mut greatest) = (0, 0, 0);
    for (settings, shape, device) in compositions::others(1500).filter(|(.., device)| !device.wide) {
        let tour = matches!(shape.kind, ShapeKind::Tour { .. });
        let sizes: &[usize] = if tour { &[30_000, 65_536, 200_000, 1 << 24] } else { &[300, 590, 720, 1500, 32_767] };
        for &size in [shape.size].iter().chain(sizes) {
            for plan in plans(&settings, &Shape { size, ..shape }, &device) {
                let Ok(plan) = plan else {
                    refused += 1;
                    continue;
                };
                accepted += 1;
                for spec in specs(&plan) {
                    let Some(turns) = loop_turns(&plan, spec.name) else {
                        panic!("nobody has counted the loop turns of '{}': see planner/turns.rs", spec.name)
                    };
                    if let LoopTurns::AtMost(turns) = turns {
                        assert!(UNCOUNTED.contains(&spec.name), "'{}' is not looked at by plans", spec.name);
                        assert!(turns <= u64::from(device.loop_budget), "{turns} of '{}' for {size}", spec.name);
                        greatest = greatest.max(turns);
                    }
                }
            }
        }
    }
    // Some come near the budget, and some are refused for it.
    assert!(accepted > 500 && refused > 100 && greatest > 50_000, "{accepted} {refused} {greatest}");
}

#[test]
fn what_passes_the_budget_is_refused_by_name() {
    let software = compositions::software(None, 64);
    let eax = Settings::named("eax").unwrap();
    let kind =
        ShapeKind::Tour { directed: false, rounding: Some(Rounding::Nearest), paired: 0, gap: false, doubled: false };
    // The phase behind that of first tours, which takes fewer cities.
    let of = |size| {
        plans(&eax, &Shape { kind, size, farthest: None }, &software)
            .remove(1)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(of(40_000), Ok(()));
    let told = of(65_536).unwrap_err();
    assert!(told.contains("'replace'") && told.contains("loop turns"), "{told}");
    let drawn = Settings::named("mmas").unwrap().with("local_search", "none").unwrap();
    let kind =
        ShapeKind::Assignment { structure: myrmex::qap::Structure::Random, asymmetric: false, empty: 0, alike: false };
    let told = plans(&drawn, &Shape { kind, size: 800, farthest: None }, &software).remove(0).unwrap_err().to_string();
    assert!(told.contains("'assignment_cost'") && told.contains("loop turns"), "{told}");
}
