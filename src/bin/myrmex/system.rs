//! From the command line's words to a configuration and a target.

use std::path::Path;

use myrmex::{
    AcsParams, Algorithm, AntSystemParams, AssemblyParams, CasParams, Config, Error, FocusedParams, MmasParams,
    Problem, Result, Target, Weighting, qap, tsp,
};

use crate::args::{BackendArg, ProblemArg, SystemArgs};

/// The instance in a file.
pub fn problem(file: &Path, kind: ProblemArg) -> Result<Problem> {
    match kind {
        ProblemArg::Auto => Problem::read(file),
        ProblemArg::Tsp => Ok(Problem::Tsp(tsp::Instance::read(file)?)),
        ProblemArg::Qap => Ok(Problem::Qap(qap::Instance::read(file)?)),
    }
}

/// The solution in a file: a tour, or an assignment, which has to cost what the file states.
pub fn solution(file: &Path, problem: &Problem) -> Result<Vec<u32>> {
    let Problem::Qap(instance) = problem else {
        return tsp::read_tour(file, problem.len());
    };
    let stated = qap::read_solution(file, instance)?;
    let cost = instance.cost(&stated.permutation)?;
    if cost != stated.cost {
        let message = format!("the file states cost {}, the assignment costs {cost}", stated.cost);
        return Err(Error::parse(file.display().to_string(), 1, message));
    }
    Ok(stated.permutation)
}

/// Where to run.
pub fn target(args: &SystemArgs) -> Result<Target> {
    backend(args.backend, args.device.as_ref())
}

/// The target for a backend and a device.
pub fn backend(backend: BackendArg, device: Option<&String>) -> Result<Target> {
    match (backend, device) {
        (BackendArg::Auto, None) => Ok(Target::Auto),
        (BackendArg::Cpu, None) => Ok(Target::Cpu),
        (BackendArg::Cpu, Some(_)) => {
            Err(Error::Config("--device chooses a GPU; leave it out with --backend cpu".into()))
        }
        (BackendArg::Cuda, device) => cuda(device.cloned()),
        (_, device) => Ok(Target::Wgpu(device.cloned())),
    }
}

#[cfg(feature = "cuda")]
fn cuda(device: Option<String>) -> Result<Target> {
    Ok(Target::Cuda(device))
}

#[cfg(not(feature = "cuda"))]
fn cuda(_device: Option<String>) -> Result<Target> {
    let remedy = "build with '--features cuda', or use --backend wgpu, which runs on NVIDIA's GPUs too";
    Err(Error::Config(format!("this program was built without the CUDA backend; {remedy}")))
}

/// Refuses weights of trails and distances for systems that have none.
fn check_weights(args: &SystemArgs, runs: Algorithm) -> Result<()> {
    use Algorithm::{Acs, As, Cas, Mmas};
    let weights: [(_, _, &[Algorithm]); 3] = [
        ("--alpha", args.alpha, &[As, Mmas, Cas]),
        ("--beta", args.beta, &[As, Acs, Mmas]),
        ("--evaporation", args.evaporation, &[As, Acs, Mmas, Cas]),
    ];
    for (option, _, systems) in weights.into_iter().filter(|(_, value, _)| value.is_some()) {
        if !systems.contains(&runs) {
            return Err(Error::Config(format!("{option} means nothing to '{runs}'; leave it out")));
        }
    }
    Ok(())
}

/// The preset's configuration for an instance, changed by the other options.
pub fn config(args: &SystemArgs, problem: &Problem) -> Result<Config> {
    let base = match args.constructs() {
        true => args.preset.config(problem.len()),
        false => Config::suited_to(problem),
    };
    let assignment = matches!(problem, Problem::Qap(_));
    let algorithm = args.algorithm.or(base.algorithm);
    let runs = algorithm.unwrap_or(if assignment { Algorithm::Cas } else { Algorithm::Mmas });
    check_weights(args, runs)?;
    let local_search = args.local_search.or(base.local_search);
    let mut config = Config {
        algorithm,
        strategy: args.strategy.or(base.strategy),
        selection: args.selection.unwrap_or(base.selection),
        tabu: args.tabu.or(base.tabu),
        candidates: args.candidates.or(base.candidates),
        quadrants: args.quadrants.unwrap_or(base.quadrants),
        memory: args.memory.or(base.memory),
        trails: args.trails.or(base.trails),
        deposit: args.deposit.unwrap_or(base.deposit),
        local_update: args.local_update.or(base.local_update),
        update_period: args.update_period.or(base.update_period),
        local_search,
        chains: args.chains.or(base.chains),
        best_on: args.best_on.unwrap_or(base.best_on),
        trail_update: args.trail_update.unwrap_or(base.trail_update),
        start: args.start.unwrap_or(base.start),
        focus: args.focus.or(base.focus),
        ants: args.ants.or(base.ants),
        lanes: args.lanes.or(base.lanes),
        seed: args.seed,
        mmas: base.mmas,
        ant_system: base.ant_system,
        acs: base.acs,
        cas: base.cas,
        focused: base.focused,
        assembly: base.assembly,
        tabu_iterations: args.tabu_iterations.or(base.tabu_iterations),
        tabu_tenure: args.tabu_tenure.or(base.tabu_tenure),
        assignment: args.assignment.or(base.assignment),
        colonies: args.colonies.or(base.colonies),
        exchange: args.exchange.or(base.exchange),
    };
    // A parameter that is given goes to the system that runs, or makes a set of parameters that contradicts it.
    let limits = args.p_best.is_some() && runs != Algorithm::Cas;
    let mmas = limits || args.average_options.is_some() || args.stagnation.is_some() || args.schedule.is_some();
    let ant_system = args.elitist.is_some() || args.ranks.is_some();
    let acs = args.q0.is_some() || args.local_evaporation.is_some();
    if runs == Algorithm::Mmas || mmas {
        let before = match assignment {
            true => base.mmas.unwrap_or_else(MmasParams::for_assignments),
            false => config.mmas_on_tours(),
        };
        config.mmas = Some(MmasParams {
            alpha: args.alpha.unwrap_or(before.alpha),
            beta: args.beta.unwrap_or(before.beta),
            evaporation: args.evaporation.unwrap_or(before.evaporation),
            p_best: args.p_best.unwrap_or(before.p_best),
            average_options: args.average_options.or(before.average_options),
            stagnation: args.stagnation.unwrap_or(before.stagnation),
            schedule: args.schedule.unwrap_or(before.schedule),
        });
    } else {
        config.mmas = None;
    }
    if runs == Algorithm::As || ant_system {
        let before = base.ant_system.unwrap_or_default();
        let elitist = args.elitist.map(Weighting::Elitist);
        config.ant_system = Some(AntSystemParams {
            alpha: args.alpha.unwrap_or(before.alpha),
            beta: args.beta.unwrap_or(before.beta),
            evaporation: args.evaporation.unwrap_or(before.evaporation),
            weighting: elitist.or(args.ranks.map(Weighting::Ranked)).unwrap_or(before.weighting),
        });
    }
    if runs == Algorithm::Acs || acs {
        let before = base.acs.unwrap_or_default();
        config.acs = Some(AcsParams {
            beta: args.beta.unwrap_or(before.beta),
            q0: args.q0.or(before.q0),
            evaporation: args.evaporation.unwrap_or(before.evaporation),
            local_evaporation: args.local_evaporation.unwrap_or(before.local_evaporation),
        });
    }
    if (runs == Algorithm::Cas && assignment) || args.gamma.is_some() {
        let structured = match problem {
            Problem::Qap(instance) => instance.is_structured(),
            _ => false,
        };
        let before = base.cas.unwrap_or_else(|| CasParams::for_instance(structured));
        config.cas = Some(CasParams {
            alpha: args.alpha.unwrap_or(before.alpha),
            evaporation: args.evaporation.unwrap_or(before.evaporation),
            gamma: args.gamma.unwrap_or(before.gamma),
            p_best: args.p_best.unwrap_or(before.p_best),
        });
    }
    if [args.attempts, args.gains, args.blocks, args.population].iter().any(Option::is_some) {
        let before = base.assembly.unwrap_or_default();
        config.assembly = Some(AssemblyParams {
            attempts: args.attempts.unwrap_or(before.attempts),
            gains: args.gains.unwrap_or(before.gains),
            blocks: args.blocks.unwrap_or(before.blocks),
            population: args.population.unwrap_or(before.population),
        });
    }
    let patches = [args.patch, args.steps, args.reach, args.stretch, args.whole];
    if runs == Algorithm::Focused || patches.iter().any(Option::is_some) {
        let before = base.focused.unwrap_or_else(|| FocusedParams::for_cities(problem.len()));
        config.focused = Some(FocusedParams {
            patch: args.patch.unwrap_or(before.patch),
            steps: args.steps.unwrap_or(before.steps),
            reach: args.reach.unwrap_or(before.reach),
            stretch: args.stretch.unwrap_or(before.stretch),
            whole: args.whole.unwrap_or(before.whole),
        });
    }
    Ok(config)
}
