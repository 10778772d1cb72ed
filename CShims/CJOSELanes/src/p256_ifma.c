#include "p256_internal.h"

#if defined(__x86_64__)
#include "p256_ifma_field.h"

/// x = X / ZZ and y = Y / ZZZ, but for the sign of y, which all lanes have or have not: each sum changes it.
typedef struct point8 {
    p256x8 x, y, zz, zzz;
} point8;

/// 2^264: sixteen in the form of these lanes. The tables lack a factor of 16 to that form, since they hold x and y
/// times 2^256; ZZ and ZZZ with 16 times their value make up for it in each sum.
static const uint64_t sixteen[5] = {0x100, 0x0, 0xfffffffffffff, 0xfefffffffffff, 0xffffff};

/// Lane i has the part `i % ways` of signature `i / ways`: its points are in the windows part, part + ways and so on.
enum { AHEAD = 2 };
typedef struct plan {
    const p256_affine *points[P256_LANES][P256_WINDOWS + AHEAD];
    uint8_t negative[P256_WINDOWS];
} plan;

static void make_plan(const p256_job *jobs, size_t count, unsigned ways, plan *out) {
    for (unsigned step = 0; step < P256_WINDOWS / ways; step++) out->negative[step] = 0;
    for (unsigned lane = 0; lane < P256_LANES; lane++) {
        const p256_job *job = &jobs[lane / ways < count ? lane / ways : 0];
        for (unsigned step = 0, window = lane % ways; window < P256_WINDOWS; step++, window += ways) {
            out->points[lane][step] = p256_job_point(job, window);
            out->negative[step] |= (uint8_t)((job->digits[window] >> 15) << lane);
        }
        for (unsigned step = P256_WINDOWS / ways, end = step + AHEAD; step < end; step++)
            out->points[lane][step] = out->points[lane][0];
    }
}

/// The eight points of a step.
P256_INLINE void load_points(const plan *from, unsigned step, p256x8 *x, p256x8 *y) {
    __m512i rows[8];
    for (int lane = 0; lane < P256_LANES; lane++) {
        rows[lane] = _mm512_load_si512(from->points[lane][step]);
        // The reorder buffer does not reach from one step to the next.
        _mm_prefetch((const char *)from->points[lane][step + AHEAD], _MM_HINT_T0);
    }
    p256x8_transpose(rows);
    *x = p256x8_split(rows), *y = p256x8_split(rows + 4);
}

/// What both sums have in common: the sum of (x, y) and a point that differs by `difference` (the other way round, so
/// that the cube is negative) and `r`, over one denominator. The order is that of the CPU: what waits for little is
/// beside what waits for much.
P256_INLINE void finish_sum(
    const p256x8 *x, const p256x8 *y, const p256x8 *zz, const p256x8 *zzz, const p256x8 *difference, const p256x8 *r,
    point8 *out) {
    p256x8 square = p256x8_square(difference), rr = p256x8_square(r), sum = p256x8_pad(), rest = sum;
    p256x8 q = p256x8_mul(x, &square), cube = p256x8_mul(difference, &square);
    for (int i = 0; i < 5; i++) {
        __m512i plus = _mm512_add_epi64(rr.w[i], cube.w[i]), twice = _mm512_add_epi64(q.w[i], q.w[i]);
        sum.w[i] = _mm512_add_epi64(sum.w[i], _mm512_sub_epi64(plus, twice));
        rest.w[i] = _mm512_add_epi64(rest.w[i], _mm512_sub_epi64(_mm512_add_epi64(twice, q.w[i]), plus));
    }
    out->zz = p256x8_mul(zz, &square), out->zzz = p256x8_mul(zzz, &cube);
    // q - x, without waiting for x.
    rest = p256x8_settle(rest);
    out->y = p256x8_mul_sum(r, &rest, y, &cube);
    out->x = p256x8_settle(sum);
}
/// Adds a point of the tables, whose y is to be negated in some lanes.
P256_INLINE void add_affine(point8 *sum, const p256x8 *x, const p256x8 *y, __mmask8 negative) {
    p256x8 u = p256x8_mul(x, &sum->zz), s = p256x8_mul(y, &sum->zzz), r = p256x8_pad();
    p256x8 difference = p256x8_sub(&sum->x, &u);
    for (int i = 0; i < 5; i++) {
        __m512i less = _mm512_sub_epi64(r.w[i], sum->y.w[i]);
        r.w[i] = _mm512_mask_sub_epi64(_mm512_add_epi64(less, s.w[i]), negative, less, s.w[i]);
    }
    r = p256x8_settle(r);
    const point8 was = *sum;
    finish_sum(&was.x, &was.y, &was.zz, &was.zzz, &difference, &r, sum);
}
P256_INLINE void add_point(point8 *sum, const point8 *other) {
    p256x8 u1 = p256x8_mul(&sum->x, &other->zz), u2 = p256x8_mul(&other->x, &sum->zz);
    p256x8 s1 = p256x8_mul(&sum->y, &other->zzz), s2 = p256x8_mul(&other->y, &sum->zzz);
    p256x8 zz = p256x8_mul(&sum->zz, &other->zz), zzz = p256x8_mul(&sum->zzz, &other->zzz);
    p256x8 difference = p256x8_sub(&u1, &u2), r = p256x8_sub(&s2, &s1);
    finish_sum(&u1, &s1, &zz, &zzz, &difference, &r, sum);
}
P256_INLINE p256x8 from_lane(const p256x8 *a, __m512i lanes) {
    p256x8 out;
    for (int i = 0; i < 5; i++) out.w[i] = _mm512_permutexvar_epi64(lanes, a->w[i]);
    return out;
}

/// The sum of each lane's points, in the lanes `ways` apart.
P256_TARGET static point8 sum_points(const plan *from, unsigned ways) {
    static const uint64_t one_of_16[5] = {0x1, 0xff00000000000, 0xfffffffffffff, 0xfffefffffffff, 0xffff};  // 2^256
    const p256x8 zero = {{_mm512_setzero_si512()}}, factor = p256x8_all(sixteen), minus = p256x8_sub(&zero, &factor);
    p256x8 x, y, signed_factor;
    load_points(from, 0, &x, &y);
    for (int i = 0; i < 5; i++)
        signed_factor.w[i] = _mm512_mask_mov_epi64(factor.w[i], from->negative[0], minus.w[i]);
    point8 sum = {p256x8_mul(&x, &factor), p256x8_mul(&y, &signed_factor), factor, factor};
    const unsigned steps = P256_WINDOWS / ways;
    uint8_t flip = 0;
    for (unsigned step = 1; step < steps; step++, flip ^= 0xff) {
        load_points(from, step, &x, &y);
        add_affine(&sum, &x, &y, from->negative[step] ^ flip);
    }
    const p256x8 unscale = p256x8_all(one_of_16);
    sum.zz = p256x8_mul(&sum.zz, &unscale), sum.zzz = p256x8_mul(&sum.zzz, &unscale);
    for (unsigned apart = 1; apart < ways; apart *= 2) {
        const __m512i lanes = _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(apart));
        point8 other = {from_lane(&sum.x, lanes), from_lane(&sum.y, lanes), from_lane(&sum.zz, lanes),
                        from_lane(&sum.zzz, lanes)};
        add_point(&sum, &other);
    }
    return sum;
}

/// The lanes whose x / ZZ is `r`.
P256_INLINE __mmask8 x_is(const point8 *sum, const __m512i r[_Nonnull 4]) {
    static const uint64_t into[5] = {0x300, 0xffffffff00000, 0xffffefffffffb, 0xfdfffffffffff, 0x4ffffff};  // 2^520
    const p256x8 factor = p256x8_all(into);
    p256x8 number = p256x8_split(r);
    number = p256x8_mul(&number, &factor), number = p256x8_mul(&number, &sum->zz);
    number = p256x8_sub(&number, &sum->x);
    return p256x8_zeros(&number);
}

P256_TARGET static void finish_lanes(const p256_job *jobs, size_t count, unsigned ways) {
    plan from;
    make_plan(jobs, count, ways, &from);
    point8 sum = sum_points(&from, ways);
    __attribute__((aligned(64))) uint64_t numbers[4][P256_LANES], wrapped[4][P256_LANES];
    __mmask8 wraps = 0;
    for (unsigned lane = 0; lane < P256_LANES; lane++) {
        static const p256_words rest = {{0x0c46353d039cdaaeu, 0x4319055358e8617bu, 0, 0}};  // p - n
        const p256_words *r = &jobs[lane / ways < count ? lane / ways : 0].r;
        p256_words also = p256_add(r, &p256_n);
        if (p256_is_below(r, &rest)) wraps |= (__mmask8)(1u << lane);
        for (int i = 0; i < 4; i++) numbers[i][lane] = r->w[i], wrapped[i][lane] = also.w[i];
    }
    __m512i r[4];
    for (int i = 0; i < 4; i++) r[i] = _mm512_load_si512(numbers[i]);
    __mmask8 valid = x_is(&sum, r);
    if (wraps != 0) {
        for (int i = 0; i < 4; i++) r[i] = _mm512_load_si512(wrapped[i]);
        valid |= x_is(&sum, r) & wraps;
    }
    __mmask8 open = p256x8_zeros(&sum.zz);
    for (size_t i = 0; i < count; i++) {
        unsigned lane = (unsigned)i * ways;
        *jobs[i].result = (open >> lane & 1) != 0 ? cjose_lanes_open : (valid >> lane & 1);
    }
}

void p256_finish_ifma(const p256_job *jobs, size_t count) {
    while (count > 0) {
        unsigned ways = count > 4 ? 1 : count > 2 ? 2 : count > 1 ? 4 : 8;
        size_t part = count < P256_LANES / ways ? count : P256_LANES / ways;
        finish_lanes(jobs, part, ways);
        jobs += part, count -= part;
    }
}
#endif
