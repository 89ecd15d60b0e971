//! Forms of problems, and what is made of them at once.

use super::*;

/// Costs from a city to another that differ from those back.
fn asymmetric(n: usize) -> tsp::Instance {
    let matrix = (0..n * n).map(|at| if at / n == at % n { 0 } else { (at * 7919 % 101) as u32 }).collect();
    tsp::Instance::from_matrix("asymmetric", n, matrix).unwrap()
}

#[test]
fn cities_in_one_place_are_one() {
    let place = |i: u32| glam::DVec2::new(f64::from(i * 7919 % 101), f64::from(i * 104_729 % 89));
    let places: Vec<_> = (0..40).map(|i| place(i % 30)).collect();
    let instance = tsp::Instance::from_coords("piles", tsp::Metric::Euc2d, &places).unwrap();
    let fixed = instance.clone().with_fixed_edges(&[[3, 4]]).unwrap();
    let matrix = tsp::Instance::from_matrix("matrix", 40, instance.distance_matrix()).unwrap();
    let globe: Vec<_> = places.iter().map(|place| *place * 0.5).map(|place| place.floor()).collect();
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
