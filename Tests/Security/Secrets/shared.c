// Operations with symmetric keys.
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "cases.h"

static const uint8_t pattern[64] = "not a secret: sixty-four bytes that every run of this has alike";
static const uint8_t message[40] = "forty bytes, of which all are read here";

/// Returns whether the shim's result for `tag` is `wanted` with the key hidden.
static bool mac_says(cjose_hash hash, const uint8_t *tag, size_t n, cjose_status wanted) {
    uint8_t key[64];
    memcpy(key, pattern, sizeof key);
    hide(key, sizeof key);
    cjose_mac *mac;
    MUST(cjose_mac_new(hash, key, sizeof key, &mac) == cjose_status_ok);
    uint8_t made[64];
    MUST(cjose_mac_sign(mac, message, sizeof message, made) == cjose_status_ok);
    bool right = hidden(made, n) && cjose_mac_verify(mac, message, sizeof message, tag, n) == wanted;
    cjose_mac_free(mac);
    return right;
}

static bool mac_compare(const char *key) {
    (void)key;
    bool right = true;
    static const size_t sizes[4] = {0, 32, 48, 64};
    for (cjose_hash hash = cjose_hash_sha256; hash <= cjose_hash_sha512; hash++) {
        cjose_mac *mac;
        uint8_t tag[64];
        MUST(cjose_mac_new(hash, pattern, sizeof pattern, &mac) == cjose_status_ok);
        MUST(cjose_mac_sign(mac, message, sizeof message, tag) == cjose_status_ok);
        cjose_mac_free(mac);
        size_t n = sizes[hash];
        right = mac_says(hash, tag, n, cjose_status_ok) && right;
        for (size_t place = 0; place < n; place += n - 1) {
            tag[place] ^= 1;
            right = mac_says(hash, tag, n, cjose_status_invalid) && right;
            tag[place] ^= 1;
        }
    }
    return right;
}

static bool equal(const char *key) {
    (void)key;
    uint8_t a[61], b[61];
    bool right = true;
    for (size_t wrong = 0; wrong <= sizeof a; wrong++) {
        memcpy(a, pattern, sizeof a);
        memcpy(b, pattern, sizeof b);
        if (wrong < sizeof b) b[wrong] ^= 0x80;
        hide(a, sizeof a);
        hide(b, sizeof b);
        bool same = cjose_equal(a, b, sizeof a);
        right = hidden(&same, 1) && right;
        show(&same, sizeof same);
        right = same == (wrong == sizeof b) && right;
    }
    return right;
}

static const size_t cek_sizes[6] = {32, 48, 64, 16, 24, 32};

typedef struct sealed {
    uint8_t text[64], tag[32];
    size_t n, tag_len, iv_len;
} sealed;

/// Decrypts with the CEK hidden.
static bool opens(cjose_content content, const sealed *job, cjose_status wanted, size_t wanted_len) {
    uint8_t cek[64], out[64];
    size_t n = 0;
    memcpy(cek, pattern, sizeof cek);
    hide(cek, sizeof cek);
    cjose_status status = cjose_content_open(
        content, cek, message, job->iv_len, message, sizeof message, job->text, job->n, job->tag, job->tag_len, out, &n);
    if (status != wanted) return false;
    return wanted != cjose_status_ok || (n == wanted_len && hidden(out, n));
}

static sealed seal(cjose_content content, size_t n) {
    bool gcm = content >= cjose_content_a128gcm;
    sealed made = {.tag_len = gcm ? 16 : cek_sizes[content] / 2, .iv_len = gcm ? 12 : 16};
    MUST(cjose_content_seal(
             content, pattern, message, message, sizeof message, pattern, n, made.text, &made.n, made.tag)
         == cjose_status_ok);
    return made;
}

static bool content_of(cjose_content content, size_t n) {
    sealed job = seal(content, n);
    bool right = opens(content, &job, cjose_status_ok, n);
    for (size_t place = 0; place < job.tag_len; place += job.tag_len - 1) {
        job.tag[place] ^= 1;
        right = opens(content, &job, cjose_status_invalid, 0) && right;
        job.tag[place] ^= 1;
    }
    job.text[job.n - 1] ^= 1;
    return opens(content, &job, cjose_status_invalid, 0) && right;
}

static bool gcm(const char *key) {
    (void)key;
    bool right = true;
    for (cjose_content content = cjose_content_a128gcm; content <= cjose_content_a256gcm; content++)
        right = content_of(content, 40) && right;
    return right;
}

static bool cbc_hmac(const char *key) {
    (void)key;
    bool right = true;
    for (cjose_content content = cjose_content_a128cbc_hs256; content <= cjose_content_a256cbc_hs512; content++)
        for (size_t n = 0; n <= 17; n++) right = content_of(content, n) && right;
    return right;
}

/// Creates a valid tag over blocks that end in `last`, which requires the key.
static sealed padded(const uint8_t last[16]) {
    sealed made = {.n = 32, .tag_len = 16, .iv_len = 16};
    uint8_t plain[32], al[8] = {0, 0, 0, 0, 0, 0, 1, 64}, mac[32];
    memcpy(plain, pattern, 16);
    memcpy(plain + 16, last, 16);
    int written = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    MUST(ctx != NULL && EVP_EncryptInit_ex(ctx, EVP_aes_128_cbc(), NULL, pattern + 16, message) == 1);
    MUST(EVP_CIPHER_CTX_set_padding(ctx, 0) == 1);
    MUST(EVP_EncryptUpdate(ctx, made.text, &written, plain, sizeof plain) == 1 && written == 32);
    EVP_CIPHER_CTX_free(ctx);
    uint8_t all[40 + 16 + 32 + 8];
    memcpy(all, message, 40);
    memcpy(all + 40, message, 16);
    memcpy(all + 56, made.text, 32);
    memcpy(all + 88, al, 8);
    unsigned size = sizeof mac;
    MUST(HMAC(EVP_sha256(), pattern, 16, all, sizeof all, mac, &size) != NULL);
    memcpy(made.tag, mac, 16);
    return made;
}

static bool cbc_padding(const char *key) {
    (void)key;
    bool right = true;
    for (unsigned count = 0; count < 256; count += count < 18 ? 1 : 79) {
        uint8_t last[16];
        memset(last, (int)count, sizeof last);
        bool good = count >= 1 && count <= 16;
        sealed job = padded(last);
        right = opens(cjose_content_a128cbc_hs256, &job, good ? cjose_status_ok : cjose_status_invalid, 32 - count)
            && right;
        if (!good || count == 1) continue;
        last[16 - count] ^= 1;
        job = padded(last);
        right = opens(cjose_content_a128cbc_hs256, &job, cjose_status_invalid, 0) && right;
    }
    return right;
}

static bool unwraps(const uint8_t *key, size_t key_len, const uint8_t *wrapped, bool good) {
    uint8_t kek[32], out[32];
    memcpy(kek, key, sizeof kek);
    hide(kek, sizeof kek);
    cjose_status wanted = good ? cjose_status_ok : cjose_status_invalid;
    cjose_wrap *wrap;
    MUST(cjose_wrap_new(kek, key_len, &wrap) == cjose_status_ok);
    bool right = cjose_wrap_unwrap(wrap, wrapped, 40, out, sizeof out) == wanted;
    right = (!good || hidden(out, sizeof out)) && right;
    cjose_wrap_free(wrap);
    right = cjose_unwrap_once(kek, key_len, wrapped, 40, out, sizeof out) == wanted && right;
    return (!good || hidden(out, sizeof out)) && right;
}

static bool key_wrap(const char *key) {
    (void)key;
    bool right = true;
    for (size_t size = 16; size <= 32; size += 8) {
        uint8_t wrapped[40];
        MUST(cjose_wrap_once(pattern, size, pattern + 32, 32, wrapped) == cjose_status_ok);
        right = unwraps(pattern, size, wrapped, true) && right;
        for (size_t place = 0; place < sizeof wrapped; place += 13) {
            wrapped[place] ^= 1;
            right = unwraps(pattern, size, wrapped, false) && right;
            wrapped[place] ^= 1;
        }
    }
    return right;
}

static bool gcm_unwraps(size_t size, const uint8_t *wrapped, const uint8_t *tag, bool good) {
    uint8_t kek[32], out[32];
    memcpy(kek, pattern, sizeof kek);
    hide(kek, sizeof kek);
    cjose_gcm_wrap *wrap;
    MUST(cjose_gcm_wrap_new(kek, size, &wrap) == cjose_status_ok);
    cjose_status status = cjose_gcm_wrap_unwrap(wrap, message, 12, wrapped, 32, tag, 16, out);
    cjose_gcm_wrap_free(wrap);
    return status == (good ? cjose_status_ok : cjose_status_invalid) && (!good || hidden(out, sizeof out));
}

static bool gcm_key_wrap(const char *key) {
    (void)key;
    bool right = true;
    for (size_t size = 16; size <= 32; size += 8) {
        uint8_t wrapped[32], tag[16];
        cjose_gcm_wrap *wrap;
        MUST(cjose_gcm_wrap_new(pattern, size, &wrap) == cjose_status_ok);
        MUST(cjose_gcm_wrap_wrap(wrap, message, pattern + 32, 32, wrapped, tag) == cjose_status_ok);
        cjose_gcm_wrap_free(wrap);
        right = gcm_unwraps(size, wrapped, tag, true) && right;
        for (size_t place = 0; place < sizeof tag; place += 15) {
            tag[place] ^= 1;
            right = gcm_unwraps(size, wrapped, tag, false) && right;
            tag[place] ^= 1;
        }
        wrapped[31] ^= 1;
        right = gcm_unwraps(size, wrapped, tag, false) && right;
    }
    return right;
}

/// Encodes secrets as base64url and decodes them again.
static bool base64url(const char *key) {
    (void)key;
    bool right = cjose_sodium_ready();
    for (size_t n = 1; n <= sizeof pattern; n++) {
        uint8_t secret[64], text[88], back[64];
        size_t size = (n * 4 + 2) / 3;
        memcpy(secret, pattern, n);
        hide(secret, n);
        cjose_secret_base64url_encode(secret, n, text);
        right = hidden(text, size) && right;
        bool held = cjose_secret_base64url_decode(text, size, back);
        show(&held, sizeof held);
        right = held && hidden(back, n) && right;
        show(back, n);
        right = memcmp(back, pattern, n) == 0 && right;
        show(text, size);
        text[n / 2] = '+';
        hide(text, size);
        held = cjose_secret_base64url_decode(text, size, back);
        show(&held, sizeof held);
        right = !held && right;
    }
    return right;
}

static bool derivation(const char *key) {
    (void)key;
    uint8_t secret[32], out[32], z[32];
    memcpy(secret, pattern, sizeof secret);
    hide(secret, sizeof secret);
    bool right = cjose_concat_kdf(secret, sizeof secret, message, sizeof message, out, sizeof out) == cjose_status_ok
        && hidden(out, sizeof out);
    right = cjose_pbkdf2(cjose_hash_sha256, secret, sizeof secret, message, 16, 5, out, sizeof out) == cjose_status_ok
        && hidden(out, sizeof out) && right;
    const uint8_t base[32] = {9}, zero[32] = {0};
    bool agreed = cjose_x25519(secret, base, z);
    show(&agreed, sizeof agreed);
    right = agreed && hidden(z, sizeof z) && right;
    agreed = cjose_x25519(secret, zero, z);
    show(&agreed, sizeof agreed);
    return !agreed && right;
}

const secret_case shared_cases[] = {
    {"HMAC, made and compared", mac_compare}, {"bytes compared", equal}, {"CBC-HMAC opened", cbc_hmac},
    {"CBC padding removed", cbc_padding}, {"GCM opened", gcm},
    {"AES-KW unwrapped", key_wrap}, {"GCMKW unwrapped", gcm_key_wrap}, {"base64url of secrets, both ways", base64url},
    {"Concat KDF, PBKDF2, X25519", derivation},
};
const unsigned shared_count = sizeof shared_cases / sizeof *shared_cases;
