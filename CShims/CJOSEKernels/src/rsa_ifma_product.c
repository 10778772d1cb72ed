#if defined(CJOSE_ACCELERATED)
#include "rsa.h"

#if defined(__x86_64__)
#include "rsa_ifma.h"

// Products are computed in blocks of ten columns, whose sums stay in registers. A column sums at most 320 half products of 52
// bits (80 limbs; low and high halves; of a*b and of m*n) and a carry: below 2^61.

#define INLINE __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512ifma"), always_inline)) static inline
#define WHOLE _Pragma("clang loop unroll(full)")
#define W RSA_BLOCK

#define LOW(sum, a, b) ((sum) = _mm512_madd52lo_epu64((sum), (a), (b)))
#define HIGH(sum, a, b) ((sum) = _mm512_madd52hi_epu64((sum), (a), (b)))

/// Adds `count` rows to all columns of the block: row i meets b[t - i] in column t, and the high half of the product in the
/// column before.
INLINE void add_rows(lanes sum[W], const lanes *a, const lanes *b, size_t count) {
    _Pragma("clang loop unroll_count(5)")
    for (size_t i = 0; i < count; i++, b--) {
        WHOLE for (int t = 0; t < W; t++) LOW(sum[t], a[i], b[t]);
        WHOLE for (int t = 0; t < W; t++) HIGH(sum[t], a[i], b[t - 1]);
    }
}

/// Adds the columns of one block of rows by one block of b that fall into the block where both begin.
INLINE void add_lower(lanes sum[W], const lanes *a, const lanes *b) {
    WHOLE for (int r = 0; r < W; r++) {
        WHOLE for (int s = 0; s < W - r; s++) LOW(sum[r + s], a[r], b[s]);
        WHOLE for (int s = 0; s < W - r - 1; s++) HIGH(sum[r + s + 1], a[r], b[s]);
    }
}

/// Adds the columns of one block of rows by one block of b that fall into the next block.
INLINE void add_upper(lanes sum[W], const lanes *a, const lanes *b) {
    WHOLE for (int r = 0; r < W; r++) {
        WHOLE for (int s = W - r; s < W; s++) LOW(sum[r + s - W], a[r], b[s]);
        WHOLE for (int s = W - r - 1; s < W; s++) HIGH(sum[r + s + 1 - W], a[r], b[s]);
    }
}

/// Adds the products of a block with itself: each pair once, without the squares.
INLINE void add_own_lower(lanes sum[W], const lanes *a) {
    WHOLE for (int r = 0; r < W; r++) {
        WHOLE for (int s = r + 1; s < W - r; s++) LOW(sum[r + s], a[r], a[s]);
        WHOLE for (int s = r + 1; s < W - r - 1; s++) HIGH(sum[r + s + 1], a[r], a[s]);
    }
}

INLINE void add_own_upper(lanes sum[W], const lanes *a) {
    WHOLE for (int r = 0; r < W; r++) {
        WHOLE for (int s = r + 1; s < W; s++) {
            if (r + s >= W) LOW(sum[r + s - W], a[r], a[s]);
            if (r + s + 1 >= W) HIGH(sum[r + s + 1 - W], a[r], a[s]);
        }
    }
}

INLINE void clear(lanes sum[W]) {
    WHOLE for (int t = 0; t < W; t++) sum[t] = _mm512_setzero_si512();
}

/// Completes a block of the lower half: computes the limbs of m that make its columns zero modulo 2^52, and returns the carry.
INLINE lanes end_lower(
    lanes sum[W], lanes carry, size_t block, const rsa_modulus *modulus, lanes *m) {
    const lanes *n = modulus->n;
    add_rows(sum, m, n + block * W, block * W);
    WHOLE for (int r = 0; r < W; r++) {
        sum[r] = _mm512_add_epi64(sum[r], carry);
        lanes limb = _mm512_madd52lo_epu64(_mm512_setzero_si512(), sum[r], modulus->inverse);
        m[block * W + (size_t)r] = limb;
        WHOLE for (int s = 0; s < W - r; s++) LOW(sum[r + s], limb, n[s]);
        WHOLE for (int s = 0; s < W - r - 1; s++) HIGH(sum[r + s + 1], limb, n[s]);
        carry = _mm512_srli_epi64(sum[r], 52);
    }
    return carry;
}

/// Completes a block of the upper half, whose columns are limbs of the result.
INLINE lanes end_upper(
    lanes sum[W], lanes carry, size_t block, const rsa_modulus *modulus, const lanes *m, lanes *out) {
    size_t blocks = modulus->blocks, first = (block - blocks + 1) * W;
    add_upper(sum, m + first - W, modulus->n + (blocks - 1) * W);
    add_rows(sum, m + first, modulus->n + block * W - first, blocks * W - first);
    WHOLE for (int t = 0; t < W; t++) {
        sum[t] = _mm512_add_epi64(sum[t], carry);
        out[first - W + (size_t)t] = _mm512_and_si512(sum[t], _mm512_set1_epi64(LIMB));
        carry = _mm512_srli_epi64(sum[t], 52);
    }
    return carry;
}

IFMA void rsa_multiply(const lanes *a, const lanes *b, const rsa_modulus *modulus, lanes *out) {
    lanes m[RSA_LIMBS_MAX], sum[W], carry = _mm512_setzero_si512();
    size_t blocks = modulus->blocks;
    for (size_t block = 0; block < blocks; block++) {
        clear(sum);
        add_rows(sum, a, b + block * W, block * W);
        add_lower(sum, a + block * W, b);
        carry = end_lower(sum, carry, block, modulus, m);
    }
    for (size_t block = blocks; block < 2 * blocks; block++) {
        size_t first = (block - blocks + 1) * W;
        clear(sum);
        add_upper(sum, a + first - W, b + (blocks - 1) * W);
        add_rows(sum, a + first, b + block * W - first, blocks * W - first);
        carry = end_upper(sum, carry, block, modulus, m, out);
    }
}

/// Squares by half of the products, doubled, and the squares of the limbs.
IFMA void rsa_square(const lanes *a, const rsa_modulus *modulus, lanes *out) {
    lanes m[RSA_LIMBS_MAX], sum[W], carry = _mm512_setzero_si512();
    size_t blocks = modulus->blocks;
    for (size_t block = 0; block < 2 * blocks; block++) {
        // Rows before the middle meet only limbs above their own.
        size_t middle = block / 2, first = 0;
        clear(sum);
        if (block >= blocks) {
            first = block - blocks + 1;
            if (first <= middle) add_upper(sum, a + (first - 1) * W, a + (blocks - 1) * W);
        }
        if (first < middle) add_rows(sum, a + first * W, a + (block - first) * W, (middle - first) * W);
        if (block % 2 == 0) {
            add_own_lower(sum, a + middle * W);
        } else {
            add_own_upper(sum, a + middle * W);
            if (middle + 1 < blocks) add_lower(sum, a + middle * W, a + (middle + 1) * W);
        }
        WHOLE for (int t = 0; t < W; t += 2) {
            lanes limb = a[(block * W + (size_t)t) / 2];
            sum[t] = _mm512_madd52lo_epu64(_mm512_add_epi64(sum[t], sum[t]), limb, limb);
            sum[t + 1] = _mm512_madd52hi_epu64(_mm512_add_epi64(sum[t + 1], sum[t + 1]), limb, limb);
        }
        carry = block < blocks ? end_lower(sum, carry, block, modulus, m)
                               : end_upper(sum, carry, block, modulus, m, out);
    }
}
#endif
#endif
