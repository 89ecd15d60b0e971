/* The library as C calls it: problems from memory, with ends and without some ways; devices, threads, and what a callback may ask. */
#include <math.h>
#include <stdint.h>

#include "check.h"

static MyrmexProblem *parsed(const char *text, const char *name) {
  MyrmexProblem *problem = NULL;
  MyrmexError *error = NULL;
  MyrmexStatus status = myrmex_problem_parse(text, strlen(text), name, &problem, &error);
  if (status != MYRMEX_STATUS_OK) fprintf(stderr, "%s\n", myrmex_error_message(error));
  CHECK(status == MYRMEX_STATUS_OK && problem != NULL && error == NULL);
  return problem;
}

/* Content of files in memory; what is wrong has a file and a line. */
static void memory(void) {
  MyrmexProblem *problem = parsed("x,y\n0,0\n3,0\n3,4\n", NULL);
  CHECK(myrmex_problem_size(problem) == 3 && strcmp(myrmex_problem_kind(problem), "tsp") == 0);
  const uint32_t order[] = {0, 1, 2};
  double length = 0;
  CHECK(myrmex_problem_length(problem, order, 3, &length, NULL) == MYRMEX_STATUS_OK && length == 12);
  myrmex_problem_free(problem);
  problem = parsed("2\n0 1\n1 0\n0 2\n2 0\n", "pair.dat");
  CHECK(strcmp(myrmex_problem_kind(problem), "qap") == 0);
  myrmex_problem_free(problem), problem = NULL;

  MyrmexError *error = NULL;
  const char wrong[] = "x,y\n0,0\n3,three\n4,4\n";
  CHECK(myrmex_problem_parse(wrong, sizeof wrong - 1, "places.csv", &problem, &error) == MYRMEX_STATUS_FILE && problem == NULL);
  CHECK(strcmp(myrmex_error_file(error), "places.csv") == 0 && myrmex_error_line(error) == 3);
  CHECK(strncmp(myrmex_error_message(error), "places.csv:3: ", 14) == 0);
  myrmex_error_free(error);
  REFUSED(myrmex_problem_parse(NULL, 3, NULL, &problem, &error), INVALID, problem, "bytes is NULL");
  CHECK(myrmex_problem_read("/no/such/file", &problem, &error) == MYRMEX_STATUS_FILE);
  CHECK(strcmp(myrmex_error_file(error), "/no/such/file") == 0 && myrmex_error_line(error) == 0);
  myrmex_error_free(error);
  CHECK(myrmex_tsp_from_points(NULL, 1, &problem, &error) == INVALID && myrmex_error_file(error) == NULL);
  myrmex_error_free(error);
}

/* A problem says what may be meant otherwise before it is solved. */
static void warnings(void) {
  const double half[] = {0, 5, 2, 0, 0, 4, 0, 0, 0}, plain[] = {0, 5, 2, 5, 0, 4, 2, 4, 0};
  MyrmexProblem *problem = NULL, *other = NULL;
  CHECK(myrmex_tsp_from_matrix(half, 3, &problem, NULL) == MYRMEX_STATUS_OK);
  CHECK(strncmp(myrmex_problem_warnings(problem), "all weights on one side of the diagonal are 0", 45) == 0);
  CHECK(myrmex_problem_warnings(problem) == myrmex_problem_warnings(problem));
  CHECK(myrmex_tsp_from_matrix(plain, 3, &other, NULL) == MYRMEX_STATUS_OK && strcmp(myrmex_problem_warnings(other), "") == 0);
  myrmex_problem_free(problem), myrmex_problem_free(other);
}

/* Lengths of open paths are counted, and runs keep to them. */
static void paths(void) {
  const double line[] = {0, 0, 1, 0, 2, 0, 3, 0, 4, 0};
  MyrmexProblem *closed = NULL, *open = NULL;
  MyrmexError *error = NULL;
  CHECK(myrmex_tsp_from_points(line, 5, &closed, NULL) == MYRMEX_STATUS_OK);
  const char *const pairs[] = {"open", "True", "start", "4", "fixed", "0=1", "iterations", "1", "device", " cpu ", NULL};
  MyrmexOptions *options = options_of(pairs);
  CHECK(myrmex_problem_with(closed, options, &open, &error) == MYRMEX_STATUS_OK && error == NULL);
  const uint32_t order[] = {4, 3, 2, 1, 0};
  double lengths[2] = {0, 0};
  CHECK(myrmex_problem_length(closed, order, 5, &lengths[0], NULL) == MYRMEX_STATUS_OK && lengths[0] == 8);
  CHECK(myrmex_problem_length(open, order, 5, &lengths[1], NULL) == MYRMEX_STATUS_OK && lengths[1] == 4);
  /* The same options again change nothing. */
  MyrmexResult *result = NULL;
  CHECK(myrmex_solve(open, options, NULL, NULL, &result, &error) == MYRMEX_STATUS_OK);
  CHECK(myrmex_result_length(result) == 4 && myrmex_result_permutation(result)[0] == 4);
  myrmex_result_free(result), myrmex_problem_free(open), open = NULL;
  CHECK(myrmex_options_set(options, "start", "5", NULL) == MYRMEX_STATUS_OK);
  REFUSED(myrmex_problem_with(closed, options, &open, &error), INVALID, open, "5");
  CHECK(myrmex_problem_with(closed, NULL, &open, NULL) == MYRMEX_STATUS_OK && myrmex_problem_size(open) == 5);
  myrmex_problem_free(open), myrmex_problem_free(closed), myrmex_options_free(options);
}

/* Lengths between places on the globe are metres. */
static void globe(void) {
  const double degrees[] = {0, 0, 90, 0, 180, 0, -90, 0};
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_tsp_from_lon_lat(degrees, 4, &problem, NULL) == MYRMEX_STATUS_OK);
  const char *const pairs[] = {"iterations", "1", "device", "cpu", NULL};
  MyrmexResult *result = solved(problem, pairs);
  CHECK(fabs(myrmex_result_length(result) - 40.03e6) < 0.05e6);
  myrmex_result_free(result), myrmex_problem_free(problem);
}

/* Missing edges, and forbidden locations. */
static void infinite(void) {
  const char *const pairs[] = {"iterations", "20", "device", "cpu", NULL};
  const double no = INFINITY, ways[] = {0, 1, no, no, 1, 0, no, no, no, no, 0, 1, no, no, 1, 0};
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_tsp_from_matrix(ways, 4, &problem, NULL) == MYRMEX_STATUS_OK);
  MyrmexResult *result = solved(problem, pairs);
  CHECK(myrmex_result_length(result) == INFINITY);
  myrmex_result_free(result), myrmex_problem_free(problem);

  const double flows[] = {0, 1, 1, 0}, distances[] = {0, 1, 9, 1, 0, 9, 9, 9, 0}, placing[] = {no, 0, 0, 0, no, 0.5};
  CHECK(myrmex_qap_from_matrices(flows, 2, distances, 3, placing, &problem, NULL) == MYRMEX_STATUS_OK);
  result = solved(problem, pairs);
  const uint32_t *places = myrmex_result_permutation(result), never[] = {0, 2};
  CHECK(places[0] == 1 && places[1] == 0 && myrmex_result_length(result) == 2);
  double length = 0;
  CHECK(myrmex_problem_length(problem, never, 2, &length, NULL) == MYRMEX_STATUS_OK && length == INFINITY);
  CHECK(myrmex_problem_length(problem, places, 2, &length, NULL) == MYRMEX_STATUS_OK && length == 2);
  myrmex_result_free(result);
  const char *const fixed[] = {"iterations", "5", "device", "cpu", "fixed", "0=0", NULL};
  result = solved(problem, fixed);
  CHECK(myrmex_result_length(result) == INFINITY && strstr(myrmex_result_report(result), "\"length\":null") != NULL);
  CHECK(strstr(myrmex_result_report(result), "\"stop\":{\"iterations\":5}") != NULL);
  myrmex_result_free(result), myrmex_problem_free(problem);
}

/* The callback looks at the first length, and ends the run. */
static int32_t looks(void *context, const MyrmexProgress *progress) {
  *(double *)context = progress->length;
  return !isnan(progress->length);
}

/* What a callback is told is finite, also of a facility that is fixed where it must not be. */
static void forbidden(void) {
  enum { SIZE = 20 };
  double flows[SIZE * SIZE], distances[SIZE * SIZE], placing[SIZE * SIZE] = {INFINITY};
  uint32_t word = 1;
  for (size_t at = 0; at < SIZE * SIZE; at++) {
    flows[at] = (word = word * 1664525u + 1013904223u) >> 28;
    distances[at] = (word = word * 1664525u + 1013904223u) >> 28;
  }
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_qap_from_matrices(flows, SIZE, distances, SIZE, placing, &problem, NULL) == MYRMEX_STATUS_OK);
  const char *const pairs[] = {"time", "60", "algorithm", "cas", "device", "cpu", "fixed", "0=0", NULL};
  MyrmexOptions *options = options_of(pairs);
  double told = NAN;
  MyrmexResult *result = NULL;
  CHECK(myrmex_solve(problem, options, looks, &told, &result, NULL) == MYRMEX_STATUS_OK);
  CHECK(isfinite(told) && strcmp(myrmex_result_ended(result), "cancelled") == 0 && myrmex_result_length(result) == INFINITY);
  myrmex_result_free(result), myrmex_options_free(options), myrmex_problem_free(problem);
}

enum { CITIES = 40 };

static MyrmexProblem *plane(void) {
  double points[2 * CITIES];
  uint32_t word = 1;
  for (size_t at = 0; at < 2 * CITIES; at++) points[at] = (word = word * 1664525u + 1013904223u) >> 16;
  MyrmexProblem *problem = NULL;
  CHECK(myrmex_tsp_from_points(points, CITIES, &problem, NULL) == MYRMEX_STATUS_OK);
  return problem;
}

/* Numbers as numbers, threads of a run's own, and a device that is opened once: the same seed finds the same on each. */
static void runs(void) {
  MyrmexProblem *problem = plane();
  MyrmexOptions *options = myrmex_options_new();
  MyrmexError *error = NULL;
  CHECK(myrmex_options_set(options, "device", "cpu", NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_options_set_number(options, "iterations", 20, &error) == MYRMEX_STATUS_OK);
  CHECK(myrmex_options_set_number(options, "time", 59.5, &error) == MYRMEX_STATUS_OK);
  REFUSED(myrmex_options_set_number(options, "tim", 1, &error), INVALID, NULL, "there is no parameter 'tim'");
  MyrmexResult *results[4] = {NULL, NULL, NULL, NULL};
  CHECK(myrmex_solve(problem, options, NULL, NULL, &results[0], &error) == MYRMEX_STATUS_OK && error == NULL);
  CHECK(myrmex_options_set_number(options, "threads", 1, NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_solve(problem, options, NULL, NULL, &results[1], &error) == MYRMEX_STATUS_OK && error == NULL);
  CHECK(myrmex_options_set(options, "threads", NULL, NULL) == MYRMEX_STATUS_OK);

  MyrmexDevice *device = NULL;
  REFUSED(myrmex_device_open("toaster", &device, &error), INVALID, device, "device: expected 'auto'");
  REFUSED(myrmex_device_open(NULL, &device, &error), INVALID, device, "words is NULL");
  MyrmexStatus opened = myrmex_device_open(" wgpu", &device, &error);
  if (opened == MYRMEX_STATUS_NO_DEVICE) {
    myrmex_error_free(error), error = NULL;
    opened = myrmex_device_open("cpu", &device, &error);
  }
  CHECK(opened == MYRMEX_STATUS_OK && device != NULL && error == NULL);
  /* It takes the place of the words, and has its share in the options. */
  CHECK(myrmex_options_set(options, "device", "toaster", NULL) == MYRMEX_STATUS_OK);
  CHECK(myrmex_options_set_device(options, device, &error) == MYRMEX_STATUS_OK);
  myrmex_device_free(device);
  for (int at = 2; at < 4; at++) {
    CHECK(myrmex_solve(problem, options, NULL, NULL, &results[at], &error) == MYRMEX_STATUS_OK && error == NULL);
  }
  for (int at = 0; at < 4; at++) {
    CHECK(strcmp(myrmex_result_ended(results[at]), "iterations") == 0);
    CHECK(memcmp(myrmex_result_permutation(results[at]), myrmex_result_permutation(results[0]), CITIES * sizeof(uint32_t)) == 0);
  }
  for (int at = 0; at < 4; at++) myrmex_result_free(results[at]);
  /* The last one that is set counts. */
  MyrmexResult *result = NULL;
  CHECK(myrmex_options_set(options, "device", "toaster", NULL) == MYRMEX_STATUS_OK);
  REFUSED(myrmex_solve(problem, options, NULL, NULL, &result, &error), INVALID, result, "device: expected 'auto'");
  CHECK(myrmex_options_set_device(options, NULL, &error) == MYRMEX_STATUS_OK);
  REFUSED(myrmex_options_set_device(NULL, NULL, &error), INVALID, NULL, "options is NULL");
  myrmex_options_free(options), myrmex_problem_free(problem);
}

struct asked {
  const MyrmexProblem *problem;
  double length;
};

/* The callback asks for the best solution, and ends the run when it has one. */
static int32_t asks(void *context, const MyrmexProgress *progress) {
  struct asked *asked = context;
  uint32_t tour[CITIES];
  const size_t size = myrmex_run_permutation(progress->run, tour, CITIES);
  if (isnan(progress->length)) return 0;
  CHECK(size == CITIES && myrmex_run_permutation(progress->run, NULL, 0) == CITIES);
  /* Nothing is copied to where no number lies. */
  CHECK(myrmex_run_permutation(progress->run, (uint32_t *)((char *)tour + 1), CITIES - 1) == 0);
  CHECK(myrmex_problem_length(asked->problem, tour, size, &asked->length, NULL) == MYRMEX_STATUS_OK);
  return 1;
}

static void callbacks(void) {
  MyrmexProblem *problem = plane();
  const char *const pairs[] = {"time", "60", "algorithm", "mmas", "device", "cpu", NULL};
  MyrmexOptions *options = options_of(pairs);
  struct asked asked = {problem, 0};
  MyrmexResult *result = NULL;
  CHECK(myrmex_solve(problem, options, asks, &asked, &result, NULL) == MYRMEX_STATUS_OK);
  CHECK(strcmp(myrmex_result_ended(result), "cancelled") == 0 && asked.length >= myrmex_result_length(result));
  myrmex_result_free(result), myrmex_options_free(options), myrmex_problem_free(problem);
}

int main(void) {
  memory();
  warnings();
  paths();
  globe();
  infinite();
  forbidden();
  runs();
  callbacks();
  puts("the C library does what its header says of memory, devices and callbacks");
  return 0;
}
