#if defined(CJOSE_ACCELERATED)
#include "p256.h"

#include <stdlib.h>

void p256_any(dice *dice, BIGNUM *out) {
    uint8_t bytes[32];
    // Most numbers are random: otherwise too many digests would be 0.
    if (dice_below(dice, 4) == 0) dice_shape(dice, bytes, sizeof bytes);
    else dice_fill(dice, bytes, sizeof bytes);
    need(BN_bin2bn(bytes, sizeof bytes, out) != NULL, "BN_bin2bn");
}
void p256_scalar(dice *dice, BIGNUM *out) {
    do {
        p256_any(dice, out);
    } while (BN_is_zero(out) || BN_cmp(out, p256_curve_get()->n) >= 0);
}

const p256_curve *p256_curve_get(void) {
    static p256_curve curve;
    if (curve.group == NULL) {
        curve = (p256_curve){EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), BN_CTX_new(), BN_new(), BN_new()};
        need(curve.group && curve.ctx && curve.n && curve.p, "libcrypto");
        need(EC_GROUP_get_order(curve.group, curve.n, curve.ctx), "libcrypto");
        need(EC_GROUP_get_curve(curve.group, curve.p, NULL, NULL, curve.ctx), "libcrypto");
    }
    return &curve;
}

p256_pair p256_pair_of_point(const EC_POINT *point) {
    const p256_curve *curve = p256_curve_get();
    p256_pair pair = {EC_KEY_new_by_curve_name(NID_X9_62_prime256v1), NULL};
    BIGNUM *x = BN_new(), *y = BN_new();
    uint8_t bytes[64];
    need(pair.openssl && x && y && EC_KEY_set_public_key(pair.openssl, point), "libcrypto");
    need(EC_POINT_get_affine_coordinates(curve->group, point, x, y, curve->ctx), "libcrypto");
    need(BN_bn2binpad(x, bytes, 32) == 32 && BN_bn2binpad(y, bytes + 32, 32) == 32, "libcrypto");
    pair.lanes = cjose_kernel_p256_key_new(bytes, bytes + 32);
    need(pair.lanes, "libcrypto");
    BN_free(x), BN_free(y);
    return pair;
}
p256_pair p256_pair_of_scalar(const BIGNUM *d) {
    const p256_curve *curve = p256_curve_get();
    EC_POINT *point = EC_POINT_new(curve->group);
    need(point && EC_POINT_mul(curve->group, point, d, NULL, NULL, curve->ctx), "libcrypto");
    p256_pair pair = p256_pair_of_point(point);
    EC_POINT_free(point);
    return pair;
}
void p256_pair_end(p256_pair *pair) {
    EC_KEY_free(pair->openssl);
    cjose_kernel_p256_key_free(pair->lanes);
}

void p256_case_set(p256_case *out, const p256_pair *key, const BIGNUM *z, const BIGNUM *r, const BIGNUM *s) {
    out->key = key;
    need(BN_bn2binpad(z, out->digest, 32) == 32, "libcrypto");
    need(BN_bn2binpad(r, out->signature, 32) == 32 && BN_bn2binpad(s, out->signature + 32, 32) == 32, "libcrypto");
}
void p256_case_of_scalars(p256_case *out, const p256_pair *key, const BIGNUM *u1, const BIGNUM *u2) {
    const p256_curve *curve = p256_curve_get();
    EC_POINT *sum = EC_POINT_new(curve->group);
    BIGNUM *r = BN_new(), *s = BN_new(), *z = BN_new();
    need(sum && r && s && z, "libcrypto");
    need(EC_POINT_mul(curve->group, sum, u1, EC_KEY_get0_public_key(key->openssl), u2, curve->ctx), "libcrypto");
    if (EC_POINT_is_at_infinity(curve->group, sum)) need(BN_one(r), "libcrypto");
    else need(EC_POINT_get_affine_coordinates(curve->group, sum, r, NULL, curve->ctx), "libcrypto");
    need(BN_nnmod(r, r, curve->n, curve->ctx), "libcrypto");
    need(BN_mod_inverse(s, u2, curve->n, curve->ctx) && BN_mod_mul(s, s, r, curve->n, curve->ctx), "libcrypto");
    need(BN_mod_mul(z, u1, s, curve->n, curve->ctx), "libcrypto");
    p256_case_set(out, key, z, r, s);
    EC_POINT_free(sum);
    BN_free(r), BN_free(s), BN_free(z);
}
bool p256_openssl_verifies(const p256_case *one) {
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(one->signature, 32, NULL), *s = BN_bin2bn(one->signature + 32, 32, NULL);
    need(signature && r && s && ECDSA_SIG_set0(signature, r, s), "libcrypto");
    bool verifies = ECDSA_do_verify(one->digest, 32, signature, one->key->openssl) == 1;
    ECDSA_SIG_free(signature);
    return verifies;
}

static const struct {
    cjose_kernel_form form;
    const char *name;
} forms[] = {{cjose_kernel_form_ifma, "ifma"}, {cjose_kernel_form_portable, "portable"}};

static bool is_asked(size_t form) {
    const char *asked = getenv("BULLA_KERNELS");
    return (asked == NULL || strcmp(asked, forms[form].name) == 0) && cjose_kernel_form_force(forms[form].form);
}
static bool is_zero_digest(const uint8_t digest[32]) {
    static const uint8_t zero[32];
    uint8_t n[32];
    need(BN_bn2binpad(p256_curve_get()->n, n, 32) == 32, "libcrypto");
    return memcmp(digest, zero, 32) == 0 || memcmp(digest, n, 32) == 0;
}
void p256_expect(
    dice *dice, const p256_case *cases, size_t count, p256_opens opens, const char *what, p256_tally *tally) {
    enum { MOST = 256 };
    const cjose_kernel_p256_key *keys[MOST];
    const uint8_t *digests[MOST], *signatures[MOST];
    uint8_t results[MOST + 1];
    bool expected[MOST];
    need(count <= MOST, "room for the cases");
    for (size_t i = 0; i < count; i++) {
        keys[i] = cases[i].key->lanes, digests[i] = cases[i].digest, signatures[i] = cases[i].signature;
        expected[i] = p256_openssl_verifies(&cases[i]);
        tally->cases++, tally->valid += expected[i];
    }
    const cjose_kernel_form before = cjose_kernel_form_current();
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        if (!is_asked(form)) continue;
        // This detects a result that is not written, and one beyond the last.
        memset(results, 0x5a, sizeof results);
        cjose_kernel_p256_verify(keys, digests, signatures, count, results);
        for (size_t i = 0; i < count; i++) {
            bool open = results[i] == cjose_kernel_not_covered, is_zero = is_zero_digest(digests[i]);
            tally->open += open && !is_zero, tally->zero += open && is_zero;
            if (open ? opens == p256_opens_perhaps || is_zero : spoilt(dice, results[i]) == expected[i]) continue;
            show("digest", digests[i], 32), show("signature", signatures[i], 64);
            fail("P-256 %s, %s, %zu of %zu: %d, OpenSSL %d", what, forms[form].name, i, count, results[i], expected[i]);
        }
        if (results[count] != 0x5a) fail("P-256 %s, %s: wrote beyond %zu results", what, forms[form].name, count);
    }
    need(cjose_kernel_form_force(before), "cjose_kernel_form_force");
}
void p256_report(const char *part, const p256_tally *tally) {
    const cjose_kernel_form before = cjose_kernel_form_current();
    printf("  %s: %zu cases, %zu valid, %zu open and %zu of a digest of 0, as OpenSSL has them in", part, tally->cases,
           tally->valid, tally->open, tally->zero);
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
        if (is_asked(form)) printf(" %s", forms[form].name);
    putchar('\n');
    need(cjose_kernel_form_force(before), "cjose_kernel_form_force");
}
#endif
