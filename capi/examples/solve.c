/* Solves the problem in a file (TSPLIB, QAPLIB, CSV, GeoJSON) and prints the solution:
 *
 *   solve FILE [NAME=VALUE]...        solve berlin52.tsp time=2 seed=7 device=cpu
 *
 * The exit code is that of the library's status, 0 where all went well. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "myrmex.h"

/* Tells why a call failed, and frees what says so. */
static int failed(MyrmexStatus status, MyrmexError *error) {
  fprintf(stderr, "solve: %s\n", myrmex_error_message(error));
  myrmex_error_free(error);
  return (int)status;
}

/* Called about every 80 milliseconds; a run would end where it returned something else than 0. */
static int32_t told(void *context, const MyrmexProgress *progress) {
  double *best = context;
  if (progress->length < *best) {
    *best = progress->length;
    fprintf(stderr, "%6.2f s, iteration %" PRIu32 ": %.10g\n", progress->seconds, progress->iterations, progress->length);
  }
  return 0;
}

/* Sets an option from NAME=VALUE. */
static MyrmexStatus set(MyrmexOptions *options, const char *word, MyrmexError **error) {
  const char *equals = strchr(word, '=');
  char name[64] = "";
  if (equals == NULL || (size_t)(equals - word) >= sizeof name) return myrmex_options_set(options, word, "", error);
  memcpy(name, word, (size_t)(equals - word));
  return myrmex_options_set(options, name, equals + 1, error);
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usage: solve FILE [NAME=VALUE]...\n");
    return 2;
  }
  MyrmexError *error = NULL;
  MyrmexProblem *problem = NULL;
  MyrmexStatus status = myrmex_problem_read(words[1], &problem, &error);
  if (status != MYRMEX_STATUS_OK) return failed(status, error);

  MyrmexOptions *options = myrmex_options_new();
  for (int at = 2; at < count && status == MYRMEX_STATUS_OK; at++) status = set(options, words[at], &error);

  MyrmexResult *result = NULL;
  double best = INFINITY;
  if (status == MYRMEX_STATUS_OK) status = myrmex_solve(problem, options, told, &best, &result, &error);
  myrmex_options_free(options);
  myrmex_problem_free(problem);

  if (result != NULL) {
    printf("cost %" PRId64 "\nlength %.10g\ndevice %s (%s)\nended %s\n", myrmex_result_cost(result), myrmex_result_length(result),
           myrmex_result_device(result), myrmex_result_backend(result), myrmex_result_ended(result));
    const uint32_t *permutation = myrmex_result_permutation(result);
    for (size_t at = 0; at < myrmex_result_size(result); at++) printf("%" PRIu32 "\n", permutation[at]);
    myrmex_result_free(result);
  }
  return status == MYRMEX_STATUS_OK ? EXIT_SUCCESS : failed(status, error);
}
