#include "harness.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const char *fixture_folder;

/* An operation of the fixtures: `GROUP/ALG+ENC+INNER`, the last two where there are any. */
typedef struct operation {
    char *name, *group, *alg, *enc, *inner;
    void *outer_state, *inner_state;
    char *token;
    size_t token_count;
    long step;
} operation;

static const library *of;

static bool take(operation *op, const char *token, size_t n) {
    if (!strcmp(op->group, "verify")) return of->verify(op->outer_state, token, n);
    size_t count = 0;
    uint8_t *plain = of->decrypt(op->outer_state, token, n, &count);
    if (!plain) return false;
    bool ok = op->inner_state ? of->verify(op->inner_state, (char *)plain, count)
                              : count == payload_count && !memcmp(plain, payload, count);
    free(plain);
    return ok;
}

static char *make(operation *op) { return !strcmp(op->group, "sign") ? of->sign(op->outer_state) : of->encrypt(op->outer_state); }

static bool run(operation *op) {
    if (op->token) return take(op, op->token, op->token_count);
    char *made = make(op);
    bool ok = made != NULL;
    free(made);
    return ok;
}

static bool prepare(operation *op) {
    if (!strcmp(op->group, "verify") && of->verify) op->outer_state = of->verifier(op->alg);
    if (!strcmp(op->group, "sign") && of->sign) op->outer_state = of->signer(op->alg);
    if (!strcmp(op->group, "encrypt") && of->encrypt) op->outer_state = of->encrypter(op->alg, op->enc);
    if (!strcmp(op->group, "decrypt") && of->decrypt) op->outer_state = of->decrypter(op->alg, op->enc);
    if (strcmp(op->group, "nested")) return op->outer_state;
    if (of->decrypt && of->verify) {
        op->outer_state = of->decrypter(op->alg, op->enc);
        op->inner_state = of->verifier(op->inner);
    }
    return op->outer_state && op->inner_state;
}

/* The reason why the first broken token that was taken should not have been. */
static char *accepted(operation *op) {
    char name[256], *place, *rest;
    snprintf(name, sizeof name, "%s.refused", op->name);
    rest = fixture(name, NULL);
    for (char *line; (line = strtok_r(rest, "\n", &place)); rest = NULL) {
        char *field, *layer = strtok_r(line, "\t", &field), *reason = strtok_r(NULL, "\t", &field);
        char *token = strtok_r(NULL, "\t", &field);
        if (of->is_raw && strcmp(layer, "cryptography")) continue;
        if (take(op, token, strlen(token))) return reason;
    }
    return NULL;
}

static void prove(operation *op) {
    if (!prepare(op)) {
        printf("cannot\t%s\tno such operation\n", op->name);
    } else if (!strcmp(op->group, "sign") || !strcmp(op->group, "encrypt")) {
        char *made = make(op);
        if (made) op->step = 1;
        printf(made ? "can\t%s\t%s\n" : "cannot\t%s\tit fails\n", op->name, made);
        free(made);
    } else {
        char name[256], *reason;
        snprintf(name, sizeof name, "%s.token", op->name);
        op->token = fixture(name, &op->token_count);
        if (!take(op, op->token, op->token_count)) {
            printf("cannot\t%s\tthe good token is refused\n", op->name);
        } else if ((reason = accepted(op))) {
            printf("accepts\t%s\t%s\n", op->name, reason);
        } else {
            op->step = 1;
            printf("can\t%s\t-\n", op->name);
        }
    }
    fflush(stdout);
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(operation *op, double seconds) {
    long count = 0;
    double end = seconds_of(CLOCK_MONOTONIC) + seconds, begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    while (true) {
        double since = seconds_of(CLOCK_MONOTONIC);
        for (long i = 0; i < op->step; i++) {
            if (!run(op)) exit(1);
        }
        count += op->step;
        double now = seconds_of(CLOCK_MONOTONIC);
        if (now >= end) break;
        if (now - since < 2e-4) op->step *= 2;
    }
    printf("%s\t%ld\t%.0f\n", op->name, count, (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun) * 1e9);
    fflush(stdout);
}

int harness_serve(int argc, char **argv, const library *served) {
    if (argc != 2) return 2;
    of = served;
    fixture_folder = argv[1];
    payload = fixture("claims.json", &payload_count);
    claims = json_loadb(payload, payload_count, 0, NULL);
    static operation ops[64];
    size_t n = 0;
    char *place, *text = fixture("operations", NULL), line[256], name[256];
    for (char *each; n < 64 && (each = strtok_r(text, "\n", &place)); text = NULL, n++) {
        char *field, *parts = strdup(each);
        ops[n].name = strdup(each);
        ops[n].group = strtok_r(parts, "/", &field);
        ops[n].alg = strtok_r(NULL, "+", &field);
        ops[n].enc = strtok_r(NULL, "+", &field);
        ops[n].inner = strtok_r(NULL, "+", &field);
        prove(&ops[n]);
    }
    puts("ready");
    fflush(stdout);
    double seconds;
    while (fgets(line, sizeof line, stdin) && sscanf(line, "%255s %lf", name, &seconds) == 2) {
        for (size_t i = 0; i < n; i++) {
            if (!strcmp(ops[i].name, name) && ops[i].step) measure(&ops[i], seconds);
        }
    }
    return 0;
}
