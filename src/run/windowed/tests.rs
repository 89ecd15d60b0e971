use super::super::clock::Clock;
use super::*;
use crate::backend::CpuBackend;
use crate::instance::tsp::{Kind, generate};
use crate::settings::{Effort, LkEax, Settings};

/// A run on 2,000 cities that crossover takes windows of 200 of, so many at a time, and its windows.
fn begun(at_a_time: u32) -> (Run, Windowed) {
    let instance = generate(Kind::Clustered, 2000, 1).unwrap();
    let asked = LkEax {
        eax_up_to: Some(1000),
        eax_window: Some(200),
        eax_windows: Some(at_a_time),
        population: Some(10),
        ..LkEax::default()
    };
    let problem = Problem::from(&instance);
    let recipe = Settings::of(asked).recipe(&problem, Effort::Standard).unwrap();
    let (tour, device): (_, Box<dyn Backend>) = (instance.greedy_tour(), Box::new(CpuBackend::new()));
    let cost = problem.cost(&tour).unwrap();
    let run = Run::of(Clock::new(Instant::now()), &problem, recipe, "none".into(), None, tour.clone(), cost);
    let (_, most) = run.in_windows().unwrap();
    let had = vec![0; 2000];
    let (places, tour) = (vec![Place { backend: device, pool: None }], PlacedTour::of(tour));
    (
        run,
        Windowed {
            places,
            failed: 0,
            number: 0,
            most,
            had,
            tour,
            cost,
            reached: 0,
            gained: Gained::default(),
            windows: Vec::new(),
        },
    )
}

#[test]
fn windows_reach_every_city_before_populations_grow() {
    for (at_a_time, fewest) in [(1, 20), (5, 18)] {
        let (run, mut windowed) = begun(at_a_time);
        let population = |number| run.course.recipe.for_window(number, 200).phases[1].system.units();
        while population(windowed.number) == 10 {
            windowed.fill(&run).unwrap();
            assert!(windowed.windows.len() <= at_a_time as usize);
            // The first one ends.
            windowed.windows.remove(0);
        }
        assert!((fewest..=20).contains(&windowed.number), "{} windows", windowed.number);
        assert_eq!((population(windowed.number), population(80)), (20, 160));
        let missed = windowed.had.iter().filter(|count| **count == 0).count();
        assert!(missed < 40, "{missed} of 2000 cities were in no window");
        let seeds = [0, 1].map(|number| run.course.recipe.for_window(number, 200).seed);
        assert_ne!(seeds[0], seeds[1]);
    }
}

#[test]
fn the_first_pass_has_smaller_windows_and_more_of_them() {
    let (mut run, mut windowed) = begun(2);
    let settings = Settings::of(LkEax {
        eax_up_to: Some(1000),
        eax_window: Some(400),
        eax_windows: Some(2),
        eax_halvings: Some(1),
        population: Some(10),
        ..LkEax::default()
    });
    run.course.recipe = settings.recipe(&run.problem, Effort::Standard).unwrap();
    windowed.fill(&run).unwrap();
    assert_eq!(windowed.windows.len(), 4);
    let mut first = 0;
    while run.course.recipe.window(windowed.number - 1).halvings == 1 {
        // Those beside may leave no room for more than two.
        assert!((2..=4).contains(&windowed.windows.len()));
        assert!(windowed.windows.iter().all(|improved| improved.window.instance().len() <= 200));
        first = windowed.number;
        windowed.windows.remove(0);
        windowed.fill(&run).unwrap();
    }
    // A pass covers 2,000 cities; then there are no more than two.
    assert_eq!(first, 10);
    windowed.windows.clear();
    windowed.fill(&run).unwrap();
    assert_eq!(windowed.windows.len(), 2);
    assert!(windowed.windows[1].window.instance().len() > 200);
}

#[test]
fn windows_are_taken_over_in_the_order_in_which_they_began() {
    let (run, mut windowed) = begun(3);
    windowed.reached = 100;
    windowed.fill(&run).unwrap();
    let mut come = |made: &[(u32, bool)]| {
        for (improved, &(iteration, over)) in windowed.windows.iter_mut().zip(made) {
            let run = improved.wait().unwrap();
            (run.progress.iteration, run.course.over) = (iteration, over);
        }
        let ended = windowed.next_end().map(|improved| improved.number);
        (ended, windowed.at())
    };
    // One that has ended waits for the first.
    assert_eq!(come(&[(7, false), (5, true), (12, false)]), (None, 107));
    assert_eq!(come(&[(9, true), (5, true), (13, false)]), (Some(0), 113));
    assert_eq!(come(&[(5, true), (14, false)]), (Some(1), 114));
    assert_eq!(come(&[(5, false)]), (None, 105));
    assert_eq!(come(&[(5, true)]), (Some(2), 109));
    assert_eq!(come(&[]), (None, 109));
    windowed.fill(&run).unwrap();
    assert!(windowed.windows.len() > 1 && windowed.windows.iter().all(|improved| improved.begins == 109));
}

/// Each window goes to the device that has the fewest.
#[test]
fn windows_are_dealt_to_all_devices() {
    let (run, mut windowed) = begun(5);
    windowed.places.extend([(); 2].map(|()| Place { backend: Box::new(CpuBackend::new()), pool: None }));
    windowed.fill(&run).unwrap();
    let places = |windowed: &Windowed| windowed.windows.iter().map(|improved| improved.place).collect::<Vec<_>>();
    assert_eq!(places(&windowed), [0, 1, 2, 0, 1]);
    // Those of the second device end.
    windowed.windows.retain(|improved| improved.place != 1);
    windowed.fill(&run).unwrap();
    assert_eq!(places(&windowed), [0, 2, 0, 1, 1]);
}
