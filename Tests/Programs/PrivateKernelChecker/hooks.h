#ifndef PRIVATE_HOOKS_H
#define PRIVATE_HOOKS_H
#include "checker.h"

enum { LADDERS_MAX = 4, EXPONENT_LIMBS = PRIVATE_LIMBS + 3 };

/// A record of what the kernels took from elsewhere since `watch_begin`.
typedef struct watch {
    bool is_on;
    size_t limbs;
    /// Random bytes come from here, so that a seed reproduces them; request `missing_random` fails, if there is one.
    dice dice;
    size_t random_requests, missing_random;
    uint8_t random[16384];
    size_t random_size;
    bool is_libcrypto_missing;
    /// The exponents of all powers, and the bit that was read last of the last one.
    uint64_t exponents[LADDERS_MAX][EXPONENT_LIMBS][PRIVATE_LANES];
    size_t ladders, next_bit;
    /// The blinded numbers that are raised to a power, in Montgomery form, in a build with faults.
    uint64_t base[PRIVATE_LIMBS][PRIVATE_LANES];
    size_t bases;
} watch;
extern watch watched;

/// Records until `watch_end`, for keys of as many blocks.
void watch_begin(size_t blocks, uint64_t seed);
void watch_end(void);
#endif
