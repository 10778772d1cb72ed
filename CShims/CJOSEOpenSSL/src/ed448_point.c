#include <openssl/bn.h>

#include "internal.h"

/// The curve has p = 2^448 - 2^224 - 1 and d = -39081 (RFC 8032, 5.2). libcrypto accepts any 57 bytes as a key, and
/// detects only at a verification that they are no point.
#define MINUS_D 39081

/// Reads y of the encoding, below p; null where it is not canonical.
static BIGNUM *read_y(const uint8_t *raw, BIGNUM *p, BIGNUM *y) {
    return (raw[56] & 0x7f) == 0 && BN_set_bit(p, 448) == 1 && BN_lebin2bn(raw, 56, y) != NULL ? y : NULL;
}

/// Whether x^2 = (y^2 - 1) / (d*y^2 - 1) has a root, which it has where the product of the two is a square; d is not a
/// square, so that the second is not 0.
static bool has_root(const BIGNUM *y, const BIGNUM *p, BIGNUM *u, BIGNUM *v, BN_CTX *ctx) {
    if (BN_mod_sqr(u, y, p, ctx) != 1 || BN_copy(v, u) == NULL || BN_mul_word(v, MINUS_D) != 1) return false;
    // Both factors are negated, and the signs cancel in the product.
    if (BN_add_word(v, 1) != 1 || BN_sub(u, BN_value_one(), u) != 1) return false;
    return BN_mod_mul(u, u, v, p, ctx) == 1 && BN_kronecker(u, p, ctx) == 1;
}

bool cjose_ed448_point_is_valid(const uint8_t *raw) {
    BN_CTX *ctx = BN_CTX_new();
    if (ctx == NULL) return false;
    BN_CTX_start(ctx);
    BIGNUM *p = BN_CTX_get(ctx), *y = BN_CTX_get(ctx), *u = BN_CTX_get(ctx), *v = BN_CTX_get(ctx), *half = BN_CTX_get(ctx);
    bool valid = half != NULL && read_y(raw, p, y) != NULL && BN_set_bit(half, 224) == 1 && BN_sub(p, p, half) == 1
        && BN_sub_word(p, 1) == 1 && BN_cmp(y, p) < 0;
    // Of the points whose order divides 4, two have y = 0; those with x = 0 have no root that is not 0.
    valid = valid && !BN_is_zero(y) && has_root(y, p, u, v, ctx);
    BN_CTX_end(ctx);
    BN_CTX_free(ctx);
    return valid;
}
