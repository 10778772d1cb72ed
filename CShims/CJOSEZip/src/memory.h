#include <zlib.h>

/// Allocates memory for a z_stream that is overwritten when it is freed, because zlib's window and tables contain the text.
voidpf cjose_zip_take(voidpf opaque, uInt items, uInt size);
void cjose_zip_give(voidpf opaque, voidpf address);
