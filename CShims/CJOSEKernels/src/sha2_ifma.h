#ifndef CJOSE_KERNEL_SHA2_IFMA_H
#define CJOSE_KERNEL_SHA2_IFMA_H
#include "kernel_form.h"

/// One word of each of eight texts or digests; a word of SHA-256 is in the lower half.
typedef uint64_t sha2_words __attribute__((vector_size(64)));

/// Computes SHA-256, SHA-384 or SHA-512 of eight texts, all of `length` bytes. The unused bytes of a text's last word are zero.
/// With its padding a text has at most two blocks; `text` is overwritten.
void cjose_kernel_sha2(int bits, sha2_words text[32], size_t length, sha2_words digest[8]);
#endif
