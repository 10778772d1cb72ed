#include "ecdsa_form.h"

#include <openssl/crypto.h>
#include <string.h>

#include "CJOSEOpenSSL.h"

static size_t put_integer(const uint8_t *raw, size_t half, uint8_t *der) {
    while (half > 1 && *raw == 0) {
        raw++;
        half--;
    }
    size_t sign = *raw >= 0x80;
    der[0] = 0x02;
    der[1] = (uint8_t)(half + sign);
    der[2] = 0;
    memcpy(der + 2 + sign, raw, half);
    return 2 + sign + half;
}

size_t cjose_ecdsa_to_der(const uint8_t *raw, size_t half, uint8_t *der) {
    uint8_t body[CJOSE_ECDSA_DER_MAX];
    size_t n = put_integer(raw, half, body);
    n += put_integer(raw + half, half, body + n);
    size_t header = 0;
    der[header++] = 0x30;
    if (n >= 0x80) der[header++] = 0x81;
    der[header++] = (uint8_t)n;
    memcpy(der + header, body, n);
    return header + n;
}

static bool get_integer(const uint8_t **at, const uint8_t *end, size_t half, uint8_t *raw) {
    if (end - *at < 3 || (*at)[0] != 0x02) return false;
    size_t n = (*at)[1];
    const uint8_t *from = *at + 2;
    if (n == 0 || n >= 0x80 || (size_t)(end - from) < n) return false;
    *at = from + n;
    if (*from == 0) {
        from++;
        n--;
    }
    if (n > half) return false;
    memset(raw, 0, half - n);
    memcpy(raw + half - n, from, n);
    return true;
}

bool cjose_ecdsa_from_der(const uint8_t *der, size_t der_len, size_t half, uint8_t *raw) {
    const uint8_t *end = der + der_len;
    if (der_len < 8 || der[0] != 0x30) return false;
    der += der[1] == 0x81 ? 3 : 2;
    return get_integer(&der, end, half, raw) && get_integer(&der, end, half, raw + half) && der == end;
}

cjose_status cjose_ecdsa_joined(const void *der, size_t der_len, size_t half, void *out) {
    if (half == 0 || half > 66 || der_len > CJOSE_ECDSA_DER_MAX) return cjose_status_invalid;
    if (!cjose_ecdsa_from_der(der, der_len, half, out)) return cjose_status_invalid;
    uint8_t again[CJOSE_ECDSA_DER_MAX];
    size_t n = cjose_ecdsa_to_der(out, half, again);
    return n == der_len && CRYPTO_memcmp(again, der, n) == 0 ? cjose_status_ok : cjose_status_invalid;
}
