#if defined(CJOSE_ACCELERATED)
#include "p256_internal.h"

/// Whether x / ZZ is r modulo n, without a division: x is below p, and so is r or r + n.
static bool is_x(const p256_point *sum, const p256_words *r) {
    p256_words field = p256_mul(r, &p256_into), x = p256_mul(&field, &sum->zz);
    if (p256_same(&x, &sum->x)) return true;
    static const p256_words difference = {{0x0c46353d039cdaaeu, 0x4319055358e8617bu, 0, 0}};  // p - n
    if (!p256_is_below(r, &difference)) return false;
    field = p256_add(r, &p256_n), field = p256_mul(&field, &p256_into), x = p256_mul(&field, &sum->zz);
    return p256_same(&x, &sum->x);
}
static uint8_t answer(const p256_point *sum, const p256_words *r) {
    return p256_is_zero(&sum->zz) ? cjose_kernel_not_covered : is_x(sum, r) ? cjose_kernel_valid : cjose_kernel_invalid;
}

static inline p256_affine point_at(const p256_job *job, unsigned window) {
    p256_affine point = *p256_job_point(job, window);
    static const p256_words zero = {{0}};
    // y is not zero for any point of odd order: the difference is below p. A branch on the sign could not be predicted.
    const p256_words minus = p256_sub(&zero, &point.y);
    const uint64_t mask = (uint64_t)0 - (job->digits[window] >> 15);
    for (int i = 0; i < 4; i++) point.y.w[i] = (minus.w[i] & mask) | (point.y.w[i] & ~mask);
    return point;
}
static void finish_one(const p256_job *job) {
    p256_affine first = point_at(job, 0), next = point_at(job, 1);
    p256_point sum = p256_sum_affine(&first, &next);
    for (unsigned window = 2; window < P256_WINDOWS; window++) {
        next = point_at(job, window);
        sum = p256_sum_mixed(&sum, &next);
    }
    *job->result = answer(&sum, &job->r);
}

/// Several signatures, whose points are added in pairs, and the sums in pairs, until two are left of each. Pairs of one
/// level share an inversion, and so stay affine: a sum takes 6 products, where 10 are needed with a denominator.
enum { GROUP = 16, PAIRS = P256_WINDOWS / 2 };
typedef struct group {
    const p256_job *jobs;
    size_t count;
    /// The sum of the points 2k and 2k + 1 of the previous level.
    p256_affine sums[GROUP][PAIRS];
    /// The product of the differences of x behind each.
    p256_words behind[GROUP][PAIRS];
    /// Whether two points had the same x: the further sums of the signature are then of no use.
    bool is_uncovered[GROUP];
} group;

static inline p256_affine operand(const group *group, size_t job, bool of_table, unsigned index) {
    return of_table ? point_at(&group->jobs[job], index) : group->sums[job][index];
}
/// Returns the denominator of the sum of two points. It is never zero, so that the others that share the inversion have
/// it.
static inline p256_words denominator(group *group, size_t job, const p256_affine *a, const p256_affine *b) {
    p256_words difference = p256_sub(&b->x, &a->x);
    if (!p256_is_zero(&difference)) return difference;
    group->is_uncovered[job] = true;
    return p256_one;
}
static void add_pairs(group *group, bool of_table, unsigned pairs) {
    p256_words product = p256_one;
    for (size_t job = group->count; job-- > 0;)
        for (unsigned pair = pairs; pair-- > 0;) {
            p256_affine a = operand(group, job, of_table, 2 * pair), b = operand(group, job, of_table, 2 * pair + 1);
            group->behind[job][pair] = product;
            p256_words difference = denominator(group, job, &a, &b);
            product = p256_mul(&product, &difference);
        }
    p256_words inverse = p256_inverse(&product, &p256_p, p256_p_low);
    inverse = p256_mul(&inverse, &p256_inverse_into);
    for (size_t job = 0; job < group->count; job++)
        for (unsigned pair = 0; pair < pairs; pair++) {
            p256_affine a = operand(group, job, of_table, 2 * pair), b = operand(group, job, of_table, 2 * pair + 1);
            p256_words difference = denominator(group, job, &a, &b), slope = p256_sub(&b.y, &a.y), t;
            t = p256_mul(&inverse, &group->behind[job][pair]), inverse = p256_mul(&inverse, &difference);
            slope = p256_mul(&slope, &t);
            p256_affine *sum = &group->sums[job][pair];
            t = p256_square(&slope), t = p256_sub(&t, &a.x), sum->x = p256_sub(&t, &b.x);
            t = p256_sub(&a.x, &sum->x), t = p256_mul(&slope, &t), sum->y = p256_sub(&t, &a.y);
        }
}
static void finish_group(const p256_job *jobs, size_t count) {
    group group;
    group.jobs = jobs, group.count = count;
    for (size_t job = 0; job < count; job++) group.is_uncovered[job] = false;
    unsigned left = P256_WINDOWS;
    for (bool of_table = true; left > 2; of_table = false) {
        add_pairs(&group, of_table, left / 2);
        // A point without a partner goes to the next level unchanged.
        if (left % 2 != 0)
            for (size_t job = 0; job < count; job++) group.sums[job][left / 2] = group.sums[job][left - 1];
        left = left / 2 + left % 2;
    }
    for (size_t job = 0; job < count; job++) {
        p256_point sum = p256_sum_affine(&group.sums[job][0], &group.sums[job][1]);
        *jobs[job].result = group.is_uncovered[job] ? cjose_kernel_not_covered : answer(&sum, &jobs[job].r);
    }
}

void p256_finish_portable(const p256_job *jobs, size_t count) {
    while (count > 2) {
        size_t part = count < GROUP ? count : GROUP;
        finish_group(jobs, part);
        jobs += part, count -= part;
    }
    for (size_t i = 0; i < count; i++) finish_one(&jobs[i]);
}
#endif
