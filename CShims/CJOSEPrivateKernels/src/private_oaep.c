#if defined(CJOSE_ACCELERATED)
#if defined(__x86_64__)
// RSA_padding_check_PKCS1_OAEP_mgf1 has no successor that takes a decrypted number.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>

#include "private_internal.h"

static const EVP_MD *hash_of(cjose_private_oaep_hash hash) {
    switch (hash) {
    case cjose_private_oaep_sha1: return EVP_sha1();
    case cjose_private_oaep_sha256: return EVP_sha256();
    case cjose_private_oaep_sha384: return EVP_sha384();
    case cjose_private_oaep_sha512: return EVP_sha512();
    }
    return NULL;
}

/// Copies the `n` bytes of `text` to `output` if `made` is `n`, and returns whether it is. No branch depends on either.
static uint8_t take_text(int made, const uint8_t *text, size_t n, uint8_t *output) {
    uint64_t difference = (uint64_t)(int64_t)made ^ n;
    uint8_t is_right = (uint8_t)(1 ^ (difference | (0 - difference)) >> 63), mask = (uint8_t)(0 - is_right);
#if !__has_feature(memory_sanitizer)
    // The compiler cannot know that the mask has two values only. It would otherwise choose between the addresses of both texts.
    // MemorySanitizer takes the result of an assembly statement for public.
    __asm__ volatile("" : "+r"(mask));
#endif
    for (size_t i = 0; i < n; i++) output[i] ^= mask & (output[i] ^ text[i]);
    return is_right;
}

/// Removes the padding of one token. No branch reveals whether it is right: the length that libcrypto returns in
/// constant time is as secret as the text.
static uint8_t remove_padding(const EVP_MD *md, const uint8_t *encoded, size_t size, uint8_t *output, size_t n) {
    uint8_t text[PRIVATE_BYTES] = {0};
    int made = RSA_padding_check_PKCS1_OAEP_mgf1(
        text, sizeof text, encoded, (int)size, (int)size, (const uint8_t *)"", 0, md, md);
    uint8_t is_right = take_text(made, text, n, output);
    private_wipe(text, sizeof text);
    return is_right;
}

void cjose_private_oaep_decrypt(
    cjose_private_oaep_hash hash, cjose_private_rsa_key *const *keys, const uint8_t *const *inputs, size_t count,
    uint8_t *const *outputs, size_t n, uint8_t *results) {
    const EVP_MD *md = hash_of(hash);
    memset(results, cjose_private_failed, count);
    if (md == NULL || count == 0 || n > PRIVATE_BYTES || !private_have_one_size(keys, count)) return;
    // Four tokens at a time, whose numbers are in the memory of another pass: it is wiped when it is given back.
    private_work *numbers = private_work_take();
    uint8_t *targets[PRIVATE_TOKENS];
    if (numbers == NULL) return;
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) targets[i] = numbers->output[i];
    for (size_t done = 0; done < count; done += PRIVATE_TOKENS) {
        size_t part = count - done < PRIVATE_TOKENS ? count - done : PRIVATE_TOKENS;
        cjose_private_rsa_power(keys + done, inputs + done, part, targets, results + done);
        for (size_t i = done; i < done + part; i++) {
            if (results[i] == cjose_private_valid)
                results[i] = remove_padding(md, targets[i - done], keys[i]->bytes, outputs[i], n);
        }
    }
    private_work_give(numbers);
    private_wipe_traces();
    ERR_clear_error();
}
#endif
#endif
