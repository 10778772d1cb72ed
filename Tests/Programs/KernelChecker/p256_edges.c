#if defined(CJOSE_ACCELERATED)
#include "p256.h"

#include <stdlib.h>

enum { EDGES = 14, CLOSE = 8, KEYS = 10 };

static p256_case *cases_new(size_t count) {
    p256_case *cases = calloc(count, sizeof *cases);
    need(cases != NULL, "calloc");
    return cases;
}
static void expect_all(
    dice *dice, const p256_case *cases, size_t count, p256_opens opens, const char *what, p256_tally *tally) {
    for (size_t done = 0; done < count; done += 60)
        p256_expect(dice, cases + done, count - done < 60 ? count - done : 60, opens, what, tally);
}

/// Writes numbers around 0, n, p and 2^256, the bounds of r, s and a digest.
static void edges_make(BIGNUM *edges[EDGES]) {
    const p256_curve *curve = p256_curve_get();
    for (int i = 0; i < EDGES; i++) {
        edges[i] = BN_new();
        need(edges[i] != NULL, "BN_new");
    }
    for (int i = 0; i < 3; i++) {
        need(BN_set_word(edges[i], (BN_ULONG)i), "libcrypto");
        need(BN_copy(edges[3 + i], curve->n) && BN_add_word(edges[3 + i], 1) && BN_sub_word(edges[3 + i], (BN_ULONG)i),
             "libcrypto");
        need(BN_copy(edges[6 + i], curve->p) && BN_add_word(edges[6 + i], 1) && BN_sub_word(edges[6 + i], (BN_ULONG)i),
             "libcrypto");
    }
    need(BN_set_bit(edges[9], 256) && BN_sub_word(edges[9], 1), "libcrypto");
    // These are p - n and one less: the last r that also stands for r + n, and the first that does not.
    need(BN_sub(edges[10], curve->p, curve->n) && BN_copy(edges[11], edges[10]) && BN_sub_word(edges[11], 1), "libcrypto");
    need(BN_set_bit(edges[12], 255) && BN_rshift1(edges[13], curve->n), "libcrypto");
}

/// Creates the keys G, -G, doublings of G that begin windows of either width, and random ones.
static void keys_make(dice *dice, p256_pair keys[KEYS]) {
    static const int doublings[KEYS] = {0, 0, 1, 8, 11, 64, 128, 255, -1, -1};
    const p256_curve *curve = p256_curve_get();
    BIGNUM *d = BN_new();
    for (int i = 0; i < KEYS; i++) {
        if (doublings[i] < 0) p256_scalar(dice, d);
        else need(BN_one(d) && BN_lshift(d, d, doublings[i]) && BN_nnmod(d, d, curve->n, curve->ctx), "libcrypto");
        if (i == 1) need(BN_sub(d, curve->n, d), "libcrypto");
        keys[i] = p256_pair_of_scalar(d);
    }
    BN_free(d);
}

/// Checks r, s and digests of all combinations: hardly one is valid, but all have a result. Under keys close to G the sum may be
/// infinity: with G itself where r is minus the digest.
static void check_numbers(dice *dice, const p256_pair *keys, BIGNUM *const *edges, p256_tally *tally) {
    p256_case cases[EDGES * EDGES];
    for (int k = 0; k < EDGES; k++)
        for (int close = 0; close < 2; close++) {
            for (int i = 0; i < EDGES * EDGES; i++) {
                const p256_pair *key = &keys[close != 0 ? i % CLOSE : CLOSE + i % (KEYS - CLOSE)];
                p256_case_set(&cases[i], key, edges[k], edges[i / EDGES], edges[i % EDGES]);
            }
            p256_opens opens = close != 0 ? p256_opens_perhaps : p256_opens_never;
            p256_expect(dice, cases, EDGES * EDGES, opens, "edges of r and s", tally);
        }
}

/// Checks valid signatures for chosen u1 and u2, under keys close to G: sums meet in many ways.
static void check_scalars(dice *dice, const p256_pair *keys, bool whole, p256_tally *tally) {
    enum { SCALARS = 30 };
    const p256_curve *curve = p256_curve_get();
    BIGNUM *u[SCALARS];
    int count = 0;
    for (int i = 0; i < SCALARS; i++) u[i] = BN_new();
    for (BN_ULONG i = 0; i < 4; i++) need(BN_set_word(u[count++], i), "libcrypto");
    for (BN_ULONG i = 1; i < 4; i++, count++)
        need(BN_copy(u[count], curve->n) && BN_sub_word(u[count], i), "libcrypto");
    // The scalars whose digits are all 0, all the greatest but where n ends, and all in the middle: 2 E - (2^k - 1).
    for (int k = 256; k <= 264; k += 8)
        for (int kind = 0; kind < 4; kind++, count++) {
            BIGNUM *e = u[count], *offset = BN_new();
            if (kind == 0) BN_zero(e);
            if (kind == 1) need(BN_copy(e, curve->n) && BN_sub_word(e, 1), "libcrypto");
            if (kind == 2) need(BN_set_bit(e, 255) && BN_sub_word(e, 1), "libcrypto");
            if (kind == 3) for (int bit = 7; bit < 255; bit += k == 256 ? 8 : 11) need(BN_set_bit(e, bit), "libcrypto");
            need(BN_set_bit(offset, k) && BN_sub_word(offset, 1) && BN_lshift1(e, e) && BN_sub(e, e, offset), "libcrypto");
            need(BN_nnmod(e, e, curve->n, curve->ctx), "libcrypto");
            BN_free(offset);
        }
    for (int bit = 8; bit < 256; bit += 62) need(BN_set_bit(u[count++], bit), "libcrypto");
    // The sum of all the windows of G but the last is the point of the last.
    need(BN_set_word(u[count], 4078) && BN_lshift(u[count], u[count], 253), "libcrypto");
    need(BN_sub(u[count], curve->n, u[count]) && BN_nnmod(u[count], u[count], curve->n, curve->ctx), "libcrypto"), count++;
    need(BN_rshift1(u[count], curve->n), "libcrypto"), count++;
    need(BN_rshift1(u[count], curve->n) && BN_add_word(u[count], 1), "libcrypto"), count++;
    while (count < SCALARS) p256_scalar(dice, u[count++]);
    p256_case *cases = cases_new(SCALARS * SCALARS);
    for (int key = 0; key < KEYS; key += whole ? 1 : 4) {
        size_t made = 0;
        for (int i = 0; i < SCALARS; i++)
            for (int j = 0; j < SCALARS; j++)
                // u2 = r / s is never 0.
                if (!BN_is_zero(u[j])) p256_case_of_scalars(&cases[made++], &keys[key], u[i], u[j]);
        expect_all(dice, cases, made, p256_opens_perhaps, "edges of u1 and u2", tally);
        for (size_t i = 0; i < made; i += 7) p256_expect(dice, &cases[i], 1, p256_opens_perhaps, "one of u1 and u2", tally);
    }
    free(cases);
    for (int i = 0; i < SCALARS; i++) BN_free(u[i]);
}

/// Checks signatures where x is n or more: r + n is x, and r is not. The keys are made for the signatures.
static void check_wrapped(dice *dice, p256_tally *tally) {
    enum { COUNT = 24 };
    const p256_curve *curve = p256_curve_get();
    EC_POINT *point = EC_POINT_new(curve->group), *rest = EC_POINT_new(curve->group);
    BIGNUM *x = BN_new(), *r = BN_new(), *u1 = BN_new(), *u2 = BN_new(), *inverse = BN_new();
    p256_pair keys[COUNT];
    p256_case cases[3 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        // From both ends of n...p-1; the last third has x = r below p - n, where r + n must not be needed.
        need(BN_set_word(r, (BN_ULONG)i), "libcrypto");
        if (i % 3 == 1) need(BN_sub(r, curve->p, curve->n) && BN_sub_word(r, 1 + (BN_ULONG)i), "libcrypto");
        for (;; need(i % 3 == 1 ? BN_sub_word(r, 1) : BN_add_word(r, 1), "libcrypto")) {
            need(i % 3 == 2 ? BN_copy(x, r) != NULL : BN_add(x, r, curve->n), "libcrypto");
            if (!BN_is_zero(r) && EC_POINT_set_compressed_coordinates(curve->group, point, x, i & 1, curve->ctx)) break;
        }
        // Q = (R - u1 G) / u2.
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        need(BN_sub(x, curve->n, u1) && EC_POINT_mul(curve->group, rest, x, NULL, NULL, curve->ctx), "libcrypto");
        need(EC_POINT_add(curve->group, rest, rest, point, curve->ctx), "libcrypto");
        need(BN_mod_inverse(inverse, u2, curve->n, curve->ctx) != NULL, "libcrypto");
        need(EC_POINT_mul(curve->group, rest, NULL, rest, inverse, curve->ctx), "libcrypto");
        keys[i] = p256_pair_of_point(rest);
        p256_case_of_scalars(&cases[3 * i], &keys[i], u1, u2);
        need(p256_openssl_verifies(&cases[3 * i]), "a signature with a small r");
        cases[3 * i + 1] = cases[3 * i], cases[3 * i + 1].signature[31] ^= 1;
        cases[3 * i + 2] = cases[3 * i], cases[3 * i + 2].digest[31] ^= 1;
    }
    p256_expect(dice, cases, 3 * COUNT, p256_opens_never, "r + n below p", tally);
    for (int i = 0; i < 3 * COUNT; i++) p256_expect(dice, &cases[i], 1, p256_opens_never, "r + n below p, alone", tally);
    for (int i = 0; i < COUNT; i++) p256_pair_end(&keys[i]);
    EC_POINT_free(point), EC_POINT_free(rest);
    BN_free(x), BN_free(r), BN_free(u1), BN_free(u2), BN_free(inverse);
}

/// Checks every size from none to 70, all valid, with one invalid at each index, and alternating.
static void check_places(dice *dice, const p256_pair *keys, bool whole, p256_tally *tally) {
    enum { MOST = 70 };
    p256_case good[MOST], bad[MOST], mixed[MOST];
    BIGNUM *u1 = BN_new(), *u2 = BN_new();
    for (int i = 0; i < MOST; i++) {
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        p256_case_of_scalars(&good[i], &keys[dice_below(dice, KEYS)], u1, u2);
        bad[i] = good[i];
        uint8_t *bytes = dice_below(dice, 3) == 0 ? bad[i].digest : bad[i].signature;
        bytes[dice_below(dice, 32)] ^= (uint8_t)(1 << dice_below(dice, 8));
        // This signature is rejected before the sum.
        if (i % 5 == 4) memset(bad[i].signature + (i % 2 == 0 ? 0 : 32), i % 3 == 0 ? 0xff : 0, 32);
    }
    for (size_t count = 0; count <= MOST; count += whole || count < 18 ? 1 : 13) {
        p256_expect(dice, good, count, p256_opens_never, "all good", tally);
        p256_expect(dice, bad, count, p256_opens_never, "all bad", tally);
        for (size_t i = 0; i < count; i++) mixed[i] = dice_below(dice, 2) == 0 ? good[i] : bad[i];
        p256_expect(dice, mixed, count, p256_opens_never, "good and bad", tally);
        for (size_t place = 0; place < count && (count < 10 || (whole && (count < 18 || count == MOST))); place++) {
            memcpy(mixed, good, count * sizeof *good), mixed[place] = bad[place];
            p256_expect(dice, mixed, count, p256_opens_never, "one bad", tally);
            memcpy(mixed, bad, count * sizeof *good), mixed[place] = good[place];
            p256_expect(dice, mixed, count, p256_opens_never, "one good", tally);
        }
    }
    BN_free(u1), BN_free(u2);
}

/// Checks that points that are not on the curve get no table, and that those with either y do.
static void check_keys(void) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *x = BN_new(), *y = BN_new(), *other = BN_new();
    need(EC_POINT_get_affine_coordinates(curve->group, EC_GROUP_get0_generator(curve->group), x, y, curve->ctx), "libcrypto");
    for (int kind = 0; kind < 9; kind++) {
        uint8_t bytes[64];
        need(BN_bn2binpad(x, bytes, 32) == 32 && BN_bn2binpad(y, bytes + 32, 32) == 32, "libcrypto");
        switch (kind) {
        case 0: break;
        case 1: need(BN_sub(other, curve->p, y) && BN_bn2binpad(other, bytes + 32, 32) == 32, "libcrypto"); break;
        case 2: memset(bytes, 0, 64); break;
        case 3: memset(bytes, 0xff, 64); break;
        case 4: bytes[31] ^= 1; break;
        case 5: bytes[63] ^= 1; break;
        case 6: bytes[32] ^= 0x80; break;
        // Here p stands for zero: the point (0, y) is on the curve, but (p, y) is not its encoding.
        default: {
            EC_POINT *point = EC_POINT_new(curve->group);
            BN_zero(other);
            need(EC_POINT_set_compressed_coordinates(curve->group, point, other, 0, curve->ctx), "libcrypto");
            need(EC_POINT_get_affine_coordinates(curve->group, point, NULL, other, curve->ctx), "libcrypto");
            memset(bytes, 0, 32);
            need(BN_bn2binpad(other, bytes + 32, 32) == 32, "libcrypto");
            if (kind == 8) need(BN_bn2binpad(curve->p, bytes, 32) == 32, "libcrypto");
            EC_POINT_free(point);
        }
        }
        cjose_kernel_p256_key *key = cjose_kernel_p256_key_new(bytes, bytes + 32);
        bool is_point = kind < 2 || kind == 7;
        if ((key != NULL) != is_point) fail("P-256 key %d: a table %s", kind, key != NULL ? "of no point" : "is missing");
        if (key != NULL && cjose_kernel_p256_key_bytes(key) > 256 << 10) fail("P-256: a key of more than 256 KiB");
        cjose_kernel_p256_key_free(key);
    }
    BN_free(x), BN_free(y), BN_free(other);
}

void p256_check_edges(dice *dice, bool whole) {
    p256_tally tally = {0};
    BIGNUM *edges[EDGES];
    p256_pair keys[KEYS];
    edges_make(edges), keys_make(dice, keys);
    check_keys();
    check_numbers(dice, keys, edges, &tally);
    check_scalars(dice, keys, whole, &tally);
    check_wrapped(dice, &tally);
    check_places(dice, keys, whole, &tally);
    for (int i = 0; i < KEYS; i++) p256_pair_end(&keys[i]);
    for (int i = 0; i < EDGES; i++) BN_free(edges[i]);
    p256_report("edges", &tally);
}
#endif
