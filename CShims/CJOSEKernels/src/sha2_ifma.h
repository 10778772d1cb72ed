#ifndef CJOSE_KERNEL_SHA2_IFMA_H
#define CJOSE_KERNEL_SHA2_IFMA_H
#include "kernel_form.h"

/// A word of each of eight texts or digests; of SHA-256 in the lower half.
typedef uint64_t sha2_words __attribute__((vector_size(64)));

/// SHA-256, SHA-384 or SHA-512 of eight texts, all of `length` bytes. What of a text's last word is not text is zero; with its
/// padding a text has at most two blocks, and `text` is used up.
void cjose_kernel_sha2(int bits, sha2_words text[32], size_t length, sha2_words digest[8]);
#endif
