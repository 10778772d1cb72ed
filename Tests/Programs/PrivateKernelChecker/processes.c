#include "checker.h"

#include <openssl/rand.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static void run_one(const subject *subject, unsigned value) {
    uint8_t text[SIZE_MAX_BYTES] = {0}, input[SIZE_MAX_BYTES], output[SIZE_MAX_BYTES], result;
    size_t size = (size_t)subject->bits / 8;
    memcpy(text + size / 2, &value, sizeof value);
    subject_encrypt(subject, text, input);
    const uint8_t *in = input;
    uint8_t *out = output;
    cjose_private_rsa_key *key = subject->key;
    cjose_private_rsa_power(&key, &in, 1, &out, &result);
    if (result != cjose_private_valid || memcmp(output, text, size) != 0) subject_fail(subject, input, "another number");
}

static unsigned thread_runs;

static void *run_many(void *of) {
    for (unsigned i = 0; i < thread_runs; i++) run_one(of, i);
    return NULL;
}

/// Checks that a pair is squared after use, renewed after 32 uses, and neither shared nor used by a child process.
static void check_pairs(const subject *subject) {
    cjose_private_rsa_key *key = subject->key;
    size_t limbs = (size_t)subject->bits / 1024 * COLUMNS * sizeof(uint64_t);
    run_one(subject, 1);
    private_blinding *first = private_blinding_take(key), *second = private_blinding_take(key);
    need(first != NULL && second != NULL && first != second, "two blindings");
    if (second->pairs[0].uses < PRIVATE_BLINDING_USES && memcmp(first->pairs[0].factor, second->pairs[0].factor, limbs) == 0)
        fail("two passes have one pair");
    // The next pass takes the one that is given first.
    private_blinding_give(key, first);
    private_blinding_give(key, second);
    unsigned renewed = 0;
    private_blinding before = *first;
    for (unsigned i = 0; i < 2 * PRIVATE_BLINDING_USES; i++) {
        run_one(subject, i);
        for (int token = 0; token < PRIVATE_TOKENS; token++) {
            if (memcmp(first->pairs[token].factor, before.pairs[token].factor, limbs) == 0) fail("a pair was used twice");
            for (int other = 0; other < token; other++)
                if (memcmp(first->pairs[token].factor, first->pairs[other].factor, limbs) == 0) fail("two tokens have one pair");
        }
        if (first->pairs[0].uses != before.pairs[0].uses + 1) renewed++;
        before = *first;
    }
    if (renewed != 2) fail("%u pairs were renewed in 64 uses", renewed);
    run_one(subject, 1);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        private_blinding *taken = private_blinding_take(key);
        bool is_new = taken != NULL && taken->pairs[0].uses == PRIVATE_BLINDING_USES && taken->process == getpid();
        if (taken != NULL) private_blinding_give(key, taken);
        run_one(subject, 2);
        _exit(is_new ? 0 : 1);
    }
    int status = 0;
    need(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) fail("a child process used its parent's pairs, or failed");
    private_blinding *after = private_blinding_take(key);
    if (after->process != getpid() || after != first) fail("the parent lost its pairs");
    private_blinding_give(key, after);
}

void check_processes(const subject *subjects, bool is_whole) {
    thread_runs = is_whole ? 70 : 10;
    check_pairs(&subjects[0]);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        need(pthread_create(&threads[i], NULL, run_many, (void *)&subjects[i % 2]) == 0, "pthread_create");
    for (int i = 0; i < 4; i++) need(pthread_join(threads[i], NULL) == 0, "pthread_join");
    // The memory of a pass is given back wiped.
    private_work *work = private_work_take();
    const uint8_t *bytes = (const uint8_t *)work;
    for (size_t i = 0; i < sizeof *work; i++)
        if (bytes[i] != 0) fail("byte %zu of the memory of a pass was not wiped", i);
    private_work_give(work);
    printf("  %d bits: pairs of blinding factors, threads, processes, wiped memory\n", subjects[0].bits);
}
