#ifdef CJOSE_ZIP
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "CJOSEBytes.h"

/// The number of bytes that follow; as wide as malloc aligns.
typedef union head {
    size_t n;
    max_align_t aligned;
} head;

voidpf cjose_zip_take(voidpf opaque, uInt items, uInt size) {
    (void)opaque;
    size_t n = (size_t)items * size;
    head *memory = calloc(1, sizeof(head) + n);
    if (memory == NULL) return Z_NULL;
    memory->n = n;
    return memory + 1;
}

void cjose_zip_give(voidpf opaque, voidpf address) {
    (void)opaque;
    head *memory = (head *)address - 1;
    cjose_wipe(address, memory->n);
    free(memory);
}
#endif
