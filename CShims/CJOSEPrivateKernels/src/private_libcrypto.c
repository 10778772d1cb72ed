#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__)
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <limits.h>
#include <string.h>

#include "../../CJOSEKernels/src/limbs.h"
#include "private_internal.h"

bool cjose_private_kernels_present(void) {
    // Each is true only where the operating system saves the registers, too.
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma");
}

bool private_random(void *out, size_t n) { return !(n > INT_MAX) && RAND_priv_bytes(out, (int)n) == 1; }

bool private_power_of_libcrypto(const cjose_private_rsa_key *key, const uint8_t *input, uint8_t *output) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL);
    size_t made = key->bytes;
    bool ok = ctx != NULL && EVP_PKEY_decrypt_init(ctx) == 1
        && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1
        && EVP_PKEY_decrypt(ctx, output, &made, input, key->bytes) == 1 && made == key->bytes;
    EVP_PKEY_CTX_free(ctx);
    if (!ok) ERR_clear_error();
    return ok;
}

/// Reads a parameter of exactly `bits` bits, or of at most as many where it is an exponent.
__attribute__((noinline)) static bool read_secret(
    const EVP_PKEY *pkey, const char *name, size_t bits, bool is_exact, uint64_t *limbs) {
    BIGNUM *number = NULL;
    uint8_t bytes[PRIVATE_BYTES];
    int n = (int)bits / 8;
    bool ok = EVP_PKEY_get_bn_param(pkey, name, &number) == 1 && BN_num_bits(number) <= (int)bits
        && (!is_exact || (BN_num_bits(number) == (int)bits && BN_is_odd(number))) && BN_bn2binpad(number, bytes, n) == n;
    if (ok) limbs_read(bytes, (size_t)n, limbs, PRIVATE_LIMBS);
    private_wipe(bytes, sizeof bytes);
    BN_clear_free(number);
    return ok;
}

static bool read_public(const EVP_PKEY *pkey, cjose_private_rsa_key *key) {
    BIGNUM *n = NULL, *e = NULL;
    uint8_t exponent[8];
    bool ok = EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) == 1
        && EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e) == 1;
    int bits = ok ? BN_num_bits(n) : 0;
    ok = (bits == 2048 || bits == 3072 || bits == 4096) && BN_is_odd(e) && BN_num_bits(e) >= 2 && BN_num_bits(e) <= 33
        && BN_bn2binpad(n, key->modulus, bits / 8) == bits / 8
        && BN_bn2binpad(e, exponent, sizeof exponent) == sizeof exponent;
    if (ok) {
        key->bytes = (size_t)bits / 8;
        key->blocks = (size_t)bits / 1024;
        for (size_t i = 0; i < sizeof exponent; i++) key->e = key->e << 8 | exponent[i];
        limbs_read(key->modulus, key->bytes, key->n, 2 * key->blocks * COLUMNS);
    }
    BN_free(n);
    BN_free(e);
    return ok;
}

/// Reads the numbers of a key with two primes. A third one makes it another kind of key (RFC 8017, 3.2).
static bool read_key(EVP_PKEY *pkey, cjose_private_rsa_key *key) {
    if (EVP_PKEY_is_a(pkey, "RSA") != 1 || !read_public(pkey, key)) return false;
    BIGNUM *third = NULL;
    bool has_third = EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_FACTOR3, &third) == 1;
    BN_clear_free(third);
    size_t half = key->bytes * 4;
    // Public by design: whether the key is of a form that the kernels take.
    return !has_third && read_secret(pkey, OSSL_PKEY_PARAM_RSA_FACTOR1, half, true, key->primes[0].p)
        && read_secret(pkey, OSSL_PKEY_PARAM_RSA_FACTOR2, half, true, key->primes[1].p)
        && read_secret(pkey, OSSL_PKEY_PARAM_RSA_EXPONENT1, half, false, key->primes[0].d)
        && read_secret(pkey, OSSL_PKEY_PARAM_RSA_EXPONENT2, half, false, key->primes[1].d);
}

cjose_private_rsa_key *cjose_private_rsa_key_new(EVP_PKEY *pkey) {
    if (!cjose_private_kernels_present()) return NULL;
    cjose_private_rsa_key *key = private_memory_new(sizeof *key, false);
    private_work *work = key != NULL ? private_work_take() : NULL;
    bool ok = work != NULL && read_key(pkey, key) && private_key_prepare(work, key) && EVP_PKEY_up_ref(pkey) == 1;
    if (ok) key->pkey = pkey;
    if (work != NULL) private_work_give(work);
    private_wipe_traces();
    ERR_clear_error();
    if (ok) return key;
    cjose_private_rsa_key_free(key);
    return NULL;
}

void cjose_private_rsa_key_free(cjose_private_rsa_key *key) {
    if (key == NULL) return;
    for (size_t i = 0; i < PRIVATE_BLINDINGS; i++)
        private_memory_free(atomic_load_explicit(&key->blindings[i], memory_order_acquire), sizeof(private_blinding));
    EVP_PKEY_free(key->pkey);
    private_memory_free(key, sizeof *key);
}
#endif
#endif
