#include "rsa_numbers.h"

/// Whether x = d mod (prime - 1), and e*d = 1 mod (prime - 1).
static bool exponent_fits(const BIGNUM *x, const BIGNUM *prime, const cjose_rsa *rsa, BN_CTX *ctx) {
    BN_CTX_start(ctx);
    BIGNUM *less = BN_CTX_get(ctx), *remainder = BN_CTX_get(ctx), *product = BN_CTX_get(ctx);
    bool fits = product != NULL && BN_sub(less, prime, BN_value_one()) == 1;
    if (fits) BN_set_flags(less, BN_FLG_CONSTTIME);
    fits = fits && BN_mod(remainder, rsa->d, less, ctx) == 1 && BN_cmp(remainder, x) == 0
        && BN_mod_mul(product, rsa->e, remainder, less, ctx) == 1 && BN_is_one(product);
    BN_CTX_end(ctx);
    return fits;
}

bool cjose_rsa_consistent(const cjose_rsa *rsa) {
    BN_CTX *ctx = BN_CTX_secure_new();
    if (ctx == NULL) return false;
    BN_CTX_start(ctx);
    BIGNUM *product = BN_CTX_get(ctx);
    bool fits = product != NULL && BN_cmp(rsa->d, BN_value_one()) > 0 && BN_cmp(rsa->d, rsa->n) < 0
        && BN_cmp(rsa->p, BN_value_one()) > 0 && BN_cmp(rsa->q, BN_value_one()) > 0
        && BN_mul(product, rsa->p, rsa->q, ctx) == 1 && BN_cmp(product, rsa->n) == 0
        && exponent_fits(rsa->dp, rsa->p, rsa, ctx) && exponent_fits(rsa->dq, rsa->q, rsa, ctx)
        && BN_cmp(rsa->qi, rsa->p) < 0 && BN_mod_mul(product, rsa->qi, rsa->q, rsa->p, ctx) == 1
        && BN_is_one(product);
    BN_CTX_end(ctx);
    BN_CTX_free(ctx);
    return fits;
}

/// Computes the square root of `square`, which is not 0, rounded down, by Newton's method from above. The first value
/// is at most twice the root, and each step squares the relative error and halves it, so that as many steps as the bit
/// count of `square` has bits are one more than enough. Were they not, the caller's comparison with `square` would
/// fail.
static bool square_root(BIGNUM *root, const BIGNUM *square, BN_CTX *ctx) {
    BN_CTX_start(ctx);
    BIGNUM *quotient = BN_CTX_get(ctx);
    int bits = BN_num_bits(square);
    BN_zero(root);
    bool ok = quotient != NULL && BN_set_bit(root, (bits + 1) / 2) == 1;
    for (int left = bits; ok && left > 0; left >>= 1)
        ok = BN_div(quotient, NULL, square, root, ctx) == 1 && BN_add(root, root, quotient) == 1
            && BN_rshift1(root, root) == 1;
    BN_CTX_end(ctx);
    return ok;
}

/// Computes p + q from n, e and d by NIST SP 800-56B Rev. 2, appendix C.2: without random numbers and without a modular
/// power.
///
/// Let g = gcd(n - 1, e*d - 1) and m = (e*d - 1)*g. The first factor of m is a multiple of lcm(p - 1, q - 1). The
/// second one, g, is a multiple of gcd(p - 1, q - 1), which divides both n - 1 and e*d - 1. So m is a multiple of lcm *
/// gcd, which is (p - 1)*(q
/// - 1): for some t, m = t*(p - 1)*(q - 1) = t*n - t*(p + q - 1). Where t*(p + q - 1) < n, dividing m by n gives the
/// quotient t - 1 and the remainder n - t*(p + q - 1), and from them p + q.
///
/// That condition is met for all t < 2^(k-2), where p and q have k bits each and n has 2*k. Because d < n, t is less
/// than 2*e*g. e has at most 33 bits and k is at least 1024, so that only a g of more than 900 bits could violate it. A
/// random key has such a g with a probability far below 2^-800, and is then rejected.
static bool sum_of_factors(BIGNUM *sum, const cjose_rsa *rsa, BN_CTX *ctx) {
    BN_CTX_start(ctx);
    BIGNUM *multiple = BN_CTX_get(ctx), *less = BN_CTX_get(ctx), *common = BN_CTX_get(ctx), *remainder = BN_CTX_get(ctx);
    bool ok = remainder != NULL && BN_mul(multiple, rsa->d, rsa->e, ctx) == 1 && BN_sub_word(multiple, 1) == 1
        && !BN_is_zero(multiple) && BN_sub(less, rsa->n, BN_value_one()) == 1 && BN_gcd(common, less, multiple, ctx) == 1
        && BN_mul(multiple, multiple, common, ctx) == 1 && BN_div(less, remainder, multiple, rsa->n, ctx) == 1
        && BN_add_word(less, 1) == 1 && BN_sub(remainder, rsa->n, remainder) == 1
        && BN_div(sum, remainder, remainder, less, ctx) == 1
        && BN_is_zero(remainder) && BN_add_word(sum, 1) == 1;
    BN_CTX_end(ctx);
    return ok;
}

/// Computes p > q from n and p + q: p - q is the square root of (p + q)^2 - 4*n.
static bool factors(cjose_rsa *rsa, const BIGNUM *sum, BN_CTX *ctx) {
    BN_CTX_start(ctx);
    BIGNUM *square = BN_CTX_get(ctx), *root = BN_CTX_get(ctx), *check = BN_CTX_get(ctx);
    bool ok = check != NULL && BN_sqr(square, sum, ctx) == 1 && BN_lshift(check, rsa->n, 2) == 1
        && BN_cmp(square, check) > 0 && BN_sub(square, square, check) == 1 && square_root(root, square, ctx)
        && BN_sqr(check, root, ctx) == 1 && BN_cmp(check, square) == 0 && BN_add(rsa->p, sum, root) == 1
        && BN_rshift1(rsa->p, rsa->p) == 1 && BN_sub(rsa->q, sum, root) == 1 && BN_rshift1(rsa->q, rsa->q) == 1;
    BN_CTX_end(ctx);
    return ok;
}

bool cjose_rsa_recover(cjose_rsa *rsa) {
    // A d out of range has no factors to find, and gives no bound for the work.
    if (BN_is_zero(rsa->d) || BN_cmp(rsa->d, rsa->n) >= 0) return false;
    BN_CTX *ctx = BN_CTX_secure_new();
    if (ctx == NULL) return false;
    BN_CTX_start(ctx);
    BIGNUM *sum = BN_CTX_get(ctx), *less = BN_CTX_get(ctx);
    bool ok = less != NULL && sum_of_factors(sum, rsa, ctx) && factors(rsa, sum, ctx)
        && BN_sub(less, rsa->p, BN_value_one()) == 1 && BN_mod(rsa->dp, rsa->d, less, ctx) == 1
        && BN_sub(less, rsa->q, BN_value_one()) == 1 && !BN_is_zero(less) && BN_mod(rsa->dq, rsa->d, less, ctx) == 1
        && BN_mod_inverse(rsa->qi, rsa->q, rsa->p, ctx) != NULL;
    BN_CTX_end(ctx);
    BN_CTX_free(ctx);
    return ok;
}
