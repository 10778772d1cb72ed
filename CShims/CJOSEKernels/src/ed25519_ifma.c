#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__)
#include <pthread.h>
#include <stdlib.h>

#include "ed25519_internal.h"

// The formulas are those of the Explicit-Formulas Database for twisted Edwards curves with a = -1 in extended coordinates. They are
// complete: there is no exceptional case.

/// Returns a^(2^times).
IFMA static ed_number square_times(const ed_number *a, int times) {
    ed_number out = *a;
    for (int i = 0; i < times; i++) out = ed_square(&out);
    return out;
}
IFMA static ed_number times(const ed_number *a, const ed_number *b) { return ed_mul(a, b); }

/// Computes a^(2^250 - 1), and a^11.
IFMA static ed_number power_of_ones(const ed_number *a, ed_number *eleventh) {
    ed_number two = square_times(a, 1), t = square_times(&two, 2), nine = times(&t, a);
    *eleventh = times(&nine, &two);
    t = square_times(eleventh, 1);
    ed_number five = times(&t, &nine);
    t = square_times(&five, 5);
    ed_number ten = times(&t, &five);
    t = square_times(&ten, 10);
    ed_number twenty = times(&t, &ten);
    t = square_times(&twenty, 20), t = times(&t, &twenty), t = square_times(&t, 10);
    ed_number fifty = times(&t, &ten);
    t = square_times(&fifty, 50);
    ed_number hundred = times(&t, &fifty);
    t = square_times(&hundred, 100), t = times(&t, &hundred), t = square_times(&t, 50);
    return times(&t, &fifty);
}
/// Computes a^(p - 2), with p - 2 = 2^255 - 21.
IFMA static ed_number inverse(const ed_number *a) {
    ed_number eleventh, t = power_of_ones(a, &eleventh);
    t = square_times(&t, 5);
    return times(&t, &eleventh);
}
/// Computes a^((p - 5) / 8), with an exponent of 2^252 - 3.
IFMA static ed_number root_power(const ed_number *a) {
    ed_number eleventh, t = power_of_ones(a, &eleventh);
    t = square_times(&t, 2);
    return times(&t, a);
}

IFMA static void double_point(ed_point *p) {
    ed_number a = ed_square(&p->x), b = ed_square(&p->y), c = ed_square(&p->z), s = ed_add(&p->x, &p->y);
    c = ed_add(&c, &c), s = ed_square(&s);
    ed_number h = ed_add(&a, &b), e = ed_sub(&h, &s), g = ed_sub(&a, &b), f = ed_add(&c, &g);
    p->x = ed_mul(&e, &f), p->y = ed_mul(&g, &h), p->t = ed_mul(&e, &h), p->z = ed_mul(&f, &g);
}

/// A summand: y - x, y + x, 2dT and 2Z, over its Z.
typedef struct summand {
    ed_number minus, plus, t, z;
} summand;

IFMA static summand prepare_summand(const ed_point *p) {
    const ed_number factor = ed_all(ed_2d);
    return (summand){ed_sub(&p->y, &p->x), ed_add(&p->y, &p->x), ed_mul(&p->t, &factor), ed_add(&p->z, &p->z)};
}

LANES_INLINE void finish_sum(ed_point *p, const summand *q, const ed_number *d) {
    ed_number a = ed_sub(&p->y, &p->x), b = ed_add(&p->y, &p->x), c = ed_mul(&p->t, &q->t);
    a = ed_mul(&a, &q->minus), b = ed_mul(&b, &q->plus);
    ed_number e = ed_sub(&b, &a), f = ed_sub(d, &c), g = ed_add(d, &c), h = ed_add(&b, &a);
    p->x = ed_mul(&e, &f), p->y = ed_mul(&g, &h), p->t = ed_mul(&e, &h), p->z = ed_mul(&f, &g);
}
IFMA static void add(ed_point *p, const summand *q) {
    ed_number d = ed_mul(&p->z, &q->z);
    finish_sum(p, q, &d);
}
/// Adds a summand whose Z is 1.
IFMA static void add_affine(ed_point *p, const summand *q) {
    ed_number d = ed_add(&p->z, &p->z);
    finish_sum(p, q, &d);
}

/// Negates a summand in the lanes where the digit is negative.
LANES_INLINE void negate(summand *q, lanes is_negative) {
    const ed_number zero = ed_small(0), t = ed_sub(&zero, &q->t), minus = q->minus;
    q->minus = ed_choose(is_negative, &q->plus, &q->minus), q->plus = ed_choose(is_negative, &minus, &q->plus);
    q->t = ed_choose(is_negative, &t, &q->t);
}

IFMA static void add_entries(ed_point *sum, const ed_entry *const entries[ED_LANES], const int64_t signs[ED_LANES]) {
    uint64_t words[15][ED_LANES] __attribute__((aligned(64)));
    for (int lane = 0; lane < ED_LANES; lane++)
        for (int i = 0; i < 15; i++) words[i][lane] = (*entries[lane])[i];
    summand q;
    const lanes *from = (const lanes *)words;
    for (int i = 0; i < 5; i++) q.minus.w[i] = from[i], q.plus.w[i] = from[5 + i], q.t.w[i] = from[10 + i];
    negate(&q, _mm512_loadu_si512(signs));
    add_affine(sum, &q);
}

static ed_entry base_table[ED_BASE_WINDOWS][(1 << (ED_BASE_BITS - 1)) + 1];

void ed_add_base(ed_point *sum, const int16_t digits[ED_LANES][ED_WINDOWS_MAX]) {
    for (size_t window = 0; window < ED_BASE_WINDOWS; window++) {
        const ed_entry *entries[ED_LANES];
        int64_t signs[ED_LANES];
        for (int lane = 0; lane < ED_LANES; lane++) {
            int digit = digits[lane][window];
            entries[lane] = &base_table[window][abs(digit)];
            signs[lane] = -(int64_t)(digit < 0);
        }
        add_entries(sum, entries, signs);
    }
}

void ed_add_keys(
    ed_point *sum, const cjose_kernel_ed25519_key *const keys[ED_LANES], const int16_t digits[ED_LANES][ED_WINDOWS_MAX]) {
    for (size_t window = 0; window < ED_KEY_WINDOWS; window++) {
        const ed_entry *entries[ED_LANES];
        int64_t signs[ED_LANES];
        for (int lane = 0; lane < ED_LANES; lane++) {
            int digit = digits[lane][window];
            entries[lane] = &keys[lane]->table[window][abs(digit)];
            signs[lane] = -(int64_t)(digit < 0);
        }
        add_entries(sum, entries, signs);
    }
}

IFMA void ed_set_zero(ed_point *out) { *out = (ed_point){ed_small(0), ed_small(1), ed_small(1), ed_small(0)}; }

IFMA void ed_multiply(ed_point *sum, const ed_point *base, const int16_t digits[ED_LANES][ED_WINDOWS_MAX]) {
    enum { ENTRIES = (1 << (ED_BITS - 1)) + 1, LIMBS = sizeof(summand) / sizeof(lanes) };
    summand table[ENTRIES], first = prepare_summand(base), q;
    ed_point multiple;
    ed_set_zero(&multiple);
    for (int i = 0; i < ENTRIES; i++) {
        table[i] = prepare_summand(&multiple);
        add(&multiple, &first);
    }
    ed_set_zero(sum);
    for (size_t window = ED_WINDOWS; window-- > 0;) {
        if (window != ED_WINDOWS - 1)
            for (int i = 0; i < ED_BITS; i++) double_point(sum);
        int64_t signs[ED_LANES];
        uint64_t(*words)[ED_LANES] = (uint64_t(*)[ED_LANES]) & q;
        for (int lane = 0; lane < ED_LANES; lane++) {
            int digit = digits[lane][window];
            const uint64_t(*entry)[ED_LANES] = (const uint64_t(*)[ED_LANES]) & table[abs(digit)];
            signs[lane] = -(int64_t)(digit < 0);
            for (int i = 0; i < LIMBS; i++) words[i][lane] = entry[i][lane];
        }
        negate(&q, _mm512_loadu_si512(signs));
        add(sum, &q);
    }
}

/// Makes the multiples of eight windows affine, by one inversion for each lane, and stores them.
IFMA static void store_multiples(
    const ed_point *multiples, ed_number *products, size_t count, ed_entry *table, size_t entries, unsigned windows) {
    const ed_number factor = ed_all(ed_2d);
    products[0] = multiples[0].z;
    for (size_t i = 1; i < count; i++) products[i] = ed_mul(&products[i - 1], &multiples[i].z);
    ed_number left = inverse(&products[count - 1]);
    for (size_t i = count; i-- > 0;) {
        ed_number one = i == 0 ? left : ed_mul(&left, &products[i - 1]);
        left = ed_mul(&left, &multiples[i].z);
        ed_number x = ed_mul(&multiples[i].x, &one), y = ed_mul(&multiples[i].y, &one), t = ed_mul(&x, &y);
        const ed_number parts[3] = {ed_sub(&y, &x), ed_add(&y, &x), ed_mul(&t, &factor)};
        const uint64_t(*words)[ED_LANES] = (const uint64_t(*)[ED_LANES])parts;
        for (unsigned window = 0; window < windows; window++)
            for (int limb = 0; limb < 15; limb++) table[window * entries + i + 1][limb] = words[limb][window];
    }
}

IFMA bool ed_table_fill(ed_entry *table, unsigned windows, unsigned bits, const ed_point *base) {
    const size_t count = (size_t)1 << (bits - 1), entries = count + 1;
    ed_point *multiples = NULL;
    ed_number *products = NULL;
    bool ok = posix_memalign((void **)&multiples, 64, count * sizeof *multiples) == 0
        && posix_memalign((void **)&products, 64, count * sizeof *products) == 0;
    ed_point running = *base;
    for (unsigned window = 0; ok && window < windows; window += ED_LANES) {
        ed_point start = running;
        uint64_t(*starts)[ED_LANES] = (uint64_t(*)[ED_LANES]) & start;
        const unsigned part = windows - window < ED_LANES ? windows - window : ED_LANES;
        for (unsigned lane = 0; lane < ED_LANES; lane++) {
            const uint64_t(*now)[ED_LANES] = (const uint64_t(*)[ED_LANES]) & running;
            for (size_t i = 0; i < sizeof start / sizeof(lanes); i++) starts[i][lane] = now[i][lane];
            for (unsigned bit = 0; bit < bits; bit++) double_point(&running);
        }
        summand first = prepare_summand(&start);
        multiples[0] = start;
        for (size_t i = 1; i < count; i++) multiples[i] = multiples[i - 1], add(&multiples[i], &first);
        store_multiples(multiples, products, count, table + window * entries, entries, part);
        // The multiple by zero: y - x = y + x = 1.
        for (unsigned i = 0; i < part; i++)
            for (int limb = 0; limb < 16; limb++) table[(window + i) * entries][limb] = limb == 0 || limb == 5;
    }
    free(multiples);
    free(products);
    return ok;
}

static bool has_base;
IFMA static void fill_base(void) {
    ed_point base = {ed_all(ed_base_x), ed_all(ed_base_y), ed_small(1), ed_small(0)};
    base.t = ed_mul(&base.x, &base.y);
    has_base = ed_table_fill(&base_table[0][0], ED_BASE_WINDOWS, ED_BASE_BITS, &base);
}
bool ed_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_base);
    return has_base;
}

IFMA void ed_decode_negated(const uint8_t *const encodings[ED_LANES], ed_point *out, bool is_point[ED_LANES]) {
    uint64_t words[5][ED_LANES], signs[ED_LANES], results[ED_LANES];
    for (int lane = 0; lane < ED_LANES; lane++) {
        uint64_t limbs[5];
        ed_limbs(encodings[lane], limbs);
        signs[lane] = limbs[4] >> 47;
        limbs[4] &= ((uint64_t)1 << 47) - 1;
        for (int i = 0; i < 5; i++) words[i][lane] = limbs[i];
    }
    for (int i = 0; i < 5; i++) out->y.w[i] = _mm512_loadu_si512(words[i]);
    const ed_number one = ed_small(1), d = ed_all(ed_d), root = ed_all(ed_root), zero = ed_small(0);
    // RFC 8032, 5.1.3: x^2 = (y^2 - 1) / (d y^2 + 1) = u / v.
    ed_number square = ed_square(&out->y), u = ed_sub(&square, &one), v = ed_mul(&square, &d), t, x;
    v = ed_add(&v, &one);
    // u is a difference; a product by one makes it small enough to be subtracted.
    u = ed_mul(&u, &one);
    ed_number cube = ed_square(&v);
    cube = ed_mul(&cube, &v);
    t = ed_square(&cube), t = ed_mul(&t, &v), t = ed_mul(&t, &u), t = root_power(&t);
    x = ed_mul(&u, &cube), x = ed_mul(&x, &t);
    t = ed_square(&x), t = ed_mul(&t, &v);
    const ed_number minus = ed_sub(&zero, &u), other = ed_mul(&x, &root);
    const lanes is_root = ed_equal(&t, &u), is_other = ed_equal(&t, &minus);
    x = ed_choose(is_root, &x, &other);
    // The sign that is sought is the opposite one.
    const ed_number canonical = ed_canonical(&x), negative = ed_sub(&zero, &canonical);
    const lanes sign = lanes_and(canonical.w[0], lanes_all(1)), wanted = _mm512_loadu_si512(signs);
    const lanes is_same = lanes_sub(lanes_and(lanes_xor(sign, wanted), lanes_all(1)), lanes_all(1));
    x = ed_choose(is_same, &negative, &canonical);
    out->x = ed_mul(&x, &one), out->z = one, out->t = ed_mul(&out->x, &out->y);
    _mm512_storeu_si512(results, lanes_or(is_root, is_other));
    for (int lane = 0; lane < ED_LANES; lane++) is_point[lane] = results[lane] != 0;
}

IFMA void ed_encode(const ed_point *points, size_t groups, uint64_t encodings[][ED_LANES][5]) {
    ed_number products[ED_GROUPS];
    products[0] = points[0].z;
    for (size_t i = 1; i < groups; i++) products[i] = ed_mul(&products[i - 1], &points[i].z);
    ed_number left = inverse(&products[groups - 1]);
    for (size_t i = groups; i-- > 0;) {
        ed_number one = i == 0 ? left : ed_mul(&left, &products[i - 1]);
        left = ed_mul(&left, &points[i].z);
        ed_number x = ed_mul(&points[i].x, &one), y = ed_mul(&points[i].y, &one);
        x = ed_canonical(&x), y = ed_canonical(&y);
        y.w[4] = lanes_or(y.w[4], lanes_left(lanes_and(x.w[0], lanes_all(1)), 47));
        const uint64_t(*words)[ED_LANES] = (const uint64_t(*)[ED_LANES]) & y;
        for (int lane = 0; lane < ED_LANES; lane++)
            for (int limb = 0; limb < 5; limb++) encodings[i][lane][limb] = words[limb][lane];
    }
}
#endif
#endif
