//! The search of assignments: costs, the tables of what each pairwise exchange changes, and robust tabu search (Taillard 1991).

pub mod assignment_cost;
pub mod delta_table;
pub mod matrices;
pub mod tabu_search;
