/* Myrmex: short tours (travelling salesman problem, TSP) and good assignments (quadratic assignment problem, QAP), on any GPU or on the
 * CPU alone. This file is made of capi/src by 'cargo run -p myrmex-header': do not edit it.
 *
 * Objects. What a function hands out belongs to the caller, who frees it once by the function named *_free for its kind; NULL may be freed.
 * Texts and arrays that are read from an object belong to the object, and are gone with it. What takes a const object may be called by several
 * threads at once; an object must be neither changed nor freed while another call uses it.
 *
 * Texts are UTF-8 and end with a zero byte.
 *
 * Errors. What can fail returns a MyrmexStatus and takes `error` last: NULL, or where to put a MyrmexError that the caller frees (NULL when all
 * went well). When a function fails, what it was to make is NULL, but for the result of myrmex_solve. A NULL where an object, a text or an
 * array is needed is refused as MYRMEX_STATUS_INVALID_INPUT.
 */

#ifndef MYRMEX_H
#define MYRMEX_H

#include <stddef.h>
#include <stdint.h>

/**
 * How a call went.
 */
typedef enum {
  /**
   * It did what it says.
   */
  MYRMEX_STATUS_OK = 0,
  /**
   * A problem, an option or its value makes no sense, or is NULL.
   */
  MYRMEX_STATUS_INVALID_INPUT = 1,
  /**
   * A file cannot be read, or breaks its format.
   */
  MYRMEX_STATUS_FILE = 2,
  /**
   * There is no such GPU.
   */
  MYRMEX_STATUS_NO_DEVICE = 3,
  /**
   * The device has too little memory, or the system lets no thread be made.
   */
  MYRMEX_STATUS_TOO_LARGE = 4,
  /**
   * The device failed. myrmex_solve still hands out the best solution known before.
   */
  MYRMEX_STATUS_DEVICE = 5,
  /**
   * A fault of the library.
   */
  MYRMEX_STATUS_INTERNAL = 6,
} MyrmexStatus;

/**
 * Why a call failed.
 */
typedef struct MyrmexError MyrmexError;

/**
 * What a run is asked for.
 */
typedef struct MyrmexOptions MyrmexOptions;

/**
 * An instance of the travelling salesman or the quadratic assignment problem.
 */
typedef struct MyrmexProblem MyrmexProblem;

/**
 * What a run found.
 */
typedef struct MyrmexResult MyrmexResult;

/**
 * How far a run has come.
 */
typedef struct {
  /**
   * The length of the best tour so far, or the cost of the best assignment, in the unit of what was given: but for the rounding of
   * myrmex_problem_rounding. NaN while the run is set up.
   */
  double length;
  /**
   * The same in the whole numbers that the solver counts in; -1 while the run is set up.
   */
  int64_t cost;
  /**
   * Seconds since the run began.
   */
  double seconds;
  /**
   * Iterations that were made.
   */
  uint32_t iterations;
} MyrmexProgress;

/**
 * Called about every 80 milliseconds of a run, its set-up included, the first time after as many; `context` is what myrmex_solve was given. When it returns something else than 0
 * the run ends, within the set-up with a simple solution, and it is not called again. It must return: throwing and jumping out of it are not allowed. It may call the library, but
 * neither change nor free what the run was given.
 */
typedef int32_t (*MyrmexCallback)(void *context, const MyrmexProgress *progress);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as `"0.1.0"`. It is not freed.
 */
const char *myrmex_version(void);

/**
 * Makes options that leave everything open.
 */
MyrmexOptions *myrmex_options_new(void);

/**
 * Sets an option, in place of the value that it had; NULL as `value` leaves it open again.
 *
 * - `time`: seconds, with decimals, from the call of myrmex_solve on, the set-up included, which takes seconds with asymmetric distances of
 *   thousands of cities, or hundreds of thousands of points: where it is not done by then the solution is a simple one. `iterations`. `target`: a length in the unit of what was given, or a
 *   cost. `stagnation`, `stagnation_time`: iterations or seconds without a gain. `rounds`: when the phases have come to their end so often,
 *   which is no matter of the clock. The first of them that holds ends the run; where none is given, five seconds do, or less where nothing
 *   more is to be expected of so small a problem.
 * - `seed`: a whole number. With the same seed, settings and `iterations` the solution is the same on every device.
 * - `device`: `auto`, `cpu`, `wgpu`, `cuda`, or one of the last two with an index or a part of a name: `wgpu:0`, `cuda:H100`; several of them
 *   on one problem with commas between: `cuda:0,cuda:1`; `all` GPUs. `auto` opens the GPUs of the machine each time, which takes longer
 *   than to solve a small problem: `cpu` suits many of these.
 * - `open`: `true` for a path that does not lead back. `start`, `end`: the cities at its ends, counted from 0; one alone makes a path, too,
 *   whose other end is free. The same city for both: a closed tour, told from there on.
 * - `fixed`: pairs with commas between, counted from 0: `0=3,2=5`. Of tours cities that stay beside each other (between asymmetric distances
 *   the second one behind the first), of assignments facilities and the locations that they are given.
 * - `algorithm` or `preset`, `effort`, `on_device_lost`, and every parameter of the algorithm, which docs/algorithms tells, and
 *   the program by `myrmex parameters`; `set.` may stand before its name, as in `set.ants`, and has to in `set.stagnation`, since
 *   `stagnation` is a rule.
 *
 * What names and values mean depends on the problem, so myrmex_solve checks them.
 *
 * # Safety
 * `name` and `value` are NULL or end with a zero byte.
 */
MyrmexStatus myrmex_options_set(MyrmexOptions *options,
                                const char *name,
                                const char *value,
                                MyrmexError **error);

/**
 * Lets runs begin with a solution, which is copied, in place of the one before: the cities of a tour in order, or the location of each
 * facility, counted from 0. NULL leaves it open again. myrmex_solve checks that it is a solution.
 *
 * # Safety
 * `permutation` is NULL or has `size` numbers.
 */
MyrmexStatus myrmex_options_set_initial(MyrmexOptions *options, const uint32_t *permutation, size_t size, MyrmexError **error);

/**
 * Frees options.
 */
void myrmex_options_free(MyrmexOptions *options);

/**
 * The solution's cost in the whole numbers that the solver counts in. -1 for NULL.
 */
int64_t myrmex_result_cost(const MyrmexResult *result);

/**
 * The tour's length in the unit of what was given; of an assignment its cost. NaN for NULL.
 */
double myrmex_result_length(const MyrmexResult *result);

/**
 * How many cities or facilities the solution has; 0 for NULL.
 */
size_t myrmex_result_size(const MyrmexResult *result);

/**
 * The solution: the cities of a tour in order, or the location of each facility, counted from 0. It belongs to the result. NULL for NULL.
 */
const uint32_t *myrmex_result_permutation(const MyrmexResult *result);

/**
 * Iterations that were made; 0 for NULL.
 */
uint32_t myrmex_result_iterations(const MyrmexResult *result);

/**
 * Seconds that the run took, set-up included. NaN for NULL.
 */
double myrmex_result_seconds(const MyrmexResult *result);

/**
 * Why the run ended: "iterations", "time", "target", "stagnation", "converged" (its phases came to their end), "cancelled" (by the callback),
 * "optimal" (no solution is better, of few cities or facilities), "trivial" (so few, or so few places that are apart, that all solutions were
 * tried at once), or "failed" (the device). It belongs to the result. NULL for NULL.
 */
const char *myrmex_result_ended(const MyrmexResult *result);

/**
 * "wgpu", "cuda", "cpu", "mixed" (devices of several) or "none" (the set-up was not done). It belongs to the result. NULL for NULL.
 */
const char *myrmex_result_backend(const MyrmexResult *result);

/**
 * The name of the device. It belongs to the result. NULL for NULL.
 */
const char *myrmex_result_device(const MyrmexResult *result);

/**
 * All that is known of the run, with what ran and when it gained, as the JSON that the program writes. It belongs to the result. NULL for NULL.
 */
const char *myrmex_result_report(const MyrmexResult *result);

/**
 * Frees a result.
 */
void myrmex_result_free(MyrmexResult *result);

/**
 * Makes a problem of cities at points in the plane, in any unit: `xy` has x and y of each, 2 * cities numbers.
 *
 * # Safety
 * `xy` is NULL or has 2 * cities numbers.
 */
MyrmexStatus myrmex_tsp_from_points(const double *xy, size_t cities, MyrmexProblem **problem, MyrmexError **error);

/**
 * Makes a problem of cities on the globe: `degrees` has longitude and latitude of each, 2 * cities numbers. Lengths are in metres.
 *
 * # Safety
 * `degrees` is NULL or has 2 * cities numbers.
 */
MyrmexStatus myrmex_tsp_from_lon_lat(const double *degrees, size_t cities, MyrmexProblem **problem, MyrmexError **error);

/**
 * Makes a problem of distances in any unit, row by row: distances[i * cities + j] leads from city i to city j. They may be asymmetric and
 * negative; the diagonal is ignored.
 *
 * # Safety
 * `distances` is NULL or has cities * cities numbers.
 */
MyrmexStatus myrmex_tsp_from_matrix(const double *distances, size_t cities, MyrmexProblem **problem, MyrmexError **error);

/**
 * Makes an assignment problem, matrices row by row and in any unit: flows[i * facilities + j] from facility i to facility j,
 * distances[k * locations + l] from location k to location l, and placing[i * locations + k], what facility i costs at location k by
 * itself; NULL as `placing` for nothing. There are as many locations as facilities, or more. Entries may be negative and have decimals;
 * diagonals count. Where entries have more digits than the solver counts they are rounded, and the report has `cost_error`: by how much
 * costs may differ at most; costs and lengths of results are summed from what was given.
 *
 * # Safety
 * `flows` is NULL or has facilities * facilities numbers, `distances` is NULL or has locations * locations, `placing` is NULL or has
 * facilities * locations.
 */
MyrmexStatus myrmex_qap_from_matrices(const double *flows,
                                      size_t facilities,
                                      const double *distances,
                                      size_t locations,
                                      const double *placing,
                                      MyrmexProblem **problem,
                                      MyrmexError **error);

/**
 * Reads a problem of either kind from a file: TSPLIB, QAPLIB, a table of points or distances (CSV), JSON, GeoJSON points; compressed by gzip or
 * not. The content tells what it is.
 *
 * # Safety
 * `path` is NULL or ends with a zero byte.
 */
MyrmexStatus myrmex_problem_read(const char *path,
                                 MyrmexProblem **problem,
                                 MyrmexError **error);

/**
 * How many cities or facilities there are: solutions have a number for each. 0 for NULL.
 */
size_t myrmex_problem_size(const MyrmexProblem *problem);

/**
 * How many locations there are for facilities; 0 for tours and NULL.
 */
size_t myrmex_problem_locations(const MyrmexProblem *problem);

/**
 * By how much the length of a tour, or the cost of an assignment, may differ at most from what the solver counts, in the unit of what was
 * given: 0 where nothing is rounded. One number that dwarfs all others makes it large: then the solver does not see small differences
 * between the others. Lengths of results are counted from what was given, without it. NaN for NULL.
 */
double myrmex_problem_rounding(const MyrmexProblem *problem);

/**
 * Counts the length of a tour (closed, or as the file asks for it), or the cost of an assignment, in the unit of what was given: the cities in
 * order, or the location of each facility, counted from 0.
 *
 * # Safety
 * `permutation` is NULL or has `size` numbers.
 */
MyrmexStatus myrmex_problem_length(const MyrmexProblem *problem,
                                   const uint32_t *permutation,
                                   size_t size,
                                   double *length,
                                   MyrmexError **error);

/**
 * "tsp" or "qap"; it is not freed. NULL for NULL.
 */
const char *myrmex_problem_kind(const MyrmexProblem *problem);

/**
 * Frees a problem.
 */
void myrmex_problem_free(MyrmexProblem *problem);

/**
 * Solves a problem. It returns when the run has ended: see myrmex_options_set; `options` may be NULL. Work is done on threads of the library,
 * one for each processor, which all runs share (the environment's RAYON_NUM_THREADS makes them fewer); `callback`, where it is not NULL, is
 * called on this one. Several threads may solve at once, also with the same problem and options. A process that was forked from one that
 * has made or solved a problem is refused, since it has none of that one's threads.
 *
 * Where a run fails it returns why (MYRMEX_STATUS_DEVICE where the device does), and `result` has the best solution known before all the same.
 *
 * # Safety
 * `callback` is NULL or a function that may be called with `context` until this call returns; it does not look at `error`. `result` is NULL or a place
 * for a pointer.
 */
MyrmexStatus myrmex_solve(const MyrmexProblem *problem,
                          const MyrmexOptions *options,
                          MyrmexCallback callback,
                          void *context,
                          MyrmexResult **result,
                          MyrmexError **error);

/**
 * What went wrong, where, and what to do about it: one line. It belongs to the error. NULL for NULL.
 */
const char *myrmex_error_message(const MyrmexError *error);

/**
 * Frees an error.
 */
void myrmex_error_free(MyrmexError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MYRMEX_H */
