#ifndef KERNEL_CHECKER_H
#define KERNEL_CHECKER_H
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CJOSEKernels.h"
#include "dice.h"

/// Returns the result; with `--spoil`, one of a thousand is changed before it is compared: the checker must then fail.
uint8_t spoilt(dice *dice, uint8_t answer);

/// Check a kernel, by its edge cases and `count` random cases of each size, and measure its rate beside libcrypto's.
void rsa_check(dice *dice, size_t count);
void rsa_bench(dice *dice);
void p256_check(dice *dice, size_t count);
void p256_bench(dice *dice);
void ed25519_check(dice *dice, size_t count);
void ed25519_bench(dice *dice);
/// Checks the verification of single RSA signatures in CShims/CJOSEOpenSSL.
void single_check(dice *dice, size_t count);

/// Installs the allocator of libcrypto, before its first allocation.
void memory_install(void);
/// Fails the allocation after the next `after` ones of libcrypto, and with `onwards` all that follow; a negative number: none.
void memory_refuse(long after, bool onwards);
/// Returns whether an allocation has failed since.
bool memory_refused(void);
/// Lets all requests succeed, and counts none, until it is called with false.
void memory_pause(bool paused);
/// Checks the readers of keys, points, certificates and paths in memory_reading.c.
void memory_reading_check(EVP_PKEY *rsa, EVP_PKEY *p256, EVP_PKEY *p384);
void memory_check(dice *dice, size_t count);
#endif
