#ifndef CJOSE_KERNEL_RSA_INTERNAL_H
#define CJOSE_KERNEL_RSA_INTERNAL_H
#include "kernel_rsa.h"
#pragma clang assume_nonnull begin

/// The number of signatures of one pass.
#define RSA_LANES 8
/// The number of limbs of 52 bits in a block. Numbers have as many blocks as twice the modulus takes: 40, 60 and 80
/// limbs.
#define RSA_BLOCK 10
#define RSA_LIMBS_MAX 80
#define RSA_BYTES_MAX 512

struct cjose_kernel_rsa_key {
    size_t bytes;
    size_t blocks;
    uint64_t e;
    /// Little-endian limbs: the modulus, and for R = 2^(52 limbs) R and R^2 modulo it, and -n^-1 modulo R.
    uint64_t n[RSA_LIMBS_MAX];
    uint64_t one[RSA_LIMBS_MAX];
    uint64_t square[RSA_LIMBS_MAX];
    uint64_t negative[RSA_LIMBS_MAX];
};

/// Writes x^e mod n of each lane, as long as the modulus, and whether its x was below n. The moduli of all keys have
/// the same length.
void cjose_kernel_rsa_power_ifma(
    const cjose_kernel_rsa_key *const _Nonnull keys[_Nonnull RSA_LANES],
    const uint8_t *const _Nonnull bases[_Nonnull RSA_LANES], uint8_t powers[_Nonnull RSA_LANES][RSA_BYTES_MAX],
    bool below[_Nonnull RSA_LANES]);

/// Writes x^e mod n of one number, as long as the modulus. False where x is not below n.
bool cjose_kernel_rsa_power_single_ifma(const cjose_kernel_rsa_key *key, const uint8_t *base, uint8_t *power);

/// Converts big-endian bytes to limbs; higher limbs become zero.
void cjose_kernel_limbs_read(const uint8_t *bytes, size_t n, uint64_t *limbs, size_t count);
/// Writes the lowest `n` bytes of the limbs, big-endian. `count` is even.
void cjose_kernel_limbs_write(const uint64_t *limbs, size_t count, uint8_t *bytes, size_t n);

/// Whether `encoded`, as long as the modulus, is the encoding of the digest of so many bits (RFC 8017, 8.2.2). Nothing
/// in it is parsed: all of it is compared with the one valid encoding.
bool cjose_kernel_pkcs1_is_valid(int bits, const uint8_t *encoded, size_t n, const uint8_t *digest);
/// Whether the encodings of all lanes are valid for PSS (RFC 8017, 8.1.2). `encoded` is overwritten.
void cjose_kernel_pss_check(
    int bits, uint8_t encoded[_Nonnull RSA_LANES][RSA_BYTES_MAX], size_t n,
    const uint8_t *const _Nonnull digests[_Nonnull RSA_LANES], bool valid[_Nonnull RSA_LANES]);

#pragma clang assume_nonnull end
#endif
