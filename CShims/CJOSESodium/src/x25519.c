#include <sodium.h>

#include "CJOSESodium.h"

bool cjose_x25519(const void *scalar, const void *point, void *z) {
    // libsodium rejects the all-zero result, and the points that would give it: for those it writes nothing.
    sodium_memzero(z, crypto_scalarmult_BYTES);
    return crypto_scalarmult(z, scalar, point) == 0;
}

void cjose_x25519_public(const void *scalar, void *public_key) { (void)crypto_scalarmult_base(public_key, scalar); }

bool cjose_x25519_fresh(const void *point, void *public_key, void *z) {
    unsigned char scalar[crypto_scalarmult_SCALARBYTES];
    randombytes_buf(scalar, sizeof scalar);
    cjose_x25519_public(scalar, public_key);
    bool agreed = cjose_x25519(scalar, point, z);
    sodium_memzero(scalar, sizeof scalar);
    return agreed;
}
