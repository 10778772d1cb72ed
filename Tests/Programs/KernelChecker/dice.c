#include "dice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
