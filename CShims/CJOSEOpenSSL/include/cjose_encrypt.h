#ifndef CJOSE_ENCRYPT_H
#define CJOSE_ENCRYPT_H
#include "cjose_digest.h"
#include "cjose_key.h"
#pragma clang assume_nonnull begin

/// RSA-OAEP with MGF1 of the same hash and an empty label (RFC 8017, 7.1).
CJOSE_CHECKED cjose_status cjose_oaep_encrypt(
    const cjose_key *key, cjose_hash hash, const void *_Nullable in, size_t n, void *out, size_t capacity,
    size_t *out_len);
/// Writes exactly `n` bytes to `out`, or leaves them and gives `invalid`: a ciphertext not as long as the modulus, bad
/// padding, another length. Between the last two and success there is no branch: the status alone tells.
CJOSE_CHECKED cjose_status cjose_oaep_decrypt(
    const cjose_key *key, cjose_hash hash, const void *_Nullable in, size_t in_len, void *out, size_t n);
/// RSAES-PKCS1-v1_5 (RFC 8017, 7.2.2) of a text of known length. `out` holds `n` random bytes before the call, and still
/// after it where the padding or the length does not hold: without a branch and without a word (RFC 3218, 2.3.2; RFC
/// 7516, 11.5). `ok` in both cases. Only decryption is built.
CJOSE_CHECKED cjose_status cjose_rsa15_decrypt(
    const cjose_key *key, const void *_Nullable in, size_t in_len, void *out, size_t n);

/// ECDH of our private key with the uncompressed point `point` (65, 97 or 133 bytes, beginning with 4; of X448 56
/// bytes): the x coordinate, of the field's size, in `z`. `invalid` for a point not on the curve, and on X448 where the
/// result is all zero (RFC 7748, 6.2); `key_invalid` for a key that does not agree.
CJOSE_CHECKED cjose_status cjose_agree(const cjose_key *key, const void *_Nullable point, size_t point_len, void *z);
/// A fresh key pair on the curve of `recipient`: its uncompressed point in `point`, the agreed x coordinate in `z`.
CJOSE_CHECKED cjose_status cjose_agree_fresh(const cjose_key *recipient, void *point, void *z);

/// An AES key of 16, 24 or 32 bytes with ready states for RFC 3394. Any number of threads may use one.
typedef struct cjose_wrap cjose_wrap;
/// The caller ends it with `cjose_wrap_free`, and keeps `key` in its place until then. `key_invalid` for other lengths.
CJOSE_CHECKED cjose_status cjose_wrap_new(
    const void *_Nullable key, size_t key_len, cjose_wrap *_Nullable *_Nonnull out);
void cjose_wrap_free(cjose_wrap *_Nullable wrap);
/// Writes n + 8 bytes. n is a multiple of 8, 16 or more.
CJOSE_CHECKED cjose_status cjose_wrap_wrap(const cjose_wrap *wrap, const void *in, size_t n, void *out);
/// Writes exactly `n` bytes, or gives `invalid`, also where `in_len` is not n + 8.
CJOSE_CHECKED cjose_status cjose_wrap_unwrap(
    const cjose_wrap *wrap, const void *_Nullable in, size_t in_len, void *out, size_t n);
/// The same with a key used once (ECDH-ES+A*KW).
CJOSE_CHECKED cjose_status cjose_wrap_once(const void *kek, size_t kek_len, const void *in, size_t n, void *out);
CJOSE_CHECKED cjose_status cjose_unwrap_once(
    const void *kek, size_t kek_len, const void *_Nullable in, size_t in_len, void *out, size_t n);

/// An AES key of 16, 24 or 32 bytes with ready states for AES-GCM of a key, without further data (RFC 7518, 4.7). Any
/// number of threads may use one.
typedef struct cjose_gcm_wrap cjose_gcm_wrap;
/// The caller ends it with `cjose_gcm_wrap_free`, and keeps `key` in its place until then. `key_invalid` for other
/// lengths.
CJOSE_CHECKED cjose_status cjose_gcm_wrap_new(
    const void *_Nullable key, size_t key_len, cjose_gcm_wrap *_Nullable *_Nonnull out);
void cjose_gcm_wrap_free(cjose_gcm_wrap *_Nullable wrap);
/// Writes `n` bytes to `out` and 16 to `tag`. `iv` has 12.
CJOSE_CHECKED cjose_status cjose_gcm_wrap_wrap(
    const cjose_gcm_wrap *wrap, const void *iv, const void *_Nullable in, size_t n, void *_Nullable out, void *tag);
/// Writes `n` bytes, or gives `invalid`, also for an IV that has not 12 bytes or a tag that has not 16.
CJOSE_CHECKED cjose_status cjose_gcm_wrap_unwrap(
    const cjose_gcm_wrap *wrap, const void *_Nullable iv, size_t iv_len, const void *in, size_t n,
    const void *_Nullable tag, size_t tag_len, void *out);

typedef enum __attribute__((enum_extensibility(closed))) cjose_content : int32_t {
    cjose_content_a128cbc_hs256 = 0, cjose_content_a192cbc_hs384, cjose_content_a256cbc_hs512,
    cjose_content_a128gcm, cjose_content_a192gcm, cjose_content_a256gcm,
} cjose_content;

/// CEK of 32, 48, 64, 16, 24, 32 bytes; IV of 16 or 12; tag of 16, 24, 32 or 16. The ciphertext of the CBC family is
/// the plaintext padded to the next multiple of 16; of GCM as long as the plaintext. `out` may be `in` for opening.
/// The contexts are kept; the key schedule of the CEK is overwritten before the call returns.
CJOSE_CHECKED cjose_status cjose_content_seal(
    cjose_content content, const void *cek, const void *iv, const void *_Nullable aad, size_t aad_len,
    const void *_Nullable in, size_t n, void *_Nullable out, size_t *out_len, void *tag);
/// `invalid` for any of: wrong tag (of any length, compared whole and first), bad padding, wrong ciphertext length.
CJOSE_CHECKED cjose_status cjose_content_open(
    cjose_content content, const void *cek, const void *_Nullable iv, size_t iv_len, const void *_Nullable aad,
    size_t aad_len, const void *_Nullable in, size_t n, const void *_Nullable tag, size_t tag_len, void *_Nullable out,
    size_t *out_len);

#pragma clang assume_nonnull end
#endif
