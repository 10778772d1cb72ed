#if defined(CJOSE_ACCELERATED)
#include "rsa.h"

#if defined(__x86_64__)
#include "rsa_ifma.h"

typedef struct numbers {
    lanes n[RSA_LIMBS_MAX];
    lanes constant[RSA_LIMBS_MAX];
    lanes base[RSA_LIMBS_MAX];
    lanes x[RSA_LIMBS_MAX];
    lanes other[RSA_LIMBS_MAX];
    rsa_modulus modulus;
} numbers;

/// Loads one number of each key into its lane.
IFMA static void load(
    const cjose_kernel_rsa_key *const keys[RSA_LANES], size_t offset, size_t limbs, lanes *out) {
    const uint64_t *at[RSA_LANES];
    bool is_one_key = true;
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        at[lane] = (const uint64_t *)((const char *)keys[lane] + offset);
        is_one_key &= keys[lane] == keys[0];
    }
    for (size_t i = 0; i < limbs; i++)
        out[i] = is_one_key ? _mm512_set1_epi64((long long)at[0][i])
                            : _mm512_set_epi64(
                                  (long long)at[7][i], (long long)at[6][i], (long long)at[5][i], (long long)at[4][i],
                                  (long long)at[3][i], (long long)at[2][i], (long long)at[1][i], (long long)at[0][i]);
}

IFMA static void load_bases(const uint8_t *const bases[RSA_LANES], size_t bytes, size_t limbs, lanes *out) {
    uint64_t(*words)[RSA_LANES] = (uint64_t(*)[RSA_LANES])out;
    uint64_t number[RSA_LIMBS_MAX];
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        cjose_kernel_limbs_read(bases[lane], bytes, number, limbs);
        for (size_t i = 0; i < limbs; i++) words[i][lane] = number[i];
    }
}

/// Writes x - n to `out`, and returns the lanes where x was below n.
IFMA static __mmask8 subtract(const lanes *x, const lanes *n, size_t limbs, lanes *out) {
    lanes borrow = _mm512_setzero_si512();
    for (size_t i = 0; i < limbs; i++) {
        lanes difference = _mm512_add_epi64(_mm512_sub_epi64(x[i], n[i]), borrow);
        out[i] = _mm512_and_si512(difference, _mm512_set1_epi64(LIMB));
        borrow = _mm512_srai_epi64(difference, 63);
    }
    return _mm512_movepi64_mask(borrow);
}

/// Computes base^65537, the exponent of almost all keys: 16 squarings, and a last product that leaves Montgomery form.
IFMA static void power_of_f4(numbers *all, const lanes *r_squared) {
    rsa_multiply(all->base, r_squared, &all->modulus, all->x);
    for (int i = 0; i < 8; i++) {
        rsa_square(all->x, &all->modulus, all->other);
        rsa_square(all->other, &all->modulus, all->x);
    }
    rsa_multiply(all->x, all->base, &all->modulus, all->other);
}

/// Computes powers with any exponents, one for each lane: all are squared for each bit of the longest, and multiplied where their
/// bit is set.
IFMA static void power_of_any(
    numbers *all, const cjose_kernel_rsa_key *const keys[RSA_LANES], size_t limbs, uint64_t longest) {
    lanes form[RSA_LIMBS_MAX], exponents;
    rsa_multiply(all->base, all->constant, &all->modulus, form);
    load(keys, offsetof(cjose_kernel_rsa_key, one), limbs, all->x);
    load(keys, offsetof(cjose_kernel_rsa_key, e), 1, &exponents);
    for (uint64_t bit = (uint64_t)1 << (63 - __builtin_clzll(longest)); bit != 0; bit >>= 1) {
        rsa_square(all->x, &all->modulus, all->other);
        rsa_multiply(all->other, form, &all->modulus, all->x);
        __mmask8 set = _mm512_test_epi64_mask(exponents, _mm512_set1_epi64((long long)bit));
        for (size_t i = 0; i < limbs; i++) all->x[i] = _mm512_mask_blend_epi64(set, all->other[i], all->x[i]);
    }
    for (size_t i = 0; i < limbs; i++) form[i] = _mm512_set1_epi64(i == 0);
    rsa_multiply(all->x, form, &all->modulus, all->other);
}

IFMA void cjose_kernel_rsa_power_ifma(
    const cjose_kernel_rsa_key *const keys[RSA_LANES], const uint8_t *const bases[RSA_LANES],
    uint8_t powers[RSA_LANES][RSA_BYTES_MAX], bool below[RSA_LANES]) {
    numbers all;
    size_t bytes = keys[0]->bytes, limbs = keys[0]->blocks * RSA_BLOCK;
    uint64_t longest = 0, differing = 0;
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        longest |= keys[lane]->e;
        differing |= keys[lane]->e ^ 65537;
    }
    load(keys, offsetof(cjose_kernel_rsa_key, n), limbs, all.n);
    load(keys, offsetof(cjose_kernel_rsa_key, square), limbs, all.constant);
    all.modulus.blocks = keys[0]->blocks;
    all.modulus.n = all.n;
    load(keys, offsetof(cjose_kernel_rsa_key, negative), 1, &all.modulus.inverse);
    load_bases(bases, bytes, limbs, all.base);
    // A base that is not below n still fits the kernels, which take numbers below 2n.
    __mmask8 fits = subtract(all.base, all.n, limbs, all.x);
    if (differing == 0) power_of_f4(&all, all.constant);
    else power_of_any(&all, keys, limbs, longest);

    __mmask8 is_reduced = subtract(all.other, all.n, limbs, all.x);
    for (size_t i = 0; i < limbs; i++) all.x[i] = _mm512_mask_blend_epi64(is_reduced, all.x[i], all.other[i]);
    const uint64_t(*words)[RSA_LANES] = (const uint64_t(*)[RSA_LANES])all.x;
    uint64_t number[RSA_LIMBS_MAX];
    for (size_t lane = 0; lane < RSA_LANES; lane++) {
        for (size_t i = 0; i < limbs; i++) number[i] = words[i][lane];
        cjose_kernel_limbs_write(number, limbs, powers[lane], bytes);
        below[lane] = fits >> lane & 1;
    }
}
#endif
#endif
