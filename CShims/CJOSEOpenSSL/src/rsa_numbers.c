#include "rsa_numbers.h"

/// x = d mod (prime - 1), and e*d = 1 mod (prime - 1).
static bool exponent_fits(const BIGNUM *x, const BIGNUM *prime, const cjose_rsa *rsa, BN_CTX *ctx) {
    BN_CTX_start(ctx);
    BIGNUM *less = BN_CTX_get(ctx), *rest = BN_CTX_get(ctx), *product = BN_CTX_get(ctx);
    bool fits = product != NULL && BN_sub(less, prime, BN_value_one()) == 1;
    if (fits) BN_set_flags(less, BN_FLG_CONSTTIME);
    fits = fits && BN_mod(rest, rsa->d, less, ctx) == 1 && BN_cmp(rest, x) == 0
        && BN_mod_mul(product, rsa->e, rest, less, ctx) == 1 && BN_is_one(product);
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

typedef enum attempt { attempt_found, attempt_unlucky, attempt_failed } attempt;

/// One try of NIST SP 800-56B, appendix C: with e*d - 1 = odd * 2^twos, a square root of 1 modulo n other than 1 and -1
/// gives a factor. Where a power that must be 1 is not, d is wrong, and no further try could find anything.
static attempt factor(const cjose_rsa *rsa, const BIGNUM *odd, int twos, BN_CTX *ctx) {
    BN_CTX_start(ctx);
    BIGNUM *base = BN_CTX_get(ctx), *root = BN_CTX_get(ctx), *square = BN_CTX_get(ctx), *top = BN_CTX_get(ctx);
    attempt outcome = attempt_failed;
    bool ok = top != NULL && BN_sub(top, rsa->n, BN_value_one()) == 1 && BN_priv_rand_range(base, top) == 1
        && BN_add_word(base, 1) == 1 && BN_mod_exp(root, base, odd, rsa->n, ctx) == 1;
    if (ok && (BN_is_one(root) || BN_cmp(root, top) == 0)) outcome = attempt_unlucky;
    for (int i = 0; ok && outcome == attempt_failed && i < twos; i++) {
        ok = BN_mod_sqr(square, root, rsa->n, ctx) == 1;
        if (ok && BN_cmp(square, top) == 0) outcome = attempt_unlucky;
        if (ok && BN_is_one(square)) {
            ok = BN_sub_word(root, 1) == 1 && BN_gcd(rsa->p, root, rsa->n, ctx) == 1
                && BN_div(rsa->q, NULL, rsa->n, rsa->p, ctx) == 1;
            if (ok) outcome = attempt_found;
            break;
        }
        ok = ok && BN_copy(root, square) != NULL;
    }
    BN_CTX_end(ctx);
    return outcome;
}

bool cjose_rsa_recover(cjose_rsa *rsa) {
    // Nothing to find, and nothing to bound the work by, where d is out of range.
    if (BN_is_zero(rsa->d) || BN_cmp(rsa->d, rsa->n) >= 0) return false;
    BN_CTX *ctx = BN_CTX_secure_new();
    if (ctx == NULL) return false;
    BN_CTX_start(ctx);
    BIGNUM *odd = BN_CTX_get(ctx), *less = BN_CTX_get(ctx);
    int twos = 0;
    bool ok = less != NULL && BN_mul(odd, rsa->d, rsa->e, ctx) == 1 && BN_sub_word(odd, 1) == 1 && !BN_is_zero(odd);
    for (; ok && !BN_is_odd(odd); twos++) ok = BN_rshift1(odd, odd) == 1;
    ok = ok && twos > 0;
    attempt outcome = attempt_unlucky;
    // At least half of all bases are good ones, if d is right.
    for (int i = 0; ok && outcome == attempt_unlucky && i < 64; i++) outcome = factor(rsa, odd, twos, ctx);
    ok = ok && outcome == attempt_found;
    if (ok && BN_cmp(rsa->p, rsa->q) < 0) BN_swap(rsa->p, rsa->q);
    ok = ok && BN_sub(less, rsa->p, BN_value_one()) == 1 && BN_mod(rsa->dp, rsa->d, less, ctx) == 1
        && BN_sub(less, rsa->q, BN_value_one()) == 1 && BN_mod(rsa->dq, rsa->d, less, ctx) == 1
        && BN_mod_inverse(rsa->qi, rsa->q, rsa->p, ctx) != NULL;
    BN_CTX_end(ctx);
    BN_CTX_free(ctx);
    return ok;
}
