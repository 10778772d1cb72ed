#ifndef CTIMING_H
#define CTIMING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Returns the counter of the CPU after all earlier instructions have completed.
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
/// Keeps this thread on one core, and returns false if the system does not support that.
bool timing_pin(int32_t core);

/// Computes `block` (256 bytes) to the power of e without padding, with the RSA key in SubjectPublicKeyInfo.
bool timing_rsa(const void *spki, size_t n, const void *block, void *out);
/// Encrypts whole blocks with AES-128-CBC, without padding.
bool timing_cbc(const void *key, const void *iv, const void *in, size_t n, void *out);
/// Computes an HMAC-SHA-256 of 32 bytes.
bool timing_mac(const void *key, size_t key_len, const void *in, size_t n, void *out);
/// Compares and stops at the first difference: the deliberate leak that the measurement must find.
bool timing_leaky_compare(const void *a, const void *b, size_t n);

#pragma clang assume_nonnull end
#endif
