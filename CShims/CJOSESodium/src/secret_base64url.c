#include <sodium.h>

#include "CJOSESodium.h"

void cjose_secret_base64url_encode(const void *in, size_t n, void *out) {
    const int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    sodium_bin2base64(out, sodium_base64_ENCODED_LEN(n, variant), in, n, variant);
}

bool cjose_secret_base64url_decode(const void *in, size_t n, void *out) {
    size_t size = n / 4 * 3 + n % 4 * 3 / 4, written = 0;
    if (n == 0) return true;
    // libsodium accepts bytes from 0x80 up as letters: its table is indexed with a signed char.
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++) all |= ((const uint8_t *)in)[i];
    // Without a pointer for the end, bytes after the last valid one are an error; so are unused bits that are not zero.
    int failed = sodium_base642bin(
        out, size, in, n, NULL, &written, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    // No branch comes before the end: where the text is not valid, its position is not revealed.
    return (failed == 0) & (written == size) & (all < 0x80);
}
