#ifndef KERNEL_CHECKER_P256_ARITHMETIC_H
#define KERNEL_CHECKER_P256_ARITHMETIC_H
#include "p256.h"

enum { P256_OPERANDS = 72 };
/// Writes numbers below `bound`: edge cases first, and then random ones.
void p256_operands(dice *dice, BIGNUM *out[P256_OPERANDS], const BIGNUM *bound);
void p256_operands_free(BIGNUM *operands[P256_OPERANDS]);
#endif
