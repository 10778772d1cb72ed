#ifndef CRAW_H
#define CRAW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The cryptography of one operation and nothing else: straight on OpenSSL or libsodium, algorithms fetched, contexts kept.
/// It lives as long as the program, and is used by one thread.
typedef struct craw craw;

typedef enum __attribute__((enum_extensibility(closed))) craw_field : int32_t {
    /// DER: PKCS#8 or SubjectPublicKeyInfo; 32 bytes for Ed25519 and X25519.
    craw_field_key = 0,
    /// The bytes of a symmetric key.
    craw_field_secret,
    /// The input that is signed, hashed or encrypted, or the expected output of decryption.
    craw_field_input,
    craw_field_signature,
    craw_field_aad, craw_field_iv, craw_field_ciphertext, craw_field_tag, craw_field_encrypted_key,
    /// The sender's public key, uncompressed, or 32 bytes.
    craw_field_point,
    /// AlgorithmID to SuppPubInfo of RFC 7518, 4.6.2; for the GCMKW family IV and tag of the wrapped key; for PBES2 the
    /// salt input of 4.8.1.1 (its rounds are 1 000).
    craw_field_info,
    craw_field_modulus, craw_field_exponent,
} craw_field;

/// `operation`: sign, verify, encrypt, decrypt, digest, derive, seal, key. `alg` and `enc` are the registered names; without
/// `enc` an encryption ends with the content key.
craw *craw_new(const char *operation, const char *alg, const char *_Nullable enc);
/// Copies the bytes.
void craw_put(craw *op, craw_field field, const void *_Nullable bytes, size_t n);
/// Adds an operation to run after this one.
void craw_then(craw *op, craw *next);
/// Makes the contexts and runs once; whether that did what it should.
bool craw_ready(craw *op) __attribute__((warn_unused_result));
/// Returns the output of the last `encrypt`: its IV, ciphertext and tag, and with RSA1_5 its encrypted key.
const void *craw_made(const craw *op, craw_field field, size_t *n);
/// Returns how many of `n` runs succeeded.
size_t craw_run(craw *op, size_t n);

typedef struct craw_allocations {
    uint64_t ours, libcrypto;
} craw_allocations;
/// Must be called before any other function of libcrypto.
bool craw_count_start(void);
/// This thread's allocations up to now. Counted on Linux alone.
craw_allocations craw_count(void);
bool craw_counts(void);

/// Begins to count instructions; false where this does not run under callgrind.
bool craw_instructions_start(void);
void craw_instructions_zero(void);
/// Writes what was counted since the last of the three into a file of callgrind's.
void craw_instructions_dump(const char *title);
bool craw_has_avx2(void);

/// Keeps this thread on one core; false where the system has no such call.
bool craw_pin(int core);
int craw_cores(void);
/// Nanoseconds: of this thread's own work, of all threads', and of the wall.
uint64_t craw_thread_time(void);
uint64_t craw_process_time(void);
uint64_t craw_wall_time(void);

typedef void (*craw_body)(void *context, int thread);
/// Runs `body` on that many threads, each on a core of its own, and gives the wall time in nanoseconds from the moment all were ready.
/// `undisturbed`: the system took no core away meanwhile.
uint64_t craw_threads(int threads, craw_body body, void *context, bool *undisturbed);

typedef struct craw_child {
    int status;
    int64_t peak_kilobytes;
    uint64_t nanoseconds;
} craw_child;
/// Starts `arguments[0]`, writes `block` to its standard input `repeats` times, drops its output, and tells its end and peak memory.
bool craw_stream(
    char *_Nullable const *_Nonnull arguments, const void *block, size_t n, size_t repeats, craw_child *out);

#pragma clang assume_nonnull end
#endif
