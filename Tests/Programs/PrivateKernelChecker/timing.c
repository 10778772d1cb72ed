// The padding of OAEP by itself is deprecated in libcrypto.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "checker.h"

#include <math.h>
#include <stdlib.h>
#include <x86intrin.h>

static const int sizes[] = {2048, 3072, 4096};

void measure_rates(void) {
    enum { ROUNDS = 60, CALLS = 8 };
    for (size_t size = 0; size < 3; size++) {
        subject subject = subject_make(sizes[size], 65537);
        static uint8_t inputs[4][SIZE_MAX_BYTES], outputs[4][SIZE_MAX_BYTES];
        const uint8_t *ins[4];
        uint8_t *outs[4], results[4];
        cjose_private_rsa_key *keys[4];
        dice dice = {(uint64_t)size};
        for (int i = 0; i < 4; i++) {
            dice_fill(&dice, inputs[i], sizeof inputs[i]);
            inputs[i][0] &= 0x7F;
            keys[i] = subject.key, ins[i] = inputs[i], outs[i] = outputs[i];
        }
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject.pkey, NULL);
        need(EVP_PKEY_decrypt_init(ctx) == 1 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1, "libcrypto");
        double ours[ROUNDS], theirs[ROUNDS], ratios[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            double begun = seconds();
            for (int i = 0; i < CALLS; i++) cjose_private_rsa_power(keys, ins, 4, outs, results);
            ours[round] = (seconds() - begun) / (4 * CALLS) * 1e6;
            begun = seconds();
            for (int i = 0; i < CALLS; i++) {
                size_t made = SIZE_MAX_BYTES;
                need(EVP_PKEY_decrypt(ctx, outputs[0], &made, inputs[0], (size_t)sizes[size] / 8) == 1, "libcrypto");
            }
            theirs[round] = (seconds() - begun) / CALLS * 1e6;
            ratios[round] = theirs[round] / ours[round];
        }
        printf(
            "%d bits: %.1f us, libcrypto %.1f us, ratio %.2f\n", sizes[size], median(ours, ROUNDS), median(theirs, ROUNDS),
            median(ratios, ROUNDS));
        EVP_PKEY_CTX_free(ctx);
        subject_end(&subject);
    }
}

enum { CLASSES = 4, TOKENS = 4, VARIANTS = 64 };

/// Encodes a text for OAEP with SHA-256 (RFC 8017, 7.1.1), with a fault: in the hash of the label, or in the first byte.
static void encrypt_faulty(const subject *subject, dice *dice, int kind, uint8_t *out) {
    uint8_t encoded[SIZE_MAX_BYTES], cek[32];
    size_t size = (size_t)subject->bits / 8;
    dice_fill(dice, cek, sizeof cek);
    const uint8_t *label = (const uint8_t *)(kind == 1 ? "another" : "");
    const EVP_MD *md = kind == 3 ? EVP_sha384() : EVP_sha256();
    need(
        RSA_padding_add_PKCS1_OAEP_mgf1(encoded, (int)size, cek, sizeof cek, label, kind == 1 ? 7 : 0, md, md) == 1, "OAEP");
    if (kind == 2) encoded[0] = 1;
    subject_encrypt(subject, encoded, out);
}

typedef struct tally {
    double count, mean, squares;
} tally;

static void add(tally *tally, double value) {
    double delta = value - tally->mean;
    tally->count++;
    tally->mean += delta / tally->count;
    tally->squares += delta * (value - tally->mean);
}

static double welch(const tally *a, const tally *b) {
    double variance = a->squares / (a->count - 1) / a->count + b->squares / (b->count - 1) / b->count;
    return variance > 0 ? (a->mean - b->mean) / sqrt(variance) : 0;
}

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Two or more classes of input: `run` processes some of one class, the first of which is that of the planted leak too, and returns
/// the time.
typedef struct comparison {
    const char *operation;
    const char *const *names;
    int classes;
    uint64_t (*run)(void *inputs, dice *dice, int kind, bool is_leaky);
    void *inputs;
} comparison;

/// The planted leak: a few percent of the time.
static void leak(void) {
    for (volatile int spin = 0; spin < 20000; spin++) {}
}

/// Measures as dudect does: classes in random order, and Welch's t of the first class and each other one.
static bool compare_times(const comparison *what, dice *dice, size_t samples) {
    int planted = what->classes;
    double *times = calloc(samples, sizeof *times), *sorted = calloc(samples, sizeof *sorted);
    uint8_t *kinds = calloc(samples, 1);
    need(times != NULL && sorted != NULL && kinds != NULL, "memory");
    for (size_t i = 0; i < samples; i++) {
        int kind = (int)dice_below(dice, (uint64_t)planted + 1);
        times[i] = (double)what->run(what->inputs, dice, kind == planted ? 0 : kind, kind == planted);
        kinds[i] = (uint8_t)kind;
    }
    memcpy(sorted, times, samples * sizeof *times);
    qsort(sorted, samples, sizeof *sorted, order);
    bool is_even = true;
    double worst[CLASSES + 1] = {0};
    // As in dudect, the longest times are interruptions: the test is repeated without them.
    static const double parts[] = {1, 0.95, 0.8, 0.5, 0.2};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        double limit = sorted[(size_t)((double)(samples - 1) * parts[part])];
        tally tallies[CLASSES + 1] = {{0}};
        for (size_t i = 0; i < samples; i++)
            if (times[i] <= limit) add(&tallies[kinds[i]], times[i]);
        for (int kind = 1; kind <= planted; kind++) worst[kind] = fmax(worst[kind], fabs(welch(&tallies[0], &tallies[kind])));
    }
    for (int kind = 1; kind <= planted; kind++) {
        bool is_found = worst[kind] >= 4.5;
        const char *name = kind == planted ? "planted leak" : what->names[kind];
        printf("timing, %s, %s and %s: |t| %.2f\n", what->operation, what->names[0], name, worst[kind]);
        if (is_found != (kind == planted)) is_even = false;
    }
    free(times), free(sorted), free(kinds);
    return is_even;
}

typedef struct timed {
    subject subject;
    uint8_t inputs[CLASSES][VARIANTS][SIZE_MAX_BYTES];
    uint8_t chosen[TOKENS][SIZE_MAX_BYTES];
} timed;

/// Copies an input of the class to the memory from which every class is read: the first class, which is that of the planted leak too,
/// is read more often, and its inputs would be nearer in the caches.
static const uint8_t *chosen(timed *timed, dice *dice, int kind, int token) {
    memcpy(timed->chosen[token], timed->inputs[kind][dice_below(dice, VARIANTS)], SIZE_MAX_BYTES);
    return timed->chosen[token];
}

static uint64_t decrypt(void *inputs, dice *dice, int kind, bool is_leaky) {
    timed *timed = inputs;
    uint8_t output[TOKENS][64], *outs[TOKENS], results[TOKENS];
    cjose_private_rsa_key *keys[TOKENS];
    const uint8_t *ins[TOKENS];
    for (int token = 0; token < TOKENS; token++) {
        keys[token] = timed->subject.key, outs[token] = output[token];
        ins[token] = chosen(timed, dice, kind, token);
    }
    unsigned unused;
    uint64_t begun = __rdtscp(&unused);
    cjose_private_oaep_decrypt(cjose_private_oaep_sha256, keys, ins, TOKENS, outs, 32, results);
    if (is_leaky) leak();
    uint64_t time = __rdtscp(&unused) - begun;
    if (results[0] != (kind == 0)) fail("timing: a wrong result");
    return time;
}

static uint64_t sign(void *inputs, dice *dice, int kind, bool is_leaky) {
    timed *timed = inputs;
    static uint8_t output[TOKENS][SIZE_MAX_BYTES];
    uint8_t *outs[TOKENS], results[TOKENS];
    cjose_private_rsa_key *keys[TOKENS];
    const uint8_t *ins[TOKENS];
    for (int token = 0; token < TOKENS; token++) {
        keys[token] = timed->subject.key, outs[token] = output[token];
        ins[token] = chosen(timed, dice, kind, token);
    }
    unsigned unused;
    uint64_t begun = __rdtscp(&unused);
    cjose_private_rsa_sign(cjose_private_rs256, keys, ins, TOKENS, outs, results);
    if (is_leaky) leak();
    uint64_t time = __rdtscp(&unused) - begun;
    for (int token = 0; token < TOKENS; token++)
        if (results[token] != cjose_private_valid) fail("timing: a signature was not computed");
    return time;
}

bool measure_timing(dice *dice, size_t samples) {
    static const char *const faults[] = {"valid", "wrong label", "first byte", "another hash"};
    static const char *const digests[] = {"one digest", "random digests"};
    static timed timed;
    timed.subject = subject_make(2048, 65537);
    for (int kind = 0; kind < CLASSES; kind++)
        for (int i = 0; i < VARIANTS; i++) encrypt_faulty(&timed.subject, dice, kind, timed.inputs[kind][i]);
    comparison decryption = {"RSA-OAEP-256", faults, CLASSES, decrypt, &timed};
    bool is_even = compare_times(&decryption, dice, samples);
    for (int i = 0; i < VARIANTS; i++) {
        if (i == 0) dice_fill(dice, timed.inputs[0][0], SIZE_MAX_BYTES);
        memcpy(timed.inputs[0][i], timed.inputs[0][0], SIZE_MAX_BYTES);
        dice_fill(dice, timed.inputs[1][i], SIZE_MAX_BYTES);
    }
    comparison signing = {"RS256", digests, 2, sign, &timed};
    is_even = compare_times(&signing, dice, samples) && is_even;
    subject_end(&timed.subject);
    return is_even;
}
