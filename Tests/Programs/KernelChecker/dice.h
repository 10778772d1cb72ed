#ifndef KERNEL_DICE_H
#define KERNEL_DICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Random cases and their helpers, for the checkers of both kinds of kernels.

/// A source of cases that a seed reproduces.
typedef struct dice {
    uint64_t state;
} dice;

uint64_t dice_next(dice *dice);
/// Returns a number of 0..<bound.
size_t dice_below(dice *dice, size_t bound);
void dice_fill(dice *dice, uint8_t *out, size_t n);
/// Writes bytes that provoke carries: random, or runs of zeros and ones that change on or beside borders of limbs.
void dice_shape(dice *dice, uint8_t *out, size_t n);

/// Ends the process with a line that names the fault.
_Noreturn void fail(const char *what, ...) __attribute__((format(printf, 1, 2)));
/// Checks that a call of libcrypto succeeded.
void need(bool ok, const char *what);
void show(const char *name, const uint8_t *bytes, size_t n);
/// Returns the processor time of this process: other load of the machine is not counted.
double seconds(void);
double median(double *values, size_t count);
#endif
