//! The search of assignments: costs, the tables of what each pairwise exchange changes, and robust tabu search (Taillard 1991); crossover and
//! survival of a population.

pub mod assignment_cost;
pub mod crossover;
pub mod delta_table;
pub mod matrices;
pub mod survivors;
pub mod tabu_search;
