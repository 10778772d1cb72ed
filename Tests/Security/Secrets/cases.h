#ifndef CASES_H
#define CASES_H
#include <stdbool.h>

#include "CJOSEBytes.h"
#include "CJOSEOpenSSL.h"
#include "CJOSESodium.h"
#include "marks.h"

/// Each runs one path with its secret hidden, for good input and for bad, and is true where the answers are right and the
/// secret was still hidden where it came out. `key` is a file with an RSA key in PEM.
typedef struct secret_case {
    const char *name;
    bool (*run)(const char *key);
} secret_case;

extern const secret_case shared_cases[], rsa_cases[], leaks[];
extern const unsigned shared_count, rsa_count, leak_count;

/// For what is not under test.
void must(bool holds, const char *what);
#define MUST(x) must((x), #x)
#endif
