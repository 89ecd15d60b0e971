//! Every composition of every kernel.

use myrmex::kernels::compose::compose;

/// Every kernel with each set of flags it is made with, construction aside.
const VARIANTS: &[(&str, &[&str])] = &[
    ("probe", &[]),
    ("probe", &["STREAM"]),
    ("tsp/two_opt", &[]),
    ("tsp/two_opt", &["TOUR_IN_WORDS"]),
    ("tsp/two_opt", &["TOUR_IN_WORDS", "SPLIT", "SUBGROUPS"]),
    ("tsp/two_opt", &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"]),
    ("tsp/two_opt", &["SPLIT"]),
    ("tsp/two_opt", &["SPLIT", "SUBGROUPS"]),
    ("tsp/two_opt", &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE", "SPLIT"]),
    ("tsp/two_opt", &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE", "SPLIT", "SUBGROUPS"]),
    ("tsp/two_opt", &["INSERTS", "TWO_HALF_OPT"]),
    ("tsp/two_opt", &["INSERTS", "TWO_HALF_OPT", "SPLIT"]),
    ("tsp/two_opt", &["INSERTS", "TWO_HALF_OPT", "TOUR_IN_WORDS", "SPLIT", "SUBGROUPS"]),
    ("tsp/two_opt", &["INSERTS", "TWO_HALF_OPT", "QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"]),
    ("tsp/two_opt", &["INSERTS", "OR_OPT"]),
    ("tsp/two_opt", &["INSERTS", "OR_OPT", "SPLIT"]),
    ("tsp/two_opt", &["INSERTS", "OR_OPT", "TOUR_IN_WORDS", "SPLIT", "SUBGROUPS"]),
    ("tsp/two_opt", &["INSERTS", "OR_OPT", "QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"]),
    ("tsp/two_opt", &["INSERTS", "INSERTION"]),
    ("tsp/two_opt", &["INSERTS", "INSERTION", "SPLIT"]),
    ("tsp/two_opt", &["INSERTS", "INSERTION", "TOUR_IN_WORDS", "SPLIT", "SUBGROUPS"]),
    ("tsp/lin_kernighan", &[]),
    ("tsp/lin_kernighan", &["QUEUE_IN_STORAGE"]),
    ("tsp/lin_kernighan", &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE"]),
    ("tsp/lin_kernighan", &["TOUR_IN_WORDS", "SUBGROUPS"]),
    ("tsp/lin_kernighan", &["SPOTS"]),
    ("tsp/lin_kernighan", &["NARROW"]),
    ("tsp/lin_kernighan", &["SPOTS", "NARROW", "SUBGROUPS"]),
    ("tsp/lin_kernighan", &["SPOTS", "CEILING"]),
    ("tsp/lin_kernighan", &["SPOTS", "CEILING", "FAR"]),
    ("tsp/lin_kernighan", &["SPOTS", "THOUSANDTHS"]),
    ("tsp/lin_kernighan", &["SPOTS", "SUBGROUPS"]),
    ("tsp/lin_kernighan", &["SPOTS", "CEILING", "QUEUE_IN_STORAGE", "TOUR_IN_STORAGE", "SUBGROUPS"]),
    ("tsp/lin_kernighan", &["SUBGROUPS"]),
    ("tsp/lin_kernighan", &["SUBGROUPS", "ONE_SWEEP"]),
    ("tsp/lin_kernighan", &["QUEUE_IN_STORAGE", "TOUR_IN_STORAGE", "SUBGROUPS"]),
    ("tsp/patch_order", &[]),
    ("tsp/patch_order", &["SPOTS"]),
    ("tsp/patch", &["PATCH"]),
    ("tsp/patch", &["PATCH", "SUBGROUPS"]),
    ("tsp/patch", &["PATCH", "SUBGROUPS", "TOUR_IN_WORDS"]),
    ("tsp/patch", &["PATCH", "SPOTS"]),
    ("tsp/patch", &["PATCH", "SPOTS", "CEILING"]),
    ("tsp/patch", &["PATCH", "SPOTS", "THOUSANDTHS"]),
    ("tsp/patch", &["PATCH", "SPOTS", "SUBGROUPS"]),
    ("tsp/patch", &["PATCH", "SPOTS", "CEILING", "SUBGROUPS"]),
    ("tsp/patch", &["PATCH", "SPOTS", "SUBGROUPS", "ONE_SWEEP", "TOUR_IN_WORDS", "SPOTS_HERE"]),
    ("tsp/patch", &["PATCH", "SPOTS", "FAR", "SUBGROUPS", "ONE_SWEEP"]),
    ("tsp/splice/conflicts", &[]),
    ("tsp/splice/choose", &[]),
    ("tsp/splice/mark", &[]),
    ("tsp/splice/paths", &[]),
    ("tsp/splice/place", &[]),
    ("tsp/splice/seat", &[]),
    ("tsp/assemble", &[]),
    ("tsp/assemble", &["SUBGROUPS"]),
    ("tsp/assemble", &["SPOTS"]),
    ("tsp/assemble", &["SPOTS", "CEILING"]),
    ("tsp/assemble", &["SPOTS", "THOUSANDTHS"]),
    ("tsp/assemble", &["SPOTS", "SUBGROUPS"]),
    ("tsp/assemble", &["SPOTS", "CEILING", "SUBGROUPS"]),
    ("tsp/adopt", &[]),
    ("tsp/focus", &[]),
    ("tsp/pieces", &[]),
    ("tsp/pieces", &["INSERTS"]),
    ("colony/overlap", &[]),
    ("tsp/tour_cost", &[]),
    ("tsp/tour_cost", &["SPOTS"]),
    ("tsp/tour_cost", &["SPOTS", "CEILING"]),
    ("tsp/tour_cost", &["SPOTS", "FAR"]),
    ("tsp/tour_cost", &["SPOTS", "CEILING", "FAR"]),
    ("tsp/tour_cost", &["SPOTS", "THOUSANDTHS"]),
    ("colony/best", &["LINKS"]),
    ("colony/best", &["LINKS", "HOST"]),
    ("colony/best", &["UNITS"]),
    ("colony/best", &[]),
    ("colony/unit_best", &[]),
    ("colony/deposit", &["ASSIGNMENT"]),
    ("colony/deposit", &["ASSIGNMENT", "BEST"]),
    ("colony/trail_update", &["EVAPORATE", "DEPOSIT", "CHOICE", "MATRIX", "ASSIGNMENT"]),
    ("colony/trail_update", &["EVAPORATE", "MATRIX", "ASSIGNMENT"]),
    ("colony/trail_update", &["CHOICE", "MATRIX", "ASSIGNMENT", "LINEAR"]),
    ("qap/assignment_cost", &[]),
    ("qap/exchange_table", &[]),
    ("qap/exchange_table", &["ASYMMETRIC"]),
    ("qap/exchange_table", &["PRODUCTS"]),
    ("qap/exchange_table", &["PRODUCTS", "ASYMMETRIC"]),
    ("colony/deposit", &[]),
    ("colony/deposit", &["SERIAL"]),
    ("colony/deposit", &["BEST"]),
    ("colony/deposit_amount", &[]),
    ("colony/deviates", &[]),
    ("colony/deviates", &["I_ROULETTE"]),
    ("colony/deviates", &["PACKED"]),
    ("colony/deviates", &["PACKED", "I_ROULETTE"]),
    ("tsp/local_update", &[]),
    ("tsp/global_update", &[]),
    ("tsp/global_update", &["SELECTIVE"]),
    ("colony/trail_update", &["EVAPORATE", "DEPOSIT", "CHOICE"]),
    ("colony/trail_update", &["EVAPORATE", "DEPOSIT", "CHOICE", "MATRIX"]),
    ("colony/trail_update", &["EVAPORATE", "DEPOSIT", "CHOICE", "MATRIX", "NEAR"]),
    ("colony/trail_update", &["EVAPORATE", "MATRIX"]),
    ("colony/trail_update", &["CHOICE", "MATRIX"]),
    ("colony/trail_update", &["CHOICE", "MATRIX", "LINEAR"]),
    ("colony/trail_update", &["EVAPORATE", "DEPOSIT", "CHOICE", "LINEAR"]),
    ("colony/trail_update", &["CHOICE", "MATRIX", "NEAR"]),
];

/// Every composition of construction.
fn constructions() -> Vec<Vec<&'static str>> {
    let rows: [&[&str]; 9] = [
        &["ROWS_CANDIDATES", "BEYOND"],
        &["ROWS_CANDIDATES", "BEYOND", "SPOTS"],
        &["ROWS_CANDIDATES", "BEYOND", "SPOTS", "CEILING"],
        &["ROWS_CANDIDATES", "BEYOND", "SPOTS", "THOUSANDTHS"],
        &["ROWS_CANDIDATES", "MATRIX", "BEYOND"],
        &["ROWS_FULL"],
        &["ROWS_TRAILS", "BEYOND", "PSEUDO_RANDOM"],
        &["ROWS_TRAILS", "BEYOND", "PSEUDO_RANDOM", "RELAXED"],
        &["ROWS_SELECTIVE", "BEYOND", "PSEUDO_RANDOM", "RELAXED"],
    ];
    let mut all = Vec::new();
    for rows in rows {
        for tabu in ["TABU_LC", "TABU_BT", "TABU_CT"] {
            for selection in [&[] as &[&str], &["ROULETTE"]] {
                let crews: [&[&str]; 12] = [
                    &["SYNC_STEPS"],
                    &["COARSE"],
                    &["SYNC_STEPS", "SUBGROUPS"],
                    &["SYNC_STEPS", "ONE_SUBGROUP"],
                    &["SYNC_STEPS", "ONE_SUBGROUP", "ONE_EACH"],
                    &["ONE_EACH"],
                    &["ONE_SUBGROUP", "ONE_EACH", "MARK_TOGETHER"],
                    &["ONE_SUBGROUP", "ONE_EACH", "MARK_TOGETHER", "WARM"],
                    &["ONE_SUBGROUP", "ONE_EACH", "TABU_REGISTER", "IN_REGISTERS", "MARK_TOGETHER", "WARM"],
                    &["ONE_SUBGROUP", "ONE_EACH", "TABU_REGISTER", "IN_REGISTERS", "MARK_TOGETHER"],
                    &["SUBGROUPS", "TABU_OCTETS", "IN_REGISTERS", "MARK_TOGETHER"],
                    &["ONE_SUBGROUP", "TABU_OCTETS", "IN_REGISTERS", "MARK_TOGETHER"],
                ];
                for crew in crews {
                    let wheel = selection.contains(&"ROULETTE");
                    let fits = !wheel || !crew.join(" ").contains("ONE_");
                    if !fits || (crew.contains(&"ONE_EACH") && rows == ["ROWS_FULL"]) {
                        continue;
                    }
                    if crew.contains(&"MARK_TOGETHER") && (tabu != "TABU_BT" || wheel) {
                        continue;
                    }
                    if crew.contains(&"TABU_REGISTER") && (tabu != "TABU_BT" || rows == ["ROWS_FULL"]) {
                        continue;
                    }
                    if crew.contains(&"WARM") && !rows.contains(&"ROWS_CANDIDATES") {
                        continue;
                    }
                    let octets = rows == ["ROWS_FULL"] && tabu == "TABU_BT" && !wheel && !crew.contains(&"COARSE");
                    if crew.contains(&"TABU_OCTETS") && !octets {
                        continue;
                    }
                    let mut flags = [rows, &[tabu], selection, crew].concat();
                    flags.extend((rows == ["ROWS_FULL"] && tabu != "TABU_BT").then_some("LISTED"));
                    flags.extend(octets.then_some("OCTETS"));
                    if rows != ["ROWS_FULL"] {
                        all.push([&flags[..], &["WIDE"]].concat());
                    }
                    all.push(flags);
                }
            }
        }
    }
    for walk in [&["ASSIGNMENT"] as &[&str], &["ASSIGNMENT", "CUNNING"]] {
        for tabu in [&["TABU_BT"] as &[&str], &["TABU_LC", "LISTED"], &["TABU_CT", "LISTED"]] {
            for selection in [&[] as &[&str], &["ROULETTE"], &["ROULETTE", "SUBGROUPS"]] {
                let octets: &[&str] = if tabu == ["TABU_BT"] && selection.is_empty() { &["OCTETS"] } else { &[] };
                all.push([walk, tabu, selection, octets, &["ROWS_FULL", "SYNC_STEPS"]].concat());
            }
        }
    }
    all
}

/// Every composition of the search of assignments.
fn exchange_searches() -> Vec<Vec<&'static str>> {
    let mut all = Vec::new();
    for changes in [&["PRODUCTS"] as &[&str], &["MATA"], &[]] {
        for rule in [&["TABU"] as &[&str], &[]] {
            for symmetry in [&["ASYMMETRIC"] as &[&str], &[]] {
                for table in [&["TABLE_IN_STORAGE"] as &[&str], &[]] {
                    all.push([changes, rule, symmetry, table].concat());
                }
            }
        }
    }
    all
}

/// The composed source of each kernel with each set of flags.
pub fn sources() -> impl Iterator<Item = (String, String)> {
    let others = VARIANTS.iter().map(|(root, flags)| (*root, flags.to_vec()));
    let construct = constructions().into_iter().map(|flags| ("construct", flags));
    let searches = exchange_searches().into_iter().map(|flags| ("qap/exchange_search", flags));
    others
        .chain(construct)
        .chain(searches)
        .map(|(root, flags)| (format!("{root} {flags:?}"), compose(root, &flags).unwrap()))
}
