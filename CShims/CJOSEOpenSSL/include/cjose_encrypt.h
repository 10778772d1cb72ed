#ifndef CJOSE_ENCRYPT_H
#define CJOSE_ENCRYPT_H
#include "cjose_digest.h"
#include "cjose_key.h"
#pragma clang assume_nonnull begin

/// Encrypts with RSA-OAEP, MGF1 of the same hash and an empty label (RFC 8017, 7.1).
CJOSE_CHECKED cjose_status cjose_oaep_encrypt(
    const cjose_key *key, cjose_hash hash, const void *_Nullable in, size_t n, void *out, size_t capacity,
    size_t *out_len);
/// Decrypts exactly `n` bytes to `out`, or leaves it unchanged and returns `invalid`: for a ciphertext that is not as long as the
/// modulus, wrong padding, or a text of another length. No branch distinguishes the last two from success: only the status does.
CJOSE_CHECKED cjose_status cjose_oaep_decrypt(
    const cjose_key *key, cjose_hash hash, const void *_Nullable in, size_t in_len, void *out, size_t n);
/// Decrypts with RSAES-PKCS1-v1_5 (RFC 8017, 7.2.2) a text of known length. `out` has `n` random bytes before the call, and keeps
/// them where the padding or the length is wrong, without a branch and without an error (RFC 3218, 2.3.2; RFC 7516, 11.5): the
/// status is `ok` in both cases. There is no encryption.
CJOSE_CHECKED cjose_status cjose_rsa15_decrypt(
    const cjose_key *key, const void *_Nullable in, size_t in_len, void *out, size_t n);

/// Computes the ECDH agreement of a private key with the uncompressed point `point` (65, 97 or 133 bytes, beginning with 4; 56
/// bytes of X448), and writes the x coordinate, of the field's size, to `z`. `invalid` for a point not on the curve, and on X448
/// where the result is all zero (RFC 7748, 6.2); `key_invalid` for a key that is not of key agreement.
CJOSE_CHECKED cjose_status cjose_agree(const cjose_key *key, const void *_Nullable point, size_t point_len, void *z);
/// Generates a key pair on the curve of `recipient`, and writes its uncompressed point to `point` and the agreed x coordinate to
/// `z`.
CJOSE_CHECKED cjose_status cjose_agree_fresh(const cjose_key *recipient, void *point, void *z);

/// An AES key of 16, 24 or 32 bytes with ready states for RFC 3394. Any number of threads may use one.
typedef struct cjose_wrap cjose_wrap;
/// Creates a key. The caller frees it with `cjose_wrap_free`, and keeps the bytes of `key` at their address until then.
/// `key_invalid` for other lengths.
CJOSE_CHECKED cjose_status cjose_wrap_new(
    const void *_Nullable key, size_t key_len, cjose_wrap *_Nullable *_Nonnull out);
void cjose_wrap_free(cjose_wrap *_Nullable wrap);
/// Writes n + 8 bytes. n is a multiple of 8, and at least 16.
CJOSE_CHECKED cjose_status cjose_wrap_wrap(const cjose_wrap *wrap, const void *in, size_t n, void *out);
/// Writes exactly `n` bytes, or returns `invalid`, also where `in_len` is not n + 8.
CJOSE_CHECKED cjose_status cjose_wrap_unwrap(
    const cjose_wrap *wrap, const void *_Nullable in, size_t in_len, void *out, size_t n);
/// Wraps with a key that is used once (ECDH-ES+A*KW).
CJOSE_CHECKED cjose_status cjose_wrap_once(const void *kek, size_t kek_len, const void *in, size_t n, void *out);
CJOSE_CHECKED cjose_status cjose_unwrap_once(
    const void *kek, size_t kek_len, const void *_Nullable in, size_t in_len, void *out, size_t n);

/// An AES key of 16, 24 or 32 bytes with ready states for AES-GCM key wrap without additional data (RFC 7518, 4.7). Any number of
/// threads may use one.
typedef struct cjose_gcm_wrap cjose_gcm_wrap;
/// Creates a key. The caller frees it with `cjose_gcm_wrap_free`, and keeps the bytes of `key` at their address until then.
/// `key_invalid` for other lengths.
CJOSE_CHECKED cjose_status cjose_gcm_wrap_new(
    const void *_Nullable key, size_t key_len, cjose_gcm_wrap *_Nullable *_Nonnull out);
void cjose_gcm_wrap_free(cjose_gcm_wrap *_Nullable wrap);
/// Writes `n` bytes to `out` and 16 to `tag`. `iv` has 12 bytes.
CJOSE_CHECKED cjose_status cjose_gcm_wrap_wrap(
    const cjose_gcm_wrap *wrap, const void *iv, const void *_Nullable in, size_t n, void *_Nullable out, void *tag);
/// Writes `n` bytes, or returns `invalid`, also for an IV that does not have 12 bytes or a tag that does not have 16.
CJOSE_CHECKED cjose_status cjose_gcm_wrap_unwrap(
    const cjose_gcm_wrap *wrap, const void *_Nullable iv, size_t iv_len, const void *in, size_t n,
    const void *_Nullable tag, size_t tag_len, void *out);

typedef enum __attribute__((enum_extensibility(closed))) cjose_content : int32_t {
    cjose_content_a128cbc_hs256 = 0, cjose_content_a192cbc_hs384, cjose_content_a256cbc_hs512,
    cjose_content_a128gcm, cjose_content_a192gcm, cjose_content_a256gcm,
} cjose_content;

/// Encrypts content. The CEK has 32, 48, 64, 16, 24 or 32 bytes, the IV 16 or 12, the tag 16, 24, 32 or 16. The ciphertext of the
/// CBC family is the plaintext padded to the next multiple of 16; that of GCM is as long as the plaintext. The contexts are kept;
/// the key schedule of the CEK is overwritten before the call returns.
CJOSE_CHECKED cjose_status cjose_content_seal(
    cjose_content content, const void *cek, const void *iv, const void *_Nullable aad, size_t aad_len,
    const void *_Nullable in, size_t n, void *_Nullable out, size_t *out_len, void *tag);
/// Decrypts content; `out` may be `in`. `invalid` for a wrong tag (of any length, compared in full and first), wrong padding, and
/// a wrong length of the ciphertext.
CJOSE_CHECKED cjose_status cjose_content_open(
    cjose_content content, const void *cek, const void *_Nullable iv, size_t iv_len, const void *_Nullable aad,
    size_t aad_len, const void *_Nullable in, size_t n, const void *_Nullable tag, size_t tag_len, void *_Nullable out,
    size_t *out_len);

#pragma clang assume_nonnull end
#endif
