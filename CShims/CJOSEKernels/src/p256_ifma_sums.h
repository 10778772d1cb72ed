#ifndef CJOSE_P256_IFMA_SUMS_H
#define CJOSE_P256_IFMA_SUMS_H
#include "p256_ifma_field.h"

#pragma clang assume_nonnull begin

/// Eight points with x = X / ZZ and y = Y / ZZZ, up to the sign of y, which all lanes have or do not have: each sum
/// changes it.
typedef struct p256x8_point {
    p256x8 x, y, zz, zzz;
} p256x8_point;

/// The number of steps that points are prefetched ahead: the reorder buffer does not reach from one step to the next.
enum { P256_AHEAD = 2 };

/// Sixteen in the form of these lanes: 2^264. The tables lack a factor of 16 to that form, because they contain x and y
/// times 2^256; ZZ and ZZZ with 16 times their value compensate for it in each sum.
static const uint64_t p256x8_sixteen[5] = {0x100, 0x0, 0xfffffffffffff, 0xfefffffffffff, 0xffffff};
/// The sixteenth in the form of these lanes: 2^256.
static const uint64_t p256x8_sixteenth[5] = {0x1, 0xff00000000000, 0xfffffffffffff, 0xfffefffffffff, 0xffff};

/// The assignment of lanes: lane i has the part `i % ways` of signature `i / ways`, whose points are in the windows
/// part, part + ways and so on.
typedef struct p256x8_plan {
    const p256_affine *_Nonnull points[P256_LANES][P256_WINDOWS + P256_AHEAD];
    uint8_t negative[P256_WINDOWS];
} p256x8_plan;
_Static_assert(P256_WINDOWS % P256_LANES == 0, "all parts of a signature are of one length");

static inline void p256x8_plan_make(const p256_job *jobs, size_t count, unsigned ways, p256x8_plan *out) {
    for (unsigned step = 0; step < P256_WINDOWS / ways; step++) out->negative[step] = 0;
    for (unsigned lane = 0; lane < P256_LANES; lane++) {
        const p256_job *job = &jobs[lane / ways < count ? lane / ways : 0];
        for (unsigned step = 0, window = lane % ways; window < P256_WINDOWS; step++, window += ways) {
            out->points[lane][step] = p256_job_point(job, window);
            out->negative[step] |= (uint8_t)((job->digits[window] >> 15) << lane);
        }
        for (unsigned step = P256_WINDOWS / ways, end = step + P256_AHEAD; step < end; step++)
            out->points[lane][step] = out->points[lane][0];
    }
}

/// Loads the eight points of a step.
P256_INLINE void p256x8_load(const p256x8_plan *from, unsigned step, p256x8 *x, p256x8 *y) {
    __m512i rows[8];
    for (int lane = 0; lane < P256_LANES; lane++) {
        rows[lane] = _mm512_load_si512(from->points[lane][step]);
        _mm_prefetch((const char *)from->points[lane][step + P256_AHEAD], _MM_HINT_T0);
    }
    p256x8_transpose(rows);
    *x = p256x8_split(rows), *y = p256x8_split(rows + 4);
}

/// Computes X of a sum, and q - X, neither of which depends on the other.
P256_INLINE void p256x8_next_x(const p256x8 *rr, const p256x8 *cube, const p256x8 *q, p256x8 *x, p256x8 *remainder) {
    p256x8 sum = p256x8_pad(), less = sum;
    for (int i = 0; i < 5; i++) {
        __m512i plus = _mm512_add_epi64(rr->w[i], cube->w[i]), twice = _mm512_add_epi64(q->w[i], q->w[i]);
        sum.w[i] = _mm512_add_epi64(sum.w[i], _mm512_sub_epi64(plus, twice));
        less.w[i] = _mm512_add_epi64(less.w[i], _mm512_sub_epi64(_mm512_add_epi64(twice, q->w[i]), plus));
    }
    *x = p256x8_settle(sum), *remainder = p256x8_settle(less);
}
/// Keeps loads on their side of it without emitting an instruction. With the whole step left to the compiler's
/// scheduler a batch takes a quarter longer.
#define P256_IN_ORDER() __asm__ volatile("" ::: "memory")

/// Adds the points of a step, whose y is negated in some lanes. The order suits the reorder buffer, which is shorter
/// than a sum: beside each product that waits for operands there is one that does not.
P256_INLINE void p256x8_add_step(p256x8_point *sum, const p256x8_plan *plan, unsigned step, uint8_t flip) {
    const __mmask8 negative = plan->negative[step] ^ flip;
    p256x8 x, y, r = p256x8_pad(), remainder;
    p256x8_load(plan, step, &x, &y);
    P256_IN_ORDER();
    x = p256x8_mul(&x, &sum->zz), y = p256x8_mul(&y, &sum->zzz);
    // The operands are reversed, so that the cube is negative.
    p256x8 difference = p256x8_sub(&sum->x, &x);
    for (int i = 0; i < 5; i++) {
        __m512i less = _mm512_sub_epi64(r.w[i], sum->y.w[i]);
        r.w[i] = _mm512_mask_sub_epi64(_mm512_add_epi64(less, y.w[i]), negative, less, y.w[i]);
    }
    r = p256x8_settle(r);
    p256x8 square = p256x8_square(&difference), rr = p256x8_square(&r);
    p256x8 q = p256x8_mul(&sum->x, &square), cube = p256x8_mul(&difference, &square);
    sum->zz = p256x8_mul(&sum->zz, &square);
    p256x8_next_x(&rr, &cube, &q, &sum->x, &remainder);
    P256_IN_ORDER();
    sum->y = p256x8_mul_sum(&r, &remainder, &sum->y, &cube);
    sum->zzz = p256x8_mul(&sum->zzz, &cube);
}
P256_INLINE void p256x8_add_point(p256x8_point *sum, const p256x8_point *other) {
    p256x8 u1 = p256x8_mul(&sum->x, &other->zz), u2 = p256x8_mul(&other->x, &sum->zz);
    p256x8 s1 = p256x8_mul(&sum->y, &other->zzz), s2 = p256x8_mul(&other->y, &sum->zzz);
    p256x8 zz = p256x8_mul(&sum->zz, &other->zz), zzz = p256x8_mul(&sum->zzz, &other->zzz);
    p256x8 difference = p256x8_sub(&u1, &u2), r = p256x8_sub(&s2, &s1), remainder;
    p256x8 square = p256x8_square(&difference), rr = p256x8_square(&r);
    p256x8 q = p256x8_mul(&u1, &square), cube = p256x8_mul(&difference, &square);
    sum->zz = p256x8_mul(&zz, &square), sum->zzz = p256x8_mul(&zzz, &cube);
    p256x8_next_x(&rr, &cube, &q, &sum->x, &remainder);
    sum->y = p256x8_mul_sum(&r, &remainder, &s1, &cube);
}

#pragma clang assume_nonnull end
#endif
