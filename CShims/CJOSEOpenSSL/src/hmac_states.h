#ifndef CJOSE_HMAC_STATES_H
#define CJOSE_HMAC_STATES_H
#include "cjose_digest.h"

/// The two states of HMAC (RFC 2104, 4) in libcrypto's SHA-2, after the block of the inner and of the outer padded key: what is left
/// for a text is to copy them. They are secret, and immutable, so that any number of threads may use them.
typedef struct cjose_hmac_states cjose_hmac_states;

#if defined(CJOSE_ACCELERATED)
/// Creates the states, which the caller frees with `cjose_hmac_states_free`. Null where memory runs out, for SHA-1, and where another
/// provider than libcrypto's default one computes HMAC, because only that one has the functions that are called here.
cjose_hmac_states *cjose_hmac_states_new(cjose_hash hash, const void *key, size_t key_len);
/// Wipes and frees the states. Null is allowed.
void cjose_hmac_states_free(cjose_hmac_states *states);
/// Writes the MAC, of 32, 48 or 64 bytes, to `out`. Returns false where libcrypto fails.
bool cjose_hmac_states_sign(const cjose_hmac_states *states, const void *in, size_t n, uint8_t *out);
#else
/// Returns null: without the package's trait `Accelerated` libcrypto's own HMAC computes every MAC.
static inline cjose_hmac_states *cjose_hmac_states_new(cjose_hash hash, const void *key, size_t key_len) {
    (void)hash, (void)key, (void)key_len;
    return NULL;
}
static inline void cjose_hmac_states_free(cjose_hmac_states *states) { (void)states; }
static inline bool cjose_hmac_states_sign(const cjose_hmac_states *states, const void *in, size_t n, uint8_t *out) {
    (void)states, (void)in, (void)n, (void)out;
    return false;
}
#endif
#endif
