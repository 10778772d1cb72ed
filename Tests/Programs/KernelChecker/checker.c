#include "checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool spoils;

uint8_t spoilt(dice *dice, uint8_t answer) {
    return spoils && dice_below(dice, 1000) == 0 ? answer ^ 1 : answer;
}

static const char *form_name(void) {
#if defined(CJOSE_ACCELERATED)
    switch (cjose_kernel_form_current()) {
    case cjose_kernel_form_openssl: return "openssl";
    case cjose_kernel_form_portable: return "portable";
    case cjose_kernel_form_ifma: return "ifma";
    }
#endif
    return "none";
}

static int usage(void) {
    fputs("checker [--bench] [--spoil] [COUNT] [SEED] [KERNEL]\n", stderr);
    return 64;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*check)(dice *, size_t);
        void (*bench)(dice *);
    } kernels[] = {
#if defined(CJOSE_ACCELERATED)
        {"rsa", rsa_check, rsa_bench}, {"p256", p256_check, p256_bench},
        {"ed25519", ed25519_check, ed25519_bench}, {"single", single_check, NULL},
#endif
        {"memory", memory_check, NULL},
    };
    memory_install();
    bool bench = false, has_count = false, has_seed = false, known = false;
    uint64_t count = 1000, seed = (uint64_t)time(NULL);
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        char *end = argv[i];
        uint64_t number = strtoull(argv[i], &end, 10);
        bool is_number = end != argv[i] && *end == 0;
        if (strcmp(argv[i], "--bench") == 0) bench = true;
        else if (strcmp(argv[i], "--spoil") == 0) spoils = true;
        else if (is_number && !has_count) has_count = true, count = number;
        else if (is_number && !has_seed) has_seed = true, seed = number;
        else if (argv[i][0] != '-' && only == NULL) only = argv[i];
        else return usage();
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (only != NULL && strcmp(only, kernels[i].name) != 0) continue;
        known = true;
        if (bench && kernels[i].bench == NULL) continue;
        dice dice = {seed};
        double begun = seconds();
        printf("%s, form %s, seed %llu\n", kernels[i].name, form_name(), (unsigned long long)seed);
        if (bench) kernels[i].bench(&dice);
        else kernels[i].check(&dice, count);
        printf("%s: %.1f s\n", kernels[i].name, seconds() - begun);
    }
    if (known) return 0;
#if !defined(CJOSE_ACCELERATED)
    fputs("checker: this build has no kernels (package trait Accelerated)\n", stderr);
    return 77;
#else
    return usage();
#endif
}
