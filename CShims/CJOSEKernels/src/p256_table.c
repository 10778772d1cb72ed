#if defined(CJOSE_ACCELERATED)
#include <pthread.h>
#include <stdlib.h>

#include "p256_internal.h"

p256_affine p256_g_table[P256_G_WINDOWS][P256_G_ENTRIES];

// The formulas are those of the Explicit-Formulas Database for short Weierstrass curves in XYZZ coordinates. They use a
// constant of the curve only where a point is doubled.

p256_point p256_double_affine(const p256_affine *a) {
    p256_point at = {a->x, a->y, p256_one, p256_one};
    return p256_double(&at);
}
p256_point p256_double(const p256_point *a) {
    p256_words u = p256_add(&a->y, &a->y), v = p256_square(&u), w = p256_mul(&u, &v), s = p256_mul(&a->x, &v);
    // 3 X^2 + a ZZ^2 with the curve's a = -3.
    p256_words below = p256_sub(&a->x, &a->zz), above = p256_add(&a->x, &a->zz), m = p256_mul(&below, &above);
    p256_words twice = p256_add(&m, &m), t;
    m = p256_add(&m, &twice);
    p256_point out;
    out.x = p256_square(&m), out.x = p256_sub(&out.x, &s), out.x = p256_sub(&out.x, &s);
    t = p256_sub(&s, &out.x), t = p256_mul(&m, &t), s = p256_mul(&w, &a->y), out.y = p256_sub(&t, &s);
    out.zz = p256_mul(&v, &a->zz), out.zzz = p256_mul(&w, &a->zzz);
    return out;
}

/// Computes the common end of both sums, from the difference of the x and of the y over one denominator.
static inline p256_point finish_sum(
    const p256_words *x, const p256_words *y, const p256_words *difference, const p256_words *r, p256_words *square,
    p256_words *cube) {
    p256_point out;
    *square = p256_square(difference), *cube = p256_mul(difference, square);
    p256_words q = p256_mul(x, square), t;
    out.x = p256_square(r), out.x = p256_sub(&out.x, cube), out.x = p256_sub(&out.x, &q);
    out.x = p256_sub(&out.x, &q);
    t = p256_sub(&q, &out.x), t = p256_mul(r, &t), q = p256_mul(y, cube), out.y = p256_sub(&t, &q);
    return out;
}
p256_point p256_sum_affine(const p256_affine *a, const p256_affine *b) {
    p256_words difference = p256_sub(&b->x, &a->x), r = p256_sub(&b->y, &a->y), square, cube;
    p256_point out = finish_sum(&a->x, &a->y, &difference, &r, &square, &cube);
    out.zz = square, out.zzz = cube;
    return out;
}
p256_point p256_sum_mixed(const p256_point *a, const p256_affine *b) {
    p256_words difference = p256_mul(&b->x, &a->zz), r = p256_mul(&b->y, &a->zzz), square, cube;
    difference = p256_sub(&difference, &a->x), r = p256_sub(&r, &a->y);
    p256_point out = finish_sum(&a->x, &a->y, &difference, &r, &square, &cube);
    out.zz = p256_mul(&a->zz, &square), out.zzz = p256_mul(&a->zzz, &cube);
    return out;
}

/// Makes `count` points affine by one inversion. None is infinity. `products` is scratch memory for as many words.
static void make_affine(const p256_point *from, p256_affine *_Nonnull const *to, size_t count, p256_words *products) {
    products[0] = from[0].zzz;
    for (size_t i = 1; i < count; i++) products[i] = p256_mul(&products[i - 1], &from[i].zzz);
    p256_words inverse = p256_inverse(&products[count - 1], &p256_p, p256_p_low), t;
    inverse = p256_mul(&inverse, &p256_inverse_into);
    for (size_t i = count; i-- > 0;) {
        p256_words one = i == 0 ? inverse : p256_mul(&inverse, &products[i - 1]);
        inverse = p256_mul(&inverse, &from[i].zzz);
        // 1 / ZZ = (ZZ / ZZZ)^2.
        t = p256_mul(&one, &from[i].zz), t = p256_square(&t);
        to[i]->x = p256_mul(&from[i].x, &t), to[i]->y = p256_mul(&from[i].y, &one);
    }
}

/// Computes the first two points of each window: `2^(bits * i) * base`, and twice that.
static void begin_windows(
    const p256_affine *base, unsigned windows, unsigned bits, p256_affine *starts, p256_affine *twices) {
    p256_point points[2 * P256_Q_WINDOWS], running = {base->x, base->y, p256_one, p256_one};
    p256_words products[2 * P256_Q_WINDOWS];
    p256_affine *targets[2 * P256_Q_WINDOWS];
    for (unsigned i = 0; i < windows; i++) {
        points[2 * i] = running, targets[2 * i] = &starts[i];
        running = p256_double(&running);
        points[2 * i + 1] = running, targets[2 * i + 1] = &twices[i];
        for (unsigned bit = 1; bit < bits; bit++) running = p256_double(&running);
    }
    make_affine(points, targets, 2 * (size_t)windows, products);
}

/// Writes the odd multiples of one window.
static void fill_window(p256_affine *row, size_t entries, const p256_affine *start, const p256_affine *twice) {
    enum { GROUP = 128 };
    p256_point points[GROUP], running = {start->x, start->y, p256_one, p256_one};
    p256_words products[GROUP];
    p256_affine *targets[GROUP];
    size_t count = 0;
    row[0] = *start;
    for (size_t j = 1; j < entries; j++) {
        running = p256_sum_mixed(&running, twice);
        points[count] = running, targets[count++] = &row[j];
        if (count == GROUP || j + 1 == entries) make_affine(points, targets, count, products), count = 0;
    }
}

void p256_table_fill(
    cjose_kernel_form form, p256_affine *table, unsigned windows, unsigned bits, const p256_affine *base) {
    p256_affine starts[P256_Q_WINDOWS], twices[P256_Q_WINDOWS];
    const size_t entries = (size_t)1 << (bits - 1);
    begin_windows(base, windows, bits, starts, twices);
#if defined(__x86_64__)
    if (form == cjose_kernel_form_ifma) {
        for (unsigned i = 0; i < windows; i += P256_LANES)
            p256_fill_windows_ifma(table + i * entries, entries, &starts[i], &twices[i]);
        return;
    }
#endif
    (void)form;
    for (unsigned i = 0; i < windows; i++) fill_window(table + i * entries, entries, &starts[i], &twices[i]);
}

static void fill_g(void) {
    static const p256_affine g = {
        {{0x79e730d418a9143cu, 0x75ba95fc5fedb601u, 0x79fb732b77622510u, 0x18905f76a53755c6u}},
        {{0xddf25357ce95560au, 0x8b4ab8e4ba19e45cu, 0xd2e88688dd21f325u, 0x8571ff1825885d85u}}};
    p256_table_fill(cjose_kernel_form_current(), &p256_g_table[0][0], P256_G_WINDOWS, P256_G_BITS, &g);
}
void p256_g_table_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill_g);
}

/// Whether y^2 = x^3 - 3x + b, for numbers below p. Such a point has the order n, as the group has no other but
/// infinity.
static bool is_on_curve(const p256_affine *a) {
    static const p256_words b = {{0xd89cdf6229c4bddfu, 0xacf005cd78843090u, 0xe5a220abf7212ed6u, 0xdc30061d04874834u}};
    p256_words y = p256_square(&a->y), x = p256_square(&a->x), thrice = p256_add(&p256_one, &p256_one);
    thrice = p256_add(&thrice, &p256_one), x = p256_sub(&x, &thrice), x = p256_mul(&x, &a->x), x = p256_add(&x, &b);
    return p256_same(&x, &y);
}

cjose_kernel_p256_key *cjose_kernel_p256_key_new(const uint8_t x[32], const uint8_t y[32]) {
    p256_affine base = {p256_load(x), p256_load(y)};
    if (!p256_is_below(&base.x, &p256_p) || !p256_is_below(&base.y, &p256_p)) return NULL;
    base.x = p256_mul(&base.x, &p256_into), base.y = p256_mul(&base.y, &p256_into);
    if (!is_on_curve(&base)) return NULL;
    cjose_kernel_p256_key *key = NULL;
    if (posix_memalign((void **)&key, 64, sizeof *key) != 0) return NULL;
    p256_g_table_prepare();
    p256_table_fill(cjose_kernel_form_current(), &key->table[0][0], P256_Q_WINDOWS, P256_Q_BITS, &base);
    return key;
}
void cjose_kernel_p256_key_free(cjose_kernel_p256_key *key) { free(key); }
size_t cjose_kernel_p256_key_bytes(const cjose_kernel_p256_key *key) { return sizeof *key; }
#endif
