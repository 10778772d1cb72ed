#ifndef CJOSE_RSA_POWER_H
#define CJOSE_RSA_POWER_H
#include <openssl/evp.h>
#include <stdint.h>

#include "CJOSEOpenSSL.h"

/// The public operation of one RSA key (RFC 8017, 5.2.2) with libcrypto's multiplications, and with the values that
/// depend on the key only computed once. It takes public values, in variable time, and is for one thread at a time.
typedef struct cjose_rsa_power cjose_rsa_power;

#if defined(CJOSE_ACCELERATED)
/// Creates the state of a key, which the caller owns. Null for an unsupported key, or where memory runs out:
/// libcrypto's own call then verifies.
cjose_rsa_power *cjose_rsa_power_new(const EVP_PKEY *pkey);
void cjose_rsa_power_free(cjose_rsa_power *power);

enum { cjose_rsa_max_bytes = 1024 };

/// Writes the encoded message of a signature (RFC 8017, 5.2.2), `size` bytes. `invalid` for a number that is not below
/// the modulus.
cjose_status cjose_rsa_power_raise(cjose_rsa_power *power, const uint8_t *signature, size_t size, uint8_t *out);

/// Checks the encoded message of RSASSA-PKCS1-v1_5 (RFC 8017, 8.2.2, steps 3 and 4), as long as the modulus. `invalid`
/// for the encoding of another digest, and for any other encoding of this one.
cjose_status cjose_pkcs1_check(cjose_hash hash, const uint8_t *digest, const uint8_t *encoded, size_t size);

/// Checks the encoded message of RSASSA-PSS (RFC 8017, 8.1.2, steps 2c and 3), as long as the modulus of `bits` bits,
/// with the parameters of RFC 7518, 3.5: MGF1 of the same hash, and a salt as long as the hash. `md` is of this hash;
/// its state and `encoded` are overwritten.
cjose_status cjose_pss_check(
    cjose_hash hash, EVP_MD_CTX *md, const uint8_t *digest, uint8_t *encoded, size_t size, int bits);
#else
/// Returns null: without the package's trait `Accelerated` libcrypto's own call verifies every signature.
static inline cjose_rsa_power *cjose_rsa_power_new(const EVP_PKEY *pkey) {
    (void)pkey;
    return NULL;
}
static inline void cjose_rsa_power_free(cjose_rsa_power *power) { (void)power; }
#endif
#endif
