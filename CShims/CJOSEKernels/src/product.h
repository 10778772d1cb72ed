#ifndef CJOSE_PRODUCT_H
#define CJOSE_PRODUCT_H
#include "lanes.h"

/// The number of columns, and of limbs of 52 bits, in a block. Each file that includes this one defines PRODUCT_LIMBS_MAX first.
#define COLUMNS 10

typedef struct product_modulus {
    const lanes *n;
    /// The number -n^-1 mod 2^52.
    lanes inverse;
    size_t blocks;
} product_modulus;

// Products are computed in blocks of ten columns, whose sums stay in registers. A column sums at most 320 half products of 52
// bits (80 limbs; low and high halves; of a*b and of m*n) and a carry: below 2^61.

#define PRODUCT_LOW(sum, a, b) ((sum) = lanes_low((sum), (a), (b)))
#define PRODUCT_HIGH(sum, a, b) ((sum) = lanes_high((sum), (a), (b)))

/// Adds `count` rows to all columns of the block: row i meets b[t - i] in column t, and the high half of the product in the
/// column before.
LANES_INLINE void product_add_rows(lanes sum[COLUMNS], const lanes *a, const lanes *b, size_t count) {
    _Pragma("clang loop unroll_count(5)")
    for (size_t i = 0; i < count; i++, b--) {
        LANES_WHOLE for (int t = 0; t < COLUMNS; t++) PRODUCT_LOW(sum[t], a[i], b[t]);
        LANES_WHOLE for (int t = 0; t < COLUMNS; t++) PRODUCT_HIGH(sum[t], a[i], b[t - 1]);
    }
}

/// Adds the columns of one block of rows by one block of b that fall into the block where both begin.
LANES_INLINE void product_add_lower(lanes sum[COLUMNS], const lanes *a, const lanes *b) {
    LANES_WHOLE for (int r = 0; r < COLUMNS; r++) {
        LANES_WHOLE for (int s = 0; s < COLUMNS - r; s++) PRODUCT_LOW(sum[r + s], a[r], b[s]);
        LANES_WHOLE for (int s = 0; s < COLUMNS - r - 1; s++) PRODUCT_HIGH(sum[r + s + 1], a[r], b[s]);
    }
}

/// Adds the columns of one block of rows by one block of b that fall into the next block.
LANES_INLINE void product_add_upper(lanes sum[COLUMNS], const lanes *a, const lanes *b) {
    LANES_WHOLE for (int r = 0; r < COLUMNS; r++) {
        LANES_WHOLE for (int s = COLUMNS - r; s < COLUMNS; s++) PRODUCT_LOW(sum[r + s - COLUMNS], a[r], b[s]);
        LANES_WHOLE for (int s = COLUMNS - r - 1; s < COLUMNS; s++) PRODUCT_HIGH(sum[r + s + 1 - COLUMNS], a[r], b[s]);
    }
}

/// Adds the products of a block with itself: each pair once, without the squares.
LANES_INLINE void product_add_own_lower(lanes sum[COLUMNS], const lanes *a) {
    LANES_WHOLE for (int r = 0; r < COLUMNS; r++) {
        LANES_WHOLE for (int s = r + 1; s < COLUMNS - r; s++) PRODUCT_LOW(sum[r + s], a[r], a[s]);
        LANES_WHOLE for (int s = r + 1; s < COLUMNS - r - 1; s++) PRODUCT_HIGH(sum[r + s + 1], a[r], a[s]);
    }
}

LANES_INLINE void product_add_own_upper(lanes sum[COLUMNS], const lanes *a) {
    LANES_WHOLE for (int r = 0; r < COLUMNS; r++) {
        LANES_WHOLE for (int s = r + 1; s < COLUMNS; s++) {
            if (r + s >= COLUMNS) PRODUCT_LOW(sum[r + s - COLUMNS], a[r], a[s]);
            if (r + s + 1 >= COLUMNS) PRODUCT_HIGH(sum[r + s + 1 - COLUMNS], a[r], a[s]);
        }
    }
}

LANES_INLINE void product_clear(lanes sum[COLUMNS]) {
    LANES_WHOLE for (int t = 0; t < COLUMNS; t++) sum[t] = lanes_zero();
}

/// Completes a block of the lower half: computes the limbs of m that make its columns zero modulo 2^52, and returns the carry.
LANES_INLINE lanes product_end_lower(
    lanes sum[COLUMNS], lanes carry, size_t block, const product_modulus *modulus, lanes *m) {
    const lanes *n = modulus->n;
    product_add_rows(sum, m, n + block * COLUMNS, block * COLUMNS);
    LANES_WHOLE for (int r = 0; r < COLUMNS; r++) {
        sum[r] = lanes_add(sum[r], carry);
        lanes limb = lanes_low(lanes_zero(), sum[r], modulus->inverse);
        m[block * COLUMNS + (size_t)r] = limb;
        LANES_WHOLE for (int s = 0; s < COLUMNS - r; s++) PRODUCT_LOW(sum[r + s], limb, n[s]);
        LANES_WHOLE for (int s = 0; s < COLUMNS - r - 1; s++) PRODUCT_HIGH(sum[r + s + 1], limb, n[s]);
        carry = lanes_carry(sum[r]);
    }
    return carry;
}

/// Completes a block of the upper half, whose columns are limbs of the result.
LANES_INLINE lanes product_end_upper(
    lanes sum[COLUMNS], lanes carry, size_t block, const product_modulus *modulus, const lanes *m, lanes *out) {
    size_t blocks = modulus->blocks, first = (block - blocks + 1) * COLUMNS;
    product_add_upper(sum, m + first - COLUMNS, modulus->n + (blocks - 1) * COLUMNS);
    product_add_rows(sum, m + first, modulus->n + block * COLUMNS - first, blocks * COLUMNS - first);
    LANES_WHOLE for (int t = 0; t < COLUMNS; t++) {
        sum[t] = lanes_add(sum[t], carry);
        out[first - COLUMNS + (size_t)t] = lanes_and(sum[t], lanes_all(LIMB));
        carry = lanes_carry(sum[t]);
    }
    return carry;
}

/// Computes almost-Montgomery products: a*b/R modulo n, below 2n where a and b are (R > 4n). Limbs are below 2^52, going in and
/// coming out. `out` is none of the others.
LANES_INLINE void product_multiply(const lanes *a, const lanes *b, const product_modulus *modulus, lanes *out) {
    lanes m[PRODUCT_LIMBS_MAX], sum[COLUMNS], carry = lanes_zero();
    size_t blocks = modulus->blocks;
    for (size_t block = 0; block < blocks; block++) {
        product_clear(sum);
        product_add_rows(sum, a, b + block * COLUMNS, block * COLUMNS);
        product_add_lower(sum, a + block * COLUMNS, b);
        carry = product_end_lower(sum, carry, block, modulus, m);
    }
    for (size_t block = blocks; block < 2 * blocks; block++) {
        size_t first = (block - blocks + 1) * COLUMNS;
        product_clear(sum);
        product_add_upper(sum, a + first - COLUMNS, b + (blocks - 1) * COLUMNS);
        product_add_rows(sum, a + first, b + block * COLUMNS - first, blocks * COLUMNS - first);
        carry = product_end_upper(sum, carry, block, modulus, m, out);
    }
}

/// Squares by half of the products, doubled, and the squares of the limbs.
LANES_INLINE void product_square(const lanes *a, const product_modulus *modulus, lanes *out) {
    lanes m[PRODUCT_LIMBS_MAX], sum[COLUMNS], carry = lanes_zero();
    size_t blocks = modulus->blocks;
    for (size_t block = 0; block < 2 * blocks; block++) {
        // Rows before the middle meet only limbs above their own.
        size_t middle = block / 2, first = 0;
        product_clear(sum);
        if (block >= blocks) {
            first = block - blocks + 1;
            if (first <= middle) product_add_upper(sum, a + (first - 1) * COLUMNS, a + (blocks - 1) * COLUMNS);
        }
        if (first < middle)
            product_add_rows(sum, a + first * COLUMNS, a + (block - first) * COLUMNS, (middle - first) * COLUMNS);
        if (block % 2 == 0) {
            product_add_own_lower(sum, a + middle * COLUMNS);
        } else {
            product_add_own_upper(sum, a + middle * COLUMNS);
            if (middle + 1 < blocks) product_add_lower(sum, a + middle * COLUMNS, a + (middle + 1) * COLUMNS);
        }
        LANES_WHOLE for (int t = 0; t < COLUMNS; t += 2) {
            lanes limb = a[(block * COLUMNS + (size_t)t) / 2];
            sum[t] = lanes_low(lanes_add(sum[t], sum[t]), limb, limb);
            sum[t + 1] = lanes_high(lanes_add(sum[t + 1], sum[t + 1]), limb, limb);
        }
        carry = block < blocks ? product_end_lower(sum, carry, block, modulus, m)
                               : product_end_upper(sum, carry, block, modulus, m, out);
    }
}

#endif
