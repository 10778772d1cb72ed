#ifndef CTIMING_H
#define CTIMING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The counter of the CPU, when all before it is done.
static inline uint64_t timing_now(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ __volatile__("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(value) : : "memory");
    return value;
#endif
}
/// Keeps this thread on one core; false where that cannot be.
bool timing_pin(int32_t core);

/// `block` of 256 bytes to the power of e, without padding, under the RSA key in SubjectPublicKeyInfo.
bool timing_rsa(const void *spki, size_t n, const void *block, void *out);
/// AES-128-CBC of whole blocks without padding.
bool timing_cbc(const void *key, const void *iv, const void *in, size_t n, void *out);
/// 32 bytes of HMAC-SHA-256.
bool timing_mac(const void *key, size_t key_len, const void *in, size_t n, void *out);
/// A comparison that ends at the first difference: what the measurement must find.
bool timing_leaky_compare(const void *a, const void *b, size_t n);

#pragma clang assume_nonnull end
#endif
