#ifdef CJOSE_HTTP
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CJOSEBytes.h"
#include "internal.h"

bool fetch_buffer_append(fetch_buffer *buffer, const void *bytes, size_t n, size_t max_bytes) {
    if (n == 0) return true;
    if (n > max_bytes || buffer->count > max_bytes - n) return false;
    if (buffer->count + n > buffer->capacity) {
        size_t capacity = buffer->capacity == 0 ? 4096 : buffer->capacity;
        while (capacity < buffer->count + n) capacity = capacity > max_bytes / 2 ? max_bytes : 2 * capacity;
        unsigned char *grown = realloc(buffer->bytes, capacity);
        if (grown == NULL) return false;
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->count, bytes, n);
    buffer->count += n;
    return true;
}

void fetch_buffer_free(fetch_buffer *buffer) {
    // A body may hold a secret or a token.
    cjose_wipe(buffer->bytes, buffer->count);
    free(buffer->bytes);
    *buffer = (fetch_buffer){0};
}

int64_t fetch_clock_ms(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
#endif
