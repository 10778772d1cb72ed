#ifndef CJOSE_ED25519_FIELD_H
#define CJOSE_ED25519_FIELD_H
#include "lanes.h"

/// Eight numbers modulo p = 2^255 - 19: limbs of 52 bits, the lowest first, each below 2^52. Products are below 2^255 + 2^52; every
/// number is below 2^259.
typedef struct ed_number {
    lanes w[5];
} ed_number;

/// The constant d of the curve, 2d, the square root of -1, and the base point (RFC 8032, 5.1).
static const uint64_t ed_d[5] = {0xb4dca135978a3, 0x4d4141d8ab75e, 0x779e89800700a, 0xfe738cc740797, 0x52036cee2b6f};
static const uint64_t ed_2d[5] = {0x69b9426b2f159, 0x9a8283b156ebd, 0xef3d13000e014, 0xfce7198e80f2e, 0x2406d9dc56df};
static const uint64_t ed_root[5] = {0xe1b274a0ea0b0, 0x6ad2fe478c4e, 0xdfbd7a72f4318, 0xdf0b2b4d00993, 0x2b8324804fc1};
static const uint64_t ed_base_x[5] = {0x62d608f25d51a, 0x609525a7b2c95, 0xdd6dc5c692cc7, 0x53fec0a4e231f, 0x216936d3cd6e};
static const uint64_t ed_base_y[5] = {0x6666666666658, 0x6666666666666, 0x6666666666666, 0x6666666666666, 0x666666666666};

LANES_INLINE ed_number ed_all(const uint64_t words[5]) {
    ed_number out;
    for (int i = 0; i < 5; i++) out.w[i] = lanes_all(words[i]);
    return out;
}
LANES_INLINE ed_number ed_small(uint64_t value) { return ed_all((const uint64_t[5]){value}); }

/// Carries the four lower limbs on. The sums may be negative where the number is not.
LANES_INLINE ed_number ed_settle(ed_number a) {
    LANES_WHOLE for (int i = 0; i < 4; i++) {
        a.w[i + 1] = lanes_add(a.w[i + 1], lanes_signed_carry(a.w[i]));
        a.w[i] = lanes_and(a.w[i], lanes_all(LIMB));
    }
    return a;
}
/// Replaces 2^255 by 19, where the limbs are sums that are not negative.
LANES_INLINE ed_number ed_fold(ed_number a) {
    a = ed_settle(a);
    lanes top = lanes_right(a.w[4], 47);
    a.w[4] = lanes_and(a.w[4], lanes_all(((uint64_t)1 << 47) - 1));
    a.w[0] = lanes_low(a.w[0], top, lanes_all(19));
    return ed_settle(a);
}
LANES_INLINE ed_number ed_add(const ed_number *a, const ed_number *b) {
    ed_number out;
    LANES_WHOLE for (int i = 0; i < 5; i++) out.w[i] = lanes_add(a->w[i], b->w[i]);
    return ed_settle(out);
}
/// Returns a + 4p - b, for b below 4p.
LANES_INLINE ed_number ed_sub(const ed_number *a, const ed_number *b) {
    static const uint64_t quadruple[5] = {0xfffffffffffb4, LIMB, LIMB, LIMB, 0x1ffffffffffff};
    ed_number out;
    LANES_WHOLE for (int i = 0; i < 5; i++) out.w[i] = lanes_add(lanes_sub(a->w[i], b->w[i]), lanes_all(quadruple[i]));
    return ed_settle(out);
}

/// Reduces ten columns: 2^260 is 608 modulo p.
LANES_INLINE ed_number ed_reduce(lanes t[10]) {
    LANES_WHOLE for (int i = 0; i < 9; i++) {
        t[i + 1] = lanes_add(t[i + 1], lanes_carry(t[i]));
        t[i] = lanes_and(t[i], lanes_all(LIMB));
    }
    const lanes factor = lanes_all(608);
    ed_number out;
    LANES_WHOLE for (int i = 0; i < 5; i++) out.w[i] = lanes_low(t[i], t[i + 5], factor);
    LANES_WHOLE for (int i = 0; i < 4; i++) out.w[i + 1] = lanes_high(out.w[i + 1], t[i + 5], factor);
    out.w[0] = lanes_low(out.w[0], lanes_high(lanes_zero(), t[9], factor), factor);
    return ed_fold(out);
}
LANES_INLINE ed_number ed_mul(const ed_number *a, const ed_number *b) {
    lanes t[10];
    LANES_WHOLE for (int i = 0; i < 10; i++) t[i] = lanes_zero();
    LANES_WHOLE for (int i = 0; i < 5; i++) {
        LANES_WHOLE for (int j = 0; j < 5; j++) t[i + j] = lanes_low(t[i + j], a->w[i], b->w[j]);
        LANES_WHOLE for (int j = 0; j < 5; j++) t[i + j + 1] = lanes_high(t[i + j + 1], a->w[i], b->w[j]);
    }
    return ed_reduce(t);
}
LANES_INLINE ed_number ed_square(const ed_number *a) {
    lanes t[10];
    LANES_WHOLE for (int i = 0; i < 10; i++) t[i] = lanes_zero();
    LANES_WHOLE for (int i = 0; i < 5; i++) {
        LANES_WHOLE for (int j = i + 1; j < 5; j++) {
            t[i + j] = lanes_low(t[i + j], a->w[i], a->w[j]);
            t[i + j + 1] = lanes_high(t[i + j + 1], a->w[i], a->w[j]);
        }
    }
    LANES_WHOLE for (int i = 0; i < 10; i++) t[i] = lanes_add(t[i], t[i]);
    LANES_WHOLE for (int i = 0; i < 5; i++) {
        t[2 * i] = lanes_low(t[2 * i], a->w[i], a->w[i]);
        t[2 * i + 1] = lanes_high(t[2 * i + 1], a->w[i], a->w[i]);
    }
    return ed_reduce(t);
}
/// Returns the number below p: v + 19 is 2^255 or more where v is p or more.
LANES_INLINE ed_number ed_canonical(const ed_number *a) {
    ed_number v = ed_fold(*a), plus = v;
    plus.w[0] = lanes_add(plus.w[0], lanes_all(19));
    plus = ed_settle(plus);
    v.w[0] = lanes_low(v.w[0], lanes_right(plus.w[4], 47), lanes_all(19));
    v = ed_settle(v);
    v.w[4] = lanes_and(v.w[4], lanes_all(((uint64_t)1 << 47) - 1));
    return v;
}
/// Returns words of ones where two numbers are equal modulo p.
LANES_INLINE lanes ed_equal(const ed_number *a, const ed_number *b) {
    ed_number x = ed_canonical(a), y = ed_canonical(b);
    lanes difference = lanes_zero();
    LANES_WHOLE for (int i = 0; i < 5; i++) difference = lanes_or(difference, lanes_xor(x.w[i], y.w[i]));
    return lanes_sign(lanes_sub(difference, lanes_all(1)));
}
LANES_INLINE ed_number ed_choose(lanes mask, const ed_number *a, const ed_number *b) {
    ed_number out;
    LANES_WHOLE for (int i = 0; i < 5; i++) out.w[i] = lanes_choose(mask, a->w[i], b->w[i]);
    return out;
}
#endif
