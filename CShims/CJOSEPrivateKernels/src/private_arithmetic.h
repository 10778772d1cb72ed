#ifndef CJOSE_PRIVATE_ARITHMETIC_H
#define CJOSE_PRIVATE_ARITHMETIC_H
#define PRODUCT_LIMBS_MAX 40
#include "../../CJOSEKernels/src/product.h"

// The arithmetic on secrets. Each of these functions runs the same instructions on the same addresses whatever the numbers are:
// no value of a lane reaches a general register, a mask register, an address or a flag.
// Tests/Scripts/private-kernels.sh verifies this in the compiled objects. Numbers have `limbs` limbs of 52 bits.

/// Compute almost-Montgomery products and squares: below 2n where a*b is below R*n. `out` is none of the others.
void private_multiply(const lanes *a, const lanes *b, const product_modulus *modulus, lanes *out);
void private_square(const lanes *a, const product_modulus *modulus, lanes *out);
/// Computes a product of twice as many limbs, without a reduction.
void private_wide_multiply(const lanes *a, const lanes *b, size_t blocks, lanes *out);
/// Reads the `bits` bits from `bit` on of each lane's exponent.
void private_digits(const lanes *exponent, size_t bit, unsigned bits, lanes *digits);
/// Copies each lane's entry out of a table, all of which is read.
void private_scan(const lanes *table, size_t entries, size_t blocks, const lanes *digits, lanes *out);
/// Computes x - n where that is not negative, and x elsewhere. `out` may be `x`.
void private_reduce_once(const lanes *x, const lanes *n, size_t limbs, lanes *out);
/// Computes a + b; the highest limb keeps its carry. `out` may be one of them.
void private_add(const lanes *a, const lanes *b, size_t limbs, lanes *out);
/// Doubles `x` modulo n `times` times, for numbers below n.
void private_double(lanes *x, const lanes *n, size_t limbs, size_t times);
/// Computes the exponent d + r(p - 1) for the random r of 64 bits whose limbs are `r`. It has two limbs more, and one of zero.
void private_blind_exponent(const lanes *d, const lanes *p, const lanes *r, size_t limbs, lanes *out);
/// Computes the exponent p - 1 - d, for d below p - 1.
void private_complement(const lanes *d, const lanes *p, size_t limbs, lanes *out);
/// Exchanges the numbers modulo p and modulo q.
void private_exchange(const lanes *a, size_t limbs, lanes *out);
/// Sets bits of `difference` in the lanes where the numbers differ.
void private_compare(const lanes *a, const lanes *b, size_t limbs, lanes *difference);
/// Replaces `x` by `other` in the lanes where `mask` has ones.
void private_replace(lanes *x, const lanes *other, const lanes *mask, size_t limbs);
/// Sets every limb but the lowest to zero, and the lowest to one.
void private_set_one(lanes *x, size_t limbs);
/// Removes all that lies above 52 bits in each limb of random words.
void private_cut(lanes *x, size_t limbs);
/// Splits random words of 64 bits into two limbs.
void private_split(const lanes *words, lanes *limbs);
#endif
