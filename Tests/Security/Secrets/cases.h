#ifndef CASES_H
#define CASES_H
#include <stdbool.h>

#include "CJOSEBytes.h"
#include "CJOSEOpenSSL.h"
#include "CJOSESodium.h"
#include "marks.h"

/// Runs one code path with its secret hidden, for valid and for invalid input. Returns whether the results are right and the
/// output was still hidden. `key` is a file with an RSA key in PEM.
typedef struct secret_case {
    const char *name;
    bool (*run)(const char *key);
} secret_case;

extern const secret_case shared_cases[], rsa_cases[], leaks[];
extern const unsigned shared_count, rsa_count, leak_count;

/// Ends the program if a call that is not under test fails.
void must(bool holds, const char *what);
#define MUST(x) must((x), #x)
#endif
