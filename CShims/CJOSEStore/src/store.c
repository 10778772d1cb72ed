#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CJOSEStore.h"

/// The largest number of objects that are read.
enum { max_objects = 64 };

typedef struct asking {
    cjose_store_ask ask;
    void *context;
    bool was_asked;
} asking;

static int answer(char *buffer, int size, int writing, void *data) {
    asking *asking = data;
    asking->was_asked = true;
    if (writing || size <= 0) return -1;
    return asking->ask(asking->context, buffer, size);
}

typedef struct found {
    EVP_PKEY *private_key, *public_key;
    int private_keys, public_keys;
} found;

static void keep(EVP_PKEY *key, EVP_PKEY **target, int *count) {
    if (key == NULL) return;
    *count += 1;
    if (*target == NULL) *target = key;
    else EVP_PKEY_free(key);
}

static void read_all(OSSL_STORE_CTX *store, found *found) {
    for (int i = 0; i < max_objects && OSSL_STORE_eof(store) != 1; i++) {
        OSSL_STORE_INFO *info = OSSL_STORE_load(store);
        if (info == NULL) {
            // An object that cannot be read does not end the search; a fault of the store does.
            if (OSSL_STORE_error(store) == 1) return;
            continue;
        }
        switch (OSSL_STORE_INFO_get_type(info)) {
            case OSSL_STORE_INFO_PKEY:
                keep(OSSL_STORE_INFO_get1_PKEY(info), &found->private_key, &found->private_keys);
                break;
            case OSSL_STORE_INFO_PUBKEY:
                keep(OSSL_STORE_INFO_get1_PUBKEY(info), &found->public_key, &found->public_keys);
                break;
            default: break;
        }
        OSSL_STORE_INFO_free(info);
    }
}

static cjose_store_status chosen(found *found, const asking *asking, cjose_key **out, cjose_status *fault) {
    bool is_private = found->private_keys > 0;
    int count = is_private ? found->private_keys : found->public_keys;
    if (count == 0) return asking->was_asked ? cjose_store_status_needs_passphrase : cjose_store_status_absent;
    if (count > 1) return cjose_store_status_several;
    EVP_PKEY **target = is_private ? &found->private_key : &found->public_key;
    *fault = cjose_key_take(*target, is_private, out);
    *target = NULL;
    return *fault == cjose_status_ok ? cjose_store_status_ok : cjose_store_status_key;
}

static bool has_store(const char *scheme) {
    OSSL_STORE_LOADER *loader = OSSL_STORE_LOADER_fetch(NULL, scheme, NULL);
    OSSL_STORE_LOADER_free(loader);
    return loader != NULL;
}

/// Returns the path of a `file:` URI, in the forms that libcrypto accepts; null for another URI.
static const char *path_of(const char *uri) {
    if (strncasecmp(uri, "file:", 5) != 0) return NULL;
    const char *path = uri + 5;
    if (path[0] != '/' || path[1] != '/') return path;
    path += 2;
    if (strncasecmp(path, "localhost/", 10) == 0) path += 9;
    return *path == '/' ? path : NULL;
}

/// Opens a regular file. A FIFO, a socket or a device in its place is not waited for.
static BIO *regular_file(const char *path) {
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (number < 0) return NULL;
    struct stat status;
    BIO *file = fstat(number, &status) == 0 && S_ISREG(status.st_mode) ? BIO_new_fd(number, BIO_CLOSE) : NULL;
    if (file == NULL) close(number);
    return file;
}

/// Opens the store of a URI. `*file` is the file that the caller frees after the store.
static OSSL_STORE_CTX *open_store(const char *uri, const UI_METHOD *method, asking *asking, BIO **file) {
    const char *path = path_of(uri);
    *file = NULL;
    if (path == NULL) return OSSL_STORE_open_ex(uri, NULL, NULL, method, asking, NULL, NULL, NULL);
    *file = regular_file(path);
    return *file == NULL ? NULL : OSSL_STORE_attach(*file, "file", NULL, NULL, method, asking, NULL, NULL, NULL);
}

cjose_store_status cjose_store_load(
    const char *uri, const char *scheme, cjose_store_ask ask, void *context, cjose_key **out, cjose_status *fault) {
    *out = NULL;
    *fault = cjose_status_ok;
    asking asking = {ask, context, false};
    // Without this method libcrypto would prompt at the terminal.
    UI_METHOD *method = UI_UTIL_wrap_read_pem_callback(answer, 0);
    if (method == NULL) return cjose_store_status_backend;
    BIO *file;
    OSSL_STORE_CTX *store = open_store(uri, method, &asking, &file);
    cjose_store_status status;
    if (store != NULL) {
        found found = {NULL, NULL, 0, 0};
        read_all(store, &found);
        status = chosen(&found, &asking, out, fault);
        EVP_PKEY_free(found.private_key);
        EVP_PKEY_free(found.public_key);
        OSSL_STORE_close(store);
    } else if (asking.was_asked) {
        status = cjose_store_status_needs_passphrase;
    } else {
        status = has_store(scheme) ? cjose_store_status_absent : cjose_store_status_no_store;
    }
    BIO_free(file);
    UI_destroy_method(method);
    ERR_clear_error();
    return status;
}
