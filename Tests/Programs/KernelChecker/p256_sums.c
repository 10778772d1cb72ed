#if defined(CJOSE_ACCELERATED)
#include "p256.h"

/// A sum of points of the tables: g G + q Q.
typedef struct sum {
    BIGNUM *g, *q;
} sum;

static sum sum_new(void) {
    sum made = {BN_new(), BN_new()};
    need(made.g && made.q, "BN_new");
    return made;
}
static void sum_free(sum *one) { BN_free(one->g), BN_free(one->q); }

/// Adds `digit * 2^(bits * window)`, with the digit that u has there by p256_internal.h.
static void add_digit(BIGNUM *to, const BIGNUM *u, unsigned window, unsigned bits, unsigned windows) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *e = BN_new(), *ones = BN_new();
    need(e && ones && BN_set_bit(ones, (int)(bits * windows)) && BN_sub_word(ones, 1) && BN_add(e, u, ones), "libcrypto");
    // The number is halved modulo n.
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

/// Valid signatures whose sums meet themselves, each under a key of its own.
typedef struct meeting {
    size_t made;
    p256_pair keys[2 * P256_WINDOWS];
    p256_case cases[2 * P256_WINDOWS];
} meeting;

static void add_cases(const sum *a, const sum *b, const BIGNUM *u1, const BIGNUM *u2, meeting *to) {
    for (int opposite = 0; opposite < 2 && to->made < 2 * P256_WINDOWS; opposite++)
        add_case(a, b, opposite != 0, u1, u2, &to->keys[to->made], &to->cases[to->made], &to->made);
}
/// Checks each at some index of a call of `size` signatures, beside valid ones; some results must be `not_covered`.
static void expect_meetings(dice *dice, meeting *meeting, size_t size, p256_tally *tally) {
    BIGNUM *u1 = BN_new(), *u2 = BN_new();
    p256_case call[P256_LANES];
    size_t open = tally->open;
    for (size_t i = 0; i < meeting->made; i++) {
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        for (size_t place = 0; place < size; place++)
            p256_case_of_scalars(&call[place], &meeting->keys[(i + 1) % meeting->made], u1, u2);
        call[i % size] = meeting->cases[i];
        p256_expect(dice, call, size, p256_opens_perhaps, "sums that meet", tally);
    }
    if (tally->open == open) fail("P-256: no sum met itself with %zu signatures a call", size);
    for (size_t i = 0; i < meeting->made; i++) p256_pair_end(&meeting->keys[i]);
    BN_free(u1), BN_free(u2);
}

/// Checks points that are added one by one: the window whose point is, up to the sign, the sum of those before it in its lane,
/// for all the ways in which lanes share a signature; and lanes that end with such sums.
static void check_way(dice *dice, unsigned ways, size_t size, bool whole, p256_tally *tally) {
    BIGNUM *u1 = BN_new(), *u2 = BN_new();
    meeting meeting = {0};
    for (unsigned part = 0; part < ways; part++) {
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        sum running = sum_new();
        sum_add(&running, u1, u2, part);
        for (unsigned window = part + ways; window < P256_WINDOWS; window += ways) {
            sum next = sum_new();
            sum_add(&next, u1, u2, window);
            // With points of G only, no key makes them meet.
            if (window >= P256_G_WINDOWS && (whole || window % 4 == 3)) add_cases(&running, &next, u1, u2, &meeting);
            sum_add(&running, u1, u2, window);
            sum_free(&next);
        }
        sum_free(&running);
    }
    for (unsigned apart = 1; apart < ways; apart *= 2) {
        sum sides[2] = {sum_new(), sum_new()};
        p256_scalar(dice, u1), p256_scalar(dice, u2);
        // These are the sum of lane 0 before this step, and the lane that it adds.
        for (unsigned window = 0; window < P256_WINDOWS; window++)
            if (window % ways < 2 * apart) sum_add(&sides[window % ways / apart], u1, u2, window);
        add_cases(&sides[0], &sides[1], u1, u2, &meeting);
        sum_free(&sides[0]), sum_free(&sides[1]);
    }
    expect_meetings(dice, &meeting, size, tally);
    BN_free(u1), BN_free(u2);
}

/// Checks points that are added in pairs, and their sums in pairs: neighbours of every level, the last of which may be alone.
static void check_pairs(dice *dice, size_t size, bool whole, p256_tally *tally) {
    BIGNUM *u1 = BN_new(), *u2 = BN_new();
    meeting meeting = {0};
    sum sums[P256_WINDOWS];
    p256_scalar(dice, u1), p256_scalar(dice, u2);
    for (unsigned window = 0; window < P256_WINDOWS; window++) {
        sums[window] = sum_new();
        sum_add(&sums[window], u1, u2, window);
    }
    for (unsigned left = P256_WINDOWS, level = 0; left > 1; left = left / 2 + left % 2, level++) {
        for (unsigned pair = 0; pair < left / 2; pair++) {
            const sum *a = &sums[2 * pair], *b = a + 1;
            if (!BN_is_zero(b->q) && (whole || level > 1 || pair % 4 == 3)) add_cases(a, b, u1, u2, &meeting);
            need(BN_add(sums[pair].g, a->g, b->g) && BN_add(sums[pair].q, a->q, b->q), "libcrypto");
        }
        if (left % 2 != 0) {
            need(BN_copy(sums[left / 2].g, sums[left - 1].g) && BN_copy(sums[left / 2].q, sums[left - 1].q), "libcrypto");
        }
    }
    expect_meetings(dice, &meeting, size, tally);
    for (unsigned window = 0; window < P256_WINDOWS; window++) sum_free(&sums[window]);
    BN_free(u1), BN_free(u2);
}

void p256_check_sums(dice *dice, bool whole) {
    static const struct {
        unsigned ways;
        size_t size;
    } plans[] = {{1, 8}, {1, 5}, {2, 4}, {2, 3}, {4, 2}, {8, 1}};
    p256_tally tally = {0};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) check_way(dice, plans[i].ways, plans[i].size, whole, &tally);
    for (size_t size = 3; size <= P256_LANES; size += 5) check_pairs(dice, size, whole, &tally);
    p256_report("sums that meet themselves", &tally);
}
#endif
