#ifndef CJOSE_P256_IFMA_FIELD_H
#define CJOSE_P256_IFMA_FIELD_H
#include <immintrin.h>

#include "p256_internal.h"

#pragma clang assume_nonnull begin

#define P256_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma")))
#define P256_INLINE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma"), always_inline)) static inline

/// Eight field elements, one in each lane, each times 2^260: words of 52 bits, the lowest first. Products and the results of
/// `p256x8_settle` are below 1.2 p, and congruent to 0 only as 0 or p itself.
typedef struct p256x8 {
    __m512i w[5];
} p256x8;

/// The prime p as five words of 52 bits, the lowest first.
static const uint64_t p256x8_p[5] = {0xfffffffffffff, 0xfffffffffff, 0, 0x1000000000, 0xffffffff0000};

P256_INLINE __m512i p256x8_low52(void) { return _mm512_set1_epi64(0xfffffffffffff); }
P256_INLINE p256x8 p256x8_all(const uint64_t words[_Nonnull 5]) {
    p256x8 out;
    for (int i = 0; i < 5; i++) out.w[i] = _mm512_set1_epi64((long long)words[i]);
    return out;
}

/// Adds a * b to ten sums.
P256_INLINE void p256x8_product(__m512i *t, const p256x8 *a, const p256x8 *b) {
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->w[i], b->w[j]);
        for (int j = 0; j < 5; j++) t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->w[i], b->w[j]);
    }
}
/// Returns the ten sums divided by 2^260, modulo p. Because -1/p is 1 modulo 2^52, the multiple of p that clears a word is the
/// word: m p is m (2^96 + 2^192 + 2^256 - 2^224) minus the m that is cleared.
P256_INLINE p256x8 p256x8_reduce(__m512i *t) {
    const __m512i mask = p256x8_low52(), two44 = _mm512_set1_epi64(1LL << 44), two36 = _mm512_set1_epi64(1LL << 36);
    const __m512i top = _mm512_set1_epi64(0xffffffff0000);
    for (int i = 0; i < 5; i++) {
        __m512i m = _mm512_and_si512(t[i], mask);
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(t[i], 52));
        t[i + 1] = _mm512_madd52lo_epu64(t[i + 1], m, two44);
        t[i + 2] = _mm512_madd52hi_epu64(t[i + 2], m, two44);
        t[i + 3] = _mm512_madd52lo_epu64(t[i + 3], m, two36);
        t[i + 4] = _mm512_madd52hi_epu64(t[i + 4], m, two36);
        t[i + 4] = _mm512_madd52lo_epu64(t[i + 4], m, top);
        t[i + 5] = _mm512_madd52hi_epu64(t[i + 5], m, top);
    }
    p256x8 out;
    for (int i = 5; i < 9; i++) {
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(t[i], 52));
        out.w[i - 5] = _mm512_and_si512(t[i], mask);
    }
    out.w[4] = t[9];
    return out;
}
P256_INLINE p256x8 p256x8_mul(const p256x8 *a, const p256x8 *b) {
    __m512i t[10];
    for (int i = 0; i < 10; i++) t[i] = _mm512_setzero_si512();
    p256x8_product(t, a, b);
    return p256x8_reduce(t);
}
/// Returns a * b + c * d for the cost of one reduction.
P256_INLINE p256x8 p256x8_mul_sum(const p256x8 *a, const p256x8 *b, const p256x8 *c, const p256x8 *d) {
    __m512i t[10];
    for (int i = 0; i < 10; i++) t[i] = _mm512_setzero_si512();
    p256x8_product(t, a, b);
    p256x8_product(t, c, d);
    return p256x8_reduce(t);
}
P256_INLINE p256x8 p256x8_square(const p256x8 *a) {
    __m512i t[10];
    for (int i = 0; i < 10; i++) t[i] = _mm512_setzero_si512();
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 5; j++) t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->w[i], a->w[j]);
        for (int j = i + 1; j < 5; j++) t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->w[i], a->w[j]);
    }
    for (int i = 1; i < 9; i++) t[i] = _mm512_add_epi64(t[i], t[i]);
    for (int i = 0; i < 5; i++) {
        t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a->w[i], a->w[i]);
        t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a->w[i], a->w[i]);
    }
    return p256x8_reduce(t);
}

/// Returns 8 p with words so large that up to three words of 52 bits may be subtracted from each: sums with it have no sign.
P256_INLINE p256x8 p256x8_pad(void) {
    static const uint64_t words[5] = {
        0x4ffffffffffff8, 0x407ffffffffffb, 0x3ffffffffffffc, 0x40007ffffffffc, 0x7fffffff7fffc};
    return p256x8_all(words);
}
/// Makes whole words of a sum with the pad, below 2^260 in all. The part at 2^256 and above is removed as that many p.
P256_INLINE p256x8 p256x8_settle(p256x8 t) {
    const __m512i mask = p256x8_low52();
    __m512i top = _mm512_srli_epi64(t.w[4], 48);
    t.w[4] = _mm512_and_si512(t.w[4], _mm512_srli_epi64(mask, 4));
    t.w[0] = _mm512_add_epi64(t.w[0], top);
    t.w[1] = _mm512_sub_epi64(t.w[1], _mm512_slli_epi64(top, 44));
    t.w[3] = _mm512_sub_epi64(t.w[3], _mm512_slli_epi64(top, 36));
    t.w[4] = _mm512_add_epi64(t.w[4], _mm512_slli_epi64(top, 16));
    for (int i = 0; i < 4; i++) {
        t.w[i + 1] = _mm512_add_epi64(t.w[i + 1], _mm512_srli_epi64(t.w[i], 52));
        t.w[i] = _mm512_and_si512(t.w[i], mask);
    }
    return t;
}
P256_INLINE p256x8 p256x8_sub(const p256x8 *a, const p256x8 *b) {
    p256x8 t = p256x8_pad();
    for (int i = 0; i < 5; i++) t.w[i] = _mm512_add_epi64(t.w[i], _mm512_sub_epi64(a->w[i], b->w[i]));
    return p256x8_settle(t);
}
/// Returns the lanes that are 0 modulo p.
P256_INLINE __mmask8 p256x8_zeros(const p256x8 *a) {
    __m512i any = _mm512_setzero_si512(), other = _mm512_setzero_si512();
    for (int i = 0; i < 5; i++) {
        any = _mm512_or_si512(any, a->w[i]);
        other = _mm512_or_si512(other, _mm512_xor_si512(a->w[i], _mm512_set1_epi64((long long)p256x8_p[i])));
    }
    return (__mmask8)(_mm512_testn_epi64_mask(any, any) | _mm512_testn_epi64_mask(other, other));
}

/// Returns words of 52 bits from four of 64. A product reads the low 52 bits only: the bits above need not be cut.
P256_INLINE p256x8 p256x8_split(const __m512i words[_Nonnull 4]) {
    p256x8 out;
    out.w[0] = words[0];
    out.w[1] = _mm512_or_si512(_mm512_srli_epi64(words[0], 52), _mm512_slli_epi64(words[1], 12));
    out.w[2] = _mm512_or_si512(_mm512_srli_epi64(words[1], 40), _mm512_slli_epi64(words[2], 24));
    out.w[3] = _mm512_or_si512(_mm512_srli_epi64(words[2], 28), _mm512_slli_epi64(words[3], 36));
    out.w[4] = _mm512_srli_epi64(words[3], 16);
    return out;
}
/// Transposes eight rows of eight words into eight vectors, one for each index.
P256_INLINE void p256x8_transpose(__m512i rows[_Nonnull 8]) {
    __m512i a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64(rows[i], rows[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64(rows[i], rows[i + 1]);
    }
    for (int i = 0; i < 2; i++)
        for (int half = 0; half < 8; half += 4) {
            b[half + i] = _mm512_shuffle_i64x2(a[half + i], a[half + 2 + i], 0x88);
            b[half + 2 + i] = _mm512_shuffle_i64x2(a[half + i], a[half + 2 + i], 0xdd);
        }
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0x88);
        rows[i + 4] = _mm512_shuffle_i64x2(b[i], b[i + 4], 0xdd);
    }
}

#pragma clang assume_nonnull end
#endif
