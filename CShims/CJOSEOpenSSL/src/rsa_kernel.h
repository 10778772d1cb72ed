#ifndef CJOSE_RSA_KERNEL_H
#define CJOSE_RSA_KERNEL_H
#include <stdatomic.h>

#include "CJOSEOpenSSL.h"

/// The key in the form of `CJOSEKernels`, from the first signature on.
typedef _Atomic(void *) cjose_rsa_kernel_handle;

#if defined(CJOSE_ACCELERATED)
#include "kernel_rsa.h"

/// Returns the key in the form of the kernels, which any number of threads use; null where they do not cover it, or memory
/// ran out when it was first wanted.
const cjose_kernel_rsa_key *cjose_rsa_kernel_of(const cjose_key *key);
void cjose_rsa_kernel_end(cjose_rsa_kernel_handle *handle);
#else
static inline void cjose_rsa_kernel_end(cjose_rsa_kernel_handle *handle) { (void)handle; }
#endif
#endif
