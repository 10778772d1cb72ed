#include "checker.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <openssl/x509.h>

/// Compares a call with libcrypto, input by input.
static void compare(const subject *const *of, const uint8_t (*inputs)[SIZE_MAX_BYTES], size_t count) {
    static uint8_t outputs[CASES_MAX][SIZE_MAX_BYTES];
    uint8_t results[CASES_MAX], wanted[SIZE_MAX_BYTES];
    cjose_private_rsa_key *keys[CASES_MAX];
    const uint8_t *ins[CASES_MAX];
    uint8_t *outs[CASES_MAX];
    bool has_one_size = true;
    for (size_t i = 0; i < count; i++) {
        keys[i] = of[i]->key, ins[i] = inputs[i], outs[i] = outputs[i];
        has_one_size &= of[i]->bits == of[0]->bits;
    }
    memset(outputs, 0xA5, sizeof outputs);
    cjose_private_rsa_power(keys, ins, count, outs, results);
    for (size_t i = 0; i < count; i++) {
        size_t size = (size_t)of[i]->bits / 8;
        bool ok = has_one_size && subject_power(of[i], inputs[i], wanted);
        if (results[i] != (ok ? cjose_private_valid : has_one_size ? cjose_private_invalid : cjose_private_failed))
            subject_fail(of[i], inputs[i], "another result");
        if (ok && memcmp(outputs[i], wanted, size) != 0) subject_fail(of[i], inputs[i], "another number");
        for (size_t j = ok ? size : 0; j < sizeof outputs[i]; j++)
            if (outputs[i][j] != 0xA5) subject_fail(of[i], inputs[i], "bytes were written beside the output");
    }
}

/// Writes edge case `index`, and returns false behind the last one.
static bool edge(dice *dice, const subject *subject, size_t index, uint8_t *out) {
    BIGNUM *number = BN_new(), *factor = BN_new();
    need(number != NULL && factor != NULL, "BN_new");
    int size = subject->bits / 8;
    bool is_one = true;
    switch (index) {
    case 0: BN_zero(number); break;
    case 1:
    case 2: need(BN_set_word(number, index), "BN"); break;
    // n-2 ... n+2
    case 3:
    case 4:
    case 5:
    case 6:
    case 7: need(BN_copy(number, subject->n) && BN_add_word(number, index - 3) && BN_sub_word(number, 2), "BN"); break;
    case 8: need(BN_copy(number, subject->p) != NULL, "BN"); break;
    case 9: need(BN_copy(number, subject->q) != NULL, "BN"); break;
    case 10: need(BN_sub(number, subject->n, subject->p), "BN"); break;
    case 11: need(BN_sub(number, subject->n, subject->q), "BN"); break;
    // Multiples of a prime by random numbers, and beside.
    case 12:
    case 13:
    case 14:
    case 15:
        need(BN_rand(factor, subject->bits / 2 - 2, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1, "BN_rand");
        BN_CTX *ctx = BN_CTX_new();
        need(BN_mul(number, factor, index % 2 == 0 ? subject->p : subject->q, ctx), "BN_mul");
        BN_CTX_free(ctx);
        if (index >= 14) need(BN_add_word(number, 1), "BN");
        break;
    // R and its neighbours, as inputs.
    case 16:
    case 17:
    case 18:
        need(BN_set_bit(number, (subject->bits / 1024) * 520) && BN_add_word(number, index - 16) && BN_sub_word(number, 1), "BN");
        break;
    case 19: need(BN_set_bit(number, subject->bits - 1) && BN_sub_word(number, 1), "BN"); break;
    case 20: need(BN_set_bit(number, subject->bits) && BN_sub_word(number, 1), "BN"); break;
    default:
        is_one = index < 48;
        break;
    }
    if (index > 20) {
        dice_shape(dice, out, (size_t)size);
        if (index % 4 != 0) out[0] &= 0x7F;
    } else {
        need(BN_bn2binpad(number, out, size) == size, "BN_bn2binpad");
    }
    BN_free(number), BN_free(factor);
    return is_one;
}

void check_edges(dice *dice, const subject *subjects, bool is_whole) {
    static uint8_t inputs[CASES_MAX][SIZE_MAX_BYTES];
    const subject *of[CASES_MAX];
    size_t cases = 0;
    // Each alone, with random input in the other lanes.
    for (int key = 0; key < (is_whole ? SUBJECTS : 1); key++) {
        of[0] = &subjects[key];
        for (size_t index = 0; edge(dice, &subjects[key], index, inputs[0]); index++, cases++) compare(of, inputs, 1);
    }
    // Calls of 0 to 17, over keys in turn, with edges among random inputs.
    for (size_t count = 0; count <= 17; count += is_whole || count < 9 ? 1 : 8) {
        for (size_t i = 0; i < count; i++) {
            of[i] = &subjects[count % 3 == 0 ? 0 : dice_below(dice, SUBJECTS)];
            (void)edge(dice, of[i], dice_below(dice, 48), inputs[i]);
        }
        compare(of, inputs, count);
        cases += count;
    }
    // One key among others of another one, and one edge among zeros, at every index.
    for (size_t at = 0; at < 9; at++) {
        for (size_t i = 0; i < 9; i++) {
            of[i] = &subjects[i == at ? 1 : 0];
            memset(inputs[i], 0, sizeof inputs[i]);
            if (i == at) (void)edge(dice, of[i], 12 + at, inputs[i]);
        }
        compare(of, inputs, 9);
        cases += 9;
    }
    // A key of another size among them.
    subject other = subject_make(subjects[0].bits == 2048 ? 3072 : 2048, 65537);
    for (size_t at = 1; at < 6; at++) {
        for (size_t i = 0; i < 6; i++) {
            of[i] = i == at ? &other : &subjects[0];
            memset(inputs[i], 0, sizeof inputs[i]);
            inputs[i][100] = (uint8_t)i;
        }
        compare(of, inputs, 6);
    }
    subject_end(&other);
    printf("  %d bits: %zu edges\n", subjects[0].bits, cases);
}

/// Creates a key by its numbers, of which one may be changed.
static EVP_PKEY *rebuilt(const EVP_PKEY *from, const char *changed) {
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
        OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    BIGNUM *numbers[8] = {NULL};
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    for (int i = 0; i < 8; i++) {
        need(EVP_PKEY_get_bn_param(from, names[i], &numbers[i]) == 1, names[i]);
        if (changed != NULL && strcmp(names[i], changed) == 0) need(BN_sub_word(numbers[i], 2), "BN");
        need(OSSL_PARAM_BLD_push_BN(builder, names[i], numbers[i]) == 1, names[i]);
    }
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *pkey = NULL;
    need(EVP_PKEY_fromdata_init(ctx) == 1 && EVP_PKEY_fromdata(ctx, &pkey, EVP_PKEY_KEYPAIR, params) == 1, "fromdata");
    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    for (int i = 0; i < 8; i++) BN_clear_free(numbers[i]);
    return pkey;
}

static void reject(EVP_PKEY *pkey, const char *what) {
    cjose_private_rsa_key *key = cjose_private_rsa_key_new(pkey);
    if (key != NULL) fail("the kernels cover %s", what);
    EVP_PKEY_free(pkey);
}

static EVP_PKEY *generated(int bits, int primes) {
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    need(EVP_PKEY_keygen_init(ctx) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) == 1, "keygen");
    need(EVP_PKEY_CTX_set_rsa_keygen_primes(ctx, primes) == 1 && EVP_PKEY_generate(ctx, &pkey) == 1, "keygen");
    EVP_PKEY_CTX_free(ctx);
    return pkey;
}

void check_keys(void) {
    subject good = subject_make(2048, 65537);
    EVP_PKEY *same = rebuilt(good.pkey, NULL);
    cjose_private_rsa_key *key = cjose_private_rsa_key_new(same);
    need(key != NULL, "a key of unchanged numbers");
    if (cjose_private_rsa_key_bits(key) != 2048) fail("a key has another size");
    cjose_private_rsa_key_free(key);
    EVP_PKEY_free(same);
    reject(rebuilt(good.pkey, OSSL_PKEY_PARAM_RSA_N), "a modulus that is not the product of the primes");
    reject(rebuilt(good.pkey, OSSL_PKEY_PARAM_RSA_FACTOR1), "another p");
    reject(rebuilt(good.pkey, OSSL_PKEY_PARAM_RSA_FACTOR2), "another q");
    reject(generated(1024, 2), "1024 bits");
    reject(generated(2056, 2), "2056 bits");
    reject(generated(2048, 3), "three primes");
    reject(EVP_EC_gen("P-256"), "an EC key");
    BIO *memory = BIO_new(BIO_s_mem());
    EVP_PKEY *public = NULL;
    need(i2d_PUBKEY_bio(memory, good.pkey) == 1 && d2i_PUBKEY_bio(memory, &public) != NULL, "a public key");
    reject(public, "a public key");
    BIO_free(memory);

    // A wrong exponent of a prime makes a wrong result, which the check replaces by libcrypto's.
    static const char *const exponents[] = {OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2};
    for (int i = 0; i < 2; i++) {
        EVP_PKEY *wrong = rebuilt(good.pkey, exponents[i]);
        key = cjose_private_rsa_key_new(wrong);
        need(key != NULL, "a key with another exponent");
        uint8_t input[256] = {0}, output[256], wanted[SIZE_MAX_BYTES], result;
        input[3] = 7;
        const uint8_t *in = input;
        uint8_t *out = output;
        uint64_t before = cjose_private_fault_count();
        cjose_private_rsa_power(&key, &in, 1, &out, &result);
        need(subject_power(&good, input, wanted), "libcrypto");
        if (cjose_private_fault_count() != before + 1) fail("a wrong result was not found");
        if (result != cjose_private_valid || memcmp(output, wanted, sizeof output) != 0) fail("a wrong result left");
        cjose_private_rsa_key_free(key);
        EVP_PKEY_free(wrong);
    }
    subject_end(&good);
    puts("  keys: those of other sizes, kinds and numbers are not covered");
}
