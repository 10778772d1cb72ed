#if defined(CJOSE_ACCELERATED)
#include "rsa_kernel.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>

#include "internal.h"

/// Stands for the kernel of a key that has none, so that it is not made for each signature.
static char no_kernel;

static cjose_kernel_rsa_key *make(const EVP_PKEY *pkey) {
    BIGNUM *n = NULL, *e = NULL;
    uint8_t modulus[cjose_rsa_max_bytes], exponent[8];
    cjose_kernel_rsa_key *made = NULL;
    if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) == 1
        && EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e) == 1 && BN_num_bytes(n) <= cjose_rsa_max_bytes
        && BN_bn2binpad(e, exponent, sizeof exponent) == sizeof exponent)
        made = cjose_kernel_rsa_key_new(modulus, (size_t)BN_bn2bin(n, modulus), exponent, sizeof exponent);
    BN_free(n);
    BN_free(e);
    if (made == NULL) ERR_clear_error();
    return made;
}

const cjose_kernel_rsa_key *cjose_rsa_kernel_of(const cjose_key *key) {
    if (key->kind != cjose_key_kind_rsa || key->half != NULL) return NULL;
    if (cjose_kernel_form_current() != cjose_kernel_form_ifma) return NULL;
    cjose_rsa_kernel_handle *handle = &((cjose_key *)key)->kernel;
    void *kernel = atomic_load_explicit(handle, memory_order_acquire);
    if (kernel == NULL) {
        void *made = make(key->pkey);
        if (made == NULL) made = &no_kernel;
        if (atomic_compare_exchange_strong_explicit(
                handle, &kernel, made, memory_order_acq_rel, memory_order_acquire))
            kernel = made;
        else if (made != &no_kernel)
            cjose_kernel_rsa_key_free(made);
    }
    return kernel != &no_kernel ? kernel : NULL;
}

void cjose_rsa_kernel_end(cjose_rsa_kernel_handle *handle) {
    void *kernel = atomic_load_explicit(handle, memory_order_acquire);
    if (kernel != &no_kernel) cjose_kernel_rsa_key_free(kernel);
}
#endif
