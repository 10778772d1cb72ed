#if defined(CJOSE_ACCELERATED)
#include "p256_internal.h"

#if defined(__x86_64__)
#include "p256_ifma_sums.h"

P256_INLINE p256x8 permute(const p256x8 *a, __m512i lanes) {
    p256x8 out;
    for (int i = 0; i < 5; i++) out.w[i] = _mm512_permutexvar_epi64(lanes, a->w[i]);
    return out;
}

/// Adds up each lane's points, and then the lanes that are `ways` apart.
P256_TARGET static p256x8_point sum_points(const p256x8_plan *plan, unsigned ways) {
    const p256x8 zero = {{_mm512_setzero_si512()}}, factor = p256x8_all(p256x8_sixteen);
    const p256x8 minus = p256x8_sub(&zero, &factor), unscale = p256x8_all(p256x8_sixteenth);
    p256x8 x, y, signed_factor;
    p256x8_load(plan, 0, &x, &y);
    for (int i = 0; i < 5; i++)
        signed_factor.w[i] = _mm512_mask_mov_epi64(factor.w[i], plan->negative[0], minus.w[i]);
    p256x8_point sum = {p256x8_mul(&x, &factor), p256x8_mul(&y, &signed_factor), factor, factor};
    const unsigned steps = P256_WINDOWS / ways;
    uint8_t flip = 0;
    for (unsigned step = 1; step < steps; step++, flip ^= 0xff) p256x8_add_step(&sum, plan, step, flip);
    sum.zz = p256x8_mul(&sum.zz, &unscale), sum.zzz = p256x8_mul(&sum.zzz, &unscale);
    for (unsigned apart = 1; apart < ways; apart *= 2) {
        const __m512i lanes = _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(apart));
        p256x8_point other = {permute(&sum.x, lanes), permute(&sum.y, lanes), permute(&sum.zz, lanes),
                              permute(&sum.zzz, lanes)};
        p256x8_add_point(&sum, &other);
    }
    return sum;
}

/// Returns the lanes whose x / ZZ is `r`.
P256_INLINE __mmask8 x_is(const p256x8_point *sum, const __m512i r[_Nonnull 4]) {
    static const uint64_t into[5] = {0x300, 0xffffffff00000, 0xffffefffffffb, 0xfdfffffffffff, 0x4ffffff};  // 2^520
    const p256x8 factor = p256x8_all(into);
    p256x8 number = p256x8_split(r);
    number = p256x8_mul(&number, &factor), number = p256x8_mul(&number, &sum->zz);
    number = p256x8_sub(&number, &sum->x);
    return p256x8_zeros(&number);
}

/// Writes the results of `count` signatures, whose sums are in lanes `ways` apart.
P256_TARGET static void answer(const p256_job *jobs, size_t count, unsigned ways, const p256x8_point *sum) {
    __attribute__((aligned(64))) uint64_t numbers[4][P256_LANES], wrapped[4][P256_LANES];
    __mmask8 wraps = 0;
    for (unsigned lane = 0; lane < P256_LANES; lane++) {
        static const p256_words difference = {{0x0c46353d039cdaaeu, 0x4319055358e8617bu, 0, 0}};  // p - n
        const p256_words *r = &jobs[lane / ways < count ? lane / ways : 0].r;
        p256_words also = p256_add(r, &p256_n);
        if (p256_is_below(r, &difference)) wraps |= (__mmask8)(1u << lane);
        for (int i = 0; i < 4; i++) numbers[i][lane] = r->w[i], wrapped[i][lane] = also.w[i];
    }
    __m512i r[4];
    for (int i = 0; i < 4; i++) r[i] = _mm512_load_si512(numbers[i]);
    __mmask8 valid = x_is(sum, r);
    if (wraps != 0) {
        for (int i = 0; i < 4; i++) r[i] = _mm512_load_si512(wrapped[i]);
        valid |= x_is(sum, r) & wraps;
    }
    const __mmask8 uncovered = p256x8_zeros(&sum->zz);
    for (size_t i = 0; i < count; i++) {
        unsigned lane = (unsigned)i * ways;
        *jobs[i].result = (uncovered >> lane & 1) != 0 ? cjose_kernel_not_covered : (valid >> lane & 1);
    }
}

void p256_finish_ifma(const p256_job *jobs, size_t count) {
    while (count > 0) {
        const unsigned ways = count > 4 ? 1 : count > 2 ? 2 : count > 1 ? 4 : 8;
        const size_t fit = P256_LANES / ways, part = count < fit ? count : fit;
        p256x8_plan plan;
        p256x8_plan_make(jobs, part, ways, &plan);
        p256x8_point sum = sum_points(&plan, ways);
        answer(jobs, part, ways, &sum);
        jobs += part, count -= part;
    }
}
#endif
#endif
