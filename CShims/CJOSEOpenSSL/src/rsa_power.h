#ifndef CJOSE_RSA_POWER_H
#define CJOSE_RSA_POWER_H
#include <openssl/evp.h>
#include <stdint.h>

#include "CJOSEOpenSSL.h"

/// The public operation of one RSA key (RFC 8017, 5.2.2), with what depends on the key alone computed once. Of public values, in
/// variable time. For one thread at a time.
typedef struct cjose_rsa_power cjose_rsa_power;

/// Null where the key is none of ours, or memory is out: libcrypto's own call then serves. The caller owns it.
cjose_rsa_power *cjose_rsa_power_new(const EVP_PKEY *pkey);
void cjose_rsa_power_free(cjose_rsa_power *power);

enum { cjose_rsa_most_bytes = 1024 };

/// The signature's encoded message (RFC 8017, 5.2.2), `size` bytes. `invalid` for a number that is not below the modulus.
cjose_status cjose_rsa_power_raise(cjose_rsa_power *power, const uint8_t *signature, size_t size, uint8_t *out);
int cjose_rsa_power_bits(const cjose_rsa_power *power);

/// RFC 8017, 8.2.2. `signature` is as long as the modulus, which the caller has seen to. `invalid` for one that does not hold.
cjose_status cjose_pkcs1_verify(
    cjose_rsa_power *power, cjose_hash hash, const uint8_t *digest, const uint8_t *signature, size_t size);

/// RFC 8017, 8.1.2, with what RFC 7518, 3.5, fixes: MGF1 of the same hash, and a salt as long as the hash. `md` is of this hash; what
/// it holds is lost.
cjose_status cjose_pss_verify(
    cjose_rsa_power *power, cjose_hash hash, EVP_MD_CTX *md, const uint8_t *digest, const uint8_t *signature, size_t size);
#endif
