//! Forms of problems, and what is made of them at once.

use glam::DVec2;

use super::*;

/// Costs from a city to another that differ from those back.
fn asymmetric(n: usize) -> tsp::Instance {
    let matrix = (0..n * n).map(|at| if at / n == at % n { 0 } else { (at * 7919 % 101) as u32 }).collect();
    tsp::Instance::from_matrix("asymmetric", n, matrix).unwrap()
}

#[test]
fn cities_in_one_place_are_one() {
    let place = |i: u32| 20.0 * DVec2::new(f64::from(i * 7919 % 101), f64::from(i * 104_729 % 89));
    let places: Vec<_> = (0..40).map(|i| place(i % 30)).collect();
    let instance = tsp::Instance::from_coords("piles", tsp::Metric::Euc2d, &places).unwrap();
    let fixed = instance.clone().with_fixed_edges(&[[3, 4]]).unwrap();
    let matrix = tsp::Instance::from_matrix("matrix", 40, instance.distance_matrix()).unwrap();
    let globe: Vec<_> = places.iter().map(|place| *place * 0.025).map(|place| place.floor()).collect();
    let globe = tsp::Instance::from_coords("globe", tsp::Metric::Geo, &globe).unwrap();
    assert_eq!(globe.distance(3, 33), 1);
    for (instance, cities) in [(instance, 30), (globe, 30), (fixed, 40), (matrix, 40)] {
        let problem = Problem::from(instance);
        let form = problem.form(true).unwrap();
        assert_eq!((form.problem().len(), form.is_apart()), (cities, cities == 40), "{}", problem.name());
        let own: Vec<u32> = (0..cities as u32).rev().collect();
        let solution = form.solution(own.clone());
        assert_eq!(problem.cost(&solution).unwrap(), form.cost(form.problem().cost(&own).unwrap()));
        assert_eq!(form.own_solution(&solution).unwrap().len(), cities);
        assert_eq!(problem.form_apart(true).unwrap().problem().len(), 40);
    }
}

#[test]
fn a_solution_made_at_once_keeps_to_ends_and_fixed_edges() {
    let plane = tsp::generate(tsp::Kind::Uniform, 40, 1).unwrap();
    let matrix = tsp::Instance::from_matrix("matrix", 40, plane.distance_matrix()).unwrap();
    for instance in [plane, matrix, asymmetric(40)] {
        let fixed = instance.clone().with_fixed_edges(&[[3, 4], [4, 17], [9, 2]]).unwrap();
        let open = fixed.clone().open_path(Some(7), Some(12)).unwrap();
        assert!(open.tour_cost(&(0..40).collect::<Vec<_>>()).is_err(), "any order would do");
        for problem in [instance, fixed, open].map(Problem::from) {
            problem.cost(&problem.solution_at_once().unwrap()).unwrap();
        }
    }
}

/// Rounded distances do not keep to the triangle inequality: where cities in one place lie near others, a tour may come there twice.
#[test]
fn near_places_of_several_cities_are_not_gathered() {
    let at = |spacing: f64, places: usize| {
        let coords: Vec<_> = (0..2 * places).map(|i| DVec2::splat(spacing * (i % places) as f64)).collect();
        Problem::from(tsp::Instance::from_coords("diagonal", tsp::Metric::Euc2d, &coords).unwrap())
    };
    // There along every place, and back: 1.41 is counted as 1.
    let near = at(1.0, 13);
    let along: Vec<u32> = (0..13).chain((13..26).rev()).collect();
    assert_eq!((near.cost(&along).unwrap(), near.least_cost()), (24, None));
    assert!(near.form(true).unwrap().is_apart());
    assert_eq!(near.form(true).unwrap().problem().len(), 26);
    // Two places, or places far apart, are.
    for problem in [at(1.0, 2), at(100.0, 13)] {
        let form = problem.form(true).unwrap();
        assert_eq!((form.is_apart(), 2 * form.problem().len()), (false, problem.len()));
    }
    // Of few cities the least cost is that of all orders.
    let line = [0.98, 1.96, 1.47, 1.96, 0.98, 1.47, 1.96].map(|x| DVec2::new(x, 0.0));
    let line = tsp::Instance::from_coords("line", tsp::Metric::Man2d, &line);
    assert!(line.is_ok_and(|line| Problem::from(line).least_cost() == Some(0)));
}

#[test]
fn points_that_are_counted_wrongly_are_told_as_such() {
    let told = |text: &str| Problem::parse(text, "p.txt", tsp::Distances::Stated).unwrap_err().to_string();
    let hint = "; if these are points the first line has to say how many, 3, or nothing";
    for text in ["7\n1 2\n3 4\n5 6\n", "5\n1 2\n3 4\n5 6\n", "4\n1 2 3\n4 5 6\n7 8 9\n"] {
        assert!(told(text).ends_with(hint), "{}", told(text));
        assert!(tsp::Instance::parse(text, "p.txt").unwrap_err().to_string().ends_with(hint), "{text}");
    }
    for text in ["4\n0 1 2 3\n1 0 4 5\n", "3\n0 1 2\n1 0 3\n", "2\n0 1\n1 0 3\n0 1\n"] {
        assert!(!told(text).contains("points"), "{}", told(text));
    }
}
