#ifdef CJOSE_SERVER
#include "CJOSESandbox.h"

#include <limits.h>
#include <qrencode.h>

size_t cjose_sandbox_code(const uint8_t *data, size_t count, uint8_t *modules, size_t capacity) {
    if (count == 0 || count > INT_MAX) return 0;
    QRcode *code = QRcode_encodeData((int)count, data, 0, QR_ECLEVEL_M);
    if (!code) return 0;
    const size_t width = (size_t)code->width;
    const int fits = width * width <= capacity;
    for (size_t i = 0; fits && i < width * width; i++) modules[i] = code->data[i] & 1;
    QRcode_free(code);
    return fits ? width : 0;
}

const char *cjose_sandbox_code_version(void) { return QRcode_APIVersionString(); }
#endif
