#include <zlib.h>

/// For a z_stream: memory that is overwritten when it is given back, for zlib's window and tables hold the text.
voidpf cjose_zip_take(voidpf opaque, uInt items, uInt size);
void cjose_zip_give(voidpf opaque, voidpf address);
