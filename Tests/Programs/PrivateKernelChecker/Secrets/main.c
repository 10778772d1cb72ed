#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../CShims/CJOSEKernels/src/limbs.h"
#include "../../../../CShims/CJOSEPrivateKernels/src/private_internal.h"
#include "../../KernelChecker/dice.h"
#include "marks.h"

// Runs the private kernels with primes, exponents, inputs and random numbers marked as secret. libcrypto is not part of it: its
// place has a source of random numbers that a seed reproduces, and padding.c.

void decrypt_texts(cjose_private_rsa_key *key);

static dice random_numbers = {1};

bool private_random(void *out, size_t n) {
    dice_fill(&random_numbers, out, n);
    mark_secret(out, n);
    return true;
}

bool private_power_of_libcrypto(const cjose_private_rsa_key *key, const uint8_t *input, uint8_t *output) {
    (void)key, (void)input, (void)output;
    fail("a result was wrong");
}

void private_shown(const void *at, size_t n) { mark_public(at, n); }

static void read_hex(const char *hex, uint8_t *out, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned byte = 0;
        need(sscanf(hex + 2 * i, "%2x", &byte) == 1, "a key in hexadecimal");
        out[i] = (uint8_t)byte;
    }
}

/// Creates a key from a line: bits, modulus, primes and their exponents.
static cjose_private_rsa_key *read_key(const char *line) {
    static char parts[5][1032];
    cjose_private_rsa_key *key = private_memory_new(sizeof *key, false);
    size_t bits = 0;
    need(key != NULL, "memory");
    need(sscanf(line, "%zu %1031s %1031s %1031s %1031s %1031s", &bits, parts[0], parts[1], parts[2], parts[3], parts[4]) == 6, "a line");
    key->bytes = bits / 8, key->blocks = bits / 1024, key->e = 65537;
    read_hex(parts[0], key->modulus, key->bytes);
    limbs_read(key->modulus, key->bytes, key->n, 2 * key->blocks * COLUMNS);
    for (int i = 0; i < 2; i++) {
        uint8_t bytes[PRIVATE_BYTES];
        read_hex(parts[1 + i], bytes, key->bytes / 2);
        mark_secret(bytes, key->bytes / 2);
        limbs_read(bytes, key->bytes / 2, key->primes[i].p, PRIVATE_LIMBS);
        read_hex(parts[3 + i], bytes, key->bytes / 2);
        mark_secret(bytes, key->bytes / 2);
        limbs_read(bytes, key->bytes / 2, key->primes[i].d, PRIVATE_LIMBS);
    }
    private_work *work = private_work_take();
    need(work != NULL && private_key_prepare(work, key), "a key of these numbers");
    private_work_give(work);
    size_t limbs = key->blocks * COLUMNS - 1;
    for (int i = 0; i < 2; i++) {
        const private_prime *prime = &key->primes[i];
        const uint64_t *constants[] = {prime->one, prime->square, prime->cube, prime->inverse_of_other};
        for (int j = 0; j < 4; j++)
            for (size_t limb = 0; limb < limbs; limb++)
                if (!is_marked(&constants[j][limb], 6)) fail("a constant of a prime is not secret any more");
    }
    return key;
}

/// Runs a pass whose inputs are secret too.
static void run_pass(cjose_private_rsa_key *key) {
    private_work *work = private_work_take();
    private_blinding *blinding = private_blinding_take(key);
    need(work != NULL && blinding != NULL, "memory");
    static uint8_t inputs[PRIVATE_TOKENS][PRIVATE_BYTES];
    private_token tokens[PRIVATE_TOKENS];
    bool is_right[PRIVATE_TOKENS];
    for (int i = 0; i < PRIVATE_TOKENS; i++) {
        dice_fill(&random_numbers, inputs[i], key->bytes);
        inputs[i][0] &= 0x7F;
        mark_secret(inputs[i], key->bytes);
        tokens[i] = (private_token){key, inputs[i], blinding};
    }
    need(private_pass(work, tokens, is_right), "a pass");
    for (int i = 0; i < PRIVATE_TOKENS; i++) {
        if (!is_right[i]) fail("%zu bits: a result is wrong", 8 * key->bytes);
        if (!is_marked(work->output[i], key->bytes)) fail("%zu bits: a result is not secret any more", 8 * key->bytes);
    }
    private_blinding_give(key, blinding);
    private_work_give(work);
}

/// Runs a call whose inputs are public, as ciphertexts are, with an unused lane.
static void run_call(cjose_private_rsa_key *key) {
    static uint8_t inputs[3][PRIVATE_BYTES], outputs[3][PRIVATE_BYTES];
    cjose_private_rsa_key *keys[3] = {key, key, key};
    const uint8_t *ins[3] = {inputs[0], inputs[1], inputs[2]};
    uint8_t *outs[3] = {outputs[0], outputs[1], outputs[2]}, results[3];
    dice_fill(&random_numbers, inputs[0], key->bytes);
    inputs[0][0] &= 0x7F;
    // The second is the modulus, and rejected; the third is 0.
    memcpy(inputs[1], key->modulus, key->bytes);
    cjose_private_rsa_power(keys, ins, 3, outs, results);
    if (results[0] != cjose_private_valid || results[1] != cjose_private_invalid || results[2] != cjose_private_valid)
        fail("%zu bits: another result", 8 * key->bytes);
    if (!is_marked(outputs[0], key->bytes)) fail("%zu bits: a result is not secret any more", 8 * key->bytes);
}

int main(int argc, char **argv) {
    if (!marks_work()) fail("run under valgrind, or built with MemorySanitizer");
    if (argc == 3 && strcmp(argv[1], "--leak") == 0) {
        int number = atoi(argv[2]);
        if (number >= leak_count) return 64;
        printf("planted: %s\n", leak_names[number]);
        fflush(stdout);
        static lanes secret;
        dice_fill(&random_numbers, (uint8_t *)&secret, sizeof secret);
        mark_secret(&secret, sizeof secret);
        leaks[number](&secret);
        return 0;
    }
    static char line[8192];
    int keys = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (argc == 2 && strncmp(line, argv[1], strlen(argv[1])) != 0) continue;
        cjose_private_rsa_key *key = read_key(line);
        run_pass(key);
        run_call(key);
        decrypt_texts(key);
        printf("ok: %zu bits\n", 8 * key->bytes);
        keys++;
    }
    return keys > 0 ? 0 : 1;
}
