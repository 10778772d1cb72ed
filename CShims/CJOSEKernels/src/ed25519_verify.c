#if defined(CJOSE_ACCELERATED)
// SHA512_Init and its companions need no allocation.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_ed25519.h"

#if defined(__x86_64__)
#include "ed25519_internal.h"

static bool is_covered(void) { return cjose_kernel_form_current() == cjose_kernel_form_ifma; }

/// Computes SHA-512 of R, the key and the text, modulo L.
static bool hash(const cjose_kernel_ed25519_job *job, uint64_t out[4]) {
    SHA512_CTX ctx;
    uint8_t digest[64];
    bool ok = SHA512_Init(&ctx) == 1 && SHA512_Update(&ctx, job->signature, 32) == 1
        && SHA512_Update(&ctx, job->public_key, 32) == 1 && SHA512_Update(&ctx, job->text, job->length) == 1
        && SHA512_Final(digest, &ctx) == 1;
    if (ok) ed_scalar_reduce(digest, out);
    return ok;
}

/// Up to eight signatures whose keys all have tables, or all have none.
typedef struct group {
    size_t count;
    size_t at[ED_LANES];
    bool is_point[ED_LANES];
} group;

/// Computes SB - hA of each lane. Unused lanes repeat the first signature.
static bool sum(const cjose_kernel_ed25519_job *jobs, group *group, ed_point *out) {
    int16_t base[ED_LANES][ED_WINDOWS_MAX], other[ED_LANES][ED_WINDOWS_MAX];
    const cjose_kernel_ed25519_key *keys[ED_LANES];
    const uint8_t *encodings[ED_LANES];
    const bool has_tables = jobs[group->at[0]].key != NULL;
    for (size_t lane = 0; lane < ED_LANES; lane++) {
        const cjose_kernel_ed25519_job *job = &jobs[group->at[lane < group->count ? lane : 0]];
        uint64_t scalar[4], digest[4];
        memcpy(scalar, job->signature + 32, sizeof scalar);
        if (!hash(job, digest)) return false;
        ed_scalar_digits(scalar, ED_BASE_WINDOWS, ED_BASE_BITS, base[lane]);
        if (has_tables) ed_scalar_digits(digest, ED_KEY_WINDOWS, ED_KEY_BITS, other[lane]);
        else ed_scalar_digits(digest, ED_WINDOWS, ED_BITS, other[lane]);
        keys[lane] = job->key, encodings[lane] = job->public_key;
        group->is_point[lane] = true;
    }
    if (has_tables) {
        ed_set_zero(out);
        ed_add_keys(out, keys, other);
    } else {
        ed_point points;
        ed_decode_negated(encodings, &points, group->is_point);
        ed_multiply(out, &points, other);
    }
    ed_add_base(out, base);
    return true;
}

/// Verifies up to eight groups, whose points share an inversion.
static void finish(const cjose_kernel_ed25519_job *jobs, group *groups, size_t count, uint8_t *results) {
    ed_point points[ED_GROUPS];
    uint64_t encodings[ED_GROUPS][ED_LANES][5], wanted[5];
    for (size_t i = 0; i < count; i++)
        if (!sum(jobs, &groups[i], &points[i])) {
            for (size_t j = 0; j < count; j++)
                for (size_t lane = 0; lane < groups[j].count; lane++) results[groups[j].at[lane]] = cjose_kernel_not_covered;
            return;
        }
    ed_encode(points, count, encodings);
    for (size_t i = 0; i < count; i++)
        for (size_t lane = 0; lane < groups[i].count; lane++) {
            size_t at = groups[i].at[lane];
            ed_limbs(jobs[at].signature, wanted);
            bool is_equal = ed_is_same(wanted, encodings[i][lane], 5);
            results[at] = groups[i].is_point[lane] && is_equal ? cjose_kernel_valid : cjose_kernel_invalid;
        }
}

void cjose_kernel_ed25519_verify(const cjose_kernel_ed25519_job *jobs, size_t count, uint8_t *results) {
    for (size_t i = 0; i < count; i++) results[i] = cjose_kernel_not_covered;
    if (!is_covered() || !ed_prepare()) return;
    // One kind of group after the other, so that lanes are full.
    for (int kind = 0; kind < 2; kind++) {
        group groups[ED_GROUPS] = {{0}};
        size_t full = 0;
        for (size_t i = 0; i < count; i++) {
            const cjose_kernel_ed25519_job *job = &jobs[i];
            if ((job->key == NULL) != kind) continue;
            if (!ed_scalar_is_canonical(job->signature + 32) || ed_has_small_order(job->signature)
                || !ed_is_acceptable(job->public_key)) {
                results[i] = cjose_kernel_invalid;
                continue;
            }
            group *group = &groups[full];
            group->at[group->count++] = i;
            if (group->count == ED_LANES && ++full == ED_GROUPS) {
                finish(jobs, groups, full, results);
                memset(groups, 0, sizeof groups);
                full = 0;
            }
        }
        // The last group may have unused lanes.
        if (groups[full].count != 0) full++;
        if (full != 0) finish(jobs, groups, full, results);
    }
}

cjose_kernel_ed25519_key *cjose_kernel_ed25519_key_new(const uint8_t public_key[32]) {
    if (!is_covered() || !ed_is_acceptable(public_key) || !ed_prepare()) return NULL;
    const uint8_t *encodings[ED_LANES];
    bool is_point[ED_LANES];
    ed_point point;
    for (size_t lane = 0; lane < ED_LANES; lane++) encodings[lane] = public_key;
    ed_decode_negated(encodings, &point, is_point);
    cjose_kernel_ed25519_key *key = NULL;
    if (!is_point[0] || posix_memalign((void **)&key, 64, sizeof *key) != 0) return NULL;
    if (ed_table_fill(&key->table[0][0], ED_KEY_WINDOWS, ED_KEY_BITS, &point)) return key;
    free(key);
    return NULL;
}
#else
void cjose_kernel_ed25519_verify(const cjose_kernel_ed25519_job *jobs, size_t count, uint8_t *results) {
    (void)jobs;
    memset(results, cjose_kernel_not_covered, count);
}
cjose_kernel_ed25519_key *cjose_kernel_ed25519_key_new(const uint8_t public_key[32]) {
    (void)public_key;
    return NULL;
}
#endif

void cjose_kernel_ed25519_key_free(cjose_kernel_ed25519_key *key) { free(key); }

size_t cjose_kernel_ed25519_key_bytes(const cjose_kernel_ed25519_key *key) {
    (void)key;
#if defined(__x86_64__)
    return sizeof *key;
#else
    return 0;
#endif
}
#endif
