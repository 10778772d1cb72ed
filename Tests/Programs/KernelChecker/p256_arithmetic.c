#if defined(CJOSE_ACCELERATED)
#include "p256_arithmetic.h"

/// Writes numbers with long carries, at borders of 52 and of 64 bits, and beside 0, p, n and 2^256.
void p256_operands(dice *dice, BIGNUM *out[P256_OPERANDS], const BIGNUM *bound) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *number = BN_new();
    size_t count = 0;
    need(number != NULL, "BN_new");
#define KEEP(value) \
    do { \
        if (count < P256_OPERANDS && !BN_is_negative(value) && BN_cmp(value, bound) < 0) out[count++] = BN_dup(value); \
    } while (0)
    for (int kind = 0; kind < 4; kind++)
        for (int i = -3; i < 4; i++) {
            if (kind == 0) BN_zero(number);
            else if (kind == 1) need(BN_copy(number, curve->p), "libcrypto");
            else if (kind == 2) need(BN_copy(number, curve->n), "libcrypto");
            else BN_zero(number), need(BN_set_bit(number, 256), "libcrypto");
            need(i < 0 ? BN_sub_word(number, (BN_ULONG)-i) : BN_add_word(number, (BN_ULONG)i), "libcrypto");
            KEEP(number);
        }
    for (int bit = 52; bit < 256; bit++) {
        if (bit % 52 != 0 && bit % 64 != 0) continue;
        for (int kind = 0; kind < 3; kind++) {
            BN_zero(number);
            need(BN_set_bit(number, bit) && (kind != 0 || BN_sub_word(number, 1)) && (kind != 2 || BN_add_word(number, 1)),
                 "libcrypto");
            KEEP(number);
        }
        need(BN_copy(number, bound) && BN_sub_word(number, 1) && BN_rshift(number, number, bit) &&
                 BN_lshift(number, number, bit),
             "libcrypto");
        KEEP(number);
    }
    need(BN_copy(number, bound) && BN_sub_word(number, 1), "libcrypto");
    KEEP(number);
    while (count < P256_OPERANDS) {
        p256_any(dice, number);
        KEEP(number);
    }
#undef KEEP
    BN_free(number);
}
void p256_operands_free(BIGNUM *operands[P256_OPERANDS]) {
    for (int i = 0; i < P256_OPERANDS; i++) BN_free(operands[i]);
}

static p256_words words_of(const BIGNUM *number) {
    uint8_t bytes[32];
    need(BN_bn2binpad(number, bytes, 32) == 32, "libcrypto");
    return p256_load(bytes);
}
/// Checks that `got` is `a * b / 2^256 mod m`.
static void expect_product(
    const BIGNUM *a, const BIGNUM *b, const BIGNUM *m, const BIGNUM *shift, p256_words got, const char *what) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *number = BN_new();
    need(number && BN_mod_mul(number, a, b, m, curve->ctx), "libcrypto");
    if (shift != NULL) need(BN_mod_mul(number, number, shift, m, curve->ctx), "libcrypto");
    p256_words expected = words_of(number);
    if (!p256_same(&expected, &got)) fail("P-256 %s of %s and %s", what, BN_bn2hex(a), BN_bn2hex(b));
    BN_free(number);
}
/// Checks products, whose left side may be any 256 bits, and sums, differences and inverses of numbers below the modulus.
static void check_modulus(dice *dice, const BIGNUM *modulus, bool is_field, size_t count) {
    const p256_curve *curve = p256_curve_get();
    const p256_words *m = is_field ? &p256_p : &p256_n;
    BIGNUM *wide[P256_OPERANDS], *narrow[P256_OPERANDS], *bound = BN_new(), *shift = BN_new(), *number = BN_new();
    need(bound && shift && number && BN_set_bit(bound, 256) && BN_mod_inverse(shift, bound, modulus, curve->ctx), "libcrypto");
    p256_operands(dice, wide, bound), p256_operands(dice, narrow, modulus);
    for (size_t i = 0; i < P256_OPERANDS * P256_OPERANDS + count; i++) {
        const BIGNUM *a = wide[i / P256_OPERANDS % P256_OPERANDS], *b = narrow[i % P256_OPERANDS];
        const BIGNUM *c = narrow[i / P256_OPERANDS % P256_OPERANDS];
        if (i >= P256_OPERANDS * P256_OPERANDS) {
            p256_any(dice, wide[0]), p256_any(dice, narrow[0]);
            need(BN_nnmod(narrow[0], narrow[0], modulus, curve->ctx), "libcrypto");
            a = wide[0], b = narrow[0], c = narrow[1 + i % (P256_OPERANDS - 1)];
        }
        const p256_words x = words_of(a), y = words_of(b), z = words_of(c);
        p256_words got = is_field ? p256_mul(&x, &y) : p256_scalar_mul(&x, &y);
        expect_product(a, b, modulus, shift, got, "product");
        if (is_field) expect_product(b, b, modulus, shift, p256_square(&y), "square");
        got = p256_add_mod(&y, &z, m);
        need(BN_mod_add(number, b, c, modulus, curve->ctx), "libcrypto");
        expect_product(number, BN_value_one(), modulus, NULL, got, "sum");
        got = p256_sub_mod(&y, &z, m);
        need(BN_mod_sub(number, b, c, modulus, curve->ctx), "libcrypto");
        expect_product(number, BN_value_one(), modulus, NULL, got, "difference");
        if (i < P256_OPERANDS * P256_OPERANDS && i >= P256_OPERANDS) continue;
        if (BN_is_zero(b)) continue;
        need(BN_mod_inverse(number, b, modulus, curve->ctx) != NULL, "libcrypto");
        got = p256_inverse(&y, m, is_field ? p256_p_low : p256_n_low);
        expect_product(number, BN_value_one(), modulus, NULL, got, "inverse");
    }
    p256_operands_free(wide), p256_operands_free(narrow);
    BN_free(bound), BN_free(shift), BN_free(number);
}
void p256_check_arithmetic(dice *dice, size_t count) {
    check_modulus(dice, p256_curve_get()->p, true, count);
    check_modulus(dice, p256_curve_get()->n, false, count);
    printf("  arithmetic: products, sums, differences and inverses modulo p and n are those of BN\n");
}
#endif
