// Deliberate leaks, which memcheck must report; otherwise the check is without value.
#include <string.h>

#include "cases.h"

static volatile unsigned seen;

static bool early_exit(const char *key) {
    (void)key;
    uint8_t a[32] = {1}, b[32] = {2};
    hide(a, sizeof a);
    for (size_t i = 0; i < sizeof a; i++) {
        if (a[i] != b[i]) return true;
        seen++;
    }
    return false;
}

static bool padding_loop(const char *key) {
    (void)key;
    uint8_t last[16];
    memset(last, 4, sizeof last);
    hide(last, sizeof last);
    unsigned count = last[15];
    for (unsigned i = 0; i < count; i++) seen += last[15 - i];
    return true;
}

static bool table(const char *key) {
    (void)key;
    static const uint8_t letters[256] = {1};
    uint8_t secret = 9;
    hide(&secret, 1);
    seen += letters[secret];
    return true;
}

static bool public_compare(const char *key) {
    (void)key;
    uint8_t secret[32] = {0}, made[32], sent[32] = {0};
    hide(secret, sizeof secret);
    cjose_mac *mac;
    MUST(cjose_mac_new(cjose_hash_sha256, secret, sizeof secret, &mac) == cjose_status_ok);
    MUST(cjose_mac_sign(mac, "x", 1, made) == cjose_status_ok);
    cjose_mac_free(mac);
    seen += (unsigned)cjose_order(made, sizeof made, sent, sizeof sent);
    return true;
}

const secret_case leaks[] = {
    {"a comparison that ends at the first difference", early_exit}, {"a loop as long as the padding", padding_loop},
    {"a table looked up by a secret", table}, {"a MAC compared by the call for public bytes", public_compare}};
const unsigned leak_count = sizeof leaks / sizeof *leaks;
