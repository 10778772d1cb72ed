#include "checker.h"

#include <openssl/err.h>
#include <stdlib.h>

static const char *const hashes[] = {"SHA-1", "SHA-256", "SHA-384", "SHA-512"};

static void set_padding(EVP_PKEY_CTX *ctx, int hash) {
    const EVP_MD *md = EVP_get_digestbyname(hash == 0 ? "SHA1" : hash == 1 ? "SHA256" : hash == 2 ? "SHA384" : "SHA512");
    need(md != NULL && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) == 1, "OAEP");
    need(EVP_PKEY_CTX_set_rsa_oaep_md(ctx, md) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, md) == 1, "hash");
}

static void encrypt(const subject *subject, int hash, const uint8_t *text, size_t n, uint8_t *out) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject->pkey, NULL);
    size_t made = SIZE_MAX_BYTES;
    need(ctx != NULL && EVP_PKEY_encrypt_init(ctx) == 1, "EVP_PKEY_encrypt_init");
    set_padding(ctx, hash);
    need(EVP_PKEY_encrypt(ctx, out, &made, text, n) == 1, "EVP_PKEY_encrypt");
    EVP_PKEY_CTX_free(ctx);
}

static bool decrypt(const subject *subject, int hash, const uint8_t *in, uint8_t *out, size_t *n) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject->pkey, NULL);
    need(ctx != NULL && EVP_PKEY_decrypt_init(ctx) == 1, "EVP_PKEY_decrypt_init");
    set_padding(ctx, hash);
    *n = SIZE_MAX_BYTES;
    bool ok = EVP_PKEY_decrypt(ctx, out, n, in, (size_t)subject->bits / 8) == 1;
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

/// Decrypts by the kernels, and compares the result and the text with libcrypto's.
static size_t compare(const subject *const *of, int hash, const uint8_t (*inputs)[SIZE_MAX_BYTES], size_t count, size_t n) {
    static uint8_t outputs[CASES_MAX][SIZE_MAX_BYTES];
    cjose_private_rsa_key *keys[CASES_MAX];
    const uint8_t *ins[CASES_MAX];
    uint8_t *outs[CASES_MAX], results[CASES_MAX];
    for (size_t i = 0; i < count; i++) keys[i] = of[i]->key, ins[i] = inputs[i], outs[i] = outputs[i];
    memset(outputs, 0xA5, sizeof outputs);
    cjose_private_oaep_decrypt((cjose_private_oaep_hash)hash, keys, ins, count, outs, n, results);
    size_t valid = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t text[SIZE_MAX_BYTES];
        size_t made = 0;
        bool ok = decrypt(of[i], hash, inputs[i], text, &made) && made == n;
        if (results[i] != (ok ? cjose_private_valid : cjose_private_invalid)) subject_fail(of[i], inputs[i], "OAEP: another result");
        for (size_t j = 0; j < sizeof outputs[i]; j++)
            if (outputs[i][j] != (ok && j < n ? text[j] : 0xA5)) subject_fail(of[i], inputs[i], "OAEP: another text");
        valid += ok;
    }
    if (ERR_peek_error() != 0) fail("an error stayed in libcrypto's queue");
    return valid;
}

void check_oaep(dice *dice, const subject *subjects, bool is_whole) {
    static uint8_t inputs[CASES_MAX][SIZE_MAX_BYTES];
    const subject *of[CASES_MAX];
    size_t valid = 0, cases = 0, size = (size_t)subjects[0].bits / 8;
    for (int hash = 0; hash < 4; hash++)
        for (int round = 0; round < (is_whole ? 12 : 4); round++) {
            static const size_t lengths[] = {16, 24, 32, 48, 64, 0, 1};
            size_t n = lengths[round % 7], count = 1 + dice_below(dice, 9);
            for (size_t i = 0; i < count; i++) {
                uint8_t text[SIZE_MAX_BYTES];
                of[i] = &subjects[round % 2 == 0 ? 0 : dice_below(dice, SUBJECTS)];
                dice_fill(dice, text, sizeof text);
                switch (dice_below(dice, 6)) {
                // Another length, another hash, no padding, and a first byte that is not zero.
                case 0: encrypt(of[i], hash, text, n + 1, inputs[i]); break;
                case 1: encrypt(of[i], (hash + 1) % 4, text, n, inputs[i]); break;
                case 2:
                    text[0] &= 0x7F;
                    subject_encrypt(of[i], text, inputs[i]);
                    break;
                case 3:
                    dice_fill(dice, inputs[i], size);
                    inputs[i][0] |= dice_below(dice, 2) != 0 ? 0xFF : 0;
                    break;
                default: encrypt(of[i], hash, text, n, inputs[i]);
                }
            }
            valid += compare(of, hash, inputs, count, n);
            cases += count;
        }
    if (valid * 6 < cases) fail("too few valid texts");
    // A key of another size among them: nothing is decrypted.
    subject other = subject_make(subjects[0].bits == 2048 ? 3072 : 2048, 65537);
    uint8_t text[16] = {0}, outputs[2][16], untouched[16], results[2];
    memset(outputs, 0xA5, sizeof outputs), memset(untouched, 0xA5, sizeof untouched);
    encrypt(&subjects[0], 1, text, sizeof text, inputs[0]);
    encrypt(&other, 1, text, sizeof text, inputs[1]);
    cjose_private_rsa_key *keys[2] = {subjects[0].key, other.key};
    const uint8_t *ins[2] = {inputs[0], inputs[1]};
    uint8_t *outs[2] = {outputs[0], outputs[1]};
    cjose_private_oaep_decrypt(cjose_private_oaep_sha256, keys, ins, 2, outs, sizeof text, results);
    for (int i = 0; i < 2; i++)
        if (results[i] != cjose_private_failed || memcmp(outputs[i], untouched, sizeof untouched) != 0)
            fail("a key of another size was used");
    cjose_private_oaep_decrypt(cjose_private_oaep_sha256, keys, ins, 1, outs, sizeof text, results);
    if (results[0] != cjose_private_valid || memcmp(outputs[0], text, sizeof text) != 0) fail("OAEP: another text");
    subject_end(&other);
    printf("  %d bits: %zu OAEP texts, %zu valid\n", subjects[0].bits, cases, valid);
}

static size_t read_hex(const char *hex, uint8_t *out, size_t capacity) {
    size_t n = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
    need(n <= capacity, "a vector within bounds");
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        need(sscanf(hex + 2 * i, "%2x", &byte) == 1, "a vector in hexadecimal");
        out[i] = (uint8_t)byte;
    }
    return n;
}

void check_wycheproof(void) {
    static char line[32768], key_hex[16384], input_hex[4096], text_hex[4096];
    size_t done = 0, valid = 0, skipped = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        int hash = 0, is_valid = 0;
        need(sscanf(line, "%d %d %16383s %4095s %4095s", &hash, &is_valid, key_hex, input_hex, text_hex) == 5, "a line");
        static uint8_t der[8192], input[2048], text[2048], output[2048];
        size_t der_size = read_hex(key_hex, der, sizeof der), input_size = read_hex(input_hex, input, sizeof input);
        size_t n = read_hex(text_hex, text, sizeof text);
        const uint8_t *at = der;
        EVP_PKEY *pkey = d2i_AutoPrivateKey(NULL, &at, (long)der_size);
        need(pkey != NULL, "a private key of a vector");
        cjose_private_rsa_key *key = cjose_private_rsa_key_new(pkey);
        // The caller rejects another length.
        if (key == NULL || input_size != cjose_private_rsa_key_bits(key) / 8 || n > input_size) {
            skipped++;
        } else {
            uint8_t result;
            const uint8_t *in = input;
            uint8_t *out = output;
            cjose_private_oaep_decrypt((cjose_private_oaep_hash)hash, &key, &in, 1, &out, n, &result);
            bool is_equal = result == cjose_private_valid && memcmp(output, text, n) == 0;
            if (is_equal != (is_valid != 0)) fail("Wycheproof, %s: %s", hashes[hash], input_hex);
            done++, valid += is_equal;
        }
        cjose_private_rsa_key_free(key);
        EVP_PKEY_free(pkey);
    }
    if (done < 100 || valid == 0 || valid == done) fail("Wycheproof: %zu vectors, %zu valid", done, valid);
    printf("Wycheproof: %zu vectors of RSA-OAEP, %zu of them valid; %zu of other key or text sizes\n", done, valid, skipped);
}
