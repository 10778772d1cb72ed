#ifndef CJOSE_INTERNAL_H
#define CJOSE_INTERNAL_H
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/x509.h>
#include <string.h>

#include "CJOSEOpenSSL.h"
#include "pool.h"
#include "rsa_kernel.h"
#include "rsa_power.h"

enum { cjose_key_kind_count = cjose_key_kind_ml_dsa_87 + 1, cjose_signature_count = cjose_signature_ml_dsa_87 + 1 };

/// Every algorithm, fetched once; null where the loaded libcrypto lacks it.
typedef struct cjose_library {
    EVP_MD *md[4];
    EVP_MAC *hmac;
    EVP_KDF *pbkdf2;
    /// Ciphers by key length: 16, 24, 32 bytes.
    EVP_CIPHER *cbc[3], *gcm[3], *wrap[3];
    /// Keys of the curves without a point.
    EVP_PKEY *curve[cjose_key_kind_count];
    /// Whether `EVP_MAC_init` without a key restarts with the present key. Before OpenSSL 3.0.3 it reports success and
    /// does nothing (openssl issue 17811).
    bool mac_restarts;
    /// Whether HMAC and its hash are those of libcrypto's default provider, by `cjose_hash`.
    bool has_default_hmac[4];
} cjose_library;
const cjose_library *cjose_library_get(void);

static inline size_t cjose_hash_size(cjose_hash hash) {
    static const uint8_t sizes[4] = {20, 32, 48, 64};
    return sizes[hash];
}

/// Whether a length exceeds an int, which many of libcrypto's lengths are.
static inline bool cjose_too_long(size_t n) { return n > INT32_MAX; }

static inline cjose_status cjose_failed(cjose_status status) {
    ERR_clear_error();
    return status;
}

/// Empties the error queue before a call whose failure the queue will explain: errors of others on this thread are not
/// its own.
static inline void cjose_forget_errors(void) {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

/// Returns `backend` if the error queue shows that memory ran out, or there is none now, and `status` otherwise. It is
/// called after a failure of calls before which `cjose_forget_errors` was called: libcrypto reports lack of memory and
/// invalid input in the same way. The queue is empty afterwards. Its decoders discard their reasons, so that what they
/// reject is read twice.
cjose_status cjose_refused(cjose_status status);
/// Returns the status of libcrypto's verification, before which `cjose_forget_errors` was called, from its result. The
/// result or the error queue distinguishes an invalid signature from lack of memory.
cjose_status cjose_verdict(int result);
/// Returns the status of a verification with an RSA key whose numbers are in libcrypto. Every invalid signature leaves
/// a reason of libcrypto's RSA module in the error queue. Where PSS runs out of memory it leaves none.
cjose_status cjose_rsa_verdict(bool valid);

/// Returns 1 for 0, and 0 for all else. The compiler does not learn that there are only two values.
static inline uint32_t cjose_is_zero(uint32_t value) {
    uint32_t result = ((value - 1) & ~value) >> 31;
    __asm__("" : "+r"(result));
    return result;
}

/// Returns a value computed from secrets that may be known from here on. `make secrets` builds these files with marked
/// memory, in which every branch on a value that was not declared here is reported.
#ifdef CJOSE_MARKED_MEMORY
uint32_t cjose_shown(uint32_t verdict);
#else
static inline uint32_t cjose_shown(uint32_t verdict) { return verdict; }
#endif

/// The operations of a key; each has its own pool of ready contexts.
typedef enum cjose_work {
    cjose_work_verify = 0,
    cjose_work_sign = cjose_signature_count,
    cjose_work_oaep_encrypt = 2 * cjose_signature_count,
    cjose_work_oaep_decrypt = cjose_work_oaep_encrypt + 4,
    cjose_work_agree = cjose_work_oaep_decrypt + 4,
    cjose_work_rsa15_decrypt,
    cjose_work_count,
} cjose_work;

struct cjose_key {
    EVP_PKEY *pkey;
    cjose_key_kind kind;
    bool is_private;
    int32_t bits;
    /// The public half of a private key whose parts stay with a provider of libcrypto. Null for all others.
    cjose_key *half;
    cjose_rsa_kernel_handle kernel;
    cjose_pool_handle pools[cjose_work_count];
};

/// A context that is ready for one operation with one key. An RSA context has a copy of the key, because libcrypto
/// takes a lock of the key (for Montgomery values and for blinding) in each operation.
typedef struct cjose_job {
    EVP_PKEY *pkey;
    EVP_PKEY_CTX *ctx;
    EVP_MD_CTX *md;
    EVP_PKEY *peer;
    /// The state for RSA verification by this package without the kernels; null: `ctx` does it.
    cjose_rsa_power *power;
} cjose_job;
typedef bool (*cjose_job_ready)(cjose_job *job, const cjose_key *key, int work);

/// Takes a ready context; null where memory runs out or the algorithm is missing.
cjose_job *cjose_job_take(const cjose_key *key, int work, cjose_job_ready ready);
void cjose_job_give(const cjose_key *key, int work, cjose_job *job);
void cjose_job_free(void *job);

/// Creates a key from `pkey` and takes it over, also where it fails.
cjose_status cjose_key_wrap(EVP_PKEY *pkey, cjose_key_kind kind, bool is_private, cjose_key **out);

typedef struct cjose_curve {
    const char *name;
    size_t field;
    /// Whether the curve is for key agreement; RFC 8812 registers secp256k1 for signatures only.
    bool agrees;
} cjose_curve;
/// Returns the curve of a kind; null for kinds that are not curves of ECDSA.
const cjose_curve *cjose_curve_of(cjose_key_kind kind);
/// Returns a key of the curve without a point, which the caller owns; null where the library has none.
EVP_PKEY *cjose_curve_key(cjose_key_kind kind);
/// A kind of keys that are byte strings.
typedef struct cjose_raw {
    const char *name;
    size_t public_size, private_size, signature_size;
    /// The name of the private bytes in libcrypto.
    const char *private_name;
} cjose_raw;
/// Returns the row of a kind; null for other kinds.
const cjose_raw *cjose_raw_of(cjose_key_kind kind);
/// Whether 57 bytes are an Ed448 key (RFC 8032, 5.2.3) that is not of small order.
bool cjose_ed448_point_is_valid(const uint8_t *raw);
/// Verifies with an algorithm that signs the message and not its hash.
cjose_status cjose_message_verify(
    const cjose_key *key, cjose_key_kind kind, const void *in, size_t n, const void *signature, size_t signature_len);
cjose_status cjose_message_sign(
    const cjose_key *key, cjose_key_kind kind, const void *in, size_t n, void *out, size_t capacity, size_t *out_len);
cjose_status cjose_agree_x448(const cjose_key *key, const void *point, size_t point_len, void *z);
cjose_status cjose_agree_x448_fresh(const cjose_key *recipient, void *point, void *z);
static inline size_t cjose_modulus_size(const cjose_key *key) { return ((size_t)key->bits + 7) / 8; }

/// Takes a digest context for `hash`, ready for data; null where there is none. Its state is overwritten when it is
/// returned.
EVP_MD_CTX *cjose_digest_take(cjose_hash hash);
void cjose_digest_give(cjose_hash hash, EVP_MD_CTX *md);
/// Takes an HMAC context of `mac`, ready for data; null where there is none. It is returned finished or not.
EVP_MAC_CTX *cjose_mac_take(cjose_mac *mac);
void cjose_mac_give(cjose_mac *mac, EVP_MAC_CTX *ctx);
/// Returns the hash of an algorithm; false for one that signs the message and not its hash.
bool cjose_signature_hash(cjose_signature algorithm, cjose_hash *out);
/// An HMAC context without a key.
EVP_MAC_CTX *cjose_hmac_new(EVP_MAC *hmac, cjose_hash hash);

/// A private or public key whose structure libcrypto read; checked again through the `_new` calls. Takes over `pkey`.
cjose_status cjose_key_adopt(EVP_PKEY *pkey, bool is_private, cjose_key **out);
/// Returns the kind of a key of libcrypto; `other` for an unsupported one.
cjose_key_kind cjose_key_kind_in(EVP_PKEY *pkey);
/// The forms that a PEM label names.
typedef enum cjose_der {
    cjose_der_spki = 1,
    cjose_der_pkcs8 = 2,
    cjose_der_pkcs8_encrypted = 4,
    cjose_der_pkcs1_public = 8,
    cjose_der_pkcs1_private = 16,
    cjose_der_sec1 = 32,
    cjose_der_any = 63,
} cjose_der;
cjose_status cjose_key_read(cjose_bytes der, cjose_bytes passphrase, int forms, cjose_key **out);
/// Whether `der` has an elliptic curve with explicit parameters, which certificates must not have (RFC 5480, 2.1.1). It
/// is called before libcrypto reads keys or certificates: libcrypto takes any prime for the field of such a curve, and
/// the square root for a compressed point costs up to 10 000 times what a normal key does.
bool cjose_der_has_explicit_curve(cjose_bytes der);
/// Whether the encryption is PBES2 with a supported derivation and bounded work; `*rounds` is that work in rounds of
/// PBKDF2.
bool cjose_pbes2_rounds(const X509_ALGOR *algorithm, int64_t *rounds);
/// Decodes a decrypted private key, after the checks that apply to keys in the clear: `unsupported` where its curve has
/// explicit parameters. The caller frees `*out`.
cjose_status cjose_pkcs8_key(const PKCS8_PRIV_KEY_INFO *info, EVP_PKEY **out);
/// Decrypts a private key. `unsupported` where `der` is no encrypted PKCS#8.
cjose_status cjose_key_decrypt(cjose_bytes der, cjose_bytes passphrase, EVP_PKEY **out, bool *recognised);
#endif
