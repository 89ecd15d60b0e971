/* What the tests of the C library check by. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "myrmex.h"

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

/* What a failing call left behind: the status, no object, and a message with these words. */
static inline void refused(MyrmexStatus status, MyrmexStatus expected, const void *made, MyrmexError *error, const char *words) {
  if (status != expected || made != NULL || error == NULL || strstr(myrmex_error_message(error), words) == NULL) {
    fprintf(stderr, "expected status %d and '%s', not %d and '%s'\n", (int)expected, words, (int)status,
            error == NULL ? "no message" : myrmex_error_message(error));
    exit(1);
  }
  myrmex_error_free(error);
}

#define INVALID MYRMEX_STATUS_INVALID_INPUT

/* A call that fails; arguments of `refused` alone could be read before it. */
#define REFUSED(call, expected, made, words)            \
  do {                                                  \
    MyrmexStatus status_of_call = (call);               \
    refused(status_of_call, expected, made, error, words); \
  } while (0)

/* Options of names and values, which NULL ends. */
static inline MyrmexOptions *options_of(const char *const *words) {
  MyrmexOptions *options = myrmex_options_new();
  MyrmexError *error = NULL;
  for (; words[0] != NULL; words += 2) {
    CHECK(myrmex_options_set(options, words[0], words[1], &error) == MYRMEX_STATUS_OK && error == NULL);
  }
  return options;
}

/* A run that goes well. */
static inline MyrmexResult *solved(const MyrmexProblem *problem, const char *const *words) {
  MyrmexOptions *options = options_of(words);
  MyrmexResult *result = NULL;
  MyrmexError *error = NULL;
  MyrmexStatus status = myrmex_solve(problem, options, NULL, NULL, &result, &error);
  if (status != MYRMEX_STATUS_OK) fprintf(stderr, "%s\n", myrmex_error_message(error));
  CHECK(status == MYRMEX_STATUS_OK && result != NULL && error == NULL);
  myrmex_options_free(options);
  return result;
}

#endif
