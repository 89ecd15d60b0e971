//! Lays out a hospital floor: sixteen departments in four rows of rooms, so that people walk little between them.
//!
//! `cargo run --release --example hospital_floor [OUT.svg]`
//!
//! The departments and the trips between them a day are made up for this example.

use std::fmt::Write as _;
use std::time::Duration;

use myrmex::{Error, Result, Settings, Solver, Stop, Target, qap::Instance};

const DEPARTMENTS: [&str; 16] = [
    "Entrance",
    "Emergency",
    "X-ray",
    "Surgery",
    "Recovery",
    "Intensive care",
    "Ward A",
    "Ward B",
    "Maternity",
    "Laboratory",
    "Pharmacy",
    "Outpatients",
    "Cardiology",
    "Kitchen",
    "Laundry",
    "Offices",
];

/// Trips a day between two departments, both ways together.
const TRIPS: [(&str, &str, u32); 36] = [
    ("Entrance", "Outpatients", 220),
    ("Entrance", "Emergency", 90),
    ("Entrance", "Ward A", 80),
    ("Entrance", "Ward B", 75),
    ("Entrance", "Maternity", 40),
    ("Entrance", "Offices", 35),
    ("Entrance", "Pharmacy", 60),
    ("Emergency", "X-ray", 85),
    ("Emergency", "Surgery", 30),
    ("Emergency", "Laboratory", 70),
    ("Emergency", "Intensive care", 15),
    ("Emergency", "Ward A", 20),
    ("Emergency", "Ward B", 18),
    ("Emergency", "Cardiology", 25),
    ("X-ray", "Outpatients", 65),
    ("X-ray", "Ward A", 25),
    ("X-ray", "Surgery", 20),
    ("Surgery", "Recovery", 60),
    ("Surgery", "Laboratory", 25),
    ("Surgery", "Intensive care", 20),
    ("Recovery", "Ward A", 30),
    ("Recovery", "Ward B", 28),
    ("Intensive care", "Laboratory", 40),
    ("Intensive care", "Ward A", 12),
    ("Intensive care", "Cardiology", 16),
    ("Ward A", "Kitchen", 45),
    ("Ward B", "Kitchen", 45),
    ("Maternity", "Kitchen", 24),
    ("Ward A", "Pharmacy", 22),
    ("Ward B", "Pharmacy", 22),
    ("Ward A", "Laundry", 14),
    ("Ward B", "Laundry", 14),
    ("Surgery", "Laundry", 12),
    ("Maternity", "Laundry", 10),
    ("Outpatients", "Laboratory", 80),
    ("Outpatients", "Cardiology", 50),
];

/// Rooms a row, and metres from one to the next, along a corridor and across.
const COLUMNS: usize = 4;
const METRES: [usize; 2] = [12, 15];

fn main() -> Result<()> {
    let n = DEPARTMENTS.len();
    let number = |name: &str| DEPARTMENTS.iter().position(|known| *known == name).expect("the table names departments");
    let mut trips = vec![0; n * n];
    for (a, b, count) in TRIPS {
        let (a, b) = (number(a), number(b));
        trips[a * n + b] = count;
        trips[b * n + a] = count;
    }
    let walk = |a: usize, b: usize| {
        let along = (a % COLUMNS).abs_diff(b % COLUMNS) * METRES[0];
        (along + (a / COLUMNS).abs_diff(b / COLUMNS) * METRES[1]) as u32
    };
    let metres = (0..n * n).map(|index| walk(index / n, index % n)).collect();
    let instance = Instance::from_matrices("hospital floor", n, trips, metres)?;

    let before = instance.cost(&(0..n as u32).collect::<Vec<_>>())?;
    let mut solver = Solver::new(&instance, &Settings::default(), Target::Auto)?;
    let solution = solver.run(&Stop::time(Duration::from_secs(1)))?;
    let mut rooms = vec![""; n];
    for (department, &room) in DEPARTMENTS.iter().zip(&solution.permutation) {
        rooms[room as usize] = department;
    }
    for row in rooms.chunks(COLUMNS) {
        let cells: Vec<String> = row.iter().map(|name| format!("{name:^14}")).collect();
        println!("| {} |", cells.join(" | "));
    }
    // Costs count both directions of a pair.
    let kilometres = |cost: u64| cost as f64 / 2000.0;
    println!(
        "{:.1} km a day instead of {:.1} km with the departments in the order of the list (on {})",
        kilometres(solution.cost),
        kilometres(before),
        solver.device()
    );
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(&path, svg(&rooms, &solution.permutation)).map_err(|error| Error::io(&path, error))?;
        println!("drawn in {path}");
    }
    Ok(())
}

/// The rooms, and a line for the trips between each pair, as thick as they are many.
fn svg(rooms: &[&str], locations: &[u32]) -> String {
    let (width, height) = (150.0, 90.0);
    let place = |room: usize| ((room % COLUMNS) as f64 * width, (room / COLUMNS) as f64 * height);
    let rows = rooms.len().div_ceil(COLUMNS);
    let (w, h) = (width * COLUMNS as f64, height * rows as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" font-family=\"sans-serif\" font-size=\"14\">\n"
    );
    let most = TRIPS.iter().map(|trip| trip.2).max().unwrap_or(1);
    for room in 0..rooms.len() {
        let (x, y) = place(room);
        let (inner_w, inner_h) = (width - 10.0, height - 10.0);
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{inner_w}\" height=\"{inner_h}\" fill=\"#f4efe6\" stroke=\"#665\"/>",
            x + 5.0,
            y + 5.0
        );
    }
    let middle = |name: &str| {
        let department = DEPARTMENTS.iter().position(|known| *known == name).unwrap_or_default();
        let (x, y) = place(locations[department] as usize);
        (x + width / 2.0, y + height / 2.0)
    };
    for (a, b, count) in TRIPS {
        let ((x1, y1), (x2, y2)) = (middle(a), middle(b));
        let thick = 1.0 + 9.0 * f64::from(count) / f64::from(most);
        let _ = writeln!(
            out,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#c63\" stroke-opacity=\"0.45\" \
             stroke-width=\"{thick:.1}\"/>"
        );
    }
    for (room, name) in rooms.iter().enumerate() {
        let (x, y) = place(room);
        let _ =
            writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{name}</text>", x + width / 2.0, y + 24.0);
    }
    out + "</svg>\n"
}
