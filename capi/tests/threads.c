/* A system that lets no thread be made, at first: a call says so, and a later one works. With glibc alone, whose pthread_create this one comes before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "check.h"

/* How many there may be. */
static int left = 0;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *context) {
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return left-- > 0 ? real(thread, attributes, work, context) : EAGAIN;
}

int main(void) {
  const double points[] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5, 2};
  MyrmexProblem *problem = NULL;
  MyrmexError *error = NULL;
  REFUSED(myrmex_tsp_from_points(points, 5, &problem, &error), MYRMEX_STATUS_TOO_LARGE, problem, "no thread can be used");
  REFUSED(myrmex_tsp_from_points(points, 5, &problem, &error), MYRMEX_STATUS_TOO_LARGE, problem, "RAYON_NUM_THREADS");
  left = 1 << 20;
  CHECK(myrmex_tsp_from_points(points, 5, &problem, &error) == MYRMEX_STATUS_OK);
  const char *const pairs[] = {"iterations", "1", "device", "cpu", NULL};
  MyrmexOptions *options = options_of(pairs);
  MyrmexResult *result = NULL;
  left = 0;
  REFUSED(myrmex_solve(problem, options, NULL, NULL, &result, &error), MYRMEX_STATUS_TOO_LARGE, result, "no thread can be used");
  left = 1 << 20;
  CHECK(myrmex_solve(problem, options, NULL, NULL, &result, &error) == MYRMEX_STATUS_OK);
  myrmex_result_free(result), myrmex_options_free(options), myrmex_problem_free(problem);
  puts("the C library works when threads can be made again");
  return 0;
}
