#ifndef CJOSE_P256_FIELD_H
#define CJOSE_P256_FIELD_H
#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Unrolls a loop over words completely, so that they stay in registers.
#define P256_UNROLL _Pragma("clang loop unroll(full)")

/// Inlines a function, because a call would pass words through memory.
#define P256_INLINED __attribute__((always_inline)) static inline

/// A number of 256 bits, the lowest 64 first.
typedef struct p256_words {
    uint64_t w[4];
} p256_words;

/// The prime p = 2^256 - 2^224 + 2^192 + 2^96 - 1, and n, the order of the group (SP 800-186, 3.2.1.3).
static const p256_words p256_p = {{0xffffffffffffffffu, 0x00000000ffffffffu, 0x0000000000000000u, 0xffffffff00000001u}};
static const p256_words p256_n = {{0xf3b9cac2fc632551u, 0xbce6faada7179e84u, 0xffffffffffffffffu, 0xffffffff00000000u}};
/// One in Montgomery form: 2^256 mod p.
static const p256_words p256_one = {{0x0000000000000001u, 0xffffffff00000000u, 0xffffffffffffffffu, 0x00000000fffffffeu}};
/// The factors for Montgomery form: 2^512 mod p for a number, 2^768 mod p for the inverse of a number that is in it.
static const p256_words p256_into = {{0x0000000000000003u, 0xfffffffbffffffffu, 0xfffffffffffffffeu, 0x00000004fffffffdu}};
static const p256_words p256_inverse_into = {
    {0xfffffffd0000000au, 0xffffffedfffffff7u, 0x00000005fffffffcu, 0x0000001800000001u}};

static inline uint64_t p256_add_carry(uint64_t a, uint64_t b, uint64_t *carry) {
    unsigned __int128 sum = (unsigned __int128)a + b + *carry;
    *carry = (uint64_t)(sum >> 64);
    return (uint64_t)sum;
}
static inline uint64_t p256_sub_borrow(uint64_t a, uint64_t b, uint64_t *borrow) {
    unsigned __int128 difference = (unsigned __int128)a - b - *borrow;
    *borrow = (uint64_t)(difference >> 64) & 1;
    return (uint64_t)difference;
}
/// Returns the low word of `a * b + c + carry`, whose high word becomes the carry.
static inline uint64_t p256_mul_add(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry) {
    unsigned __int128 product = (unsigned __int128)a * b + c + *carry;
    *carry = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

static inline bool p256_is_zero(const p256_words *a) { return (a->w[0] | a->w[1] | a->w[2] | a->w[3]) == 0; }
static inline bool p256_same(const p256_words *a, const p256_words *b) {
    return ((a->w[0] ^ b->w[0]) | (a->w[1] ^ b->w[1]) | (a->w[2] ^ b->w[2]) | (a->w[3] ^ b->w[3])) == 0;
}
static inline bool p256_is_below(const p256_words *a, const p256_words *b) {
    uint64_t borrow = 0;
    for (int i = 0; i < 4; i++) (void)p256_sub_borrow(a->w[i], b->w[i], &borrow);
    return borrow != 0;
}
/// Returns `high * 2^256 + a`, which is below twice the modulus, reduced by the modulus where it is not below that.
static inline p256_words p256_reduce_once(const uint64_t a[_Nonnull 4], uint64_t high, const p256_words *modulus) {
    p256_words less;
    uint64_t borrow = 0;
    P256_UNROLL for (int i = 0; i < 4; i++) less.w[i] = p256_sub_borrow(a[i], modulus->w[i], &borrow);
    (void)p256_sub_borrow(high, 0, &borrow);
    P256_UNROLL for (int i = 0; i < 4; i++) less.w[i] = borrow != 0 ? a[i] : less.w[i];
    return less;
}
/// Returns the sum and the difference of two numbers below the modulus.
static inline p256_words p256_add_mod(const p256_words *a, const p256_words *b, const p256_words *modulus) {
    uint64_t sum[4], carry = 0;
    for (int i = 0; i < 4; i++) sum[i] = p256_add_carry(a->w[i], b->w[i], &carry);
    return p256_reduce_once(sum, carry, modulus);
}
static inline p256_words p256_sub_mod(const p256_words *a, const p256_words *b, const p256_words *modulus) {
    p256_words difference;
    uint64_t borrow = 0, carry = 0;
    for (int i = 0; i < 4; i++) difference.w[i] = p256_sub_borrow(a->w[i], b->w[i], &borrow);
    uint64_t add = (uint64_t)0 - borrow;
    for (int i = 0; i < 4; i++) difference.w[i] = p256_add_carry(difference.w[i], modulus->w[i] & add, &carry);
    return difference;
}

/// Returns `t / 2^256 mod p`. Because -1/p is 1 modulo 2^64, the multiple of p that clears a word is the word m itself: m p is m
/// (2^96 + 2^192 - 2^224 + 2^256) minus the m that is cleared, which takes shifts only. The upper half is added at the end: until
/// then four words are enough.
P256_INLINED p256_words p256_field_reduce(const uint64_t t[_Nonnull 8]) {
    uint64_t a[4] = {t[0], t[1], t[2], t[3]}, carry = 0;
    P256_UNROLL for (int i = 0; i < 4; i++) {
        uint64_t m = a[0], borrow = 0, low = p256_sub_borrow(m, m << 32, &borrow), high = m - (m >> 32) - borrow;
        carry = 0;
        a[0] = p256_add_carry(a[1], m << 32, &carry);
        a[1] = p256_add_carry(a[2], m >> 32, &carry);
        a[2] = p256_add_carry(a[3], low, &carry);
        a[3] = high + carry;
    }
    carry = 0;
    P256_UNROLL for (int i = 0; i < 4; i++) a[i] = p256_add_carry(a[i], t[4 + i], &carry);
    return p256_reduce_once(a, carry, &p256_p);
}
/// Returns `a * b / 2^256 mod p`; a may be any 256 bits where b is below p.
P256_INLINED p256_words p256_mul(const p256_words *a, const p256_words *b) {
    uint64_t t[8] = {0};
    P256_UNROLL for (int i = 0; i < 4; i++) {
        uint64_t carry = 0;
        P256_UNROLL for (int j = 0; j < 4; j++) t[i + j] = p256_mul_add(a->w[i], b->w[j], t[i + j], &carry);
        t[i + 4] = carry;
    }
    return p256_field_reduce(t);
}
P256_INLINED p256_words p256_square(const p256_words *a) {
    uint64_t t[8] = {0}, carry = 0;
    P256_UNROLL for (int i = 0; i < 3; i++) {
        carry = 0;
        P256_UNROLL for (int j = i + 1; j < 4; j++) t[i + j] = p256_mul_add(a->w[i], a->w[j], t[i + j], &carry);
        t[i + 4] = carry;
    }
    t[7] = t[6] >> 63;
    P256_UNROLL for (int i = 6; i > 1; i--) t[i] = t[i] << 1 | t[i - 1] >> 63;
    t[1] <<= 1;
    carry = 0;
    P256_UNROLL for (int i = 0; i < 4; i++) {
        uint64_t high = 0, low = p256_mul_add(a->w[i], a->w[i], 0, &high);
        t[2 * i] = p256_add_carry(t[2 * i], low, &carry);
        t[2 * i + 1] = p256_add_carry(t[2 * i + 1], high, &carry);
    }
    return p256_field_reduce(t);
}
static inline p256_words p256_add(const p256_words *a, const p256_words *b) { return p256_add_mod(a, b, &p256_p); }
static inline p256_words p256_sub(const p256_words *a, const p256_words *b) { return p256_sub_mod(a, b, &p256_p); }

/// Returns `a * b / 2^256 mod n`; a may be any 256 bits where b is below n.
static inline p256_words p256_scalar_mul(const p256_words *a, const p256_words *b) {
    uint64_t t[4] = {0}, top = 0;
    P256_UNROLL for (int i = 0; i < 4; i++) {
        uint64_t carry = 0, over = 0;
        P256_UNROLL for (int j = 0; j < 4; j++) t[j] = p256_mul_add(a->w[i], b->w[j], t[j], &carry);
        top = p256_add_carry(top, carry, &over);
        uint64_t m = t[0] * 0xccd1c8aaee00bc4fu;  // -1/n
        carry = 0;
        (void)p256_mul_add(m, p256_n.w[0], t[0], &carry);
        P256_UNROLL for (int j = 1; j < 4; j++) t[j - 1] = p256_mul_add(m, p256_n.w[j], t[j], &carry);
        t[3] = top + carry, top = over + (t[3] < carry);
    }
    return p256_reduce_once(t, top, &p256_n);
}

/// Reads the 32 bytes of a number, the highest first.
static inline p256_words p256_load(const uint8_t bytes[_Nonnull 32]) {
    p256_words a;
    for (int i = 0; i < 4; i++) {
        uint64_t word = 0;
        for (int j = 0; j < 8; j++) word = word << 8 | bytes[8 * (3 - i) + j];
        a.w[i] = word;
    }
    return a;
}

#pragma clang assume_nonnull end
#endif
