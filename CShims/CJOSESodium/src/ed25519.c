#include <sodium.h>

#include "CJOSESodium.h"

void cjose_ed25519_from_seed(const void *seed, void *secret, void *public_key) {
    (void)crypto_sign_seed_keypair(public_key, secret, seed);
}

bool cjose_ed25519_sign(const void *secret, const void *in, size_t n, void *out) {
    return crypto_sign_detached(out, NULL, in, n, secret) == 0;
}

bool cjose_ed25519_verify(
    const void *public_key, const void *in, size_t n, const void *signature, size_t signature_len) {
    return signature_len == crypto_sign_BYTES && crypto_sign_verify_detached(signature, in, n, public_key) == 0;
}

bool cjose_ed25519_key_valid(const void *public_key) { return crypto_core_ed25519_is_valid_point(public_key) == 1; }
