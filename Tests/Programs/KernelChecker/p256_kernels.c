#if defined(CJOSE_ACCELERATED)
#include "p256_arithmetic.h"

#if defined(__x86_64__)
#include "../../../CShims/CJOSEKernels/src/p256_ifma_field.h"

/// The operations of the vectorized field, on a, b, c and d.
typedef enum operation { product, square, product_sum, difference, settled, zeros, operations } operation;
typedef struct operands {
    uint64_t words[4][5][P256_LANES];
} operands;

P256_TARGET static uint8_t compute(operation kind, const operands *from, uint64_t out[5][P256_LANES]) {
    p256x8 in[4], result;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++) in[i].w[j] = _mm512_loadu_si512(from->words[i][j]);
    __mmask8 mask = 0;
    switch (kind) {
    case product: result = p256x8_mul(&in[0], &in[1]); break;
    case square: result = p256x8_square(&in[0]); break;
    case product_sum: result = p256x8_mul_sum(&in[0], &in[1], &in[2], &in[3]); break;
    case difference: result = p256x8_sub(&in[0], &in[1]); break;
    case zeros: result = in[0], mask = p256x8_zeros(&in[0]); break;
    default:
        // This is the greatest sum that a pad must cover: a + b - 2 c.
        result = p256x8_pad();
        for (int j = 0; j < 5; j++) {
            __m512i plus = _mm512_add_epi64(in[0].w[j], in[1].w[j]), minus = _mm512_add_epi64(in[2].w[j], in[2].w[j]);
            result.w[j] = _mm512_add_epi64(result.w[j], _mm512_sub_epi64(plus, minus));
        }
        result = p256x8_settle(result);
    }
    for (int j = 0; j < 5; j++) _mm512_storeu_si512(out[j], result.w[j]);
    return mask;
}

static void write_lane(const BIGNUM *number, unsigned lane, uint64_t out[5][P256_LANES]) {
    uint8_t bytes[40];
    need(BN_bn2lebinpad(number, bytes, sizeof bytes) == sizeof bytes, "libcrypto");
    for (int word = 0; word < 5; word++) {
        uint64_t value = 0;
        for (int bit = 0; bit < 52; bit++) {
            int at = 52 * word + bit;
            value |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << bit;
        }
        out[word][lane] = value;
    }
}
static void read_lane(uint64_t from[5][P256_LANES], unsigned lane, BIGNUM *out) {
    BN_zero(out);
    for (int word = 4; word >= 0; word--) {
        if (from[word][lane] >> 52 != 0) fail("P-256 lanes: word %d of lane %u has more than 52 bits", word, lane);
        need(BN_lshift(out, out, 52) && BN_add_word(out, from[word][lane]), "libcrypto");
    }
}
/// Computes the expected result of an operation, modulo p.
static void expect(operation kind, const BIGNUM *const in[4], const BIGNUM *shift, BIGNUM *out) {
    const p256_curve *curve = p256_curve_get();
    BIGNUM *other = BN_new();
    need(other != NULL, "BN_new");
    switch (kind) {
    case product: need(BN_mod_mul(out, in[0], in[1], curve->p, curve->ctx), "libcrypto"); break;
    case square: need(BN_mod_mul(out, in[0], in[0], curve->p, curve->ctx), "libcrypto"); break;
    case product_sum:
        need(BN_mod_mul(out, in[0], in[1], curve->p, curve->ctx) && BN_mod_mul(other, in[2], in[3], curve->p, curve->ctx) &&
                 BN_mod_add(out, out, other, curve->p, curve->ctx),
             "libcrypto");
        break;
    case difference: need(BN_mod_sub(out, in[0], in[1], curve->p, curve->ctx), "libcrypto"); break;
    case zeros: need(BN_nnmod(out, in[0], curve->p, curve->ctx), "libcrypto"); break;
    default:
        need(BN_mod_add(out, in[0], in[1], curve->p, curve->ctx) && BN_mod_sub(out, out, in[2], curve->p, curve->ctx) &&
                 BN_mod_sub(out, out, in[2], curve->p, curve->ctx),
             "libcrypto");
    }
    if (kind <= product_sum) need(BN_mod_mul(out, out, shift, curve->p, curve->ctx), "libcrypto");
    BN_free(other);
}

void p256_check_lanes(dice *dice, size_t count) {
    const cjose_kernel_form before = cjose_kernel_form_current();
    if (!cjose_kernel_form_force(cjose_kernel_form_ifma)) return;
    need(cjose_kernel_form_force(before), "cjose_kernel_form_force");
    const p256_curve *curve = p256_curve_get();
    BIGNUM *numbers[P256_OPERANDS], *bound = BN_new(), *shift = BN_new(), *expected = BN_new(), *got = BN_new();
    // p256_ifma_field.h guarantees results below 1.2 p, and takes such operands.
    need(bound && shift && expected && got && BN_copy(bound, curve->p) && BN_mul_word(bound, 6), "libcrypto");
    need(BN_div_word(bound, 5) != (BN_ULONG)-1 && BN_set_bit(shift, 260), "libcrypto");
    need(BN_mod_inverse(shift, shift, curve->p, curve->ctx) != NULL, "libcrypto");
    p256_operands(dice, numbers, bound);
    const size_t pairs = P256_OPERANDS * P256_OPERANDS;
    for (size_t done = 0; done < pairs + count; done += P256_LANES) {
        const BIGNUM *in[P256_LANES][4];
        operands from;
        uint64_t out[5][P256_LANES];
        for (unsigned lane = 0; lane < P256_LANES; lane++)
            for (int i = 0; i < 4; i++) {
                size_t at = done + lane, place = i == 0 ? at % P256_OPERANDS : at / P256_OPERANDS % P256_OPERANDS;
                if (i > 1 || at >= pairs) place = dice_below(dice, P256_OPERANDS);
                in[lane][i] = numbers[place];
                write_lane(numbers[place], lane, from.words[i]);
            }
        for (operation kind = product; kind < operations; kind++) {
            uint8_t mask = compute(kind, &from, out);
            for (unsigned lane = 0; lane < P256_LANES; lane++) {
                expect(kind, in[lane], shift, expected), read_lane(out, lane, got);
                if (kind == zeros && BN_is_zero(expected) != (mask >> lane & 1)) fail("P-256 lanes: a zero is missed");
                if (BN_cmp(got, bound) >= 0) fail("P-256 lanes: operation %d gives more than 1.2 p", (int)kind);
                need(BN_nnmod(got, got, curve->p, curve->ctx), "libcrypto");
                if (BN_cmp(got, expected) != 0)
                    fail("P-256 lanes: operation %d of %s, %s, %s, %s", (int)kind, BN_bn2hex(in[lane][0]),
                         BN_bn2hex(in[lane][1]), BN_bn2hex(in[lane][2]), BN_bn2hex(in[lane][3]));
            }
        }
        // Random numbers replace some of the edge cases.
        size_t place = P256_OPERANDS - 1 - dice_below(dice, 8);
        p256_any(dice, numbers[place]);
        need(BN_nnmod(numbers[place], numbers[place], bound, curve->ctx), "libcrypto");
    }
    p256_operands_free(numbers);
    BN_free(bound), BN_free(shift), BN_free(expected), BN_free(got);
    printf("  arithmetic in lanes: products, squares, sums and differences are those of BN\n");
}
#else
void p256_check_lanes(dice *dice, size_t count) { (void)dice, (void)count; }
#endif
#endif
