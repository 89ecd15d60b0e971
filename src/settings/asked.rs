//! What may be asked of each algorithm, of execution and of several colonies: a type each, whose parameters may be left open.

use super::parameter::parameters;
use crate::algorithm::choices::{
    BestOn, Breadth, Candidates, Deposit, LocalSearch, LocalUpdate, Memory, MoveEvaluation, Selection, Start, Strategy,
    Topology, TrailUpdate, Visited,
};
use crate::algorithm::mmas::Schedule;

/// Declares an algorithm's parameters: its own, between groups that several algorithms have alike.
macro_rules! algorithm_parameters {
    ([$($head:tt)*] [$($all:tt)*]) => { parameters! { $($head)* { $($all)* } } };
    ([$($head:tt)*] [$($all:tt)*] { $($own:tt)* } $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [$($all)* $($own)*] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] max_min_trails $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Trail exponent α.
            alpha: f64 = "0 to 8", "", "Stützle and Hoos 2000, section 2";
            /// Heuristic exponent β.
            beta: f64 = "0 to 16", "", "Stützle and Hoos 2000, section 2";
            /// Share of a trail that evaporates in an iteration.
            evaporation: f64 = "between 0 and 1", "", "Stützle and Hoos 2000, section 2";
            /// Probability of rebuilding the best solution on converged trails; sets the lower trail limit.
            p_best: f64 = "between 0 and 1", "", "Stützle and Hoos 2000, equation 11";
            /// Options that an ant has on average where it chooses, which with p_best sets the lower trail limit.
            average_options: f64 = "2 up", "options", "Stützle and Hoos 2000, equation 11";
            /// Iterations without a gain after which the trails are re-initialised, 0 for never.
            stagnation: u32 = "0 up", "iterations", "Stützle and Hoos 2000, section 4.3";
            /// Which tour deposits: while fewer than UNTIL iterations have passed since the trails were initialised, the best since
            /// then in every PERIOD-th, the iteration's best in the others; in the last of these periods, after PATIENCE (50) iterations
            /// without a gain, the best of all in its place. With /MIX behind, the iteration's best in every MIX-th, and the best of all in the one behind that.
            schedule: Schedule = "UNTIL:PERIOD,...,PERIOD(@PATIENCE)(/MIX)", "iterations", "Stützle and Hoos 2000, section 5.1; ACOTSP 1.03";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] candidates $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Cities that an ant weighs at each step.
            candidates: Candidates = "all, or 5 up", "cities", "Dorigo and Stützle 2004, section 3.7.1";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] search_of_tours $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// The local search that improves each ant's tour.
            local_search: LocalSearch = "none, 2opt, 2.5opt, 2.5opt-all, oropt, 2opt-64, 2.5opt-64, lk, insertion", "", "docs/algorithms/local_search.md";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] search_of_assignments $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Iterations of tabu search on each assignment, of 2-opt at most.
            search_iterations: u32 = "1 to 16777216", "iterations", "Taillard 1991";
            /// Those of the first searches; each next search has twice as many, from the eighth on all.
            first_iterations: u32 = "1 to search_iterations", "iterations", "docs/algorithms/cas.md";
            /// Longest tenure of a tabu; 2-opt has none.
            tenure: u32 = "0 to 1048576", "iterations", "Tsutsui and Fujimoto 2011, section 4.2";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] breadth $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// How many alternatives and how many steps a Lin-Kernighan move has.
            breadth: Breadth = "wide, narrow", "", "docs/algorithms/lin_kernighan.md";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] quadrants $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Nearest cities of each quadrant that come first in lists of candidates and neighbours.
            quadrants: u32 = "0 to 2", "cities a quadrant", "Johnson and McGeoch 1997";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] start_cities $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Where ants start.
            start_cities: Start = "random, distinct", "", "Dorigo and Stützle 2004, section 3.3.1";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] windows $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Windows that are searched in an iteration.
            windows: u32 = "1 to 8192", "", "docs/algorithms/windows.md";
            /// Cities of a window.
            window_size: u32 = "8 to 4096", "cities", "docs/algorithms/windows.md";
            /// Steps of the search of a window in an iteration: a city looked at is one, each move tried another, a kick four and half of one more for each city it rebuilds.
            steps: u32 = "1 to 16777216", "steps", "docs/algorithms/windows.md";
        ] kicks $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] kicks $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// The most cities of each segment that a double-bridge kick moves.
            kick_length: u32 = "1 to 1000", "cities", "Applegate, Cook and Rohe 2003";
            /// Cities that one kick of 16 ruins and rebuilds; 0: none does.
            rebuild_length: u32 = "0 to 4000", "cities", "docs/algorithms/windows.md";
        ] $($rest)* }
    };
    ([$($head:tt)*] [$($all:tt)*] crossover $($rest:tt)*) => {
        algorithm_parameters! { [$($head)*] [
            $($all)*
            /// Individuals of the first population; each restart doubles it, four times at most and up to 1,024.
            population: u32 = "2 to 65536", "tours", "Nagata and Kobayashi 2013, section 5";
            /// Children that a pair of parents makes in a generation at most; its walks share them, rounded up.
            children: u32 = "1 to 1000", "children", "Nagata and Kobayashi 2013, section 3";
            /// Improving children after which a pair makes no more in a generation; its walks share them, rounded up.
            accept_after: u32 = "1 to 1000", "children", "docs/algorithms/eax.md";
            /// Walks that share the children of a pair; at least as many as build blocks.
            pair_walks: u32 = "1 to 16", "walks", "docs/algorithms/eax.md";
            /// Those of them that build E-sets of several AB-cycles (Block2) once single ones gain little.
            block_walks: u32 = "0 to pair_walks", "walks", "Nagata and Kobayashi 2013, section 4.2";
        ] $($rest)* }
    };
}

algorithm_parameters! {
    [
        /// Ant System: every ant deposits (Dorigo, Maniezzo and Colorni 1996), with elitist or rank-based weights where asked for.
        AntSystem
    ] [] {
        /// Ants in an iteration.
        ants: u32 = "1 to 1048576", "", "Dorigo and Stützle 2004, section 3.3";
        /// Trail exponent α.
        alpha: f64 = "0 to 8", "", "Dorigo and Stützle 2004, section 3.3.1";
        /// Heuristic exponent β.
        beta: f64 = "0 to 16", "", "Dorigo and Stützle 2004, section 3.3.1";
        /// Share of a trail that evaporates in an iteration.
        evaporation: f64 = "0.000001 to below 1", "", "Dorigo and Stützle 2004, section 3.3.1";
        /// How many times 1/cost the best tour so far deposits besides the ants (Elitist Ant System).
        elitist: f64 = "0 to 1000000", "times 1/cost", "Dorigo and Stützle 2004, section 3.3.2";
        /// Ranks that deposit, the best tour so far included (Rank-based Ant System).
        ranks: u32 = "2 to 64", "", "Dorigo and Stützle 2004, section 3.3.3";
        /// How an ant draws the next city.
        selection: Selection = "rwm, wrs, i-roulette", "", "docs/algorithms/aco.md";
    }
    candidates quadrants search_of_tours breadth start_cities
}

algorithm_parameters! {
    [
        /// Ant Colony System (Dorigo and Gambardella 1997; on GPUs Skinderowicz 2016).
        AntColonySystem
    ] [] {
        /// Ants in an iteration.
        ants: u32 = "1 to 1048576", "", "Skinderowicz 2016, section 3";
        /// Heuristic exponent β.
        beta: f64 = "0 to 16", "", "Dorigo and Gambardella 1997, equation 1";
        /// Probability of a greedy step.
        q0: f64 = "0 to 1", "", "Dorigo and Gambardella 1997, equation 3";
        /// Share of a trail that the global update replaces.
        evaporation: f64 = "between 0 and 1", "", "Dorigo and Gambardella 1997, equation 4";
        /// Share of a trail that a local update replaces.
        local_evaporation: f64 = "between 0 and 1", "", "Dorigo and Gambardella 1997, equation 5";
        /// Which edges have a trail of their own.
        memory: Memory = "matrix, selective", "", "Skinderowicz 2016, section 3.2";
        /// Trails of a city in a selective memory.
        memory_size: u32 = "1 to 32", "trails a city", "Skinderowicz 2016, section 3.2";
        /// How ants wear down the trails they walk: all after each step, or each as it comes (relaxed), where the order in which a
        /// device runs them changes tours.
        local_update: LocalUpdate = "none, synchronous, relaxed", "", "Skinderowicz 2016, section 3.1";
        /// Steps from one local update to the next.
        update_period: u32 = "1 up", "steps", "Skinderowicz 2016, section 3.1";
        /// How an ant draws the next city.
        selection: Selection = "rwm, wrs, i-roulette", "", "docs/algorithms/aco.md";
    }
    candidates quadrants search_of_tours breadth start_cities
}

algorithm_parameters! {
    [
        /// MAX-MIN Ant System (Stützle and Hoos 2000; on GPUs Skinderowicz 2020), for tours and for assignments. Only tours have a
        /// heuristic exponent, candidates, quadrants, breadth, start cities and a choice of memory; only assignments have iterations
        /// and a tenure of tabu search.
        MaxMin
    ] [] {
        /// Ants in an iteration.
        ants: u32 = "1 to 1048576", "", "Stützle and Hoos 2000, section 5";
    }
    max_min_trails {
        /// Which edges have a trail of their own.
        memory: Memory = "candidates, matrix", "", "docs/algorithms/aco.md";
        /// How an ant draws the next part.
        selection: Selection = "rwm, wrs, i-roulette", "", "Skinderowicz 2020, section 4";
    }
    candidates quadrants {
        /// The local search that improves each ant's solution.
        local_search: LocalSearch = "none, 2opt, 2.5opt, 2.5opt-all, oropt, 2opt-64, 2.5opt-64, lk, insertion; assignments: none, 2opt, tabu", "", "docs/algorithms/local_search.md";
    }
    breadth start_cities search_of_assignments
}

algorithm_parameters! {
    [
        /// Focused ACO (Skinderowicz 2022): a MAX-MIN Ant System on candidate lists whose ants change one stretch of the best tour.
        Faco
    ] [] {
        /// Cities that an ant places itself; the others it takes over from the best tour since the restart.
        focus: u32 = "2 up", "cities", "Skinderowicz 2022, section 3";
        /// Ants in an iteration.
        ants: u32 = "1 to 1048576", "", "Skinderowicz 2022, section 4";
    }
    max_min_trails {
        /// How an ant draws the next city.
        selection: Selection = "rwm, wrs, i-roulette", "", "Skinderowicz 2020, section 4";
        /// Nearest cities that an ant weighs at each step.
        candidates: Candidates = "5 up", "cities", "Skinderowicz 2022, section 3";
    }
    quadrants search_of_tours breadth
}

algorithm_parameters! {
    [
        /// Cunning Ant System (Tsutsui 2006; Tsutsui and Fujimoto 2011), for assignments.
        Cunning
    ] [] {
        /// Units, each with a best assignment and an ant.
        units: u32 = "1 to 1048576", "", "Tsutsui and Fujimoto 2011, section 3";
        /// Trail exponent α.
        alpha: f64 = "0 to 8", "", "Tsutsui and Fujimoto 2011, section 3";
        /// Share of a trail that evaporates in an iteration.
        evaporation: f64 = "between 0 and 1", "", "Tsutsui and Fujimoto 2011, section 3";
        /// Mean share of an assignment that an ant constructs itself.
        gamma: f64 = "between 0 and 1", "", "Tsutsui 2006, section 3.2";
        /// Probability of rebuilding the best solution on converged trails; sets the lower trail limit.
        p_best: f64 = "between 0 and 1", "", "Stützle and Hoos 2000, equation 11";
        /// All units restart when so many iterations, from one look to the next, have not improved the best of them; 0: never.
        stagnation: u32 = "0 up", "iterations", "docs/algorithms/cas.md";
        /// How an ant draws the next location.
        selection: Selection = "rwm, wrs", "", "docs/algorithms/aco.md";
        /// The local search that improves each ant's assignment.
        local_search: LocalSearch = "none, 2opt, tabu", "", "Taillard 1991";
    }
    search_of_assignments
}

algorithm_parameters! {
    [
        /// Memetic algorithm for assignments (Merz and Freisleben 2000; Benlic and Hao 2015): a population, the uniform crossover of Tate and
        /// Smith 1995, and a search of each child.
        Memetic
    ] [] {
        /// Individuals, each of which has a child in an iteration.
        population: u32 = "2 to 1048576", "assignments", "docs/algorithms/memetic.md";
        /// The most random exchanges of a child's facilities, as a share of these.
        mutation: f64 = "0 to 1", "", "docs/algorithms/memetic.md";
        /// The population begins again when so many iterations, from one look to the next, have not improved its best; 0: never.
        stagnation: u32 = "0 up", "iterations", "docs/algorithms/memetic.md";
        /// The local search that improves each child.
        local_search: LocalSearch = "none, 2opt, tabu", "", "Taillard 1991";
    }
    search_of_assignments
}

algorithm_parameters! {
    [
        /// Windowed Lin-Kernighan search of one tour: each window is a compact piece of the plane (Karp 1977), searched by chained
        /// Lin-Kernighan with local kicks (Applegate, Cook and Rohe 2003); compatible gains are merged.
        Windows
    ] [] windows quadrants
}

algorithm_parameters! {
    [
        /// Chained Lin-Kernighan search of whole tours (Martin, Otto and Felten 1991; Applegate, Cook and Rohe 2003): walks that do not
        /// exchange anything, from the greedy tour on.
        Chained
    ] [] {
        /// Walks, each with a tour of its own.
        walks: u32 = "1 to 8192", "", "docs/algorithms/lin_kernighan.md";
        /// Steps of each walk in an iteration: a city looked at is one, each move tried another, a kick four and half of one more for each city it rebuilds.
        steps: u32 = "1 to 16777216", "steps", "docs/algorithms/lin_kernighan.md";
    }
    kicks quadrants
}

algorithm_parameters! {
    [
        /// Edge assembly crossover on a population of Lin-Kernighan tours (Nagata and Kobayashi 2013).
        Eax
    ] [] crossover breadth quadrants
}

algorithm_parameters! {
    [
        /// What `auto` runs on symmetric tours: windowed Lin-Kernighan search, then edge assembly crossover.
        LkEax
    ] [] windows crossover breadth {
        /// The most cities that edge assembly crossover takes at once; of more it takes windows.
        eax_up_to: u32 = "0 up", "cities", "docs/algorithms/windows.md";
        /// Cities of a window that crossover takes where they are more.
        eax_window: u32 = "200 to 65536", "cities", "docs/algorithms/windows.md";
        /// The most windows that crossover improves at a time; fewer where they would have more than half of the cities.
        eax_windows: u32 = "1 to 64", "windows", "docs/algorithms/windows.md";
        /// Passes of windows over all cities before those: each with half as many cities and individuals as the next, and twice as many windows at a time.
        eax_halvings: u32 = "0 to 4", "passes", "docs/algorithms/windows.md";
        /// How often windows double, up to all cities or 65,536: once in each round behind the first, as populations do. A round is two passes over all cities.
        eax_doublings: u32 = "0 to 8", "rounds", "docs/algorithms/windows.md";
    }
    quadrants
}

impl LkEax {
    /// Its windows.
    pub(super) fn windows(&self) -> Windows {
        let Self { windows, window_size, steps, kick_length, rebuild_length, quadrants, .. } = *self;
        Windows { windows, window_size, steps, kick_length, rebuild_length, quadrants }
    }

    /// Its crossover.
    pub(super) fn eax(&self) -> Eax {
        let Self { population, children, accept_after, pair_walks, block_walks, breadth, quadrants, .. } = *self;
        Eax { population, children, accept_after, pair_walks, block_walks, breadth, quadrants }
    }
}

parameters! {
    /// How a device runs ants that construct; changes no result.
    Execution {
        /// How ants are laid over invocations.
        strategy: Strategy = "coarse, fine", "", "Menezes et al. 2019, section IV";
        /// How an ant keeps its visited set.
        visited: Visited = "lc, bt, ct", "", "Skinderowicz 2020, section 4";
        /// Invocations of a workgroup in construction, or in the search of an assignment.
        lanes: u32 = "a power of two from 1 to 1024; 2 at least for the roulette wheel (but coarse) and mata", "invocations", "docs/maintain/limits.md";
        /// Where the best ant of an iteration is found (tours).
        best_on: BestOn = "device, host", "", "Voicu 2013, section 5";
        /// How the trails of an Ant System evaporate and its ants deposit.
        deposit: Deposit = "serial, atomic", "", "Menezes et al. 2019, algorithms 3, 6 and 7";
        /// How the trails of a MAX-MIN Ant System are updated.
        trail_update: TrailUpdate = "fused, separate", "", "Skinderowicz 2020, section 4";
        /// How the evaluation of moves is shared among the invocations of a GPU that search an assignment; the CPU evaluates all moves at once,
        /// whatever is asked for.
        move_evaluation: MoveEvaluation = "products, mata, non-mata", "", "Tsutsui and Fujimoto 2011, section 5.2";
    }
}

parameters! {
    /// Several colonies, which pass on their best solutions: on one device in turns, on several side by side.
    Colonies {
        /// Colonies, each with a population of its own.
        colonies: u32 = "1 to 256", "", "Middendorf, Reischle and Schmeck 2002";
        /// Iterations between two migrations, at which each colony takes over the best solution of another one if that is better than its
        /// own; 0: never.
        migration: u32 = "0 up", "iterations", "Middendorf, Reischle and Schmeck 2002";
        /// Seconds between two migrations, instead of iterations: no colony waits for another one, however slow its device is, and what is found
        /// depends on the clock.
        migration_time: f64 = "0.05 to 3600", "seconds", "Alba and Troya 2001";
        /// Whose best solution that is: of the colony before it in a ring, or of all colonies.
        topology: Topology = "ring, complete", "", "Middendorf, Reischle and Schmeck 2002";
    }
}
