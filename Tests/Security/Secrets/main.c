// secrets KEY: runs every case. secrets --leak N: runs the Nth deliberate leak. secrets --leaks: prints the number of leaks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "secrets: %s\n", what);
    exit(2);
}

static unsigned run_all(const secret_case *cases, unsigned count, const char *key) {
    unsigned failed = 0;
    for (unsigned i = 0; i < count; i++) {
        bool right = cases[i].run(key);
        show(&right, sizeof right);
        printf("%s: %s\n", right ? "ok" : "FAILED", cases[i].name);
        failed += !right;
    }
    return failed;
}

int main(int count, char **arguments) {
    must(count >= 2, "a key file is wanted");
    if (strcmp(arguments[1], "--leaks") == 0) {
        printf("%u\n", leak_count);
        return 0;
    }
    must(marks_work(), "this says nothing but under valgrind");
    if (strcmp(arguments[1], "--leak") == 0) {
        must(count == 3, "--leak N");
        unsigned place = (unsigned)atoi(arguments[2]);
        must(place < leak_count, "no such leak");
        printf("planted: %s\n", leaks[place].name);
        return run_all(&leaks[place], 1, NULL) == 0 ? 0 : 1;
    }
    unsigned failed = run_all(shared_cases, shared_count, NULL) + run_all(rsa_cases, rsa_count, arguments[1]);
    return failed == 0 ? 0 : 1;
}
