#if defined(CJOSE_ACCELERATED)
// The functions of SHA-2 that are not looked up in a provider are deprecated since OpenSSL 3.0, and still what its default provider
// calls.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "hmac_states.h"

#include <openssl/sha.h>
#include <stdlib.h>

#include "internal.h"

/// A state of SHA-256, or of SHA-384 and SHA-512, which differ in their initial value and in the length of the result only.
typedef union {
    SHA256_CTX narrow;
    SHA512_CTX wide;
} sha2;

struct cjose_hmac_states {
    cjose_hash hash;
    sha2 inner, outer;
};

static bool begin(cjose_hash hash, sha2 *state) {
    switch (hash) {
    case cjose_hash_sha256: return SHA256_Init(&state->narrow) == 1;
    case cjose_hash_sha384: return SHA384_Init(&state->wide) == 1;
    case cjose_hash_sha512: return SHA512_Init(&state->wide) == 1;
    default: return false;
    }
}

static inline bool update(cjose_hash hash, sha2 *state, const void *in, size_t n) {
    return (hash == cjose_hash_sha256 ? SHA256_Update(&state->narrow, in, n) : SHA512_Update(&state->wide, in, n)) == 1;
}

static inline bool finish(cjose_hash hash, sha2 *state, uint8_t *out) {
    return (hash == cjose_hash_sha256 ? SHA256_Final(out, &state->narrow) : SHA512_Final(out, &state->wide)) == 1;
}

/// Sets `state` to the state after one block of the padded key.
static bool pad(cjose_hash hash, sha2 *state, const uint8_t *key, size_t key_len, uint8_t with) {
    size_t block = hash == cjose_hash_sha256 ? SHA256_CBLOCK : SHA512_CBLOCK;
    uint8_t padded[SHA512_CBLOCK];
    for (size_t i = 0; i < block; i++) padded[i] = (i < key_len ? key[i] : 0) ^ with;
    bool ok = begin(hash, state) && update(hash, state, padded, block);
    OPENSSL_cleanse(padded, sizeof padded);
    return ok;
}

cjose_hmac_states *cjose_hmac_states_new(cjose_hash hash, const void *key, size_t key_len) {
    if (hash == cjose_hash_sha1 || !cjose_library_get()->has_default_hmac[hash]) return NULL;
    cjose_hmac_states *states = calloc(1, sizeof *states);
    if (states == NULL) return NULL;
    states->hash = hash;
    // A key longer than a block is replaced by its hash (RFC 2104, 2).
    uint8_t hashed[SHA512_DIGEST_LENGTH];
    bool ok = true;
    if (key_len > (hash == cjose_hash_sha256 ? SHA256_CBLOCK : SHA512_CBLOCK)) {
        ok = begin(hash, &states->inner) && update(hash, &states->inner, key, key_len)
            && finish(hash, &states->inner, hashed);
        key = hashed;
        key_len = cjose_hash_size(hash);
    }
    ok = ok && pad(hash, &states->inner, key, key_len, 0x36) && pad(hash, &states->outer, key, key_len, 0x5c);
    OPENSSL_cleanse(hashed, sizeof hashed);
    if (ok) return states;
    cjose_hmac_states_free(states);
    return NULL;
}

void cjose_hmac_states_free(cjose_hmac_states *states) {
    if (states == NULL) return;
    OPENSSL_cleanse(states, sizeof *states);
    free(states);
}

bool cjose_hmac_states_sign(const cjose_hmac_states *states, const void *in, size_t n, uint8_t *out) {
    cjose_hash hash = states->hash;
    sha2 state = states->inner;
    uint8_t inner[SHA512_DIGEST_LENGTH];
    bool ok = update(hash, &state, in, n) && finish(hash, &state, inner);
    if (ok) {
        state = states->outer;
        ok = update(hash, &state, inner, cjose_hash_size(hash)) && finish(hash, &state, out);
    }
    OPENSSL_cleanse(&state, sizeof state);
    OPENSSL_cleanse(inner, sizeof inner);
    return ok;
}
#endif
