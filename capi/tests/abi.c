/* The library as C calls it: what it makes, refuses and frees. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* A run that is refused. */
static void refuses(const MyrmexProblem *problem, const char *name, const char *value, const char *words) {
  const char *const pairs[] = {"iterations", "1", "device", "cpu", name, value, NULL};
  MyrmexOptions *options = options_of(pairs);
  MyrmexResult *result = (MyrmexResult *)&options;
  MyrmexError *error = NULL;
  MyrmexStatus status = myrmex_solve(problem, options, NULL, NULL, &result, &error);
  refused(status, INVALID, result, error, words);
  myrmex_options_free(options);
}

static int is_permutation(const MyrmexResult *result, size_t size) {
  unsigned char *seen = calloc(size, 1);
  const uint32_t *permutation = myrmex_result_permutation(result);
  int holds = myrmex_result_size(result) == size;
  for (size_t at = 0; at < size && holds; at++) holds = permutation[at] < size && !seen[permutation[at]]++;
  free(seen);
  return holds;
}

enum { CITIES = 60 };
static double points[2 * CITIES];

static double distance(uint32_t a, uint32_t b) {
  return hypot(points[2 * a] - points[2 * b], points[2 * a + 1] - points[2 * b + 1]);
}

static double length_of(const MyrmexResult *result, int closed) {
  const uint32_t *tour = myrmex_result_permutation(result);
  double length = closed ? distance(tour[CITIES - 1], tour[0]) : 0;
  for (size_t at = 1; at < CITIES; at++) length += distance(tour[at - 1], tour[at]);
  return length;
}

static MyrmexProblem *plane(void) {
  uint32_t word = 1;
  for (size_t at = 0; at < 2 * CITIES; at++) {
    word = word * 1664525u + 1013904223u;
    points[at] = word / 4294967296.0;
  }
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_tsp_from_points(points, CITIES, &problem, NULL) == MYRMEX_STATUS_OK && problem != NULL);
  CHECK(myrmex_problem_size(problem) == CITIES && strcmp(myrmex_problem_kind(problem), "tsp") == 0);
  return problem;
}

/* Points: the same seed gives the same tour, whose length is that of its edges; a matrix of the same distances gives one as good. */
static void tours(void) {
  MyrmexProblem *problem = plane();
  const char *const pairs[] = {"iterations", "30", "seed", "7", "device", "cpu", NULL};
  MyrmexResult *one = solved(problem, pairs), *other = solved(problem, pairs);
  CHECK(is_permutation(one, CITIES) && fabs(length_of(one, 1) - myrmex_result_length(one)) < 1e-9);
  CHECK(memcmp(myrmex_result_permutation(one), myrmex_result_permutation(other), CITIES * sizeof(uint32_t)) == 0);
  CHECK(myrmex_result_cost(one) == myrmex_result_cost(other) && myrmex_result_cost(one) > 0);
  CHECK(strcmp(myrmex_result_ended(one), "iterations") == 0 && myrmex_result_iterations(one) == 30);
  CHECK(strcmp(myrmex_result_backend(one), "cpu") == 0 && strlen(myrmex_result_device(one)) > 0 && myrmex_result_seconds(one) > 0);
  CHECK(strstr(myrmex_result_report(one), "\"schema\"") != NULL && strstr(myrmex_result_report(one), "\"seed\"") != NULL);

  double matrix[CITIES * CITIES];
  for (uint32_t a = 0; a < CITIES; a++) {
    for (uint32_t b = 0; b < CITIES; b++) matrix[a * CITIES + b] = distance(a, b);
  }
  MyrmexProblem *same = NULL;
  CHECK(myrmex_tsp_from_matrix(matrix, CITIES, &same, NULL) == MYRMEX_STATUS_OK);
  MyrmexResult *third = solved(same, pairs);
  CHECK(is_permutation(third, CITIES) && fabs(length_of(third, 1) - myrmex_result_length(third)) < 1e-9);
  CHECK(fabs(myrmex_result_length(third) - myrmex_result_length(one)) < 1e-6);
  myrmex_result_free(one), myrmex_result_free(other), myrmex_result_free(third);
  myrmex_problem_free(same), myrmex_problem_free(problem);
}

/* A parameter that is called as a rule is. */
static void parameters(void) {
  MyrmexProblem *problem = plane();
  const char *const pairs[] = {"iterations", "30", "device", "cpu", "algorithm", "mmas", "set.stagnation", "5", "set.ants", "8", NULL};
  MyrmexResult *result = solved(problem, pairs);
  CHECK(strcmp(myrmex_result_ended(result), "iterations") == 0);
  CHECK(strstr(myrmex_result_report(result), "\"set\":{\"ants\":8,\"stagnation\":5}") != NULL);
  const char *const plain[] = {"iterations", "1", "device", "cpu", NULL};
  MyrmexResult *other = solved(problem, plain);
  CHECK(strstr(myrmex_result_report(other), "\"algorithm\":\"auto\"") != NULL);
  myrmex_result_free(result), myrmex_result_free(other), myrmex_problem_free(problem);
}

static void paths(void) {
  MyrmexProblem *problem = plane();
  const char *const pairs[] = {"iterations", "10", "device", "cpu", "start", "3", "end", "9", NULL};
  MyrmexResult *result = solved(problem, pairs);
  CHECK(is_permutation(result, CITIES) && fabs(length_of(result, 0) - myrmex_result_length(result)) < 1e-9);
  CHECK(myrmex_result_permutation(result)[0] == 3 && myrmex_result_permutation(result)[CITIES - 1] == 9);
  myrmex_result_free(result);
  const char *const round[] = {"iterations", "10", "device", "cpu", "open", "false", "start", "3", "end", "3", NULL};
  result = solved(problem, round);
  CHECK(fabs(length_of(result, 1) - myrmex_result_length(result)) < 1e-9 && myrmex_result_permutation(result)[0] == 3);
  myrmex_result_free(result);
  refuses(problem, "start", "60", "the start 60 does not exist");
  refuses(problem, "open", "perhaps", "open: expected true or false, not 'perhaps'");
  refuses(problem, "rounds", "0", "rounds: expected a whole number from 1");
  refuses(problem, "stagnation", "0", "stagnation: expected a whole number from 1");
  MyrmexOptions *options = myrmex_options_new();
  MyrmexError *error = NULL;
  REFUSED(myrmex_options_set(options, "set.iterations", "3", &error), INVALID, NULL, "there is no parameter 'iterations'");
  myrmex_options_free(options);
  myrmex_problem_free(problem);
}

/* The best of all assignments of five facilities, by trying them. */
static void assignments(void) {
  enum { SIZE = 5 };
  const double flows[SIZE * SIZE] = {0, 5, 2, 4, 1, 5, 0, 3, 0, 2, 2, 3, 0, 0, 0, 4, 0, 0, 0, 5, 1, 2, 0, 5, 0};
  const double distances[SIZE * SIZE] = {0, 1, 1, 2, 3, 1, 0, 2, 1, 2, 1, 2, 0, 1, 2, 2, 1, 1, 0, 1, 3, 2, 2, 1, 0};
  int64_t least = INT64_MAX;
  for (size_t code = 0; code < SIZE * SIZE * SIZE * SIZE * SIZE; code++) {
    size_t place[SIZE], rest = code, used = 0;
    for (size_t at = 0; at < SIZE; at++, rest /= SIZE) used |= (size_t)1 << (place[at] = rest % SIZE);
    if (used != (1u << SIZE) - 1) continue;
    int64_t cost = 0;
    for (size_t i = 0; i < SIZE; i++) {
      for (size_t j = 0; j < SIZE; j++) cost += (int64_t)(flows[i * SIZE + j] * distances[place[i] * SIZE + place[j]]);
    }
    if (cost < least) least = cost;
  }
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_qap_from_matrices(flows, SIZE, distances, SIZE, NULL, &problem, NULL) == MYRMEX_STATUS_OK);
  CHECK(strcmp(myrmex_problem_kind(problem), "qap") == 0 && myrmex_problem_locations(problem) == SIZE);
  char target[32];
  snprintf(target, sizeof target, "%lld", (long long)least);
  const char *const pairs[] = {"iterations", "50", "target", target, "device", "cpu", NULL};
  MyrmexResult *result = solved(problem, pairs);
  CHECK(is_permutation(result, SIZE) && myrmex_result_cost(result) == least && myrmex_result_length(result) == (double)least);
  CHECK(strcmp(myrmex_result_ended(result), "target") == 0);
  myrmex_result_free(result);
  refuses(problem, "open", "true", "are for tours");
  myrmex_problem_free(problem);
}

/* Fewer facilities than locations, decimals, signs, costs of placing, and a facility that is fixed. */
static void places_for_some(void) {
  const double flows[] = {0, 0.5, 0.5, 0}, distances[] = {0, 1, -4, 1, 0, 2, -4, 2, 0}, placing[] = {0, 0, 1.25, 0, 0, 0};
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_qap_from_matrices(flows, 2, distances, 3, placing, &problem, NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_problem_size(problem) == 2 && myrmex_problem_locations(problem) == 3);
  const char *const free_pairs[] = {"iterations", "20", "device", "cpu", NULL};
  MyrmexResult *result = solved(problem, free_pairs);
  const uint32_t *places = myrmex_result_permutation(result);
  CHECK(myrmex_result_size(result) == 2 && places[0] == 0 && places[1] == 2 && myrmex_result_length(result) == -4);
  myrmex_result_free(result);
  const char *const fixed_pairs[] = {"iterations", "20", "device", "cpu", "fixed", "0=2", "target", "-2.75", NULL};
  result = solved(problem, fixed_pairs);
  places = myrmex_result_permutation(result);
  CHECK(places[0] == 2 && places[1] == 0 && myrmex_result_length(result) == -2.75);
  CHECK(strcmp(myrmex_result_ended(result), "target") == 0);
  myrmex_result_free(result);
  refuses(problem, "fixed", "0=3", "locations go from 0 to 2");
  refuses(problem, "fixed", "0=1,1=1", "two facilities, 0 and 1, are fixed at location 1");
  refuses(problem, "fixed", "0", "as in 0=3,2=5, not '0'");
  myrmex_problem_free(problem);
}

struct seen {
  pthread_t thread;
  int calls, ends_at;
  int64_t last;
};

static int32_t tell(void *context, const MyrmexProgress *progress) {
  struct seen *seen = context;
  CHECK(pthread_equal(pthread_self(), seen->thread) && progress->seconds >= 0 && progress->iterations < UINT32_MAX);
  if (isnan(progress->length)) {
    CHECK(progress->cost == -1 && progress->iterations == 0 && seen->calls == 0);
    return 0;
  }
  CHECK(progress->cost > 0 && (seen->calls == 0 || progress->cost <= seen->last));
  CHECK(progress->length == (double)progress->cost);
  seen->last = progress->cost;
  return ++seen->calls == seen->ends_at;
}

/* A problem of one's own unit: what the callback tells as a length is of that unit. */
static int32_t ends_at_once(void *context, const MyrmexProgress *progress) {
  *(double *)context = progress->length;
  return !isnan(progress->length);
}

/* The run is ended before it has begun. */
static int32_t ends_in_set_up(void *context, const MyrmexProgress *progress) {
  ++*(int *)context;
  CHECK(isnan(progress->length));
  return 1;
}

/* A run begins with a tour, keeps edges, and tells lengths as they are counted from what was given. */
static void beginnings(void) {
  MyrmexProblem *problem = plane();
  MyrmexError *error = NULL;
  uint32_t order[CITIES];
  for (uint32_t at = 0; at < CITIES; at++) order[at] = (at * 7) % CITIES;
  double length = 0, first = 0;
  CHECK(myrmex_problem_length(problem, order, CITIES, &length, &error) == MYRMEX_STATUS_OK && error == NULL);
  double sum = 0;
  for (size_t at = 0; at < CITIES; at++) sum += distance(order[at], order[(at + 1) % CITIES]);
  const double rounding = myrmex_problem_rounding(problem);
  CHECK(fabs(sum - length) < 1e-9 && rounding > 0 && rounding < 1e-3);
  const char *const pairs[] = {"time", "60", "algorithm", "mmas", "local_search", "none", "ants", "1", "device", "cpu", NULL};
  MyrmexOptions *options = options_of(pairs);
  CHECK(myrmex_options_set_initial(options, order, CITIES, &error) == MYRMEX_STATUS_OK);
  MyrmexResult *result = NULL;
  CHECK(myrmex_options_set(options, "iterations", "0", NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_solve(problem, options, NULL, NULL, &result, &error) == MYRMEX_STATUS_OK);
  CHECK(fabs(myrmex_result_length(result) - length) < 1e-9);
  myrmex_result_free(result);
  CHECK(myrmex_options_set(options, "iterations", NULL, NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_solve(problem, options, ends_at_once, &first, &result, &error) == MYRMEX_STATUS_OK);
  CHECK(strstr(myrmex_result_report(result), "\"set\":{\"ants\":1,\"local_search\":\"none\"}") != NULL);
  CHECK(first >= myrmex_result_length(result) - rounding && first <= length + rounding);
  myrmex_result_free(result);
  CHECK(myrmex_options_set_initial(options, order, CITIES - 1, &error) == MYRMEX_STATUS_OK);
  REFUSED(myrmex_solve(problem, options, NULL, NULL, &result, &error), INVALID, result, "59");
  order[1] = order[0];
  CHECK(myrmex_options_set_initial(options, order, CITIES, &error) == MYRMEX_STATUS_OK);
  REFUSED(myrmex_solve(problem, options, NULL, NULL, &result, &error), INVALID, result, "twice");
  REFUSED(myrmex_problem_length(problem, order, CITIES, &length, &error), INVALID, NULL, "twice");
  CHECK(isnan(length));
  CHECK(myrmex_options_set_initial(options, NULL, 0, &error) == MYRMEX_STATUS_OK);
  myrmex_options_free(options);

  const char *const fixed[] = {"iterations", "5", "fixed", "0=30,30=17", "device", "cpu", NULL};
  result = solved(problem, fixed);
  const uint32_t *tour = myrmex_result_permutation(result);
  size_t at = 0;
  while (tour[at] != 30) at++;
  uint32_t before = tour[(at + CITIES - 1) % CITIES], after = tour[(at + 1) % CITIES];
  CHECK((before == 0 && after == 17) || (before == 17 && after == 0));
  myrmex_result_free(result);
  const char *const rounds[] = {"rounds", "1", "device", "cpu", NULL};
  result = solved(problem, rounds);
  CHECK(strcmp(myrmex_result_ended(result), "converged") == 0);
  CHECK(strstr(myrmex_result_report(result), "\"set\"") == NULL);
  myrmex_result_free(result), myrmex_problem_free(problem);
}

/* A child of a process that has made or solved a problem is told that it cannot. */
static void forked(void) {
  MyrmexProblem *problem = plane();
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    MyrmexProblem *made = NULL;
    MyrmexResult *result = NULL;
    MyrmexError *error = NULL;
    REFUSED(myrmex_tsp_from_points(points, CITIES, &made, &error), INVALID, made, "forked");
    REFUSED(myrmex_solve(problem, NULL, NULL, NULL, &result, &error), INVALID, result, "forked");
    _exit(0);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  myrmex_problem_free(problem);
}

/* A callback is called on the thread that solves, and ends the run. */
static void callbacks(const char *path) {
  MyrmexProblem *problem = NULL;
  MyrmexError *error = NULL;
  CHECK(myrmex_problem_read(path, &problem, &error) == MYRMEX_STATUS_OK);
  const char *const pairs[] = {"time", "60", "device", "cpu", NULL};
  MyrmexOptions *options = options_of(pairs);
  struct seen seen = {pthread_self(), 0, 3, 0};
  MyrmexResult *result = NULL;
  CHECK(myrmex_solve(problem, options, tell, &seen, &result, &error) == MYRMEX_STATUS_OK && error == NULL);
  CHECK(seen.calls == 3 && strcmp(myrmex_result_ended(result), "cancelled") == 0 && myrmex_result_seconds(result) < 30);
  CHECK(is_permutation(result, myrmex_problem_size(problem)) && myrmex_result_cost(result) <= seen.last);
  myrmex_result_free(result), myrmex_options_free(options), myrmex_problem_free(problem);
}

/* It may end the set-up, which takes seconds for a matrix of two directions. */
static void set_ups(void) {
  enum { MANY = 1500 };
  double *weights = malloc(sizeof(double) * MANY * MANY);
  CHECK(weights != NULL);
  for (uint32_t at = 0; at < MANY * MANY; at++) weights[at] = (at * 2654435761u) >> 12;
  MyrmexProblem *problem = NULL;
  MyrmexError *error = NULL;
  CHECK(myrmex_tsp_from_matrix(weights, MANY, &problem, &error) == MYRMEX_STATUS_OK);
  free(weights);
  const char *const pairs[] = {"time", "60", "device", "cpu", NULL};
  MyrmexOptions *options = options_of(pairs);
  int calls = 0;
  MyrmexResult *result = NULL;
  CHECK(myrmex_solve(problem, options, ends_in_set_up, &calls, &result, &error) == MYRMEX_STATUS_OK && error == NULL);
  CHECK(calls == 1 && strcmp(myrmex_result_ended(result), "cancelled") == 0 && myrmex_result_iterations(result) == 0);
  CHECK(is_permutation(result, MANY) && myrmex_result_seconds(result) < 30);
  myrmex_result_free(result), myrmex_options_free(options), myrmex_problem_free(problem);
}

/* What is wrong is told, and so is what is missing. */
static void errors(void) {
  double bad[] = {0, 0, 1, NAN, 2, 2};
  MyrmexProblem *problem = (MyrmexProblem *)bad;
  MyrmexError *error = NULL;
  REFUSED(myrmex_tsp_from_points(bad, 3, &problem, &error), INVALID, problem, "city 1 (counted from 0)");
  REFUSED(myrmex_tsp_from_points(NULL, 3, &problem, &error), INVALID, problem, "xy is NULL");
  REFUSED(myrmex_tsp_from_points(bad, SIZE_MAX / 4, &problem, &error), INVALID, problem, "no memory has");
  REFUSED(myrmex_tsp_from_matrix(bad, SIZE_MAX / 2, &problem, &error), INVALID, problem, "no memory has");
  REFUSED(myrmex_tsp_from_points((const double *)((const char *)bad + 1), 1, &problem, &error), INVALID, problem, "memory");
  REFUSED(myrmex_tsp_from_points(bad, 0, &problem, &error), INVALID, problem, "invalid instance");
  REFUSED(myrmex_tsp_from_lon_lat(NULL, 0, &problem, &error), INVALID, problem, "degrees is NULL");
  const double two[] = {0, 0, 0, 0};
  REFUSED(myrmex_qap_from_matrices(two, 1, NULL, 1, NULL, &problem, &error), INVALID, problem, "distances is NULL");
  REFUSED(myrmex_qap_from_matrices(two, 2, two, 1, NULL, &problem, &error), INVALID, problem, "only 1 location:");
  REFUSED(myrmex_qap_from_matrices(bad, 2, two, 2, NULL, &problem, &error), INVALID, problem, "not finite");
  REFUSED(myrmex_problem_read("/no/such/file", &problem, &error), MYRMEX_STATUS_FILE, problem, "/no/such/file");
  /* On Unix paths have any bytes. */
  REFUSED(myrmex_problem_read("\xff", &problem, &error), MYRMEX_STATUS_FILE, problem, "No such file");
  REFUSED(myrmex_problem_read(NULL, &problem, &error), INVALID, problem, "path is NULL");
  REFUSED(myrmex_tsp_from_points(bad, 1, NULL, &error), INVALID, NULL, "the place for what is made is NULL");
  CHECK(myrmex_problem_read("/no/such/file", &problem, NULL) == MYRMEX_STATUS_FILE && problem == NULL);

  MyrmexResult *result = (MyrmexResult *)bad;
  REFUSED(myrmex_solve(NULL, NULL, NULL, NULL, &result, &error), INVALID, result, "problem is NULL");
  MyrmexOptions *options = myrmex_options_new();
  REFUSED(myrmex_options_set(NULL, "time", "1", &error), INVALID, NULL, "options is NULL");
  REFUSED(myrmex_options_set(options, NULL, "1", &error), INVALID, NULL, "name is NULL");
  REFUSED(myrmex_options_set(options, "seed", "\xff", &error), INVALID, NULL, "seed is not UTF-8");

  problem = plane();
  REFUSED(myrmex_solve(problem, options, NULL, NULL, NULL, &error), INVALID, NULL, "the place for the result is NULL");
  refuses(problem, "time", "-1", "time: expected seconds from 0 up, not '-1'");
  refuses(problem, "time", "soon", "time: expected seconds from 0 up, not 'soon'");
  refuses(problem, "iterations", "2.5", "iterations: expected a whole number");
  refuses(problem, "target", "nan", "target: expected a length");
  refuses(problem, "device", "toaster", "device: expected 'auto'");
  /* A name that means nothing is refused when it is set. */
  REFUSED(myrmex_options_set(options, "antz", "3", &error), INVALID, NULL, "there is no parameter 'antz'");
  REFUSED(myrmex_options_set(options, "antz", "3", &error), INVALID, NULL, "options beside parameters are time, iterations");
  REFUSED(myrmex_options_set(options, "", "3", &error), INVALID, NULL, "the name of an option is empty");
  refuses(problem, "time", "0,5", "with a point before decimals, not '0,5'");
  refuses(problem, "threads", "0", "threads: expected a whole number from 1 up, not '0'");
  refuses(problem, "algorithm", "cas", "algorithm 'cas' solves assignments");
  refuses(problem, "seed", "x", "seed: expected a whole number");
  /* A value that was taken back counts no more. */
  CHECK(myrmex_options_set(options, "ants", "many", NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_options_set(options, "ants", NULL, NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_options_set(options, "iterations", "1", NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_options_set(options, "device", "cpu", NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_solve(problem, options, NULL, NULL, &result, &error) == MYRMEX_STATUS_OK && error == NULL);
  myrmex_result_free(result), myrmex_options_free(options), myrmex_problem_free(problem);
}

/* NULL is nothing, and may be freed. */
static void nothing(void) {
  CHECK(myrmex_problem_size(NULL) == 0 && myrmex_problem_kind(NULL) == NULL && myrmex_error_message(NULL) == NULL);
  CHECK(myrmex_result_cost(NULL) == -1 && isnan(myrmex_result_length(NULL)) && isnan(myrmex_result_seconds(NULL)));
  CHECK(myrmex_result_size(NULL) == 0 && myrmex_result_permutation(NULL) == NULL && myrmex_result_iterations(NULL) == 0);
  CHECK(myrmex_result_ended(NULL) == NULL && myrmex_result_backend(NULL) == NULL && myrmex_result_device(NULL) == NULL);
  CHECK(myrmex_result_report(NULL) == NULL && isnan(myrmex_problem_rounding(NULL)));
  CHECK(myrmex_problem_warnings(NULL) == NULL && myrmex_error_file(NULL) == NULL && myrmex_error_line(NULL) == 0);
  CHECK(myrmex_run_permutation(NULL, NULL, 0) == 0);
  myrmex_problem_free(NULL), myrmex_options_free(NULL), myrmex_result_free(NULL), myrmex_error_free(NULL);
  myrmex_device_free(NULL);
}

int main(int count, char **words) {
  CHECK(count == 3);
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", MYRMEX_VERSION_MAJOR, MYRMEX_VERSION_MINOR, MYRMEX_VERSION_PATCH);
  CHECK(strcmp(myrmex_version(), words[1]) == 0 && strcmp(version, words[1]) == 0);
  nothing();
  errors();
  tours();
  parameters();
  paths();
  assignments();
  places_for_some();
  callbacks(words[2]);
  set_ups();
  beginnings();
  forked();
  puts("the C library does what its header says");
  return 0;
}
