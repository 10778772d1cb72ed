// The padding of OAEP by itself is deprecated in libcrypto.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <stdlib.h>

#include "hooks.h"

#if __has_feature(address_sanitizer)
// What AddressSanitizer does when a function returns leaves traces of its own.
void check_traces(dice *dice, const subject *subject) { (void)dice, (void)subject; }
#else

// Checks what a call leaves in the registers and on the stack: no word of a secret, nor anything else that the kernels put there.

/// The bytes of the stack below a call that are read after it; those of them where the functions that wipe have their own frames, or
/// libcrypto, which clears its error queue behind them; and those that are wiped, as in private_memory.c.
#define STACK 131072
enum { OWN_FRAMES = 1024, LIBCRYPTO_FRAMES = 4096, WIPED = 16384, SECRETS_MAX = 16384 };
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/// The registers that a call may change, and the stack below it.
typedef struct traces {
    uint64_t vectors[32][8], masks[8], general[9], stack[STACK / 8];
} traces;
static traces found;
static const uint64_t pattern = 0xA5A5A5A5A5A5A5A5;

/// Fills the stack with the pattern, calls `run` and stores what it leaves.
void traced_call(void (*run)(void *), void *with, traces *out);
#define STORE_VECTOR(number, at) "vmovdqu64 %zmm" #number ", " #at "*64(%rbx)\n"
#define STORE_MASK(number) "kmovq %k" #number ", 2048+8*" #number "(%rbx)\n"
#define STORE_GENERAL(name, number) "movq %" #name ", 2112+8*" #number "(%rbx)\n"
#define STORE_TEN(tens, begin)                                                                                              \
    STORE_VECTOR(tens##0, begin) STORE_VECTOR(tens##1, (begin + 1)) STORE_VECTOR(tens##2, (begin + 2))                       \
    STORE_VECTOR(tens##3, (begin + 3)) STORE_VECTOR(tens##4, (begin + 4)) STORE_VECTOR(tens##5, (begin + 5))                 \
    STORE_VECTOR(tens##6, (begin + 6)) STORE_VECTOR(tens##7, (begin + 7)) STORE_VECTOR(tens##8, (begin + 8))                 \
    STORE_VECTOR(tens##9, (begin + 9))
__asm__(
    ".text\n.globl traced_call\n.type traced_call, @function\ntraced_call:\n"
    "pushq %rbx\npushq %rbp\npushq %r12\n"
    "movq %rdi, %r12\nmovq %rsi, %rbp\nmovq %rdx, %rbx\n"
    "leaq -" TEXT(STACK) "(%rsp), %rdi\nmovq $" TEXT(STACK) "/8, %rcx\nmovabsq $0xA5A5A5A5A5A5A5A5, %rax\ncld\nrep stosq\n"
    "movq %rbp, %rdi\ncallq *%r12\n"
    STORE_TEN(, 0) STORE_TEN(1, 10) STORE_TEN(2, 20) STORE_VECTOR(30, 30) STORE_VECTOR(31, 31)
    STORE_MASK(0) STORE_MASK(1) STORE_MASK(2) STORE_MASK(3) STORE_MASK(4) STORE_MASK(5) STORE_MASK(6) STORE_MASK(7)
    STORE_GENERAL(rax, 0) STORE_GENERAL(rcx, 1) STORE_GENERAL(rdx, 2) STORE_GENERAL(rsi, 3) STORE_GENERAL(rdi, 4)
    STORE_GENERAL(r8, 5) STORE_GENERAL(r9, 6) STORE_GENERAL(r10, 7) STORE_GENERAL(r11, 8)
    "leaq -" TEXT(STACK) "(%rsp), %rsi\nleaq 2184(%rbx), %rdi\nmovq $" TEXT(STACK) "/8, %rcx\nrep movsq\n"
    "vzeroupper\npopq %r12\npopq %rbp\npopq %rbx\nretq\n"
    ".size traced_call, .-traced_call\n");
_Static_assert(offsetof(traces, masks) == 2048 && offsetof(traces, general) == 2112 && offsetof(traces, stack) == 2184, "as stored");

/// The words of all secrets, and what each is part of.
static struct secret {
    uint64_t word;
    const char *name;
} secrets[SECRETS_MAX];
static size_t secret_count;

static int order(const void *a, const void *b) {
    const struct secret *x = a, *y = b;
    return (x->word > y->word) - (x->word < y->word);
}

/// Words with few bits are numbers of everyone.
static void add_words(const char *name, const void *words, size_t n) {
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)words + i, 8);
        if (word >> 32 == 0 || ~word >> 32 == 0) continue;
        need(secret_count < SECRETS_MAX, "a list of secrets");
        secrets[secret_count++] = (struct secret){word, name};
    }
}

/// Adds a number as it is written, as words of 64 bits, and as limbs of 52.
static void add_number(const char *name, const BIGNUM *number) {
    uint8_t bytes[SIZE_MAX_BYTES];
    uint64_t limbs[2 * PRIVATE_LIMBS] = {0};
    int size = (BN_num_bytes(number) + 7) / 8 * 8;
    need(BN_bn2binpad(number, bytes, size) == size, "BN_bn2binpad");
    add_words(name, bytes, (size_t)size);
    need(BN_bn2lebinpad(number, bytes, size) == size, "BN_bn2lebinpad");
    add_words(name, bytes, (size_t)size);
    for (int bit = 0; bit < 8 * size; bit++) limbs[bit / 52] |= (uint64_t)BN_is_bit_set(number, bit) << bit % 52;
    add_words(name, limbs, sizeof limbs);
}

static void look(const char *where, const void *memory, size_t n, size_t below) {
    for (size_t i = 0; i + 8 <= n; i++) {
        struct secret sought = {0, NULL};
        memcpy(&sought.word, (const uint8_t *)memory + i, 8);
        const struct secret *secret = bsearch(&sought, secrets, secret_count, sizeof *secrets, order);
        if (secret == NULL) continue;
        if (below != 0) fail("%s: a word of %s is on the stack, %d bytes below", where, secret->name, (int)(below - i));
        fail("%s: a word of %s is in a register", where, secret->name);
    }
}

/// Looks for the secrets in what a call has left. Where only the kernels ran, also for anything else.
static void check_found(const char *where, bool is_own) {
    qsort(secrets, secret_count, sizeof *secrets, order);
    look(where, found.vectors, sizeof found.vectors + sizeof found.masks + sizeof found.general, 0);
    look(where, found.stack, sizeof found.stack, sizeof found.stack);
    for (size_t i = (STACK - WIPED) / 8; i < (STACK - (is_own ? OWN_FRAMES : LIBCRYPTO_FRAMES)) / 8; i++)
        if (found.stack[i] != 0) fail("%s: the stack is not wiped %d bytes below", where, (int)(STACK - 8 * i));
    if (!is_own) return;
    for (size_t i = 0; i < (STACK - WIPED - OWN_FRAMES) / 8; i++)
        if (found.stack[i] != pattern) fail("%s: the stack is used %d bytes below, and wiped less deeply", where, (int)(STACK - 8 * i));
    for (size_t i = 0; i < 32; i++)
        for (size_t j = 0; j < 8; j++)
            if (found.vectors[i][j] != 0) fail("%s: vector register %d is not wiped", where, (int)i);
    for (size_t i = 1; i < 8; i++)
        if (found.masks[i] != 0) fail("%s: mask register %d is not wiped", where, (int)i);
}

typedef struct traced {
    const subject *subject;
    size_t count;
    const uint8_t *inputs[PRIVATE_TOKENS];
    cjose_private_rsa_key *keys[PRIVATE_TOKENS];
    uint8_t *outputs[PRIVATE_TOKENS], results[PRIVATE_TOKENS];
    cjose_private_rsa_key *made;
} traced;

static void run_power(void *with) {
    traced *of = with;
    cjose_private_rsa_power(of->keys, of->inputs, of->count, of->outputs, of->results);
}

static void run_decrypt(void *with) {
    traced *of = with;
    cjose_private_oaep_decrypt(cjose_private_oaep_sha256, of->keys, of->inputs, of->count, of->outputs, 32, of->results);
}

static void run_new(void *with) {
    traced *of = with;
    of->made = cjose_private_rsa_key_new(of->subject->pkey);
}

/// Lists the numbers of a key and of its blinding factors, before and after they are used.
static void add_key(const subject *subject, cjose_private_rsa_key *key) {
    static const char *const names[] = {"d mod p - 1", "d mod q - 1"};
    add_number("p", subject->p);
    add_number("q", subject->q);
    for (int i = 0; i < 2; i++) {
        BIGNUM *d = NULL;
        need(EVP_PKEY_get_bn_param(subject->pkey, i == 0 ? "rsa-exponent1" : "rsa-exponent2", &d) == 1, "d");
        add_number(names[i], d);
        BN_clear_free(d);
    }
    add_words("a prime's constants", key->primes, sizeof key->primes);
    private_blinding *blinding = private_blinding_take(key);
    need(blinding != NULL, "blinding factors");
    add_words("a blinding factor", blinding->pairs, sizeof blinding->pairs);
    private_blinding_give(key, blinding);
}

/// Lists a result, also modulo both primes.
static void add_result(const subject *subject, const uint8_t *bytes) {
    BN_CTX *ctx = BN_CTX_new();
    BIGNUM *number = BN_bin2bn(bytes, subject->bits / 8, NULL), *rest = BN_new();
    need(ctx != NULL && number != NULL && rest != NULL, "BN");
    add_number("a result", number);
    need(BN_mod(rest, number, subject->p, ctx) == 1, "BN_mod");
    add_number("a result modulo p", rest);
    need(BN_mod(rest, number, subject->q, ctx) == 1, "BN_mod");
    add_number("a result modulo q", rest);
    BN_free(number), BN_free(rest);
    BN_CTX_free(ctx);
}

/// Encodes a text, and encrypts it; the encoded text is secret too.
static void encrypt(const subject *subject, dice *dice, uint8_t *text, uint8_t *encoded, uint8_t *out) {
    int size = subject->bits / 8;
    dice_fill(dice, text, 32);
    need(RSA_padding_add_PKCS1_OAEP_mgf1(encoded, size, text, 32, NULL, 0, EVP_sha256(), EVP_sha256()) == 1, "OAEP");
    subject_encrypt(subject, encoded, out);
}

void check_traces(dice *dice, const subject *subject) {
    static uint8_t texts[PRIVATE_TOKENS][32], encoded[PRIVATE_TOKENS][SIZE_MAX_BYTES], inputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    static uint8_t outputs[PRIVATE_TOKENS][SIZE_MAX_BYTES];
    traced of = {.subject = subject};
    size_t size = (size_t)subject->bits / 8, words = 0;
    for (size_t i = 0; i < PRIVATE_TOKENS; i++) {
        encrypt(subject, dice, texts[i], encoded[i], inputs[i]);
        of.inputs[i] = inputs[i], of.outputs[i] = outputs[i], of.keys[i] = subject->key;
    }
    // The first call makes new pairs, and the others use them; one leaves lanes unused.
    for (int round = 0; round < 6; round++) {
        bool has_padding = round >= 3;
        of.count = round % 3 == 2 ? 1 : PRIVATE_TOKENS;
        secret_count = 0;
        add_key(subject, subject->key);
        watch_begin((size_t)subject->bits / 1024, dice_next(dice));
        traced_call(has_padding ? run_decrypt : run_power, &of, &found);
        watch_end();
        for (size_t i = 0; i < of.count; i++) {
            const uint8_t *wanted = has_padding ? texts[i] : encoded[i];
            if (of.results[i] != cjose_private_valid || memcmp(outputs[i], wanted, has_padding ? 32 : size) != 0)
                subject_fail(subject, inputs[i], "another number");
            add_result(subject, encoded[i]);
            add_words("a text", texts[i], 32);
        }
        add_key(subject, subject->key);
        add_words("a random number", watched.random, watched.random_size);
        check_found(has_padding ? "RSA-OAEP" : "a power", !has_padding);
        words = secret_count > words ? secret_count : words;
    }
    secret_count = 0;
    traced_call(run_new, &of, &found);
    need(of.made != NULL, "a key");
    add_key(subject, of.made);
    check_found("a new key", false);
    cjose_private_rsa_key_free(of.made);
    printf("  %d bits: no trace of %zu words of secrets on the stack or in registers\n", subject->bits, words);
}
#endif
