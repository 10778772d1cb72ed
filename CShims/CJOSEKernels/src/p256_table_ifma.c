#if defined(CJOSE_ACCELERATED)
#include "p256_internal.h"

#if defined(__x86_64__)
#include "p256_ifma_sums.h"

/// The number of multiples of each lane that share an inversion.
enum { CHUNK = 32 };

/// Returns the eight numbers in the form of the tables: times 2^256, below p, in four words of 64 bits.
P256_INLINE void join(const p256x8 *a, __m512i words[_Nonnull 4]) {
    const p256x8 factor = p256x8_all(p256x8_sixteenth);
    p256x8 t = p256x8_mul(a, &factor), less;
    __m512i borrow = _mm512_setzero_si512();
    for (int i = 0; i < 5; i++) {
        less.w[i] = _mm512_add_epi64(_mm512_sub_epi64(t.w[i], _mm512_set1_epi64((long long)p256x8_p[i])), borrow);
        borrow = _mm512_srai_epi64(less.w[i], 63);
        less.w[i] = _mm512_and_si512(less.w[i], p256x8_low52());
    }
    const __mmask8 is_below = _mm512_movepi64_mask(borrow);
    for (int i = 0; i < 5; i++) t.w[i] = _mm512_mask_mov_epi64(less.w[i], is_below, t.w[i]);
    for (int i = 0; i < 4; i++)
        words[i] = _mm512_or_si512(_mm512_srli_epi64(t.w[i], 12 * (unsigned)i), _mm512_slli_epi64(t.w[i + 1], 52 - 12 * (unsigned)i));
}

/// Loads a point for each lane.
P256_INLINE void load(const p256_affine *from, p256x8 *x, p256x8 *y) {
    const p256x8 sixteen = p256x8_all(p256x8_sixteen);
    __m512i rows[8];
    for (int lane = 0; lane < P256_LANES; lane++) rows[lane] = _mm512_load_si512(&from[lane]);
    p256x8_transpose(rows);
    *x = p256x8_split(rows), *y = p256x8_split(rows + 4);
    *x = p256x8_mul(x, &sixteen), *y = p256x8_mul(y, &sixteen);
}

/// Returns the inverses of the eight numbers, none of which is zero modulo p.
P256_TARGET static p256x8 invert(const p256x8 *a) {
    __attribute__((aligned(64))) uint64_t lanes[4][P256_LANES];
    __m512i words[4];
    p256_words numbers[P256_LANES], products[P256_LANES], one;
    join(a, words);
    for (int i = 0; i < 4; i++) _mm512_store_si512(lanes[i], words[i]);
    for (int lane = 0; lane < P256_LANES; lane++) {
        for (int i = 0; i < 4; i++) numbers[lane].w[i] = lanes[i][lane];
        products[lane] = lane == 0 ? numbers[0] : p256_mul(&products[lane - 1], &numbers[lane]);
    }
    p256_words inverse = p256_inverse(&products[P256_LANES - 1], &p256_p, p256_p_low);
    inverse = p256_mul(&inverse, &p256_inverse_into);
    for (int lane = P256_LANES - 1; lane >= 0; lane--) {
        one = lane == 0 ? inverse : p256_mul(&inverse, &products[lane - 1]);
        inverse = p256_mul(&inverse, &numbers[lane]);
        for (int i = 0; i < 4; i++) lanes[i][lane] = one.w[i];
    }
    const p256x8 sixteen = p256x8_all(p256x8_sixteen);
    for (int i = 0; i < 4; i++) words[i] = _mm512_load_si512(lanes[i]);
    p256x8 out = p256x8_split(words);
    return p256x8_mul(&out, &sixteen);
}

/// Adds `2^(bits * i + 1) * base` to the multiple of each window.
P256_INLINE void add(p256x8_point *sum, const p256x8 *x, const p256x8 *y) {
    const p256x8 zero = {{_mm512_setzero_si512()}};
    p256x8 u = p256x8_mul(x, &sum->zz), s = p256x8_mul(y, &sum->zzz), remainder;
    // The operands are reversed, so that the cube is negative.
    p256x8 difference = p256x8_sub(&sum->x, &u), r = p256x8_sub(&s, &sum->y);
    p256x8 square = p256x8_square(&difference), rr = p256x8_square(&r);
    p256x8 q = p256x8_mul(&sum->x, &square), cube = p256x8_mul(&difference, &square);
    p256x8_next_x(&rr, &cube, &q, &sum->x, &remainder);
    sum->y = p256x8_mul_sum(&r, &remainder, &sum->y, &cube);
    cube = p256x8_sub(&zero, &cube);
    sum->zz = p256x8_mul(&sum->zz, &square), sum->zzz = p256x8_mul(&sum->zzz, &cube);
}

/// Writes `count` multiples of each of eight windows, whose rows are `entries` apart.
P256_TARGET static void write_affine(const p256x8_point *points, size_t count, p256_affine *table, size_t entries) {
    p256x8 products[CHUNK];
    products[0] = points[0].zzz;
    for (size_t i = 1; i < count; i++) products[i] = p256x8_mul(&products[i - 1], &points[i].zzz);
    p256x8 inverse = invert(&products[count - 1]);
    for (size_t i = count; i-- > 0;) {
        p256x8 one = i == 0 ? inverse : p256x8_mul(&inverse, &products[i - 1]);
        inverse = p256x8_mul(&inverse, &points[i].zzz);
        // 1 / ZZ = (ZZ / ZZZ)^2.
        p256x8 t = p256x8_mul(&one, &points[i].zz);
        t = p256x8_square(&t);
        p256x8 x = p256x8_mul(&points[i].x, &t), y = p256x8_mul(&points[i].y, &one);
        __m512i rows[8];
        join(&x, rows), join(&y, rows + 4);
        p256x8_transpose(rows);
        for (int lane = 0; lane < P256_LANES; lane++) _mm512_store_si512(&table[(size_t)lane * entries + i], rows[lane]);
    }
}

P256_TARGET void p256_fill_windows_ifma(p256_affine *table, size_t entries, const p256_affine *starts, const p256_affine *twices) {
    static const uint64_t one[5] = {0x10, 0xf000000000000, 0xfffffffffffff, 0xffeffffffffff, 0xfffff};  // 2^260
    p256x8_point points[CHUNK], running;
    p256x8 x, y;
    load(starts, &running.x, &running.y);
    running.zz = running.zzz = p256x8_all(one);
    load(twices, &x, &y);
    points[0] = running;
    size_t count = 1;
    for (size_t i = 1; i <= entries; i++) {
        if (count == CHUNK || i == entries) write_affine(points, count, table + i - count, entries), count = 0;
        if (i < entries) add(&running, &x, &y), points[count++] = running;
    }
}
#endif
#endif
