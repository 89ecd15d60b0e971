#!/usr/bin/env python3
"""Other Python packages beside Myrmex on TSPLIB and QAPLIB instances: gaps to the best known cost, as a table in Markdown.

    pip install myrmex-solver elkai python-tsp fast-tsp ortools scipy
    python compare.py --data DIR [--time SECONDS] [--device cpu] [NAME...]

DIR has tsplib/NAME.tsp and qaplib/NAME.dat, each with an optima.csv beside it. All get a matrix of whole numbers and run one after the
other, each in a process of its own. Times are of the call alone. Packages without a time limit run to their end, which is awaited for
ten time limits; what has not ended by then is a dash.
"""

import argparse
import csv
import importlib.metadata
import multiprocessing
import pathlib
import time

import numpy as np

TOURS = ["eil51", "kroA100", "a280", "lin318", "rat783", "pr1002", "pr2392"]
ASSIGNMENTS = ["nug28", "kra32", "ste36b", "tai40a", "sko42", "tai50b", "esc64a", "tai80a", "sko100b", "tai100a"]


def myrmex_tour(matrix, seconds, device):
    import myrmex

    return myrmex.solve_tsp(matrix, time=seconds, device=device).tour


def fast_tsp_tour(matrix, seconds, _):
    import fast_tsp

    return fast_tsp.find_tour(matrix, duration_seconds=seconds)


def ortools_tour(matrix, seconds, _):
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    manager = pywrapcp.RoutingIndexManager(len(matrix), 1, 0)
    model = pywrapcp.RoutingModel(manager)
    model.SetArcCostEvaluatorOfAllVehicles(model.RegisterTransitMatrix(matrix.tolist()))
    words = pywrapcp.DefaultRoutingSearchParameters()
    words.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    words.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    words.time_limit.FromMilliseconds(int(seconds * 1000))
    solution = model.SolveWithParameters(words)
    tour, at = [], model.Start(0)
    while not model.IsEnd(at):
        tour.append(manager.IndexToNode(at))
        at = solution.Value(model.NextVar(at))
    return tour


def python_tsp_tour(matrix, seconds, _):
    from python_tsp.heuristics import solve_tsp_local_search

    return solve_tsp_local_search(matrix, max_processing_time=seconds)[0]


def elkai_tour(matrix, _, __):
    import elkai

    return elkai.DistanceMatrix(matrix.tolist()).solve_tsp(runs=1)[:-1]


def myrmex_assignment(flows, distances, seconds, device):
    import myrmex

    return myrmex.solve_qap(flows, distances, time=seconds, device=device).permutation


def faq(flows, distances, *_):
    from scipy.optimize import quadratic_assignment

    return quadratic_assignment(flows, distances, method="faq").col_ind


def two_opt(flows, distances, *_):
    from scipy.optimize import quadratic_assignment

    return quadratic_assignment(flows, distances, method="2opt", options={"rng": np.random.default_rng(1)}).col_ind


FOR_TOURS = {
    "myrmex": myrmex_tour,
    "fast-tsp": fast_tsp_tour,
    "ortools": ortools_tour,
    "python-tsp": python_tsp_tour,
    "elkai": elkai_tour,
}
FOR_ASSIGNMENTS = {"myrmex": myrmex_assignment, "scipy FAQ": faq, "scipy 2-opt": two_opt}


def euclidean(file):
    """The distances of an EUC_2D file, rounded as TSPLIB says."""
    lines = file.read_text().splitlines()
    begin = next(at for at, line in enumerate(lines) if line.startswith("NODE_COORD_SECTION"))
    head = " ".join(lines[:begin])
    assert "EUC_2D" in head, f"{file} has other distances"
    n = int(next(line.split(":")[1] for line in lines if line.startswith("DIMENSION")))
    points = np.array([line.split()[1:3] for line in lines[begin + 1 : begin + 1 + n]], dtype=float)
    return np.floor(np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1)) + 0.5).astype(np.int64)


def matrices(file):
    """The two matrices of a QAPLIB file."""
    words = np.array(file.read_text().split(), dtype=np.int64)
    n = int(words[0])
    return words[1 : 1 + n * n].reshape(n, n), words[1 + n * n : 1 + 2 * n * n].reshape(n, n)


def cost(kind, arrays, solution):
    """What a solution costs, after a check that it is one."""
    solution = np.asarray(solution)
    assert sorted(solution.tolist()) == list(range(len(arrays[0]))), "no permutation"
    if kind == "tsp":
        return int(arrays[0][solution, np.roll(solution, -1)].sum())
    return int((arrays[0] * arrays[1][np.ix_(solution, solution)]).sum())


def work(function, arrays, seconds, device, answers):
    """One run, in its process."""
    if function.__name__.startswith("myrmex"):
        import myrmex

        myrmex.solve_tsp(np.ones((5, 5)), iterations=1, device=device)
    began = time.monotonic()
    solution = function(*arrays, seconds, device)
    answers.put((time.monotonic() - began, np.asarray(solution).tolist()))


def run(function, arrays, seconds, device):
    """Seconds and solution of a run; None for one that did not end."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=work, args=(function, arrays, seconds, device, answers))
    process.start()
    try:
        return answers.get(timeout=10 * seconds + 20)
    except Exception:
        return None
    finally:
        process.kill()
        process.join()


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--data", type=pathlib.Path, required=True)
    words.add_argument("--time", type=float, default=5.0)
    words.add_argument("--device", default="cpu")
    words.add_argument("names", nargs="*", default=TOURS + ASSIGNMENTS)
    args = words.parse_args()
    versions = ["myrmex", "fast-tsp", "ortools", "python-tsp", "elkai", "scipy"]
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in versions), f"; limit {args.time:g} s\n")
    for kind, folder, ending, load, functions in [
        ("tsp", "tsplib", ".tsp", lambda file: (euclidean(file),), FOR_TOURS),
        ("qap", "qaplib", ".dat", matrices, FOR_ASSIGNMENTS),
    ]:
        with (args.data / folder / "optima.csv").open() as file:
            best = {row["name"]: int(row["best_known"]) for row in csv.DictReader(file)}
        names = [name for name in args.names if (args.data / folder / (name + ending)).exists()]
        if not names:
            continue
        print("| instance |", " | ".join(functions), "|")
        print("|---" * (len(functions) + 1) + "|")
        for name in names:
            arrays = load(args.data / folder / (name + ending))
            cells = []
            for function in functions.values():
                found = run(function, arrays, args.time, args.device)
                if found is None:
                    cells.append("-")
                    continue
                gap = 100 * (cost(kind, arrays, found[1]) / best[name] - 1)
                cells.append(f"{gap:.3f} ({found[0]:.1f} s)")
            print(f"| {name} |", " | ".join(cells), "|", flush=True)
        print()


if __name__ == "__main__":
    main()
