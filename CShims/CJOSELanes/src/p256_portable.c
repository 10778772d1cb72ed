#include "p256_internal.h"

/// Whether x / ZZ is r modulo n, without the division: x is below p, and so is r or r + n.
static bool is_x(const p256_point *sum, const p256_words *r) {
    p256_words field = p256_mul(r, &p256_into), x = p256_mul(&field, &sum->zz);
    if (p256_same(&x, &sum->x)) return true;
    static const p256_words rest = {{0x0c46353d039cdaaeu, 0x4319055358e8617bu, 0, 0}};  // p - n
    if (!p256_is_below(r, &rest)) return false;
    field = p256_add(r, &p256_n), field = p256_mul(&field, &p256_into), x = p256_mul(&field, &sum->zz);
    return p256_same(&x, &sum->x);
}

static inline p256_affine point_at(const p256_job *job, unsigned window) {
    p256_affine point = *p256_job_point(job, window);
    static const p256_words zero = {{0}};
    // y is zero for no point of an odd order: the difference is below p.
    if (job->digits[window] & 0x8000) point.y = p256_sub(&zero, &point.y);
    return point;
}

void p256_finish_portable(const p256_job *jobs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        p256_affine first = point_at(&jobs[i], 0), next = point_at(&jobs[i], 1);
        p256_point sum = p256_sum_affine(&first, &next);
        for (unsigned window = 2; window < P256_WINDOWS; window++) {
            next = point_at(&jobs[i], window);
            sum = p256_sum_mixed(&sum, &next);
        }
        *jobs[i].result = p256_is_zero(&sum.zz) ? cjose_lanes_open : is_x(&sum, &jobs[i].r);
    }
}
