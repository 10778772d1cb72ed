#include "checker.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <time.h>

subject subject_adopt(EVP_PKEY *pkey) {
    subject made = {.bits = EVP_PKEY_get_bits(pkey), .pkey = pkey};
    need(EVP_PKEY_get_bn_param(pkey, "n", &made.n) == 1 && EVP_PKEY_get_bn_param(pkey, "e", &made.e) == 1, "n and e");
    need(EVP_PKEY_get_bn_param(pkey, "rsa-factor1", &made.p) == 1, "p");
    need(EVP_PKEY_get_bn_param(pkey, "rsa-factor2", &made.q) == 1, "q");
    uint8_t n[SIZE_MAX_BYTES], e[8];
    int bytes = made.bits / 8;
    need(BN_bn2binpad(made.n, n, bytes) == bytes && BN_bn2binpad(made.e, e, 8) == 8, "BN_bn2binpad");
    made.key = cjose_private_rsa_key_new(pkey);
    made.public_key = cjose_kernel_rsa_key_new(n, (size_t)bytes, e, sizeof e);
    return made;
}

/// Keys that were made before, each of which is used once: to make one takes as long as some checks.
static FILE *stored_keys;

static EVP_PKEY *stored_key(int bits, uint64_t e) {
    if (stored_keys == NULL) return NULL;
    EVP_PKEY *pkey;
    while ((pkey = PEM_read_PrivateKey(stored_keys, NULL, NULL, NULL)) != NULL) {
        BIGNUM *exponent = NULL;
        need(EVP_PKEY_get_bn_param(pkey, "e", &exponent) == 1, "e");
        bool is_same = EVP_PKEY_get_bits(pkey) == bits && BN_is_word(exponent, e);
        BN_free(exponent);
        if (is_same) return pkey;
        EVP_PKEY_free(pkey);
    }
    ERR_clear_error();
    return NULL;
}

subject subject_make(int bits, uint64_t e) {
    EVP_PKEY *stored = stored_key(bits, e);
    if (stored != NULL) {
        subject made = subject_adopt(stored);
        need(made.key != NULL && made.public_key != NULL, "a key of the kernels");
        return made;
    }
    BIGNUM *exponent = BN_new();
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    need(exponent != NULL && BN_set_word(exponent, e) == 1, "BN_set_word");
    need(ctx != NULL && EVP_PKEY_keygen_init(ctx) == 1 && EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) == 1, "keygen");
    need(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(ctx, exponent) == 1 && EVP_PKEY_generate(ctx, &pkey) == 1, "keygen");
    EVP_PKEY_CTX_free(ctx);
    BN_free(exponent);
    subject made = subject_adopt(pkey);
    need(made.key != NULL && made.public_key != NULL, "a key of the kernels");
    return made;
}

void subject_end(subject *subject) {
    cjose_private_rsa_key_free(subject->key);
    cjose_kernel_rsa_key_free(subject->public_key);
    EVP_PKEY_free(subject->pkey);
    BN_free(subject->n), BN_free(subject->e), BN_clear_free(subject->p), BN_clear_free(subject->q);
}

void subject_fail(const subject *subject, const uint8_t *input, const char *what) {
    printf("p %s\n", BN_bn2hex(subject->p));
    printf("q %s\n", BN_bn2hex(subject->q));
    printf("e %s\n", BN_bn2hex(subject->e));
    if (input != NULL) show("input", input, (size_t)subject->bits / 8);
    fail("%d bits: %s", subject->bits, what);
}

bool subject_power(const subject *subject, const uint8_t *input, uint8_t *output) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject->pkey, NULL);
    size_t made = SIZE_MAX_BYTES;
    need(ctx != NULL && EVP_PKEY_decrypt_init(ctx) == 1, "EVP_PKEY_decrypt_init");
    need(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1, "RSA_NO_PADDING");
    bool ok = EVP_PKEY_decrypt(ctx, output, &made, input, (size_t)subject->bits / 8) == 1;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

void subject_encrypt(const subject *subject, const uint8_t *text, uint8_t *encrypted) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, subject->pkey, NULL);
    size_t made = SIZE_MAX_BYTES;
    need(ctx != NULL && EVP_PKEY_encrypt_init(ctx) == 1, "EVP_PKEY_encrypt_init");
    need(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) == 1, "RSA_NO_PADDING");
    need(EVP_PKEY_encrypt(ctx, encrypted, &made, text, (size_t)subject->bits / 8) == 1, "EVP_PKEY_encrypt");
    EVP_PKEY_CTX_free(ctx);
}

/// Prints the keys of one run of `--part`, in the order in which it uses them.
static void print_stored_keys(void) {
    static const struct {
        int bits;
        uint64_t e;
    } kinds[] = {{2048, 65537}, {2048, 65537}, {2048, 3}, {2048, ((uint64_t)1 << 32) + 15}, {3072, 65537}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        subject made = subject_make(kinds[i].bits, kinds[i].e);
        need(PEM_write_PrivateKey(stdout, made.pkey, NULL, NULL, 0, NULL, NULL) == 1, "PEM");
        subject_end(&made);
    }
}

static int usage(void) {
    fputs(
        "checker [COUNT] [SEED] | --faults [COUNT] [SEED] | --bench | --timing [SAMPLES] | --wycheproof | --key |\n"
        "  --stored-keys | --part NAME SEED KEYS\n",
        stderr);
    return 64;
}

/// Prints the numbers of a new key of each size, for the checker of secrets, which has no libcrypto.
static void print_keys(void) {
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        subject made = subject_make(bits, 65537);
        BIGNUM *d[2] = {NULL, NULL};
        need(EVP_PKEY_get_bn_param(made.pkey, "rsa-exponent1", &d[0]) == 1, "d");
        need(EVP_PKEY_get_bn_param(made.pkey, "rsa-exponent2", &d[1]) == 1, "d");
        uint8_t bytes[SIZE_MAX_BYTES];
        const BIGNUM *numbers[] = {made.n, made.p, made.q, d[0], d[1]};
        printf("%d", bits);
        for (int i = 0; i < 5; i++) {
            int size = i == 0 ? bits / 8 : bits / 16;
            need(BN_bn2binpad(numbers[i], bytes, size) == size, "BN_bn2binpad");
            putchar(' ');
            for (int j = 0; j < size; j++) printf("%02x", bytes[j]);
        }
        putchar('\n');
        BN_clear_free(d[0]), BN_clear_free(d[1]);
        subject_end(&made);
    }
}

static void make_subjects(int bits, subject subjects[SUBJECTS]) {
    static const uint64_t exponents[SUBJECTS] = {65537, 65537, 3, ((uint64_t)1 << 32) + 15};
    for (int i = 0; i < SUBJECTS; i++) subjects[i] = subject_make(bits, exponents[i]);
}

/// Runs one part in its short form, with the keys of a file, for kernels in which a fault was planted.
static int run_part(const char *part, uint64_t seed, const char *path) {
    dice dice = {seed};
    stored_keys = fopen(path, "r");
    need(stored_keys != NULL, path);
    subject subjects[SUBJECTS];
    make_subjects(2048, subjects);
    if (strcmp(part, "keys") == 0) check_keys();
    else if (strcmp(part, "edges") == 0) check_edges(&dice, subjects, false);
    else if (strcmp(part, "oaep") == 0) check_oaep(&dice, subjects, false);
    else if (strcmp(part, "signatures") == 0) check_signatures(&dice, subjects, false, false);
    else if (strcmp(part, "processes") == 0) check_processes(subjects, false);
    else if (strcmp(part, "traces") == 0) check_traces(&dice, &subjects[0]);
    else if (strcmp(part, "random") == 0) check_random(&dice, subjects, 1000);
    else if (strcmp(part, "blinding") == 0) check_blinding(&dice, &subjects[0]);
    else if (strcmp(part, "faults") == 0) check_faults(&dice, subjects, 30);
    else return usage();
    // A wrong number is replaced by libcrypto's, and counted.
    bool has_faults = strcmp(part, "faults") == 0 || strcmp(part, "keys") == 0;
    if (!has_faults && cjose_private_fault_count() != 0) fail("a result was wrong, and libcrypto's was returned");
    for (int i = 0; i < SUBJECTS; i++) subject_end(&subjects[i]);
    fclose(stored_keys);
    return 0;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *mode = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    char **numbers = argv + (*mode != 0 ? 2 : 1);
    uint64_t count = numbers[0] != NULL ? strtoull(numbers[0], NULL, 10) : 1000;
    uint64_t seed = numbers[0] != NULL && numbers[1] != NULL ? strtoull(numbers[1], NULL, 10) : (uint64_t)time(NULL);
    if (!cjose_private_kernels_present()) {
        puts("SKIPPED: this machine has no AVX-512 IFMA, and so no private kernels.");
        return 77;
    }
    dice dice = {seed};
    if (strcmp(mode, "--bench") == 0) {
        measure_rates();
        return 0;
    }
    if (strcmp(mode, "--timing") == 0) return measure_timing(&dice, count) ? 0 : 1;
    if (strcmp(mode, "--wycheproof") == 0) {
        check_wycheproof();
        return 0;
    }
    if (strcmp(mode, "--key") == 0) {
        print_keys();
        return 0;
    }
    if (strcmp(mode, "--stored-keys") == 0) {
        print_stored_keys();
        return 0;
    }
    if (strcmp(mode, "--part") == 0)
        return argc == 5 ? run_part(argv[2], strtoull(argv[3], NULL, 10), argv[4]) : usage();
    bool has_faults = strcmp(mode, "--faults") == 0;
    if (*mode != 0 && !has_faults) return usage();
    printf("private kernels, seed %llu\n", (unsigned long long)seed);
    if (!has_faults) check_keys();
    uint64_t faults = cjose_private_fault_count();
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        double begun = seconds();
        subject subjects[SUBJECTS];
        make_subjects(bits, subjects);
        if (has_faults) {
            if (bits <= SWEPT_BITS) check_blinding(&dice, &subjects[0]);
            check_faults(&dice, subjects, (size_t)count);
            check_signatures(&dice, subjects, count >= 1000, true);
        } else {
            check_edges(&dice, subjects, count >= 10000);
            check_oaep(&dice, subjects, count >= 10000);
            check_signatures(&dice, subjects, count >= 10000, false);
            check_processes(subjects, count >= 10000);
            check_traces(&dice, &subjects[0]);
            check_random(&dice, subjects, (size_t)count);
            if (cjose_private_fault_count() != faults) fail("%d bits: a result was wrong, and libcrypto's was returned", bits);
        }
        for (int i = 0; i < SUBJECTS; i++) subject_end(&subjects[i]);
        printf("  %d bits: %.1f s\n", bits, seconds() - begun);
    }
    return 0;
}
