#if defined(CJOSE_ACCELERATED)
#include <string.h>

#include "rsa.h"

/// The most signatures that take less time one by one than a pass of eight.
#define SINGLES_MAX 5

/// The input of one pass: the indices of its signatures in the caller's arrays. Unused lanes repeat the first
/// signature.
typedef struct pass {
    size_t count;
    size_t at[RSA_LANES];
    const cjose_kernel_rsa_key *keys[RSA_LANES];
    const uint8_t *bases[RSA_LANES];
    uint8_t powers[RSA_LANES][RSA_BYTES_MAX];
    bool below[RSA_LANES];
} pass;

/// Fills the lanes from index `next` on, computes their powers, and returns the index where the next pass begins.
static size_t next_pass(
    const cjose_kernel_rsa_key *const *keys, const uint8_t *const *bases, size_t next, size_t count, pass *out) {
    out->count = 0;
    for (; next < count && out->count < RSA_LANES; next++)
        if (keys[next]->bytes == keys[0]->bytes) out->at[out->count++] = next;
    for (size_t lane = 0; lane < RSA_LANES && out->count != 0; lane++) {
        if (lane >= out->count) out->at[lane] = out->at[0];
        out->keys[lane] = keys[out->at[lane]];
        out->bases[lane] = bases[out->at[lane]];
    }
#if defined(__x86_64__)
    if (out->count > SINGLES_MAX) {
        cjose_kernel_rsa_power_ifma(out->keys, out->bases, out->powers, out->below);
        return next;
    }
    for (size_t lane = 0; lane < RSA_LANES && out->count != 0; lane++) {
        if (lane < out->count)
            out->below[lane] = cjose_kernel_rsa_power_single_ifma(out->keys[lane], out->bases[lane], out->powers[lane]);
        // The check of PSS reads all lanes.
        if (lane >= out->count || !out->below[lane]) memset(out->powers[lane], 0, out->keys[lane]->bytes);
    }
#endif
    return next;
}

static bool is_covered(void) {
#if defined(__x86_64__)
    return cjose_kernel_form_current() == cjose_kernel_form_ifma;
#else
    return false;
#endif
}

/// Determines which lanes' powers are encodings of their digests.
static void check_encodings(
    cjose_kernel_rsa_scheme scheme, pass *lanes, const uint8_t *const *digests, bool valid[RSA_LANES]) {
    size_t n = lanes->keys[0]->bytes;
    int bits = 256 + 128 * ((int)scheme % 3);
    const uint8_t *in_lanes[RSA_LANES];
    for (size_t lane = 0; lane < RSA_LANES; lane++) in_lanes[lane] = digests[lanes->at[lane]];
    if (scheme < cjose_kernel_rsa_scheme_ps256) {
        for (size_t lane = 0; lane < lanes->count; lane++)
            valid[lane] = cjose_kernel_pkcs1_is_valid(bits, lanes->powers[lane], n, in_lanes[lane]);
        return;
    }
#if defined(__x86_64__)
    cjose_kernel_pss_check(bits, lanes->powers, n, in_lanes, valid);
#endif
}

void cjose_kernel_rsa_verify(
    cjose_kernel_rsa_scheme scheme, const cjose_kernel_rsa_key *const *keys, const uint8_t *const *digests,
    const uint8_t *const *signatures, size_t count, uint8_t *results) {
    for (size_t i = 0; i < count; i++) results[i] = cjose_kernel_not_covered;
    if (!is_covered()) return;
    pass lanes;
    bool valid[RSA_LANES] = {false};
    for (size_t next = 0; next < count;) {
        next = next_pass(keys, signatures, next, count, &lanes);
        if (lanes.count == 0) return;
        check_encodings(scheme, &lanes, digests, valid);
        for (size_t lane = 0; lane < lanes.count; lane++)
            results[lanes.at[lane]] = lanes.below[lane] && valid[lane] ? cjose_kernel_valid : cjose_kernel_invalid;
    }
}

void cjose_kernel_rsa_power(
    const cjose_kernel_rsa_key *const *keys, const uint8_t *const *bases, size_t count, uint8_t *powers,
    uint8_t *results) {
    for (size_t i = 0; i < count; i++) results[i] = cjose_kernel_not_covered;
    if (!is_covered()) return;
    pass lanes;
    for (size_t next = 0; next < count;) {
        next = next_pass(keys, bases, next, count, &lanes);
        if (lanes.count == 0) return;
        size_t n = lanes.keys[0]->bytes;
        for (size_t lane = 0; lane < lanes.count; lane++) {
            results[lanes.at[lane]] = lanes.below[lane] ? cjose_kernel_valid : cjose_kernel_invalid;
            if (lanes.below[lane]) memcpy(powers + lanes.at[lane] * n, lanes.powers[lane], n);
        }
    }
}

uint8_t cjose_kernel_rsa_power_single(const cjose_kernel_rsa_key *key, const uint8_t *base, uint8_t *power) {
    if (!is_covered()) return cjose_kernel_not_covered;
#if defined(__x86_64__)
    return cjose_kernel_rsa_power_single_ifma(key, base, power) ? cjose_kernel_valid : cjose_kernel_invalid;
#else
    (void)key, (void)base, (void)power;
    return cjose_kernel_not_covered;
#endif
}
#endif
