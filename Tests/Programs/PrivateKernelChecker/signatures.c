#include "checker.h"

#include <openssl/err.h>

static const char *const names[] = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"};

static const EVP_MD *hash_of(int algorithm) {
    switch (algorithm % 3) {
    case 0: return EVP_sha256();
    case 1: return EVP_sha384();
    default: return EVP_sha512();
    }
}

static void set_padding(EVP_PKEY_CTX *ctx, int algorithm) {
    int padding = algorithm < 3 ? RSA_PKCS1_PADDING : RSA_PKCS1_PSS_PADDING;
    need(EVP_PKEY_CTX_set_rsa_padding(ctx, padding) == 1, "padding");
    need(EVP_PKEY_CTX_set_signature_md(ctx, hash_of(algorithm)) == 1, "hash");
    if (algorithm >= 3) need(EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST) == 1, "salt");
}

static bool verify(const subject *subject, int algorithm, const uint8_t *digest, const uint8_t *signature) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject->pkey, NULL);
    need(ctx != NULL && EVP_PKEY_verify_init(ctx) == 1, "EVP_PKEY_verify_init");
    set_padding(ctx, algorithm);
    size_t n = (size_t)EVP_MD_get_size(hash_of(algorithm));
    bool ok = EVP_PKEY_verify(ctx, signature, (size_t)subject->bits / 8, digest, n) == 1;
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

static void sign(const subject *subject, int algorithm, const uint8_t *digest, uint8_t *out) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject->pkey, NULL);
    size_t made = SIZE_MAX_BYTES, n = (size_t)EVP_MD_get_size(hash_of(algorithm));
    need(ctx != NULL && EVP_PKEY_sign_init(ctx) == 1, "EVP_PKEY_sign_init");
    set_padding(ctx, algorithm);
    need(EVP_PKEY_sign(ctx, out, &made, digest, n) == 1 && made == (size_t)subject->bits / 8, "EVP_PKEY_sign");
    EVP_PKEY_CTX_free(ctx);
}

static void compare(dice *dice, const subject *subjects, int algorithm, size_t count) {
    static uint8_t digests[CASES_MAX][64], outputs[CASES_MAX][SIZE_MAX_BYTES];
    const subject *of[CASES_MAX];
    cjose_private_rsa_key *keys[CASES_MAX];
    const uint8_t *ins[CASES_MAX];
    uint8_t *outs[CASES_MAX], results[CASES_MAX], wanted[SIZE_MAX_BYTES];
    size_t size = (size_t)subjects[0].bits / 8;
    for (size_t i = 0; i < count; i++) {
        of[i] = &subjects[dice_below(dice, SUBJECTS)];
        dice_fill(dice, digests[i], sizeof digests[i]);
        keys[i] = of[i]->key, ins[i] = digests[i], outs[i] = outputs[i];
    }
    memset(outputs, 0xA5, sizeof outputs);
    cjose_private_rsa_sign((cjose_private_signature)algorithm, keys, ins, count, outs, results);
    for (size_t i = 0; i < count; i++) {
        bool ok = results[i] == cjose_private_valid && verify(of[i], algorithm, digests[i], outputs[i]);
        if (ok && algorithm < 3) {
            sign(of[i], algorithm, digests[i], wanted);
            ok = memcmp(outputs[i], wanted, size) == 0;
        }
        if (!ok) subject_fail(of[i], NULL, names[algorithm]);
        for (size_t j = size; j < sizeof outputs[i]; j++)
            if (outputs[i][j] != 0xA5) subject_fail(of[i], NULL, "bytes were written beside the signature");
        outputs[i][size / 2] ^= 1;
        if (verify(of[i], algorithm, digests[i], outputs[i])) subject_fail(of[i], NULL, "a wrong signature is accepted");
    }
    if (ERR_peek_error() != 0) fail("an error stayed in libcrypto's queue");
}

/// A key of another size at each place of a call: nothing is signed.
static void refuse_sizes(dice *dice, const subject *subjects) {
    static uint8_t digest[64], outputs[6][SIZE_MAX_BYTES], untouched[SIZE_MAX_BYTES];
    subject other = subject_make(subjects[0].bits == 2048 ? 3072 : 2048, 65537);
    dice_fill(dice, digest, sizeof digest);
    memset(untouched, 0xA5, sizeof untouched);
    for (size_t at = 0; at < 6; at++) {
        cjose_private_rsa_key *keys[6];
        const uint8_t *ins[6];
        uint8_t *outs[6], results[6];
        memset(outputs, 0xA5, sizeof outputs);
        for (size_t i = 0; i < 6; i++)
            keys[i] = i == at ? other.key : subjects[0].key, ins[i] = digest, outs[i] = outputs[i];
        cjose_private_rsa_sign(cjose_private_rs256, keys, ins, 6, outs, results);
        for (size_t i = 0; i < 6; i++)
            if (results[i] != cjose_private_failed || memcmp(outputs[i], untouched, sizeof untouched) != 0)
                fail("a key of another size signed");
    }
    subject_end(&other);
}

void check_signatures(dice *dice, const subject *subjects, bool is_whole, bool has_faults) {
    uint64_t before = cjose_private_fault_count();
    size_t made = 0, calls = 0, faults = 0;
    for (int round = 0; round < (is_whole ? 40 : 4); round++)
        for (int algorithm = 0; algorithm < 6; algorithm++) {
            size_t count = 1 + dice_below(dice, 9);
            if (has_faults) faults += plan_fault(dice);
            compare(dice, subjects, algorithm, count);
            made += count, calls++;
        }
    refuse_sizes(dice, subjects);
    uint64_t found = cjose_private_fault_count() - before;
    if (faults == 0 ? found != 0 : found * 4 < calls) fail("%d of %d faults were found", (int)found, (int)faults);
    printf("  %d bits: %zu signatures, %d faults found\n", subjects[0].bits, made, (int)found);
}
