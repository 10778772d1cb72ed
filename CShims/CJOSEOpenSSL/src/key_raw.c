#include "internal.h"

const cjose_raw *cjose_raw_of(cjose_key_kind kind) {
    static const cjose_raw kinds[cjose_key_kind_count] = {
        [cjose_key_kind_ed25519] = {"ED25519", 32, 32, 64},
        [cjose_key_kind_x25519] = {"X25519", 32, 32, 0},
        [cjose_key_kind_ed448] = {"ED448", 57, 57, 114},
        [cjose_key_kind_x448] = {"X448", 56, 56, 0},
    };
    return kinds[kind].name != NULL ? &kinds[kind] : NULL;
}

size_t cjose_key_raw_size(cjose_key_kind kind, bool is_private) {
    const cjose_raw *of = cjose_raw_of(kind);
    return of == NULL ? 0 : is_private ? of->private_size : of->public_size;
}

cjose_status cjose_key_raw_new(cjose_key_kind kind, cjose_bytes raw, bool is_private, cjose_key **out) {
    *out = NULL;
    const cjose_raw *of = cjose_raw_of(kind);
    if (of == NULL) return cjose_status_unsupported;
    if (raw.count != cjose_key_raw_size(kind, is_private)) return cjose_status_key_invalid;
    if (kind == cjose_key_kind_ed448 && !is_private && !cjose_ed448_point_holds(raw.at))
        return cjose_failed(cjose_status_key_invalid);
    EVP_PKEY *made = is_private ? EVP_PKEY_new_raw_private_key_ex(NULL, of->name, NULL, raw.at, raw.count)
                                : EVP_PKEY_new_raw_public_key_ex(NULL, of->name, NULL, raw.at, raw.count);
    if (made == NULL) return cjose_failed(cjose_status_key_invalid);
    return cjose_key_wrap(made, kind, is_private, out);
}
