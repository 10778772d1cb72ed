#include "p256.h"

/// What a sum of points of the tables is: g G + q Q.
typedef struct sum {
    BIGNUM *g, *q;
} sum;

static sum sum_new(void) {
    sum made = {BN_new(), BN_new()};
    need(made.g && made.q, "BN_new");
    return made;
}
static void sum_free(sum *one) { BN_free(one->g), BN_free(one->q); }

/// Adds `digit * 2^(bits * window)`, the digit being the one that u has there, as p256_internal.h says it.
static void add_digit(BIGNUM *to, const BIGNUM *u, unsigned window, unsigned bits, unsigned windows) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *e = BN_new(), *ones = BN_new();
    need(e && ones && BN_set_bit(ones, (int)(bits * windows)) && BN_sub_word(ones, 1) && BN_add(e, u, ones), "libcrypto");
    // Half of it modulo n.
    need(BN_nnmod(e, e, curve->n, curve->ctx) && (!BN_is_odd(e) || BN_add(e, e, curve->n)), "libcrypto");
    need(BN_rshift(e, e, 1 + (int)(bits * window)), "libcrypto");
    if (BN_num_bits(e) > (int)bits) need(BN_mask_bits(e, (int)bits), "libcrypto");
    need(BN_lshift1(e, e) && BN_sub_word(e, ((BN_ULONG)1 << bits) - 1), "libcrypto");
    need(BN_lshift(e, e, (int)(bits * window)) && BN_mod_add(to, to, e, curve->n, curve->ctx), "libcrypto");
    BN_free(e), BN_free(ones);
}
/// Adds the point of a window to a sum.
static void sum_add(sum *to, const BIGNUM *u1, const BIGNUM *u2, unsigned window) {
    if (window < P256_G_WINDOWS) add_digit(to->g, u1, window, P256_G_BITS, P256_G_WINDOWS);
    else add_digit(to->q, u2, window - P256_G_WINDOWS, P256_Q_BITS, P256_Q_WINDOWS);
}

/// Adds a case whose key makes `a` and `b` the same point, or opposite ones, if there is such a key.
static void add_case(
    const sum *a, const sum *b, bool opposite, const BIGNUM *u1, const BIGNUM *u2, p256_pair *key, p256_case *out,
    size_t *made) {
    // g + d q = +-(g' + d q'): d = (+-g' - g) / (q -+ q').
    const p256_curve *curve = p256_curve_get();
    BIGNUM *d = BN_new(), *q = BN_new();
    need(d && q && BN_copy(d, b->g) && BN_copy(q, b->q), "libcrypto");
    if (opposite) BN_set_negative(d, 1), BN_set_negative(q, 1);
    need(BN_sub(d, d, a->g) && BN_sub(q, a->q, q) && BN_nnmod(q, q, curve->n, curve->ctx), "libcrypto");
    if (!BN_is_zero(q)) {
        need(BN_mod_inverse(q, q, curve->n, curve->ctx) && BN_mod_mul(d, d, q, curve->n, curve->ctx), "libcrypto");
        if (!BN_is_zero(d)) {
            *key = p256_pair_of_scalar(d);
            p256_case_of_scalars(out, key, u1, u2);
            ++*made;
        }
    }
    BN_free(d), BN_free(q);
}

/// Signatures that are valid, and whose sums meet themselves: the window with which the sum of those before it in its
/// lane is the same point or the opposite one, for all the ways in which lanes share a signature; and lanes that end
/// with the same point or opposite ones. `size` signatures in one call choose the way.
static void check_way(dice *dice, unsigned ways, size_t size, bool whole, p256_tally *tally) {
    enum { MOST = 2 * P256_WINDOWS };
    BIGNUM *u1 = BN_new(), *u2 = BN_new();
    p256_pair keys[MOST];
    p256_case cases[MOST];
    size_t made = 0, open = tally->open;
    for (unsigned part = 0; part < ways; part++) {
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        sum running = sum_new();
        sum_add(&running, u1, u2, part);
        for (unsigned window = part + ways; window < P256_WINDOWS; window += ways) {
            sum next = sum_new();
            sum_add(&next, u1, u2, window);
            // With points of G alone no key makes them meet.
            if (window >= P256_G_WINDOWS && (whole || window % 4 == 3))
                for (int opposite = 0; opposite < 2 && made < MOST; opposite++)
                    add_case(&running, &next, opposite != 0, u1, u2, &keys[made], &cases[made], &made);
            sum_add(&running, u1, u2, window);
            sum_free(&next);
        }
        sum_free(&running);
    }
    for (unsigned apart = 1; apart < ways; apart *= 2) {
        sum sides[2] = {sum_new(), sum_new()};
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        // The lanes that lane 0 has added up before this step, and those of the lane that it takes.
        for (unsigned window = 0; window < P256_WINDOWS; window++)
            if (window % ways < 2 * apart) sum_add(&sides[window % ways / apart], u1, u2, window);
        for (int opposite = 0; opposite < 2 && made < MOST; opposite++)
            add_case(&sides[0], &sides[1], opposite != 0, u1, u2, &keys[made], &cases[made], &made);
        sum_free(&sides[0]), sum_free(&sides[1]);
    }
    // Each at each place of a call, beside good ones.
    p256_case call[P256_LANES];
    for (size_t i = 0; i < made; i++) {
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        for (size_t place = 0; place < size; place++) p256_case_of_scalars(&call[place], &keys[(i + 1) % made], u1, u2);
        call[i % size] = cases[i];
        p256_expect(dice, call, size, p256_opens_perhaps, "sums that meet", tally);
    }
    if (tally->open == open) fail("P-256: no sum met itself with %zu signatures a call", size);
    for (size_t i = 0; i < made; i++) p256_pair_end(&keys[i]);
    BN_free(u1), BN_free(u2);
}

void p256_check_sums(dice *dice, bool whole) {
    static const struct {
        unsigned ways;
        size_t size;
    } plans[] = {{1, 8}, {1, 5}, {2, 4}, {2, 3}, {4, 2}, {8, 1}};
    p256_tally tally = {0, 0, 0};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) check_way(dice, plans[i].ways, plans[i].size, whole, &tally);
    p256_report("sums that meet themselves", &tally);
}
