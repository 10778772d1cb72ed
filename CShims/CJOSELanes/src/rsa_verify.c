#include <string.h>

#include "rsa.h"

/// What fills one pass: the places of its signatures in the caller's arrays. Lanes that are left over repeat the first.
typedef struct pass {
    size_t count;
    size_t at[RSA_LANES];
    const cjose_lanes_rsa_key *keys[RSA_LANES];
    const uint8_t *bases[RSA_LANES];
} pass;

/// Takes lanes from `next` on; returns where the next pass begins. What it does not take is left `open` in `results`.
static size_t gather(
    const cjose_lanes_rsa_key *const *keys, const uint8_t *const *bases, size_t next, size_t count, pass *out) {
    out->count = 0;
    for (; next < count && out->count < RSA_LANES; next++) {
        if (keys[next]->bytes != keys[0]->bytes) continue;
        out->at[out->count] = next;
        out->keys[out->count] = keys[next];
        out->bases[out->count++] = bases[next];
    }
    for (size_t lane = out->count; lane < RSA_LANES && out->count != 0; lane++) {
        out->keys[lane] = out->keys[0];
        out->bases[lane] = out->bases[0];
    }
    return next;
}

#if defined(__x86_64__)
static bool is_covered(void) { return cjose_lanes_form_current() == cjose_lanes_form_ifma; }
#define power cjose_lanes_rsa_power_ifma
#else
static bool is_covered(void) { return false; }
static void power(
    const cjose_lanes_rsa_key *const keys[RSA_LANES], const uint8_t *const bases[RSA_LANES],
    uint8_t powers[RSA_LANES][RSA_BYTES_MAX], bool below[RSA_LANES]) {
    (void)keys, (void)bases, (void)powers, (void)below;
}
#endif

void cjose_lanes_rsa_verify(
    cjose_lanes_rsa_scheme scheme, const cjose_lanes_rsa_key *const *keys, const uint8_t *const *digests,
    const uint8_t *const *signatures, size_t count, uint8_t *results) {
    for (size_t i = 0; i < count; i++) results[i] = cjose_lanes_open;
    uint8_t powers[RSA_LANES][RSA_BYTES_MAX];
    bool below[RSA_LANES];
    pass lanes;
    for (size_t next = 0; next < count && is_covered();) {
        next = gather(keys, signatures, next, count, &lanes);
        if (lanes.count == 0) return;
        power(lanes.keys, lanes.bases, powers, below);
        for (size_t i = 0; i < lanes.count; i++) {
            bool holds = below[i]
                && cjose_lanes_rsa_holds(scheme, powers[i], lanes.keys[i]->bytes, digests[lanes.at[i]]);
            results[lanes.at[i]] = holds ? cjose_lanes_valid : cjose_lanes_invalid;
        }
    }
}

void cjose_lanes_rsa_power(
    const cjose_lanes_rsa_key *const *keys, const uint8_t *const *bases, size_t count, uint8_t *out,
    uint8_t *results) {
    for (size_t i = 0; i < count; i++) results[i] = cjose_lanes_open;
    uint8_t powers[RSA_LANES][RSA_BYTES_MAX];
    bool below[RSA_LANES];
    pass lanes;
    for (size_t next = 0; next < count && is_covered();) {
        next = gather(keys, bases, next, count, &lanes);
        if (lanes.count == 0) return;
        power(lanes.keys, lanes.bases, powers, below);
        for (size_t i = 0; i < lanes.count; i++) {
            results[lanes.at[i]] = below[i] ? cjose_lanes_valid : cjose_lanes_invalid;
            if (below[i]) memcpy(out + lanes.at[i] * keys[0]->bytes, powers[i], keys[0]->bytes);
        }
    }
}
