#include "CJOSEOpenSSL.h"
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

// Whichever allocation of libcrypto fails during a verification, a valid signature is never reported as invalid, and an invalid
// one never as valid.

static long left = -1;
static bool goes_on, was_refused, is_paused;

static bool refuses(void) {
    if (left < 0 || is_paused) return false;
    if (left > 0) {
        left--;
        return false;
    }
    was_refused = true;
    if (!goes_on) left = -1;
    return true;
}

static void *taken(size_t count, const char *file, int line) {
    (void)file, (void)line;
    return count == 0 || refuses() ? NULL : malloc(count);
}

static void *grown(void *at, size_t count, const char *file, int line) {
    (void)file, (void)line;
    return refuses() ? NULL : realloc(at, count);
}

static void given(void *at, const char *file, int line) {
    (void)file, (void)line;
    free(at);
}

void memory_install(void) { need(CRYPTO_set_mem_functions(taken, grown, given) == 1, "CRYPTO_set_mem_functions"); }

void memory_refuse(long after, bool onwards) {
    left = after;
    goes_on = onwards;
    was_refused = false;
}

bool memory_refused(void) { return was_refused; }
void memory_pause(bool paused) { is_paused = paused; }

static cjose_key *key_of(EVP_PKEY *pkey) {
    cjose_key *key = NULL;
    need(EVP_PKEY_up_ref(pkey) == 1 && cjose_key_take(pkey, true, &key) == cjose_status_ok, "cjose_key_take");
    return key;
}

/// Verifies a signature. The contents of a key's pool are created by the first signature; the second finds them there.
static cjose_status verify(
    EVP_PKEY *pkey, int algorithm, bool is_second, const uint8_t *signature, size_t count, long after, bool onwards) {
    static const uint8_t input[] = "signed";
    cjose_key *key = key_of(pkey);
    cjose_signature of = (cjose_signature)algorithm;
    if (is_second) (void)!cjose_verify(key, of, input, sizeof input, signature, count);
    memory_refuse(after, onwards);
    cjose_status status = cjose_verify(key, of, input, sizeof input, signature, count);
    left = -1;
    cjose_key_free(key);
    return status;
}

/// Runs `ways` of 8 ways: without memory for all that follows or for one request, with a second signature, with an invalid one.
static void check(EVP_PKEY *pkey, int algorithm, const char *name, int ways) {
    static uint8_t signature[8192];
    size_t count = 0, refusals = 0, answers = 0;
    cjose_key *key = key_of(pkey);
    cjose_status made = cjose_sign(key, (cjose_signature)algorithm, "signed", 7, signature, sizeof signature, &count);
    need(made == cjose_status_ok, "cjose_sign");
    cjose_key_free(key);
    for (int way = 0; way < ways; way++) {
        bool onwards = way & 1, is_second = way & 2, is_broken = way & 4;
        if (is_broken) signature[count / 2] ^= 1;
        cjose_status right = is_broken ? cjose_status_invalid : cjose_status_ok;
        for (long after = 0;; after++) {
            cjose_status status = verify(pkey, algorithm, is_second, signature, count, after, onwards);
            if (status == cjose_status_backend) refusals++;
            else if (status == right) answers++;
            else fail("%s, request %ld of memory refused: %d instead of %d", name, after, status, right);
            if (memory_refused()) continue;
            if (status != right) fail("%s, with memory: %d", name, status);
            break;
        }
        if (is_broken) signature[count / 2] ^= 1;
    }
    need(refusals > 8 && answers >= (size_t)ways, "refusing memory");
    printf("  %s: %zu times out of memory, %zu answers\n", name, refusals, answers);
}

/// Checks the case where u1 G + u2 Q is no point, e = n - r d (RFC 7518, 3.4). libcrypto then reports a failure, but nothing has
/// failed: for d = 1, Q = G, r = s = 1.
static void check_infinity(int curve, cjose_key_kind kind, int algorithm, size_t size) {
    uint8_t x[48], y[48], digest[48], signature[96] = {0};
    EC_GROUP *group = EC_GROUP_new_by_curve_name(curve);
    BIGNUM *numbers[3] = {BN_new(), BN_new(), NULL};
    need(group != NULL && (numbers[2] = BN_dup(EC_GROUP_get0_order(group))) != NULL, "EC_GROUP_new_by_curve_name");
    const EC_POINT *point = EC_GROUP_get0_generator(group);
    need(EC_POINT_get_affine_coordinates(group, point, numbers[0], numbers[1], NULL) == 1, "a generator");
    int count = (int)size;
    need(BN_bn2binpad(numbers[0], x, count) == count && BN_bn2binpad(numbers[1], y, count) == count, "a generator");
    need(BN_sub_word(numbers[2], 1) == 1 && BN_bn2binpad(numbers[2], digest, count) == count, "an order");
    cjose_key *key = NULL;
    cjose_status made = cjose_key_ec_new(kind, (cjose_bytes){x, size}, (cjose_bytes){y, size}, (cjose_bytes){NULL, 0}, &key);
    need(made == cjose_status_ok, "cjose_key_ec_new");
    signature[size - 1] = signature[2 * size - 1] = 1;
    cjose_signature of = (cjose_signature)algorithm;
    cjose_status status = cjose_verify_digest(key, of, digest, size, signature, 2 * size);
    if (status != cjose_status_invalid) fail("a sum that is no point: %d", status);
    // The positive control: e = 0 and r = x of G are valid with s = r d.
    memset(digest, 0, sizeof digest);
    BN_free(numbers[2]);
    numbers[2] = BN_new();
    BN_CTX *ctx = BN_CTX_new();
    need(BN_nnmod(numbers[2], numbers[0], EC_GROUP_get0_order(group), ctx) == 1, "r");
    need(BN_bn2binpad(numbers[2], signature, count) == count, "r");
    memcpy(signature + size, signature, size);
    status = cjose_verify_digest(key, of, digest, size, signature, 2 * size);
    if (status != cjose_status_ok) fail("a sum that is a point: %d", status);
    for (int i = 0; i < 3; i++) BN_free(numbers[i]);
    BN_CTX_free(ctx);
    EC_GROUP_free(group);
    cjose_key_free(key);
}

/// Checks that errors left by a caller's own use of libcrypto on this thread do not affect a verification (X09).
static void check_left(EVP_PKEY *pkey, int algorithm, const char *name) {
    uint8_t signature[512];
    size_t count = 0;
    cjose_key *key = key_of(pkey);
    cjose_signature of = (cjose_signature)algorithm;
    need(cjose_sign(key, of, "signed", 7, signature, sizeof signature, &count) == cjose_status_ok, "cjose_sign");
    for (int is_broken = 0; is_broken < 2; is_broken++) {
        signature[count / 2] ^= (uint8_t)is_broken;
        ERR_raise(ERR_LIB_EC, ERR_R_EC_LIB);
        ERR_raise(ERR_LIB_EVP, ERR_R_MALLOC_FAILURE);
        cjose_status status = cjose_verify(key, of, "signed", 7, signature, count);
        if (status != (is_broken != 0 ? cjose_status_invalid : cjose_status_ok))
            fail("%s, with errors of others in the queue: %d", name, status);
        ERR_clear_error();
    }
    cjose_key_free(key);
}

void memory_check(dice *dice, size_t count) {
    (void)dice, (void)count;
    EVP_PKEY *keys[] = {
        EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048), EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"),
        EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384"), EVP_PKEY_Q_keygen(NULL, NULL, "ED448"),
    };
    for (size_t i = 0; i < 4; i++) need(keys[i] != NULL, "EVP_PKEY_Q_keygen");
    check(keys[0], cjose_signature_rs256, "RS256", 8);
    check(keys[0], cjose_signature_ps256, "PS256", 8);
    check(keys[1], cjose_signature_es256, "ES256", 8);
    check(keys[2], cjose_signature_es384, "ES384", 2);
    check(keys[3], cjose_signature_ed448, "Ed448", 8);
    if (cjose_signature_available(cjose_signature_ml_dsa_44)) {
        EVP_PKEY *lattice = EVP_PKEY_Q_keygen(NULL, NULL, "ML-DSA-44");
        need(lattice != NULL, "EVP_PKEY_Q_keygen");
        check(lattice, cjose_signature_ml_dsa_44, "ML-DSA-44", 8);
        EVP_PKEY_free(lattice);
    }
    static const struct {
        int key, algorithm;
        const char *name;
    } left_with[] = {{0, cjose_signature_rs256, "RS256"}, {1, cjose_signature_es256, "ES256"},
                     {2, cjose_signature_es384, "ES384"}, {3, cjose_signature_ed448, "Ed448"}};
    for (size_t i = 0; i < 4; i++) check_left(keys[left_with[i].key], left_with[i].algorithm, left_with[i].name);
    check_infinity(NID_X9_62_prime256v1, cjose_key_kind_p256, cjose_signature_es256, 32);
    check_infinity(NID_secp384r1, cjose_key_kind_p384, cjose_signature_es384, 48);
    memory_reading_check(keys[0], keys[1], keys[2]);
    for (size_t i = 0; i < 4; i++) EVP_PKEY_free(keys[i]);
}
