#if defined(CJOSE_ACCELERATED)
#include <stdio.h>
#include <string.h>

#include "rsa.h"

#define MODULI 14
#define BASES 24
#define PLACES 17

static void set_bit(uint8_t *number, size_t bytes, size_t bit) { number[bytes - 1 - bit / 8] |= (uint8_t)(1u << bit % 8); }

static void ones(uint8_t *number, size_t bytes, size_t from, size_t to) {
    for (size_t bit = from; bit < to; bit++) set_bit(number, bytes, bit);
}

/// Writes ones to every `step`th limb.
static void limbs(uint8_t *number, size_t bytes, size_t first, size_t step) {
    for (size_t bit = 52 * first; bit < 8 * bytes; bit += 52 * step)
        ones(number, bytes, bit, bit + 52 < 8 * bytes ? bit + 52 : 8 * bytes);
}

/// Writes moduli at the ends of their range, and with limbs of zeros and ones.
static void modulus(dice *dice, size_t kind, uint8_t *n, size_t bytes) {
    memset(n, 0, bytes);
    switch (kind) {
    // This is 2^(k-1) + 1: everything below the top bit is minimal.
    case 0: break;
    case 1: ones(n, bytes, 0, 8 * bytes); break;
    // The lowest limb is 1, or all ones: the limbs of m are the columns themselves or their negatives.
    case 2: dice_fill(dice, n, bytes - 13); break;
    case 3: ones(n, bytes, 0, 52); break;
    case 4: limbs(n, bytes, 0, 2); break;
    case 5: limbs(n, bytes, 1, 2); break;
    case 6: ones(n, bytes, 52, 8 * bytes); break;
    case 7: limbs(n, bytes, 0, 10); break;
    case 8: limbs(n, bytes, 9, 10); break;
    // The top limb has only its top bit.
    case 9: dice_fill(dice, n + 7, bytes - 7); break;
    case 10: ones(n, bytes, 0, 8 * bytes - 20); break;
    default: dice_fill(dice, n, bytes);
    }
    set_bit(n, bytes, 8 * bytes - 1);
    set_bit(n, bytes, 0);
}

static void add(uint8_t *number, size_t bytes, int value) {
    for (size_t i = bytes; i-- > 0 && value != 0;) {
        value += number[i];
        number[i] = (uint8_t)value;
        value >>= 8;
    }
}

/// Writes a base: 0, 1, 2, n-2 ... n+2, powers of two at borders of limbs and beside, limbs of ones, and numbers far above n.
static void base(dice *dice, size_t kind, const uint8_t *n, uint8_t *out, size_t bytes) {
    static const size_t borders[] = {51, 52, 53, 104, 519, 520, 521, 1040, 2040};
    memset(out, 0, bytes);
    if (kind < 3) {
        out[bytes - 1] = (uint8_t)kind;
    } else if (kind < 8) {
        memcpy(out, n, bytes);
        add(out, bytes, (int)kind - 5);
    } else if (kind < 17) {
        set_bit(out, bytes, borders[kind - 8]);
        add(out, bytes, (int)dice_below(dice, 2) - 1);
    } else if (kind < 20) {
        limbs(out, bytes, kind - 17, kind == 19 ? 10 : 2);
    } else if (kind == 20) {
        ones(out, bytes, 0, 8 * bytes);
    } else if (kind == 21) {
        ones(out, bytes, 0, 8 * bytes - 1);
    } else {
        dice_fill(dice, out, bytes);
    }
}

/// Checks every modulus with every base and every exponent; then one lane that differs from the others, at each index for each
/// number of lanes.
static void check_powers(dice *dice, size_t bytes, BN_CTX *ctx) {
    static const uint64_t exponents[] = {3, 17, 65537, 0x1FFFFFFFF};
    static const size_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17};
    static lane lanes[PLACES], table[BASES];
    size_t cases = 0;
    for (size_t kind = 0; kind < MODULI; kind++) {
        uint8_t n[RSA_MAX];
        modulus(dice, kind, n, bytes);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            subject subject = subject_make(n, bytes, exponents[e], ctx);
            for (size_t i = 0; i < BASES; i++, cases++) {
                table[i].subject = &subject;
                base(dice, i, n, table[i].base, bytes);
                lane_expect(&table[i], bytes, ctx);
            }
            kernels_compare(dice, table, BASES, bytes);
            subject_end(&subject);
        }
    }
    uint8_t n[RSA_MAX], other[RSA_MAX];
    modulus(dice, MODULI, n, bytes);
    modulus(dice, 1, other, bytes);
    subject usual = subject_make(n, bytes, 65537, ctx), odd[] = {
        subject_make(other, bytes, 65537, ctx), subject_make(n, bytes, 3, ctx), subject_make(other, bytes, 17, ctx)};
    for (size_t i = 0; i < BASES; i++) {
        table[i].subject = &usual;
        base(dice, i, n, table[i].base, bytes);
        lane_expect(&table[i], bytes, ctx);
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (size_t count = counts[k], place = 0; place < count; place++, cases += 2 * count) {
            // These are zero, n and n + 1 among other bases, and then also another key.
            for (size_t i = 0; i < count; i++) lanes[i] = table[BASES - 1 - i % 2];
            lanes[place] = table[(count + place) % BASES];
            kernels_compare(dice, lanes, count, bytes);
            lanes[place].subject = &odd[place % 3];
            lane_expect(&lanes[place], bytes, ctx);
            kernels_compare(dice, lanes, count, bytes);
        }
    subject_end(&usual);
    for (size_t i = 0; i < 3; i++) subject_end(&odd[i]);
    printf("  %zu bits: %zu edges of powers\n", 8 * bytes, cases);
}

static void check_keys(dice *dice, size_t bytes) {
    uint8_t n[RSA_MAX + 1] = {0};
    const uint8_t f4[] = {1, 0, 1}, long_f4[] = {0, 0, 0, 0, 0, 0, 1, 0, 1}, even[] = {1, 0, 0}, one[] = {1}, three[] = {3};
    const uint8_t longest[] = {1, 0xFF, 0xFF, 0xFF, 0xFF}, too_long[] = {2, 0, 0, 0, 1};
    modulus(dice, MODULI, n + 1, bytes);
    const struct {
        const uint8_t *e;
        size_t count;
        bool is_covered;
    } exponents[] = {{f4, 3, true},     {long_f4, 9, true}, {three, 1, true},     {longest, 5, true},
                     {too_long, 5, false}, {even, 3, false},   {one, 1, false}, {one, 0, false}};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        for (size_t zeros = 0; zeros < 2; zeros++) {
            cjose_kernel_rsa_key *key = cjose_kernel_rsa_key_new(
                n + 1 - zeros, bytes + zeros, exponents[i].e, exponents[i].count);
            if ((key != NULL) != exponents[i].is_covered) fail("exponent %zu is covered or not", i);
            if (key != NULL && cjose_kernel_rsa_key_bits(key) != 8 * bytes) fail("a key says another length");
            cjose_kernel_rsa_key_free(key);
        }
    }
    n[1] = 0x7F;
    if (cjose_kernel_rsa_key_new(n + 1, bytes, f4, 3) != NULL) fail("a modulus one bit short was taken");
    n[0] = n[1] = 1;
    if (cjose_kernel_rsa_key_new(n, bytes + 1, f4, 3) != NULL) fail("a modulus one bit long was taken");
    n[1] = 0x80;
    n[bytes] &= 0xFE;
    if (cjose_kernel_rsa_key_new(n + 1, bytes, f4, 3) != NULL) fail("an even modulus was taken");
}

void rsa_check_edges(dice *dice, int bits) {
    BN_CTX *ctx = BN_CTX_new();
    need(ctx != NULL, "BN_CTX_new");
    check_keys(dice, (size_t)bits / 8);
    check_powers(dice, (size_t)bits / 8, ctx);
    BN_CTX_free(ctx);
}
#endif
