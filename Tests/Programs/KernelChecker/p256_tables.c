#if defined(CJOSE_ACCELERATED)
#include <stdlib.h>

#include "p256.h"

enum { MOST_ENTRIES = P256_G_WINDOWS * P256_G_ENTRIES };

/// Checks an entry, the point `(2j + 1) * 2^(bits * window) * d * G` with x and y times 2^256, against libcrypto.
static void expect_entry(const p256_affine *got, const BIGNUM *d, unsigned window, unsigned bits, size_t j) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *number = BN_new(), *x = BN_new(), *y = BN_new();
    EC_POINT *point = EC_POINT_new(curve->group);
    need(number && x && y && point && BN_set_word(number, 2 * j + 1), "libcrypto");
    need(BN_lshift(number, number, (int)(bits * window)) && BN_mod_mul(number, number, d, curve->n, curve->ctx), "libcrypto");
    need(EC_POINT_mul(curve->group, point, number, NULL, NULL, curve->ctx), "libcrypto");
    need(EC_POINT_get_affine_coordinates(curve->group, point, x, y, curve->ctx), "libcrypto");
    const p256_words *words[2] = {&got->x, &got->y};
    BIGNUM *expected[2] = {x, y};
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[32];
        need(BN_lshift(number, expected[i], 256) && BN_nnmod(number, number, curve->p, curve->ctx), "libcrypto");
        need(BN_bn2binpad(number, bytes, 32) == 32, "libcrypto");
        p256_words right = p256_load(bytes);
        if (!p256_same(&right, words[i])) fail("P-256 table of %s: window %u, entry %zu", BN_bn2hex(d), window, j);
    }
    EC_POINT_free(point), BN_free(number), BN_free(x), BN_free(y);
}

/// Checks the table of `d * G` in each form that the machine has: against libcrypto at every `stride`th entry and at the ends of
/// each window, and against the table of the portable form in all.
static void expect_tables(const BIGNUM *d, unsigned windows, unsigned bits, size_t stride, p256_affine *const tables[2]) {
    const size_t entries = (size_t)1 << (bits - 1), all = windows * entries;
    const uint8_t end[sizeof(p256_affine)] = {0x5a, 0xa5};
    p256_pair pair = p256_pair_of_scalar(d);
    // The first entry of a key's table is the key.
    const p256_affine base = pair.lanes->table[0][0];
    const cjose_kernel_form before = cjose_kernel_form_current();
    const bool has_vectors = cjose_kernel_form_force(cjose_kernel_form_ifma);
    need(cjose_kernel_form_force(before), "cjose_kernel_form_force");
    for (int form = 0; form < (has_vectors ? 2 : 1); form++) {
        memcpy(&tables[form][all], end, sizeof end);
        p256_table_fill(
            form == 0 ? cjose_kernel_form_portable : cjose_kernel_form_ifma, tables[form], windows, bits, &base);
        if (memcmp(&tables[form][all], end, sizeof end) != 0) fail("P-256 tables: wrote beyond %zu entries", all);
    }
    if (has_vectors && memcmp(tables[0], tables[1], all * sizeof(p256_affine)) != 0)
        fail("P-256 tables of %s: the forms differ, with %u bits", BN_bn2hex(d), bits);
    for (unsigned window = 0; window < windows; window++)
        for (size_t j = 0; j < entries; j++)
            if (j == 0 || j + 1 == entries || (window * entries + j) % stride == 0)
                expect_entry(&tables[0][window * entries + j], d, window, bits, j);
    p256_pair_end(&pair);
}

void p256_check_tables(dice *dice, bool whole) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *d = BN_new();
    p256_affine *tables[2];
    need(d != NULL, "BN_new");
    for (int i = 0; i < 2; i++) need(posix_memalign((void **)&tables[i], 64, (MOST_ENTRIES + 1) * sizeof(p256_affine)) == 0, "memory");
    // G, 2 G, -G, -2 G and random points.
    for (int i = 0; i < (whole ? 40 : 8); i++) {
        if (i < 2) need(BN_set_word(d, (BN_ULONG)i + 1), "libcrypto");
        else if (i < 4) need(BN_copy(d, curve->n) && BN_sub_word(d, (BN_ULONG)i - 1), "libcrypto");
        else p256_scalar(dice, d);
        expect_tables(d, P256_Q_WINDOWS, P256_Q_BITS, whole ? 7 : 97, tables);
        if (i < 4) expect_tables(d, P256_G_WINDOWS, P256_G_BITS, whole && i == 0 ? 1 : 997, tables);
    }
    for (int i = 0; i < 2; i++) free(tables[i]);
    BN_free(d);
    printf("  tables: their points are those of libcrypto, the same in each form\n");
}
#endif
