#if defined(CJOSE_ACCELERATED)
#include <string.h>

#include "rsa.h"

#if defined(__x86_64__)
#include "lanes.h"

// The public operation on one number, whose limbs are in the lanes. Montgomery's reduction follows the whole product, and does not
// alternate with its rows: m = T*n' mod R for T = a*b and n' = -n^-1 mod R, and then (T + m*n)/R. No column of these three products
// depends on another one, so that carries are waited for three times in an operation, and not once in each row.
//
// A block is eight columns of a product. For its position p, row i adds a[i] times the eight limbs of b from p - i on, of which
// those outside of b are zero. The upper halves of products belong one column higher: they are summed apart, and moved by a lane
// afterwards. A column sums at most 320 half products of 52 bits and a carry: below 2^61.

#define VECTORS_MAX 10
/// The number of sums over which rows are distributed, because each addition waits for the one before to the same sum.
#define CHAINS 4

/// One number with eight zeros before and behind its limbs. The limbs are below 2^52.
typedef struct number {
    lanes vectors[VECTORS_MAX + 2];
} number;

typedef struct block {
    lanes low, high;
} block;

typedef struct sums {
    lanes low[CHAINS], high[CHAINS];
} sums;

/// The values of a key, in the vectors that rows use.
typedef struct modulus {
    /// The limbs of n' from 8v - r on, at [v][r], and those of n from `limbs` - 1 - 8(`count` - 1 - v) - r on.
    lanes negative[VECTORS_MAX][8], n[VECTORS_MAX][8];
    /// The limbs of n from `limbs` - 2 down to 0: each meets one of m in that column.
    lanes reversed[VECTORS_MAX];
} modulus;

LANES_INLINE uint64_t *words(number *number) { return (uint64_t *)(number->vectors + 1); }
LANES_INLINE const uint64_t *words_of(const number *number) { return (const uint64_t *)(number->vectors + 1); }

LANES_INLINE void clear(sums *sums) {
    LANES_WHOLE for (int k = 0; k < CHAINS; k++) sums->low[k] = sums->high[k] = lanes_zero();
}

LANES_INLINE void add_row(sums *sums, int chain, uint64_t limb, lanes row) {
    lanes all = lanes_all(limb);
    sums->low[chain] = lanes_low(sums->low[chain], all, row);
    sums->high[chain] = lanes_high(sums->high[chain], all, row);
}

LANES_INLINE lanes total(const lanes chains[CHAINS]) {
    return lanes_add(lanes_add(chains[0], chains[1]), lanes_add(chains[2], chains[3]));
}

/// Adds the rows `from`..<`to`, an even number of them. Returns `to`.
LANES_INLINE ptrdiff_t add_rows(
    sums *sums, const uint64_t *a, const uint64_t *b, ptrdiff_t position, ptrdiff_t from, ptrdiff_t to) {
    ptrdiff_t i = from;
    _Pragma("clang loop unroll(disable)") for (; i + CHAINS <= to; i += CHAINS) {
        LANES_WHOLE for (int k = 0; k < CHAINS; k++)
            add_row(sums, k, a[i + k], _mm512_loadu_si512(b + (position - i - k)));
    }
    if (i < to) {
        add_row(sums, 0, a[i], _mm512_loadu_si512(b + (position - i)));
        add_row(sums, 1, a[i + 1], _mm512_loadu_si512(b + (position - i - 1)));
    }
    return to;
}

/// Computes a block of a*b.
LANES_INLINE block multiply_block(
    const uint64_t *a, const uint64_t *b, ptrdiff_t position, ptrdiff_t from, ptrdiff_t to) {
    sums sums;
    clear(&sums);
    add_rows(&sums, a, b, position, from, to);
    return (block){total(sums.low), total(sums.high)};
}

/// Computes a block of a product with a constant: rows `from` + r, for r of 0 to 7, meet `at[0][r]`, the next eight `at[-1]`, and so
/// on. `from` is a multiple of eight, `to` one of four.
LANES_INLINE block constant_block(const uint64_t *a, const lanes (*at)[8], ptrdiff_t from, ptrdiff_t to) {
    sums sums;
    clear(&sums);
    ptrdiff_t i = from;
    _Pragma("clang loop unroll(disable)") for (; i + 8 <= to; i += 8) {
        LANES_WHOLE for (int r = 0; r < 8; r++) add_row(&sums, r % CHAINS, a[i + r], at[-(i - from) / 8][r]);
    }
    if (i < to) {
        LANES_WHOLE for (int r = 0; r < 4; r++) add_row(&sums, r, a[i + r], at[-(i - from) / 8][r]);
    }
    return (block){total(sums.low), total(sums.high)};
}

/// Computes a block of a*a: half of the products, in which the row's limb is the lower one, doubled, and the squares of limbs.
LANES_INLINE block square_block(const uint64_t *a, ptrdiff_t position, ptrdiff_t from) {
    // The rows from the middle on meet their own limb in one of these lanes, and only higher ones in the lanes above it.
    static const __mmask8 even[CHAINS] = {0xFE, 0xF8, 0xE0, 0x80}, odd[CHAINS] = {0xFC, 0xF0, 0xC0, 0};
    bool is_odd = position % 2 != 0;
    sums sums;
    clear(&sums);
    ptrdiff_t middle = add_rows(&sums, a, a, position, from, (position + 1) / 2);
    LANES_WHOLE for (int k = 0; k < CHAINS; k++) {
        __mmask8 above = is_odd ? odd[k] : even[k];
        lanes all = lanes_all(a[middle + k]), row = _mm512_loadu_si512(a + (position - middle - k));
        sums.low[k] = _mm512_mask_madd52lo_epu64(sums.low[k], above, all, row);
        sums.high[k] = _mm512_mask_madd52hi_epu64(sums.high[k], above, all, row);
    }
    lanes low = total(sums.low), high = total(sums.high);
    __m256i four = _mm256_loadu_si256((const __m256i *)(a + middle));
    lanes own = _mm512_permutexvar_epi64(_mm512_set_epi64(3, 3, 2, 2, 1, 1, 0, 0), _mm512_castsi256_si512(four));
    __mmask8 at = is_odd ? 0xAA : 0x55;
    return (block){
        _mm512_mask_madd52lo_epu64(lanes_add(low, low), at, own, own),
        _mm512_mask_madd52hi_epu64(lanes_add(high, high), at, own, own)};
}

/// Lets carries run through the limbs one by one. Returns what is above them.
__attribute__((noinline, cold)) static uint64_t ripple(uint64_t *limbs, size_t count) {
    uint64_t carry = 0;
    for (size_t i = 0; i < count; i++) {
        limbs[i] += carry;
        carry = limbs[i] >> 52;
        limbs[i] &= (uint64_t)LIMB;
    }
    return carry;
}

/// Turns columns into limbs, and sets the lanes behind the last one to zero. Returns what is above the limbs.
LANES_INLINE uint64_t normalize(lanes *columns, size_t limbs, number *out) {
    const size_t count = (limbs + 7) / 8, last = (limbs - 1) % 8;
    lanes carries[VECTORS_MAX], exceeding = lanes_zero();
    LANES_WHOLE for (size_t v = 0; v < count; v++) carries[v] = lanes_carry(columns[v]);
    LANES_WHOLE for (size_t v = 0; v < count; v++) {
        lanes from_below = _mm512_alignr_epi64(carries[v], v != 0 ? carries[v - 1] : lanes_zero(), 7);
        lanes limb = lanes_add(lanes_and(columns[v], lanes_all(LIMB)), from_below);
        if (v == count - 1) limb = _mm512_maskz_mov_epi64((__mmask8)(0xFF >> (7 - last)), limb);
        exceeding = lanes_or(exceeding, limb);
        out->vectors[v + 1] = limb;
    }
    uint64_t carry = (uint64_t)carries[count - 1][last];
    // A limb that still exceeds 52 bits was within 2^9 of its end: one in 2^43, unless somebody chose the number.
    if (__builtin_expect(_mm512_test_epi64_mask(exceeding, lanes_all(~(uint64_t)LIMB)) != 0, 0))
        carry += ripple(words(out), limbs);
    return carry;
}

/// Moves the upper halves of the lowest columns to their places.
LANES_INLINE void join(const block *blocks, size_t count, lanes *columns) {
    LANES_WHOLE for (size_t v = 0; v < count; v++) {
        lanes below = v != 0 ? blocks[v - 1].high : lanes_zero();
        columns[v] = lanes_add(blocks[v].low, _mm512_alignr_epi64(blocks[v].high, below, 7));
    }
}

/// Computes an almost-Montgomery product: a*b/R modulo n, below 2n where a and b are (R > 4n). `out` may be `a` or `b`.
LANES_INLINE void reduce_product(
    const number *a_number, const number *b_number, const modulus *modulus, size_t limbs, bool is_square, number *out) {
    const uint64_t *a = words_of(a_number), *b = words_of(b_number);
    const ptrdiff_t count = (ptrdiff_t)((limbs + 7) / 8), end = (ptrdiff_t)limbs;
    block blocks[VECTORS_MAX], upper[VECTORS_MAX];
    lanes columns[VECTORS_MAX];
    number low, m;

    // T, of which the upper part begins at the last column of the lower one: that is where its upper halves belong to.
    for (ptrdiff_t v = 0; v < count; v++)
        blocks[v] = is_square ? square_block(a, 8 * v, 0)
                              : multiply_block(a, b, 8 * v, 0, 8 * v + 8 < end ? 8 * v + 8 : end);
    join(blocks, (size_t)count, columns);
    uint64_t carry = normalize(columns, limbs, &low);
    for (ptrdiff_t v = 0; v < count; v++)
        upper[v] = is_square ? square_block(a, end - 1 + 8 * v, 8 * v)
                             : multiply_block(a, b, end - 1 + 8 * v, 8 * v, end);

    // m = T*n' mod R.
    for (ptrdiff_t v = 0; v < count; v++)
        blocks[v] = constant_block(words_of(&low), modulus->negative + v, 0, 8 * v + 8 < end ? 8 * v + 8 : end);
    join(blocks, (size_t)count, columns);
    normalize(columns, limbs, &m);

    // (T + m*n)/R. The lower part of the sum is a multiple of R, and the columns below its last one add less than 2^9 to it: the
    // last column determines the quotient.
    lanes before[2] = {lanes_zero(), lanes_zero()};
    LANES_WHOLE for (ptrdiff_t v = 0; v < count; v++)
        before[v % 2] = lanes_high(before[v % 2], m.vectors[v + 1], modulus->reversed[v]);
    uint64_t sum = (uint64_t)_mm512_reduce_add_epi64(lanes_add(before[0], before[1]));
    for (ptrdiff_t v = 0; v < count; v++) {
        block more = constant_block(words_of(&m), modulus->n + count - 1, 8 * v, end);
        if (v == 0) sum += (uint64_t)more.low[0];
        upper[v].low = lanes_add(upper[v].low, more.low);
        upper[v].high = lanes_add(upper[v].high, more.high);
    }
    carry += (sum + words_of(&low)[limbs - 1] + (uint64_t)LIMB) >> 52;
    LANES_WHOLE for (ptrdiff_t v = 0; v < count; v++) {
        lanes above = v + 1 < count ? upper[v + 1].low : lanes_zero();
        columns[v] = lanes_add(upper[v].high, _mm512_alignr_epi64(above, upper[v].low, 1));
    }
    columns[0] = lanes_add(columns[0], _mm512_maskz_set1_epi64(1, (long long)carry));
    normalize(columns, limbs, out);
}

// The number of limbs is known to the compiler: 40, 60 or 80.
#define OPERATIONS(limbs)                                                                                                      \
    IFMA __attribute__((noinline)) static void multiply_##limbs(                                                               \
        const number *a, const number *b, const modulus *modulus, number *out) {                                               \
        reduce_product(a, b, modulus, limbs, false, out);                                                                      \
    }                                                                                                                          \
    IFMA __attribute__((noinline)) static void square_##limbs(number *x, const modulus *modulus) {                             \
        reduce_product(x, x, modulus, limbs, true, x);                                                                         \
    }
OPERATIONS(40)
OPERATIONS(60)
OPERATIONS(80)

typedef struct operations {
    void (*multiply)(const number *a, const number *b, const modulus *modulus, number *out);
    void (*square)(number *x, const modulus *modulus);
} operations;

static operations operations_of(size_t limbs) {
    if (limbs == 40) return (operations){multiply_40, square_40};
    if (limbs == 60) return (operations){multiply_60, square_60};
    return (operations){multiply_80, square_80};
}

/// Copies limbs. Those behind the last one are zero.
IFMA static void load(const uint64_t *limbs, size_t count, number *out) {
    for (size_t v = 0; v < count / 8 + 3 && v < VECTORS_MAX + 2; v++) out->vectors[v] = lanes_zero();
    memcpy(words(out), limbs, count * sizeof *limbs);
}

/// Arranges the values of a key for its rows, so that none of their loads crosses a cache line. That takes some hundredths of the
/// operation; keeping the result would take up to ten kilobytes for each key.
IFMA static void arrange(const cjose_kernel_rsa_key *key, size_t limbs, modulus *out) {
    const ptrdiff_t count = (ptrdiff_t)(limbs + 7) / 8;
    number negative, n;
    load(key->negative, limbs, &negative);
    load(key->n, limbs, &n);
    const uint64_t *top = words_of(&n) + limbs - 1;
    for (ptrdiff_t v = 0; v < count; v++)
        for (ptrdiff_t r = 0; r < 8; r++) {
            out->negative[v][r] = _mm512_loadu_si512(words_of(&negative) + 8 * v - r);
            out->n[v][r] = _mm512_loadu_si512(top - 8 * (count - 1 - v) - r);
        }
    const lanes turned = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (ptrdiff_t v = 0; v < count; v++)
        out->reversed[v] = _mm512_permutexvar_epi64(turned, _mm512_loadu_si512(top - 8 - 8 * v));
}

/// Whether x < n.
static bool is_below(const uint64_t *x, const uint64_t *n, size_t limbs) {
    while (limbs-- > 0)
        if (x[limbs] != n[limbs]) return x[limbs] < n[limbs];
    return false;
}

IFMA bool cjose_kernel_rsa_power_single_ifma(const cjose_kernel_rsa_key *key, const uint8_t *base, uint8_t *power) {
    const size_t limbs = key->blocks * RSA_BLOCK;
    const operations use = operations_of(limbs);
    uint64_t limbs_of_base[RSA_LIMBS_MAX];
    modulus modulus;
    number plain, form, x;
    cjose_kernel_limbs_read(base, key->bytes, limbs_of_base, limbs);
    // RFC 8017, 5.2.2, step 1.
    if (!is_below(limbs_of_base, key->n, limbs)) return false;
    arrange(key, limbs, &modulus);
    load(limbs_of_base, limbs, &plain);
    load(key->square, limbs, &x);
    use.multiply(&plain, &x, &modulus, &x);
    form = x;
    for (int bit = 62 - __builtin_clzll(key->e); bit >= 0; bit--) {
        use.square(&x, &modulus);
        // The exponent is odd: the last product, with the plain base, leaves Montgomery form.
        if (key->e >> bit & 1) use.multiply(&x, bit == 0 ? &plain : &form, &modulus, &x);
    }
    uint64_t *result = words(&x);
    if (!is_below(result, key->n, limbs)) {
        int64_t borrow = 0;
        for (size_t i = 0; i < limbs; i++) {
            int64_t difference = (int64_t)(result[i] - key->n[i]) + borrow;
            result[i] = (uint64_t)difference & (uint64_t)LIMB;
            borrow = difference >> 63;
        }
    }
    cjose_kernel_limbs_write(result, limbs, power, key->bytes);
    return true;
}
#endif
#endif
