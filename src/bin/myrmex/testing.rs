//! What the tests of several modules share: the options of words, a small problem, and a solution of it.

use clap::Parser;
use myrmex::{Problem, Settings, Solution, Solver, Stop, Target, tsp};

use crate::args::{Args, Command, SolveArgs};

/// The options of `myrmex solve` that these words behind its file are.
pub fn solve_args(words: &[&str]) -> SolveArgs {
    let all = ["myrmex", "solve", "square.tsp"].iter().chain(words);
    match Args::try_parse_from(all).map(|args| args.command) {
        Ok(Command::Solve(args)) => *args,
        Ok(_) => panic!("these are another command's words: {words:?}"),
        Err(error) => panic!("{error}"),
    }
}

/// Four corners of a square, in whole numbers: a tour around it has the length 40.
pub fn square() -> Problem {
    let text = "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n\
                1 0 0\n2 10 0\n3 10 10\n4 0 10\nEOF\n";
    Problem::from(tsp::Instance::parse(text, "square.tsp").unwrap())
}

/// The tour around the square, by a run with these settings that has made no iteration.
pub fn solution(problem: &Problem, settings: &Settings) -> Solution {
    let mut solver = Solver::new(problem, settings, Target::Cpu).unwrap();
    solver.run(&Stop::iterations(0)).unwrap()
}
