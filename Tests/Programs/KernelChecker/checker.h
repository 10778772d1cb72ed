#ifndef KERNEL_CHECKER_H
#define KERNEL_CHECKER_H
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CJOSEKernels.h"

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

/// Returns the result; with `--spoil`, one of a thousand is changed before it is compared: the checker must then fail.
uint8_t spoilt(dice *dice, uint8_t answer);

/// Ends the process with a line that names the fault.
_Noreturn void fail(const char *what, ...) __attribute__((format(printf, 1, 2)));
/// Checks that a call of libcrypto succeeded.
void need(bool ok, const char *what);
void show(const char *name, const uint8_t *bytes, size_t n);
/// Returns the processor time of this process: other load of the machine is not counted.
double seconds(void);
double median(double *values, size_t count);

/// Check a kernel, by its edge cases and `count` random cases of each size, and measure its rate beside libcrypto's.
void rsa_check(dice *dice, size_t count);
void rsa_bench(dice *dice);
void p256_check(dice *dice, size_t count);
void p256_bench(dice *dice);
/// Checks the verification of single RSA signatures in CShims/CJOSEOpenSSL.
void single_check(dice *dice, size_t count);

/// Installs the allocator of libcrypto, before its first allocation.
void memory_install(void);
/// Fails the allocation after the next `after` ones of libcrypto, and with `onwards` all that follow; a negative number: none.
void memory_refuse(long after, bool onwards);
/// Returns whether an allocation has failed since.
bool memory_refused(void);
void memory_check(dice *dice, size_t count);
#endif
