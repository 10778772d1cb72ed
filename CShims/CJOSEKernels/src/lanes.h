#ifndef CJOSE_LANES_H
#define CJOSE_LANES_H
#include <stddef.h>
#include <stdint.h>

#define LIMB (((long long)1 << 52) - 1)
#if defined(CJOSE_LANES_OF_WORDS)
// The arithmetic without vector instructions: valgrind, which does not know them, runs this form of the private kernels.

#define IFMA
#define LANES_WHOLE
#define LANES_INLINE __attribute__((always_inline)) static inline
#define LANES_EACH for (int lane = 0; lane < 8; lane++)

/// One limb of each of eight numbers.
typedef struct lanes {
    uint64_t w[8];
} lanes;

LANES_INLINE lanes lanes_all(uint64_t x) { return (lanes){{x, x, x, x, x, x, x, x}}; }
LANES_INLINE lanes lanes_zero(void) { return lanes_all(0); }
#define LANES_WORDWISE(name, expression)                                                                                     \
    LANES_INLINE lanes name(lanes a, lanes b) {                                                                              \
        LANES_EACH a.w[lane] = (expression);                                                                                 \
        return a;                                                                                                            \
    }
LANES_WORDWISE(lanes_add, a.w[lane] + b.w[lane])
LANES_WORDWISE(lanes_sub, a.w[lane] - b.w[lane])
LANES_WORDWISE(lanes_and, a.w[lane] & b.w[lane])
LANES_WORDWISE(lanes_or, a.w[lane] | b.w[lane])
LANES_WORDWISE(lanes_xor, a.w[lane] ^ b.w[lane])
LANES_INLINE lanes lanes_right(lanes a, unsigned bits) {
    LANES_EACH a.w[lane] >>= bits;
    return a;
}
LANES_INLINE lanes lanes_left(lanes a, unsigned bits) {
    LANES_EACH a.w[lane] <<= bits;
    return a;
}
LANES_INLINE lanes lanes_carry(lanes a) { return lanes_right(a, 52); }
LANES_INLINE lanes lanes_sign(lanes a) {
    LANES_EACH a.w[lane] = (uint64_t)0 - (a.w[lane] >> 63);
    return a;
}
LANES_INLINE lanes lanes_signed_carry(lanes a) {
    LANES_EACH a.w[lane] = (uint64_t)((int64_t)a.w[lane] >> 52);
    return a;
}
LANES_INLINE unsigned __int128 lanes_product(uint64_t a, uint64_t b) {
    return (unsigned __int128)(a & (uint64_t)LIMB) * (b & (uint64_t)LIMB);
}
LANES_INLINE lanes lanes_low(lanes sum, lanes a, lanes b) {
    LANES_EACH sum.w[lane] += (uint64_t)lanes_product(a.w[lane], b.w[lane]) & (uint64_t)LIMB;
    return sum;
}
LANES_INLINE lanes lanes_high(lanes sum, lanes a, lanes b) {
    LANES_EACH sum.w[lane] += (uint64_t)(lanes_product(a.w[lane], b.w[lane]) >> 52);
    return sum;
}
LANES_INLINE lanes lanes_exchange(lanes a) {
    return (lanes){{a.w[4], a.w[5], a.w[6], a.w[7], a.w[0], a.w[1], a.w[2], a.w[3]}};
}
#else
#include <immintrin.h>

/// Unrolls a loop over limbs completely, so that they stay in registers.
#define LANES_WHOLE _Pragma("clang loop unroll(full)")
#define IFMA __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma")))
#define LANES_INLINE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma"), always_inline)) static inline

/// One limb of each of eight numbers.
typedef __m512i lanes;

LANES_INLINE lanes lanes_all(uint64_t x) { return _mm512_set1_epi64((long long)x); }
LANES_INLINE lanes lanes_zero(void) { return _mm512_setzero_si512(); }
LANES_INLINE lanes lanes_add(lanes a, lanes b) { return _mm512_add_epi64(a, b); }
LANES_INLINE lanes lanes_sub(lanes a, lanes b) { return _mm512_sub_epi64(a, b); }
LANES_INLINE lanes lanes_and(lanes a, lanes b) { return _mm512_and_si512(a, b); }
LANES_INLINE lanes lanes_or(lanes a, lanes b) { return _mm512_or_si512(a, b); }
LANES_INLINE lanes lanes_xor(lanes a, lanes b) { return _mm512_xor_si512(a, b); }
LANES_INLINE lanes lanes_right(lanes a, unsigned bits) { return _mm512_srl_epi64(a, _mm_cvtsi32_si128((int)bits)); }
LANES_INLINE lanes lanes_left(lanes a, unsigned bits) { return _mm512_sll_epi64(a, _mm_cvtsi32_si128((int)bits)); }
/// Returns what a sum has above its limb.
LANES_INLINE lanes lanes_carry(lanes a) { return _mm512_srli_epi64(a, 52); }
/// Returns what a sum that may be negative has above its limb.
LANES_INLINE lanes lanes_signed_carry(lanes a) { return _mm512_srai_epi64(a, 52); }
/// Returns -1 where a number is negative, and 0 elsewhere.
LANES_INLINE lanes lanes_sign(lanes a) { return _mm512_srai_epi64(a, 63); }
/// Return a sum plus the lower or the upper half of a product of limbs.
LANES_INLINE lanes lanes_low(lanes sum, lanes a, lanes b) { return _mm512_madd52lo_epu64(sum, a, b); }
LANES_INLINE lanes lanes_high(lanes sum, lanes a, lanes b) { return _mm512_madd52hi_epu64(sum, a, b); }
/// Exchanges the lower four lanes and the upper four.
LANES_INLINE lanes lanes_exchange(lanes a) { return _mm512_shuffle_i64x2(a, a, 0x4E); }
#endif

/// Returns `a` in the lanes where the mask has ones, and `b` where it has zeros.
LANES_INLINE lanes lanes_choose(lanes mask, lanes a, lanes b) { return lanes_xor(b, lanes_and(mask, lanes_xor(a, b))); }

/// Returns its argument, and hides from the compiler how it was made: a mask would become a comparison, and that a masked access to
/// memory, or a branch. MemorySanitizer, which would lose the shadow here, checks the same source without this.
LANES_INLINE lanes lanes_hidden(lanes a) {
#if !__has_feature(memory_sanitizer)
#if defined(CJOSE_LANES_OF_WORDS)
    LANES_EACH __asm__("" : "+r"(a.w[lane]));
#else
    __asm__("" : "+v"(a));
#endif
#endif
    return a;
}
#endif
