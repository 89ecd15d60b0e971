/* Myrmex: short tours (travelling salesman problem, TSP) and good assignments (quadratic assignment problem, QAP), on any GPU or on the
 * CPU alone. This file is made of capi/src by 'cargo run -p myrmex-header': do not edit it.
 *
 * Objects. What a function hands out belongs to the caller, who frees it once by the function named *_free for its kind; NULL may be freed.
 * It is written into the place that the caller names, whatever that held before: what is there is not freed.
 * Texts and arrays that are read from an object belong to the object, and are gone with it. What takes a const object may be called by several
 * threads at once; an object must be neither changed nor freed while another call uses it.
 *
 * Texts are UTF-8 and end with a zero byte. INFINITY marks a missing edge or a forbidden location; a solution that has to
 * use one has the length INFINITY.
 *
 * Errors. What can fail returns a MyrmexStatus and takes `error` last: NULL, or where to put a MyrmexError that the caller frees (NULL when all
 * went well). When a function fails, what it was to make is NULL, or NaN where it is a number; but for the result of myrmex_solve. A NULL
 * where an object, a text or an array is needed is refused as MYRMEX_STATUS_INVALID_INPUT.
 */

#ifndef MYRMEX_H
#define MYRMEX_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; myrmex_version() tells that of the library. */
#define MYRMEX_VERSION_MAJOR 0
#define MYRMEX_VERSION_MINOR 1
#define MYRMEX_VERSION_PATCH 0

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
   * The device failed. myrmex_solve still hands out the best solution known before; there is none where it failed in the set-up.
   */
  MYRMEX_STATUS_DEVICE = 5,
  /**
   * A fault of the library.
   */
  MYRMEX_STATUS_INTERNAL = 6,
} MyrmexStatus;

/**
 * A device, or several, that runs share.
 */
typedef struct MyrmexDevice MyrmexDevice;

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
 * A run that calls back.
 */
typedef struct MyrmexRun MyrmexRun;

/**
 * How far a run has come.
 */
typedef struct {
  /**
   * The length of the best tour so far, or the cost of the best assignment, in the unit of what was given: but for the rounding of
   * myrmex_problem_rounding. NaN while the run is set up. Where the best one takes a way or a place that was given as infinite it counts
   * as a great one here, so that this is finite.
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
  /**
   * The run itself, for myrmex_run_permutation, until the callback returns.
   */
  const MyrmexRun *run;
} MyrmexProgress;

/**
 * Called about every 80 milliseconds of a run, its set-up included, the first time after as many; `context` is what myrmex_solve was
 * given. When it returns something else than 0 the run ends, within the set-up with a simple solution, and it is not called again. So
 * another thread ends a run: it sets a flag in `context`, an atomic one, at which the callback looks. It must return: throwing and jumping
 * out of it are not allowed. It may call the library, but neither change nor free what the run was given.
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
 * Opens a device, in the words of the option `device`, for the runs of options that are given it (myrmex_options_set_device): to open a
 * GPU takes longer than to solve a small problem, and what is compiled for it is kept. `auto` opens the most capable GPU, or the CPU where
 * there is none.
 *
 * A device that has failed stays so. After MYRMEX_STATUS_DEVICE open it again and give the new one to the options; also where
 * `on_device_lost` is `cpu` and a report has `device_lost`.
 *
 * # Safety
 * `words` is NULL or ends with a zero byte.
 */
MyrmexStatus myrmex_device_open(const char *words, MyrmexDevice **device, MyrmexError **error);

/**
 * Frees a device; it stays open for the options and runs that have it.
 */
void myrmex_device_free(MyrmexDevice *device);

/**
 * Makes options that leave everything open.
 */
MyrmexOptions *myrmex_options_new(void);

/**
 * Sets an option, in place of the value that it had; NULL as `value` leaves it open again. A hyphen in a name counts as an underscore. A
 * name that means nothing is refused here. What values mean depends on the problem, so myrmex_solve checks them. Numbers have a point
 * before their decimals, whatever the locale: see myrmex_options_set_number.
 *
 * What ends a run (the first of them that holds; where none is given, five seconds do, or less where nothing more is to be expected of so
 * small a problem):
 *
 * - `time`: seconds, from the call of myrmex_solve on, the set-up included, which takes seconds with asymmetric distances of thousands of
 *   cities, or hundreds of thousands of points: where it is not done by then the solution is a simple one.
 * - `iterations`.
 * - `target`: a length in the unit of what was given, or a cost.
 * - `stagnation`, `stagnation_time`: iterations or seconds without a gain.
 * - `rounds`: when the phases have come to their end so often, which is no matter of the clock.
 *
 * Where it runs:
 *
 * - `device`: `auto` (the default), `cpu`, `wgpu`, `cuda`, or one of the last two with an index or a part of a name: `wgpu:0`,
 *   `cuda:H100`; several of them on one problem with commas between: `cuda:0,cuda:1`; `all` GPUs. `auto` opens the GPUs of the machine
 *   each time, which takes longer than to solve a small problem: `cpu` suits many of these, or a device that is opened once
 *   (myrmex_device_open). After MYRMEX_STATUS_DEVICE open that one again; a device that is named here is opened by each run.
 * - `threads`: so many threads that the run has alone, up to four for each processor. By default all runs share those of the library, one
 *   for each processor: there a long set-up holds up other runs.
 *
 * What solutions keep to (myrmex_problem_with makes a problem of it):
 *
 * - `open`: `true` for a path that does not lead back; `false`, `1` and `0` are taken, too, in capitals or not. `start`, `end`: the cities
 *   at its ends, counted from 0; one alone makes a path, too, whose other end is free. The same city for both: a closed tour, told from
 *   there on.
 * - `fixed`: pairs with commas between, counted from 0: `0=3,2=5`. Of tours cities that stay beside each other (between asymmetric distances
 *   the second one behind the first), of assignments facilities and the locations that they are given.
 *
 * What runs:
 *
 * - `seed`: a whole number, 1 by default. With the same seed, settings and `iterations` a run that ends by these finds the same solution
 *   on every device.
 * - `algorithm`: `auto` (the default); for tours `lk`, `clk`, `eax`, `lk-eax`, `as`, `acs`, `mmas`, `faco`; for assignments `cas`,
 *   `memetic`, `mmas`. Or `preset`, an algorithm with the parameters of a paper: a name that is none is refused with those that there are.
 * - `effort`: how much is done side by side: `auto` (the default: what suits the device, or `standard` where `iterations`
 *   is given), `small`, `standard`, `large`.
 * - `on_device_lost`: what happens when a device fails: `stop` (the default: MYRMEX_STATUS_DEVICE) or `cpu` (the run goes on there).
 * - Every parameter of the algorithm, by its name; a name that this algorithm does not have is refused with those that it has. `set.` may
 *   stand before it, as in `set.ants`, and has to in `set.stagnation`, since `stagnation` ends a run. The pages on algorithms in Myrmex's
 *   documentation tell what they are.
 *
 * # Safety
 * `name` and `value` are NULL or end with a zero byte.
 */
MyrmexStatus myrmex_options_set(MyrmexOptions *options,
                                const char *name,
                                const char *value,
                                MyrmexError **error);

/**
 * The same for a value that is a number: 0.5 seconds, whatever the locale writes between 0 and 5. Whole numbers up to 2^53 are told exactly.
 *
 * # Safety
 * `name` is NULL or ends with a zero byte.
 */
MyrmexStatus myrmex_options_set_number(MyrmexOptions *options,
                                       const char *name,
                                       double value,
                                       MyrmexError **error);

/**
 * Lets runs work on a device that is opened, in place of the option `device`: the last of both that was set counts. NULL leaves it open
 * again. The options have a share in the device, which may be freed before them.
 */
MyrmexStatus myrmex_options_set_device(MyrmexOptions *options, const MyrmexDevice *device, MyrmexError **error);

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
 * The tour's length in the unit of what was given; of an assignment its cost. INFINITY where it takes a way, or a place, that was given as
 * infinite. NaN for NULL.
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
 * Why the run ended: "iterations", "time", "target", "stagnation", "converged" (its phases came to their end), "cancelled" (by the
 * callback), "optimal" (no solution is better, of few cities or facilities), "trivial" (so few, or so few places that are apart, that all
 * solutions were tried at once), or "failed" (the device). It belongs to the result. NULL for NULL.
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
 * All that is known of the run, with what ran and when it gained, as the JSON that the program writes. It is made when this is called
 * first, which takes a second with a million cities. It belongs to the result. NULL for NULL, and where a fault of the library keeps it
 * from being made.
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
 * negative; the diagonal is ignored. INFINITY marks a missing edge: a tour that has to have one has the length INFINITY.
 *
 * # Safety
 * `distances` is NULL or has cities * cities numbers.
 */
MyrmexStatus myrmex_tsp_from_matrix(const double *distances, size_t cities, MyrmexProblem **problem, MyrmexError **error);

/**
 * Makes an assignment problem, matrices row by row and in any unit: flows[i * facilities + j] from facility i to facility j, distances[k *
 * locations + l] from location k to location l, and placing[i * locations + k], what facility i costs at location k by itself; NULL as
 * `placing` for nothing. There are as many locations as facilities, or more. Entries may be negative and have decimals; diagonals count.
 * INFINITY in `placing` marks a forbidden location: an assignment that has to have one has the length INFINITY. Where entries have more
 * digits than the solver counts they are rounded, and the report has `cost_error`: by how much costs may differ at most; costs and lengths
 * of results are summed from what was given.
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
 * Reads a problem of either kind from a file: TSPLIB, QAPLIB, a table of points or distances (CSV), JSON, GeoJSON points; compressed by
 * gzip or not. The content tells what it is. On Unix a path may have any bytes.
 *
 * # Safety
 * `path` is NULL or ends with a zero byte.
 */
MyrmexStatus myrmex_problem_read(const char *path, MyrmexProblem **problem, MyrmexError **error);

/**
 * The same from the content of a file in memory. `name` is what messages call it, and as what the problem is known; NULL for "<text>".
 *
 * # Safety
 * `bytes` is NULL or has `length` bytes, `name` is NULL or ends with a zero byte.
 */
MyrmexStatus myrmex_problem_parse(const void *bytes, size_t length, const char *name, MyrmexProblem **problem, MyrmexError **error);

/**
 * Makes a problem of another one with what the options `open`, `start`, `end` and `fixed` ask solutions to keep to, so that
 * myrmex_problem_length counts open paths, too, and each run keeps to them; other options mean nothing here, and a run may have the same
 * ones again. `options` may be NULL.
 */
MyrmexStatus myrmex_problem_with(const MyrmexProblem *problem, const MyrmexOptions *options, MyrmexProblem **changed, MyrmexError **error);

/**
 * What in a problem may be meant otherwise, or is rounded so that it matters, for people: a line each, "" where there is nothing to say.
 * Reports of results have them, too, and those of the solution. It is made when this is called first, and belongs to the problem. NULL for
 * NULL, and where a fault of the library keeps it from being made.
 */
const char *myrmex_problem_warnings(const MyrmexProblem *problem);

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
 * Counts the length of a tour (closed, or as the file or myrmex_problem_with asks for it), or the cost of an assignment, in the unit of
 * what was given: the cities in order, or the location of each facility, counted from 0. INFINITY where it takes a way, or a place, that
 * was given as infinite. NaN is written where this fails.
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
 * Copies the best solution so far, where it has no more numbers than the `size` that `permutation` has room for, and returns how many it
 * has; 0 while the run is set up, for NULL as `run`, and where `permutation` is misaligned. The run goes on
 * meanwhile: its solution may be a little better or worse than the length that was told, myrmex_problem_length counts it. To be called
 * within the callback.
 *
 * # Safety
 * `run` is NULL or that of a callback which has not returned; `permutation` is NULL or has room for `size` numbers.
 */
size_t myrmex_run_permutation(const MyrmexRun *run, uint32_t *permutation, size_t size);

/**
 * Solves a problem. It returns when the run has ended: see myrmex_options_set; `options` may be NULL. Work is done on threads of the
 * library, which all runs share, or on those of the option `threads`. The library has one for each processor, or as many as
 * RAYON_NUM_THREADS says in the environment of the first call, up to four for each processor. `callback`, where it is not NULL, is called
 * on this one. Several threads may solve at once, also with the same problem and options. A process that was forked from one that has made
 * or solved a problem is refused, since it has none of that one's threads. Where the system lets no threads be made it returns
 * MYRMEX_STATUS_TOO_LARGE, and a later call tries again.
 *
 * Where a run fails it returns why (MYRMEX_STATUS_DEVICE where the device does), and `result` has the best solution known before all the
 * same; NULL where there is none, as in the set-up.
 *
 * A set-up that the run does not wait for (its time was up, or the callback ended it) comes to its end on a thread of the library, also
 * when the result was freed. Wait for it before the process ends or unloads the library; some drivers crash otherwise.
 *
 * # Safety
 * `callback` is NULL or a function that may be called with `context` until this call returns; it does not look at `error`. `result` is
 * NULL or a place for a pointer.
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
 * The file that cannot be read or breaks its format, as it was named; NULL where no file is wrong, and for NULL. It belongs to the error.
 */
const char *myrmex_error_file(const MyrmexError *error);

/**
 * The line of that file, counted from 1; of what is missing the last one. 0 where there is none, and for NULL.
 */
size_t myrmex_error_line(const MyrmexError *error);

/**
 * Frees an error.
 */
void myrmex_error_free(MyrmexError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MYRMEX_H */
