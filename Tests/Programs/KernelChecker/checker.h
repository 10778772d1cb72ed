#ifndef KERNEL_CHECKER_H
#define KERNEL_CHECKER_H
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CJOSEKernels.h"

/// Cases that a seed makes again.
typedef struct dice {
    uint64_t state;
} dice;

uint64_t dice_next(dice *dice);
/// 0..<bound.
size_t dice_below(dice *dice, size_t bound);
void dice_fill(dice *dice, uint8_t *out, size_t n);
/// Bytes of a shape that carries hide in: random, or runs of zeros and ones that change on or beside borders of limbs.
void dice_shape(dice *dice, uint8_t *out, size_t n);

/// With `--spoil`, one of a thousand answers is changed before it is compared: the checker must then fail.
uint8_t spoilt(dice *dice, uint8_t answer);

/// Ends the process with a line that says what was wrong.
_Noreturn void fail(const char *what, ...) __attribute__((format(printf, 1, 2)));
/// Of calls of libcrypto that must succeed.
void need(bool ok, const char *what);
void show(const char *name, const uint8_t *bytes, size_t n);
/// Of processor time: what else the machine does is not counted.
double seconds(void);
double median(double *values, size_t count);

/// A kernel: its edges and `count` random cases of each of its sizes; its rate beside libcrypto's.
void rsa_check(dice *dice, size_t count);
void rsa_bench(dice *dice);
void p256_check(dice *dice, size_t count);
void p256_bench(dice *dice);
/// What verifies RSA signatures one by one, in CShims/CJOSEOpenSSL.
void single_check(dice *dice, size_t count);

/// The memory of libcrypto, to be put in before it takes any.
void memory_install(void);
/// Of its next requests the one after so many is refused, and with `onwards` all after it; negative: none.
void memory_refuse(long after, bool onwards);
/// Whether one was refused since.
bool memory_refused(void);
void memory_check(dice *dice, size_t count);
#endif
