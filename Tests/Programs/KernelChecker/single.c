#if defined(CJOSE_ACCELERATED)
#include "CJOSEOpenSSL.h"
#include <stdio.h>
#include <string.h>

#include "rsa.h"

// Single signatures, verified with the kernel for one number or libcrypto's multiplications, and this package's own check of the
// encoding: the results must be those of `EVP_PKEY_verify`. The sizes include those at which the encoding of PSS is a byte shorter than the modulus, or its
// first byte has spare bits.

typedef struct verifier {
    pair pair;
    cjose_key *key;
    uint8_t n[RSA_MAX];
    size_t bytes, cases, whole;
} verifier;

static const int algorithms[] = {
    [cjose_kernel_rsa_scheme_rs256] = cjose_signature_rs256, [cjose_kernel_rsa_scheme_rs384] = cjose_signature_rs384,
    [cjose_kernel_rsa_scheme_rs512] = cjose_signature_rs512, [cjose_kernel_rsa_scheme_ps256] = cjose_signature_ps256,
    [cjose_kernel_rsa_scheme_ps384] = cjose_signature_ps384, [cjose_kernel_rsa_scheme_ps512] = cjose_signature_ps512,
};

static verifier verifier_make(int bits, unsigned e) {
    verifier made = {.pair = pair_make(bits, e, true)};
    uint8_t exponent[8];
    BIGNUM *n = NULL, *number = NULL;
    made.bytes = pair_bytes(&made.pair);
    EVP_PKEY *pkey = made.pair.pkey;
    need(EVP_PKEY_get_bn_param(pkey, "n", &n) == 1 && EVP_PKEY_get_bn_param(pkey, "e", &number) == 1, "n");
    need(BN_num_bits(n) == bits && BN_get_word(number) == e, "keygen");
    need(BN_bn2binpad(n, made.n, (int)made.bytes) == (int)made.bytes && BN_bn2binpad(number, exponent, 8) == 8, "n");
    cjose_bytes none = {NULL, 0};
    cjose_status status = cjose_key_rsa_new(
        (cjose_bytes){made.n, made.bytes}, (cjose_bytes){exponent, 8}, none, none, none, none, none, none, &made.key);
    need(status == cjose_status_ok, "cjose_key_rsa_new");
    BN_free(n);
    BN_free(number);
    return made;
}

static void verifier_end(verifier *verifier) {
    cjose_key_free(verifier->key);
    pair_end(&verifier->pair);
}

static bool compare(
    dice *dice, verifier *verifier, cjose_kernel_rsa_scheme scheme, const uint8_t *digest, const uint8_t *signature,
    size_t count, const char *what) {
    int held = EVP_PKEY_verify(verifier->pair.contexts[scheme], signature, count, digest, digest_size(scheme));
    cjose_status expected = held == 1 ? cjose_status_ok : cjose_status_invalid;
    cjose_status status = cjose_verify_digest(
        verifier->key, (cjose_signature)algorithms[scheme], digest, digest_size(scheme), signature, count);
    if (spoilt(dice, (uint8_t)status) != (uint8_t)expected) {
        show("n", verifier->n, verifier->bytes);
        show("digest", digest, digest_size(scheme));
        show("signature", signature, count);
        fail("%d bits, scheme %d, %s: %d, and libcrypto says %d", verifier->pair.bits, (int)scheme, what, status, expected);
    }
    verifier->cases++;
    verifier->whole += held == 1;
    return held == 1;
}

/// Checks numbers at the ends of the range, and lengths that are too short or too long.
static void check_numbers(dice *dice, verifier *verifier, cjose_kernel_rsa_scheme scheme, const signature *whole) {
    uint8_t bytes[RSA_MAX + 2] = {0};
    size_t n = verifier->bytes;
    for (int what = 0; what < 6; what++) {
        memset(bytes, what == 5 ? 0xFF : 0, n);
        if (what >= 2) memcpy(bytes, verifier->n, what == 5 ? 0 : n);
        // n is odd: there are neither borrows nor carries, except for n + 1, which is computed bit by bit.
        if (what == 1) bytes[n - 1] = 1;
        if (what == 2) bytes[n - 1] ^= 1;
        for (size_t at = n; what == 4 && at-- > 0 && ++bytes[at] == 0;) continue;
        bool held = compare(dice, verifier, scheme, whole->digest, bytes, n, "a number at the end of the range");
        need(!held, "refusing a number at the end of the range");
    }
    bytes[0] = 0;
    memcpy(bytes + 1, whole->bytes, n);
    bytes[n + 1] = 0;
    const struct {
        size_t from, count;
    } parts[] = {{1, 0}, {1, 1}, {1, n - 1}, {1, n + 1}, {0, n}, {0, n + 1}, {2, n - 1}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        // RFC 8017, 8.1.2 and 8.2.2, step 1. libcrypto's PSS takes a first byte of 0 for granted.
        cjose_status status = cjose_verify_digest(
            verifier->key, (cjose_signature)algorithms[scheme], whole->digest, digest_size(scheme), bytes + parts[i].from,
            parts[i].count);
        need(status == cjose_status_invalid, "refusing another length");
        verifier->cases++;
    }
    // This is the number plus n, where it fits in as many bytes.
    BIGNUM *sum = BN_bin2bn(whole->bytes, (int)n, NULL), *modulus = BN_bin2bn(verifier->n, (int)n, NULL);
    need(sum != NULL && modulus != NULL && BN_add(sum, sum, modulus) == 1, "BN_add");
    if (BN_num_bytes(sum) <= (int)n) {
        need(BN_bn2binpad(sum, bytes, (int)n) == (int)n, "BN_bn2binpad");
        need(!compare(dice, verifier, scheme, whole->digest, bytes, n, "the signature and n"), "refusing s + n");
    }
    BN_free(sum);
    BN_free(modulus);
}

static void check_random(dice *dice, verifier *verifier, const signature whole[6]) {
    cjose_kernel_rsa_scheme scheme = (cjose_kernel_rsa_scheme)dice_below(dice, 6);
    signature given = whole[scheme];
    switch (dice_below(dice, 6)) {
    case 0: given.bytes[dice_below(dice, verifier->bytes)] ^= (uint8_t)(1u << dice_below(dice, 8)); break;
    case 1: given.digest[dice_below(dice, digest_size(scheme))] ^= (uint8_t)(1u << dice_below(dice, 8)); break;
    case 2: scheme = (cjose_kernel_rsa_scheme)dice_below(dice, 6); break;
    case 3: dice_shape(dice, given.bytes, verifier->bytes); break;
    default: break;
    }
    compare(dice, verifier, scheme, given.digest, given.bytes, verifier->bytes, "random");
}

static void check(dice *dice, int bits, unsigned e, size_t count) {
    static signature whole[6], wrong;
    verifier verifier = verifier_make(bits, e);
    for (size_t scheme = 0; scheme < 6; scheme++) {
        cjose_kernel_rsa_scheme of = (cjose_kernel_rsa_scheme)scheme;
        dice_fill(dice, whole[scheme].digest, sizeof whole[scheme].digest);
        rsa_sign_fault(dice, &verifier.pair, of, 0, whole[scheme].digest, whole[scheme].bytes);
        bool held = compare(dice, &verifier, of, whole[scheme].digest, whole[scheme].bytes, verifier.bytes, "whole");
        need(held, "a whole signature");
        check_numbers(dice, &verifier, of, &whole[scheme]);
        for (int fault = 1; fault < rsa_faults(of); fault++) {
            dice_fill(dice, wrong.digest, sizeof wrong.digest);
            rsa_sign_fault(dice, &verifier.pair, of, fault, wrong.digest, wrong.bytes);
            held = compare(dice, &verifier, of, wrong.digest, wrong.bytes, verifier.bytes, "an encoding with a fault");
            need(!held, "refusing an encoding with a fault");
        }
    }
    for (size_t i = 0; i < count; i++) check_random(dice, &verifier, whole);
    printf("  %d bits, exponent %u: %zu signatures one by one, %zu of them whole\n", bits, e, verifier.cases, verifier.whole);
    verifier_end(&verifier);
}

void single_check(dice *dice, size_t count) {
    static const struct {
        int bits;
        unsigned e;
    } keys[] = {{2048, 3}, {2048, 17}, {2048, 65537}, {2048, 0xFFFFFFFF}, {2049, 17}, {2050, 3}, {2055, 65537},
                {2056, 0x80000001}, {3000, 65537}, {3072, 65537}, {4096, 65537}, {4096, 3}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) check(dice, keys[i].bits, keys[i].e, count / 4);
}
#endif
