#if defined(CJOSE_ACCELERATED)
#include <string.h>

#include "private_rsa.h"

#if defined(__x86_64__) || defined(CJOSE_LANES_OF_WORDS)
#include "private_internal.h"

static _Atomic(uint64_t) faults = 0;

uint64_t cjose_private_fault_count(void) { return atomic_load_explicit(&faults, memory_order_relaxed); }

size_t cjose_private_rsa_key_bits(const cjose_private_rsa_key *key) { return 8 * key->bytes; }

bool private_have_one_size(cjose_private_rsa_key *const *keys, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (keys[i]->bytes != keys[0]->bytes) return false;
    return true;
}

/// The tokens of one pass: their indices in the caller's arrays.
typedef struct pass {
    size_t count;
    size_t at[PRIVATE_TOKENS];
    cjose_private_rsa_key *keys[PRIVATE_TOKENS];
    private_token tokens[PRIVATE_TOKENS];
} pass;

/// Returns whether an input is below the modulus, big-endian. Both are public.
static bool is_below(const uint8_t *input, const uint8_t *modulus, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (input[i] != modulus[i]) return input[i] < modulus[i];
    return false;
}

/// Chooses the tokens of a pass from index `next` on, and returns the index where the next pass begins.
static size_t choose(
    cjose_private_rsa_key *const *keys, const uint8_t *const *inputs, size_t next, size_t count, uint8_t *results,
    pass *out) {
    out->count = 0;
    for (; next < count && out->count < PRIVATE_TOKENS; next++) {
        // Public by design: whether an input is below the modulus (RFC 8017, 5.1.2, step 1).
        if (!is_below(inputs[next], keys[next]->modulus, keys[next]->bytes)) {
            results[next] = cjose_private_invalid;
            continue;
        }
        out->at[out->count] = next;
        out->keys[out->count] = keys[next];
        out->tokens[out->count++].input = inputs[next];
    }
    return next;
}

/// Gives the unused lanes random input under the key of the first token.
static bool fill(private_work *work, pass *pass) {
    for (size_t i = pass->count; i < PRIVATE_TOKENS; i++) {
        pass->keys[i] = pass->keys[0];
        if (!private_random(work->filler[i], pass->keys[0]->bytes)) return false;
        // The result is below the modulus, whose highest bit is set.
        work->filler[i][0] &= 0x7F;
        pass->tokens[i].input = work->filler[i];
    }
    return true;
}

/// Gives each token the blinding factors of its key; tokens with one key share them, each with a pair of its own.
static bool take_blindings(pass *pass) {
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) {
        private_blinding *blinding = NULL;
        for (size_t j = 0; j < i && blinding == NULL; j++)
            if (pass->keys[j] == pass->keys[i]) blinding = pass->tokens[j].blinding;
        if (blinding == NULL) blinding = private_blinding_take(pass->keys[i]);
        pass->tokens[i].blinding = blinding;
        pass->tokens[i].key = pass->keys[i];
        if (blinding == NULL) return false;
    }
    return true;
}

static void give_blindings(pass *pass) {
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) {
        private_blinding *blinding = pass->tokens[i].blinding;
        if (blinding == NULL) continue;
        for (size_t j = i; j < PRIVATE_TOKENS; j++)
            if (pass->tokens[j].blinding == blinding) pass->tokens[j].blinding = NULL;
        private_blinding_give(pass->keys[i], blinding);
    }
}

/// Computes the powers of one pass. Results that the check rejects, and all where the pass could not run, are libcrypto's.
static void run(private_work *work, pass *pass, uint8_t *const *outputs, uint8_t *results) {
    bool is_right[PRIVATE_TOKENS] = {false};
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) pass->tokens[i].blinding = NULL;
    bool has_run = fill(work, pass) && take_blindings(pass) && private_pass(work, pass->tokens, is_right);
    give_blindings(pass);
    for (size_t i = 0; i < pass->count; i++) {
        size_t at = pass->at[i];
        if (has_run && is_right[i]) {
            memcpy(outputs[at], work->output[i], pass->keys[i]->bytes);
            results[at] = cjose_private_valid;
            continue;
        }
        if (has_run) atomic_fetch_add_explicit(&faults, 1, memory_order_relaxed);
        private_wipe(work->output[i], sizeof work->output[i]);
        if (private_power_of_libcrypto(pass->keys[i], pass->tokens[i].input, outputs[at])) results[at] = cjose_private_valid;
    }
}

void cjose_private_rsa_power(
    cjose_private_rsa_key *const *keys, const uint8_t *const *inputs, size_t count, uint8_t *const *outputs,
    uint8_t *results) {
    memset(results, cjose_private_failed, count);
    if (count == 0 || !private_have_one_size(keys, count)) return;
    private_work *work = private_work_take();
    if (work == NULL) return;
    pass pass;
    for (size_t next = 0; next < count;) {
        next = choose(keys, inputs, next, count, results, &pass);
        if (pass.count != 0) run(work, &pass, outputs, results);
    }
    private_work_give(work);
    private_wipe_traces();
}
#else
// Other machines have no kernels, and so no keys.

uint64_t cjose_private_fault_count(void) { return 0; }
bool cjose_private_kernels_present(void) { return false; }
cjose_private_rsa_key *cjose_private_rsa_key_new(struct evp_pkey_st *pkey) {
    (void)pkey;
    return NULL;
}
void cjose_private_rsa_key_free(cjose_private_rsa_key *key) { (void)key; }
size_t cjose_private_rsa_key_bits(const cjose_private_rsa_key *key) {
    (void)key;
    return 0;
}
void cjose_private_rsa_power(
    cjose_private_rsa_key *const *keys, const uint8_t *const *inputs, size_t count, uint8_t *const *outputs,
    uint8_t *results) {
    (void)keys, (void)inputs, (void)outputs;
    memset(results, cjose_private_failed, count);
}
void cjose_private_oaep_decrypt(
    cjose_private_oaep_hash hash, cjose_private_rsa_key *const *keys, const uint8_t *const *inputs, size_t count,
    uint8_t *const *outputs, size_t n, uint8_t *results) {
    (void)hash, (void)keys, (void)inputs, (void)outputs, (void)n;
    memset(results, cjose_private_failed, count);
}
void cjose_private_rsa_sign(
    cjose_private_signature algorithm, cjose_private_rsa_key *const *keys, const uint8_t *const *digests, size_t count,
    uint8_t *const *outputs, uint8_t *results) {
    (void)algorithm, (void)keys, (void)digests, (void)outputs;
    memset(results, cjose_private_failed, count);
}
#endif
#endif
