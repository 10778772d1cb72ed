#if defined(CJOSE_ACCELERATED)
#include "p256.h"

enum { KEYS = 40, CHANGES = 9 };

/// Writes an edge case of r, s or z in place of a random number.
static void random_edge(dice *dice, BIGNUM *out) {
    const p256_curve *curve = p256_curve_get();
    uint64_t word = dice_next(dice);
    need(BN_copy(out, (word & 1) != 0 ? curve->n : curve->p), "libcrypto");
    switch (word >> 1 & 3) {
    case 0: BN_zero(out); break;
    case 1: need(BN_one(out) && BN_lshift(out, out, 256) && BN_sub_word(out, 1), "libcrypto"); break;
    default: break;
    }
    if ((word >> 3 & 1) != 0 && BN_num_bits(out) < 257) need(BN_add_word(out, word >> 4 & 3), "libcrypto");
    else if (!BN_is_zero(out)) need(BN_sub_word(out, word >> 4 & 3), "libcrypto");
    if (BN_num_bits(out) > 256) need(BN_mask_bits(out, 256), "libcrypto");
}
static void change(dice *dice, p256_case *one, const p256_pair *other) {
    const p256_curve *curve = p256_curve_get();
    uint8_t *bytes[3] = {one->signature, one->signature + 32, one->digest}, swap[32];
    uint64_t word = dice_next(dice), kind = word % CHANGES, bit = word >> 16 & 255;
    BIGNUM *number = BN_new();
    need(number, "libcrypto");
    switch (kind) {
    case 0:
    case 1:
    case 2: bytes[kind][bit / 8] ^= (uint8_t)(1 << bit % 8); break;
    case 3: one->key = other; break;
    case 4: memcpy(swap, bytes[0], 32), memcpy(bytes[0], bytes[1], 32), memcpy(bytes[1], swap, 32); break;
    // This is the signature with the other square root: valid by FIPS 186-5.
    case 5:
        need(BN_bin2bn(bytes[1], 32, number) && BN_sub(number, curve->n, number), "libcrypto");
        need(BN_bn2binpad(number, bytes[1], 32) == 32, "libcrypto");
        break;
    case 6:
        p256_any(dice, number);
        need(BN_bn2binpad(number, bytes[word >> 8 & 1], 32) == 32, "libcrypto");
        break;
    case 7:
        random_edge(dice, number);
        need(BN_bn2binpad(number, bytes[(word >> 8) % 3], 32) == 32, "libcrypto");
        break;
    // This is another number that is equal modulo n, where it has 256 bits.
    default:
        need(BN_bin2bn(bytes[(word >> 8) % 3], 32, number) && BN_add(number, number, curve->n), "libcrypto");
        if (BN_num_bits(number) <= 256) need(BN_bn2binpad(number, bytes[(word >> 8) % 3], 32) == 32, "libcrypto");
        break;
    }
    BN_free(number);
}

/// Signs with this k (FIPS 186-5, 6.4.1).
static void sign(const p256_pair *key, const BIGNUM *d, const BIGNUM *z, const BIGNUM *k, p256_case *out) {
    const p256_curve *curve = p256_curve_get();
    EC_POINT *point = EC_POINT_new(curve->group);
    BIGNUM *r = BN_new(), *s = BN_new(), *inverse = BN_new();
    need(point && r && s && inverse && EC_POINT_mul(curve->group, point, k, NULL, NULL, curve->ctx), "libcrypto");
    need(EC_POINT_get_affine_coordinates(curve->group, point, r, NULL, curve->ctx), "libcrypto");
    need(BN_nnmod(r, r, curve->n, curve->ctx) && BN_mod_mul(s, r, d, curve->n, curve->ctx), "libcrypto");
    need(BN_mod_add(s, s, z, curve->n, curve->ctx) && BN_mod_inverse(inverse, k, curve->n, curve->ctx), "libcrypto");
    need(BN_mod_mul(s, s, inverse, curve->n, curve->ctx), "libcrypto");
    p256_case_set(out, key, z, r, s);
    EC_POINT_free(point);
    BN_free(r), BN_free(s), BN_free(inverse);
}

void p256_check_random(dice *dice, size_t count) {
    p256_pair keys[KEYS];
    BIGNUM *scalars[KEYS], *z = BN_new(), *k = BN_new();
    p256_tally tally = {0};
    for (int i = 0; i < KEYS; i++) {
        scalars[i] = BN_new();
        need(scalars[i], "libcrypto");
        p256_scalar(dice, scalars[i]);
        keys[i] = p256_pair_of_scalar(scalars[i]);
    }
    for (size_t round = 0; tally.cases < count; round++) {
        if (round % 8 == 7) {
            size_t old = dice_next(dice) % KEYS;
            p256_pair_end(&keys[old]);
            p256_scalar(dice, scalars[old]);
            keys[old] = p256_pair_of_scalar(scalars[old]);
        }
        uint64_t word = dice_next(dice);
        size_t batch = 1 + (word & 0xffff) % ((word >> 16 & 3) == 0 ? 9 : 130), one_key = (word >> 20) % KEYS;
        if (batch > count - tally.cases) batch = count - tally.cases;
        p256_case cases[130];
        for (size_t i = 0; i < batch; i++) {
            size_t key = (word >> 18 & 1) != 0 ? one_key : dice_next(dice) % KEYS;
            p256_any(dice, z);
            p256_scalar(dice, k);
            sign(&keys[key], scalars[key], z, k, &cases[i]);
            if ((dice_next(dice) & 1) != 0) change(dice, &cases[i], &keys[(key + 1) % KEYS]);
        }
        p256_expect(dice, cases, batch, p256_opens_never, "random signatures", &tally);
    }
    for (int i = 0; i < KEYS; i++) p256_pair_end(&keys[i]), BN_free(scalars[i]);
    BN_free(z), BN_free(k);
    p256_report("random signatures", &tally);
}
#endif
