#if defined(CJOSE_ACCELERATED)
#include <stdio.h>
#include <string.h>

#include "rsa.h"

#define KERNEL_WIDTH_MAX 24

bool rsa_is_covered(void) { return cjose_kernel_form_current() == cjose_kernel_form_ifma; }

subject subject_make(const uint8_t *n, size_t bytes, uint64_t e, BN_CTX *ctx) {
    subject made = {BN_bin2bn(n, (int)bytes, NULL), BN_new(), BN_MONT_CTX_new(), NULL};
    need(made.n != NULL && made.e != NULL && BN_set_word(made.e, e) == 1, "BN_set_word");
    need(made.montgomery != NULL && BN_MONT_CTX_set(made.montgomery, made.n, ctx) == 1, "BN_MONT_CTX_set");
    uint8_t exponent[8];
    need(BN_bn2binpad(made.e, exponent, sizeof exponent) == sizeof exponent, "BN_bn2binpad");
    made.key = cjose_kernel_rsa_key_new(n, bytes, exponent, sizeof exponent);
    if ((made.key != NULL) != rsa_is_covered()) fail("a key of %zu bits is covered or not against the form", 8 * bytes);
    return made;
}

void subject_end(subject *subject) {
    BN_free(subject->n);
    BN_free(subject->e);
    BN_MONT_CTX_free(subject->montgomery);
    cjose_kernel_rsa_key_free(subject->key);
}

void lane_expect(lane *lane, size_t bytes, BN_CTX *ctx) {
    const subject *subject = lane->subject;
    BIGNUM *base = BN_bin2bn(lane->base, (int)bytes, NULL), *power = BN_new();
    need(base != NULL && power != NULL, "BN_bin2bn");
    lane->expected = BN_cmp(base, subject->n) < 0 ? cjose_kernel_valid : cjose_kernel_invalid;
    if (lane->expected == cjose_kernel_valid) {
        need(BN_mod_exp_mont(power, base, subject->e, subject->n, ctx, subject->montgomery) == 1, "BN_mod_exp_mont");
        need(BN_bn2binpad(power, lane->power, (int)bytes) == (int)bytes, "BN_bn2binpad");
    }
    BN_free(base);
    BN_free(power);
}

static _Noreturn void report(const lane *lane, size_t at, size_t count, size_t bytes, const uint8_t *power) {
    uint8_t number[RSA_MAX] = {0};
    (void)BN_bn2binpad(lane->subject->n, number, (int)bytes);
    show("n", number, bytes);
    (void)BN_bn2binpad(lane->subject->e, number, 8);
    show("e", number, 8);
    show("base", lane->base, bytes);
    show("libcrypto", lane->power, bytes);
    show("kernel", power, bytes);
    fail("lane %zu of %zu differs", at, count);
}

void kernels_compare(dice *dice, const lane *lanes, size_t count, size_t bytes) {
    const cjose_kernel_rsa_key *keys[KERNEL_WIDTH_MAX];
    const uint8_t *bases[KERNEL_WIDTH_MAX];
    uint8_t powers[KERNEL_WIDTH_MAX * RSA_MAX] = {0}, results[KERNEL_WIDTH_MAX];
    for (size_t i = 0; i < count; i++) {
        keys[i] = lanes[i].subject->key;
        bases[i] = lanes[i].base;
    }
    cjose_kernel_rsa_power(keys, bases, count, powers, results);
    for (size_t i = 0; i < count; i++) {
        uint8_t *power = powers + i * bytes;
        power[0] = spoilt(dice, power[0]);
        bool same = lanes[i].expected == cjose_kernel_invalid || memcmp(power, lanes[i].power, bytes) == 0;
        if (results[i] != lanes[i].expected || !same) report(&lanes[i], i, count, bytes, power);
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t power[RSA_MAX] = {0}, result = cjose_kernel_rsa_power_single(keys[i], bases[i], power);
        power[0] = spoilt(dice, power[0]);
        bool same = lanes[i].expected == cjose_kernel_invalid || memcmp(power, lanes[i].power, bytes) == 0;
        if (result != lanes[i].expected || !same) report(&lanes[i], 0, 1, bytes, power);
    }
}

static uint64_t some_exponent(dice *dice) {
    static const uint64_t known[] = {3, 5, 17, 257, 65535, 65537, 65539, 0xFFFFFFFF, 0x100000001, 0x1FFFFFFFF};
    if (dice_below(dice, 2) == 0) return known[dice_below(dice, sizeof known / sizeof *known)];
    return (dice_next(dice) >> (31 + dice_below(dice, 30))) | 3;
}

/// Creates a subject of any odd number of exactly as many bits: its factors need not be known to compare powers.
static subject some_subject(dice *dice, size_t bytes, uint64_t e, BN_CTX *ctx) {
    uint8_t n[RSA_MAX];
    dice_shape(dice, n, bytes);
    n[0] |= 0x80;
    n[bytes - 1] |= 1;
    return subject_make(n, bytes, e, ctx);
}

static void some_base(dice *dice, lane *lane, size_t bytes) {
    dice_shape(dice, lane->base, bytes);
    size_t kind = dice_below(dice, 16);
    if (kind < 2) {
        // The base is close to the modulus or to zero.
        memset(lane->base, 0, bytes);
        if (kind == 0) need(BN_bn2binpad(lane->subject->n, lane->base, (int)bytes) == (int)bytes, "BN_bn2binpad");
        lane->base[bytes - 1] = (uint8_t)(lane->base[bytes - 1] + dice_below(dice, 3) - (kind == 0));
    } else if (kind < 15) {
        lane->base[0] &= 0x7F;
    }
}

void rsa_check_powers(dice *dice, int bits, size_t count) {
    static lane lanes[KERNEL_WIDTH_MAX];
    size_t bytes = (size_t)bits / 8;
    BN_CTX *ctx = BN_CTX_new();
    need(ctx != NULL, "BN_CTX_new");
    for (size_t done = 0; done < count;) {
        subject subjects[4];
        size_t kinds = 1 + dice_below(dice, 4);
        // One unusual exponent makes a whole pass use the general exponentiation.
        bool is_usual = dice_below(dice, 8) != 0;
        for (size_t i = 0; i < kinds; i++) {
            uint64_t e = is_usual || dice_below(dice, 2) == 0 ? 65537 : some_exponent(dice);
            subjects[i] = some_subject(dice, bytes, e, ctx);
        }
        size_t wanted = 1 + dice_below(dice, KERNEL_WIDTH_MAX);
        if (wanted > count - done) wanted = count - done;
        for (size_t i = 0; i < wanted; i++) {
            lanes[i].subject = &subjects[dice_below(dice, kinds)];
            some_base(dice, &lanes[i], bytes);
            lane_expect(&lanes[i], bytes, ctx);
        }
        kernels_compare(dice, lanes, wanted, bytes);
        for (size_t i = 0; i < kinds; i++) subject_end(&subjects[i]);
        done += wanted;
    }
    BN_CTX_free(ctx);
    printf("  %d bits: %zu powers of any modulus\n", bits, count);
}
#endif
