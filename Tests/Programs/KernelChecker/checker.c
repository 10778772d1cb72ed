#include "checker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool spoils;

uint64_t dice_next(dice *dice) {
    uint64_t mixed = dice->state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
}

size_t dice_below(dice *dice, size_t bound) { return (size_t)(dice_next(dice) % bound); }

void dice_fill(dice *dice, uint8_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = (uint8_t)dice_next(dice);
}

void dice_shape(dice *dice, uint8_t *out, size_t n) {
    dice_fill(dice, out, n);
    if (dice_below(dice, 2) != 0) return;
    size_t limb = dice_below(dice, 2) != 0 ? 52 : 64;
    for (size_t bit = 0, run = 0, value = 0; bit < 8 * n; bit++) {
        if (bit == run) {
            // The run ends at a border of a limb or a bit beside it; sometimes the random bits stay.
            run = bit / limb * limb + limb * (1 + dice_below(dice, 8)) + dice_below(dice, 3) - 1;
            value = dice_below(dice, 5);
        }
        uint8_t *byte = &out[n - 1 - bit / 8], mask = (uint8_t)(1u << bit % 8);
        if (value < 2) *byte = (uint8_t)(*byte & ~mask);
        else if (value < 4) *byte |= mask;
    }
}

uint8_t spoilt(dice *dice, uint8_t answer) {
    return spoils && dice_below(dice, 1000) == 0 ? answer ^ 1 : answer;
}

void fail(const char *what, ...) {
    va_list arguments;
    va_start(arguments, what);
    fputs("checker: ", stdout);
    vprintf(what, arguments);
    va_end(arguments);
    putchar('\n');
    exit(1);
}

void need(bool ok, const char *what) {
    if (!ok) fail("%s did not succeed", what);
}

void show(const char *name, const uint8_t *bytes, size_t n) {
    printf("%s ", name);
    for (size_t i = 0; i < n; i++) printf("%02x", bytes[i]);
    putchar('\n');
}

double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, order);
    return values[count / 2];
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
        {"rsa", rsa_check, rsa_bench}, {"p256", p256_check, p256_bench}, {"single", single_check, NULL},
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
