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
#include "rsa_power.h"

enum { cjose_key_kind_count = cjose_key_kind_ml_dsa_87 + 1, cjose_signature_count = cjose_signature_ml_dsa_87 + 1 };

/// Every algorithm, fetched once; null where the loaded libcrypto lacks it.
typedef struct cjose_library {
    EVP_MD *md[4];
    EVP_MAC *hmac;
    EVP_KDF *pbkdf2;
    /// By key length: 16, 24, 32 bytes.
    EVP_CIPHER *cbc[3], *gcm[3], *wrap[3];
    /// Keys of the curves without a point.
    EVP_PKEY *curve[cjose_key_kind_count];
    /// Whether `EVP_MAC_init` without a key begins again with the key that is there. Before OpenSSL 3.0.3 it says that
    /// it did, and does nothing (openssl issue 17811).
    bool mac_restarts;
} cjose_library;
const cjose_library *cjose_library_get(void);

static inline size_t cjose_hash_size(cjose_hash hash) {
    static const uint8_t sizes[4] = {20, 32, 48, 64};
    return sizes[hash];
}

/// Many of libcrypto's lengths are int.
static inline bool cjose_too_long(size_t n) { return n > INT32_MAX; }

static inline cjose_status cjose_failed(cjose_status status) {
    ERR_clear_error();
    return status;
}

/// Before a call whose failure the queue will explain: what others left there on this thread is no part of it.
static inline void cjose_forget_errors(void) {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

/// What libcrypto's call for a verification came to, which `cjose_forget_errors` came before. It answers the same of a signature
/// that does not hold and of memory that it did not get; its error queue tells them apart, but for Ed448, of which it is asked
/// twice.
cjose_status cjose_verdict(bool held);

/// 1 for 0, 0 for all else. The compiler does not learn that there are but two values.
static inline uint32_t cjose_is_zero(uint32_t value) {
    uint32_t result = ((value - 1) & ~value) >> 31;
    __asm__("" : "+r"(result));
    return result;
}

/// A verdict, computed from secrets, that may be known from here on. `make secrets` builds these files with a marked
/// memory, in which every branch on what is not shown is reported.
#ifdef CJOSE_MARKED_MEMORY
uint32_t cjose_shown(uint32_t verdict);
#else
static inline uint32_t cjose_shown(uint32_t verdict) { return verdict; }
#endif

/// What a key does; each has its own pool of ready contexts.
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
    /// Of a private key whose parts stay with a provider of libcrypto: its public half. Null for all others.
    cjose_key *half;
    cjose_pool_place pools[cjose_work_count];
};

/// A context that is ready for one kind of work with one key. Of RSA it has a copy of the key of its own, because libcrypto
/// takes a lock of the key (for Montgomery values and for blinding) in each operation.
typedef struct cjose_job {
    EVP_PKEY *pkey;
    EVP_PKEY_CTX *ctx;
    EVP_MD_CTX *md;
    EVP_PKEY *peer;
    /// To verify RSASSA-PKCS1-v1_5; null: `ctx` does it.
    cjose_rsa_power *power;
} cjose_job;
typedef bool (*cjose_job_ready)(cjose_job *job, const cjose_key *key, int work);

/// Null: out of memory, or the algorithm is missing.
cjose_job *cjose_job_take(const cjose_key *key, int work, cjose_job_ready ready);
void cjose_job_give(const cjose_key *key, int work, cjose_job *job);
void cjose_job_free(void *job);

/// Takes over `pkey`, also where it fails.
cjose_status cjose_key_wrap(EVP_PKEY *pkey, cjose_key_kind kind, bool is_private, cjose_key **out);

typedef struct cjose_curve {
    const char *name;
    size_t field;
    /// RFC 8812 registers secp256k1 for signatures alone.
    bool agrees;
} cjose_curve;
/// Null for kinds that are not curves of ECDSA.
const cjose_curve *cjose_curve_of(cjose_key_kind kind);
/// A key of the curve without a point, which the caller owns; null: not to be had.
EVP_PKEY *cjose_curve_key(cjose_key_kind kind);
/// Kinds whose keys are strings of bytes.
typedef struct cjose_raw {
    const char *name;
    size_t public_size, private_size, signature_size;
    /// How libcrypto calls the private bytes.
    const char *private_name;
} cjose_raw;
/// Null for other kinds.
const cjose_raw *cjose_raw_of(cjose_key_kind kind);
/// Whether 57 bytes are an Ed448 key (RFC 8032, 5.2.3) that is not of small order.
bool cjose_ed448_point_holds(const uint8_t *raw);
/// Schemes that take the message whole, not its hash.
cjose_status cjose_message_verify(
    const cjose_key *key, cjose_key_kind kind, const void *in, size_t n, const void *signature, size_t signature_len);
cjose_status cjose_message_sign(
    const cjose_key *key, cjose_key_kind kind, const void *in, size_t n, void *out, size_t capacity, size_t *out_len);
cjose_status cjose_agree_x448(const cjose_key *key, const void *point, size_t point_len, void *z);
cjose_status cjose_agree_x448_fresh(const cjose_key *recipient, void *point, void *z);
static inline size_t cjose_modulus_size(const cjose_key *key) { return ((size_t)key->bits + 7) / 8; }

/// A digest context for `hash`, begun; null: not to be had. Its state is overwritten when it is given back.
EVP_MD_CTX *cjose_digest_take(cjose_hash hash);
void cjose_digest_give(cjose_hash hash, EVP_MD_CTX *md);
/// An HMAC context of `mac`, begun; null: not to be had. It is given back finished or not.
EVP_MAC_CTX *cjose_mac_take(cjose_mac *mac);
void cjose_mac_give(cjose_mac *mac, EVP_MAC_CTX *ctx);
/// False for an algorithm that signs the message and not its hash.
bool cjose_signature_hash(cjose_signature algorithm, cjose_hash *out);
/// An HMAC context without a key.
EVP_MAC_CTX *cjose_hmac_new(EVP_MAC *hmac, cjose_hash hash);

/// A private or public key whose structure libcrypto read; checked again through the `_new` calls. Takes over `pkey`.
cjose_status cjose_key_adopt(EVP_PKEY *pkey, bool is_private, cjose_key **out);
/// What kind a key of libcrypto is; `other` for none of ours.
cjose_key_kind cjose_key_kind_in(EVP_PKEY *pkey);
/// The forms a PEM label names.
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
/// Whether `der` has an elliptic curve with explicit parameters, which certificates must not have (RFC 5480, 2.1.1). To be
/// called before libcrypto reads keys or certificates: it takes any prime for the field of such a curve, and the square root
/// for a compressed point costs up to 10 000 times what an honest key does.
bool cjose_der_has_explicit_curve(cjose_bytes der);
/// Whether it is PBES2 with a derivation that we know and bounded work; `*rounds` is that work in rounds of PBKDF2.
bool cjose_pbes2_rounds(const X509_ALGOR *algorithm, int64_t *rounds);
/// Decodes a private key that was encrypted, with the checks that come before libcrypto reads a key in the clear: `unsupported` where
/// its curve has explicit parameters. The caller frees `*out`.
cjose_status cjose_pkcs8_key(const PKCS8_PRIV_KEY_INFO *info, EVP_PKEY **out);
/// `unsupported` where `der` is no encrypted PKCS#8.
cjose_status cjose_key_decrypt(cjose_bytes der, cjose_bytes passphrase, EVP_PKEY **out, bool *recognised);
#endif
