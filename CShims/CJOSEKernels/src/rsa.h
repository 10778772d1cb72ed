#ifndef CJOSE_KERNEL_RSA_INTERNAL_H
#define CJOSE_KERNEL_RSA_INTERNAL_H
#include "kernel_rsa.h"
#pragma clang assume_nonnull begin

/// Signatures of one pass.
#define RSA_LANES 8
/// Limbs of 52 bits that the kernels work on at once; numbers are as many blocks long as hold them with room for twice the
/// modulus: 40, 60 and 80 limbs.
#define RSA_BLOCK 10
#define RSA_LIMBS_MAX 80
#define RSA_BYTES_MAX 512

struct cjose_kernel_rsa_key {
    size_t bytes;
    size_t blocks;
    uint64_t e;
    /// -n^-1 mod 2^52.
    uint64_t inverse;
    /// Little-endian limbs: the modulus, and for R = 2^(52 limbs) R and R^2 modulo it.
    uint64_t n[RSA_LIMBS_MAX];
    uint64_t one[RSA_LIMBS_MAX];
    uint64_t square[RSA_LIMBS_MAX];
};

/// The modulus of all keys is as long. Writes x^e mod n of each lane, as long as the modulus, and whether its x was below n.
void cjose_kernel_rsa_power_ifma(
    const cjose_kernel_rsa_key *const _Nonnull keys[_Nonnull RSA_LANES],
    const uint8_t *const _Nonnull bases[_Nonnull RSA_LANES], uint8_t powers[_Nonnull RSA_LANES][RSA_BYTES_MAX],
    bool below[_Nonnull RSA_LANES]);

/// Big-endian bytes to limbs; those above what there is become zero.
void cjose_kernel_limbs_read(const uint8_t *bytes, size_t n, uint64_t *limbs, size_t count);
/// The lowest `n` bytes of the limbs, big-endian. `count` is even.
void cjose_kernel_limbs_write(const uint64_t *limbs, size_t count, uint8_t *bytes, size_t n);

/// Whether `encoded`, as long as the modulus, is what a signature over the digest of so many bits opens to (RFC 8017, 8.2.2).
/// Nothing is looked for in it: all of it must be the one encoding that there is.
bool cjose_kernel_pkcs1_holds(int bits, const uint8_t *encoded, size_t n, const uint8_t *digest);
/// The same of PSS (RFC 8017, 8.1.2), of all lanes. `encoded` is used up.
void cjose_kernel_pss_hold(
    int bits, uint8_t encoded[_Nonnull RSA_LANES][RSA_BYTES_MAX], size_t n,
    const uint8_t *const _Nonnull digests[_Nonnull RSA_LANES], bool holds[_Nonnull RSA_LANES]);

#pragma clang assume_nonnull end
#endif
