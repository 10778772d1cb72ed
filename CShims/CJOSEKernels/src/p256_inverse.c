#if defined(CJOSE_ACCELERATED)
#include "p256_internal.h"

// Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019): f and g are halved from the low end by
// steps that depend on their low 62 bits only, so that 62 steps are one matrix that is applied to the whole numbers. The time
// depends on the numbers, which are public.

static const uint64_t low62 = ~(uint64_t)0 >> 2;

/// A number of five words of 62 bits; the highest has the sign.
typedef struct signed_words {
    int64_t w[5];
} signed_words;
/// The effect of 62 steps times 2^62: f becomes u f + v g, g becomes q f + r g.
typedef struct matrix {
    int64_t u, v, q, r;
} matrix;

static signed_words split(const p256_words *a) {
    signed_words out = {{
        (int64_t)(a->w[0] & low62),
        (int64_t)((a->w[0] >> 62 | a->w[1] << 2) & low62),
        (int64_t)((a->w[1] >> 60 | a->w[2] << 4) & low62),
        (int64_t)((a->w[2] >> 58 | a->w[3] << 6) & low62),
        (int64_t)(a->w[3] >> 56),
    }};
    return out;
}

/// Computes the matrix of 62 steps; `eta` is minus the delta of the paper. Runs of zeros in g are handled at once, and each sum
/// clears as many bits of g as the next change of sign allows, at most six.
static int64_t steps(int64_t eta, uint64_t f, uint64_t g, matrix *m) {
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int left = 62;
    for (;;) {
        int zeros = __builtin_ctzll(g | ~(uint64_t)0 << left);
        g >>= zeros, u <<= zeros, v <<= zeros, eta -= zeros, left -= zeros;
        if (left == 0) break;
        if (eta < 0) {
            uint64_t was = f;
            eta = -eta;
            f = g, g = 0 - was;
            was = u, u = q, q = 0 - was;
            was = v, v = r, r = 0 - was;
        }
        int64_t bits = eta + 1 < left ? eta + 1 : left;
        // f is its own inverse modulo 8, and f (2 - f^2) modulo 64.
        uint64_t times = (g * f * (f * f - 2)) & (bits < 6 ? ((uint64_t)1 << bits) - 1 : 63);
        g += f * times, q += u * times, r += v * times;
    }
    *m = (matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return eta;
}

/// Returns (u a + v b) / 2^62, which is an integer.
static signed_words combine(int64_t u, int64_t v, const signed_words *a, const signed_words *b) {
    signed_words out;
    __int128 sum = (__int128)u * a->w[0] + (__int128)v * b->w[0];
    sum >>= 62;
    for (int i = 1; i < 5; i++) {
        sum += (__int128)u * a->w[i] + (__int128)v * b->w[i];
        out.w[i - 1] = (int64_t)((uint64_t)sum & low62);
        sum >>= 62;
    }
    out.w[4] = (int64_t)sum;
    return out;
}
static void add_times(signed_words *a, const signed_words *b, int64_t times) {
    int64_t carry = 0;
    for (int i = 0; i < 4; i++) {
        int64_t sum = a->w[i] + times * b->w[i] + carry;
        a->w[i] = (int64_t)((uint64_t)sum & low62);
        carry = sum >> 62;
    }
    a->w[4] += times * b->w[4] + carry;
}
/// Returns (u a + v b) / 2^62 modulo the modulus, from and to numbers between minus the modulus and twice it.
static signed_words combine_modulo(
    int64_t u, int64_t v, const signed_words *a, const signed_words *b, const signed_words *modulus, uint64_t low) {
    signed_words out;
    __int128 sum = (__int128)u * a->w[0] + (__int128)v * b->w[0];
    int64_t times = (int64_t)((0 - (uint64_t)sum * low) & low62);
    sum += (__int128)times * modulus->w[0];
    sum >>= 62;
    for (int i = 1; i < 5; i++) {
        sum += (__int128)u * a->w[i] + (__int128)v * b->w[i] + (__int128)times * modulus->w[i];
        out.w[i - 1] = (int64_t)((uint64_t)sum & low62);
        sum >>= 62;
    }
    out.w[4] = (int64_t)sum;
    return out;
}
/// Reduces a number between minus twice the modulus and three times it to a nonnegative one below the modulus.
static void settle(signed_words *a, const signed_words *modulus) {
    while (a->w[4] < 0) add_times(a, modulus, 1);
    for (;;) {
        signed_words less = *a;
        add_times(&less, modulus, -1);
        if (less.w[4] < 0) return;
        *a = less;
    }
}

p256_words p256_inverse(const p256_words *a, const p256_words *modulus, uint64_t low) {
    signed_words whole = split(modulus), f = whole, g = split(a), d = {{0}}, e = {{1}};
    int64_t eta = -1;
    while ((g.w[0] | g.w[1] | g.w[2] | g.w[3] | g.w[4]) != 0) {
        matrix m;
        eta = steps(eta, (uint64_t)f.w[0], (uint64_t)g.w[0], &m);
        signed_words next = combine(m.u, m.v, &f, &g);
        g = combine(m.q, m.r, &f, &g), f = next;
        next = combine_modulo(m.u, m.v, &d, &e, &whole, low);
        e = combine_modulo(m.q, m.r, &d, &e, &whole, low), d = next;
        settle(&d, &whole), settle(&e, &whole);
    }
    // The greatest common divisor is 1, and f is that with some sign.
    if (f.w[4] < 0) {
        signed_words zero = {{0}};
        add_times(&zero, &d, -1), d = zero;
    }
    settle(&d, &whole);
    const uint64_t w[5] = {(uint64_t)d.w[0], (uint64_t)d.w[1], (uint64_t)d.w[2], (uint64_t)d.w[3], (uint64_t)d.w[4]};
    return (p256_words){{w[0] | w[1] << 62, w[1] >> 2 | w[2] << 60, w[2] >> 4 | w[3] << 58, w[3] >> 6 | w[4] << 56}};
}
#endif
