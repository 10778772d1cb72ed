#ifdef CJOSE_HTTP
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

/// The largest number of bytes that are read of a file.
enum { max_file_bytes = 16 * 1024 * 1024 };

static const char *const certificate_label = "-----BEGIN CERTIFICATE-----";
static const char *const key_label = "PRIVATE KEY-----";

/// Bytes that requests share: they stay as long as a request uses them, also after the file was written anew.
struct fetch_content {
    int64_t users;
    fetch_buffer bytes;
};

static fetch_content *content_of(fetch_buffer *bytes) {
    fetch_content *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->users = 1;
    made->bytes = *bytes;
    *bytes = (fetch_buffer){0};
    return made;
}

void fetch_content_release(fetch_content *content) {
    if (content == NULL || --content->users > 0) return;
    fetch_buffer_free(&content->bytes);
    free(content);
}

static bool contains(const fetch_buffer *bytes, const char *label) {
    size_t n = strlen(label);
    for (size_t i = 0; i + n <= bytes->count; i++) {
        if (memcmp(bytes->bytes + i, label, n) == 0) return true;
    }
    return false;
}

/// Returns the state of a file, which differs after it was written or replaced. All members are zero where there is no
/// file.
static fetch_file_state state_of(const struct stat *status) {
#ifdef __APPLE__
    struct timespec written = status->st_mtimespec, changed = status->st_ctimespec;
#else
    struct timespec written = status->st_mtim, changed = status->st_ctim;
#endif
    return (fetch_file_state){
        .numbers = {
            (int64_t)status->st_dev, (int64_t)status->st_ino, (int64_t)status->st_size, (int64_t)written.tv_sec,
            (int64_t)written.tv_nsec, (int64_t)changed.tv_sec, (int64_t)changed.tv_nsec}};
}

/// Reads a regular file that contains `label`, and its state before that. A FIFO, a socket or a device is not waited
/// for.
static bool read_file(const char *path, const char *label, fetch_buffer *bytes, fetch_file_state *state) {
    int number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (number < 0) return false;
    struct stat status;
    bool good = fstat(number, &status) == 0 && S_ISREG(status.st_mode);
    if (good) *state = state_of(&status);
    unsigned char part[4096];
    ssize_t count = 0;
    while (good && (count = read(number, part, sizeof part)) != 0) {
        if (count < 0 && errno == EINTR) continue;
        good = count > 0 && fetch_buffer_append(bytes, part, (size_t)count, max_file_bytes);
    }
    cjose_wipe(part, sizeof part);
    close(number);
    if (good && contains(bytes, label)) return true;
    fetch_buffer_free(bytes);
    return false;
}

bool cjose_fetch_file_contains(const char *path, const char *label) {
    fetch_buffer bytes = {0};
    fetch_file_state state;
    bool found = read_file(path, label, &bytes, &state);
    fetch_buffer_free(&bytes);
    return found;
}

bool cjose_fetch_set_bytes(cjose_fetch *fetch, cjose_fetch_bytes which, const void *bytes, size_t n) {
    fetch_buffer copy = {0};
    if (n == 0 || !fetch_buffer_append(&copy, bytes, n, n)) return false;
    fetch_content *made = content_of(&copy);
    if (made == NULL) {
        fetch_buffer_free(&copy);
        return false;
    }
    fetch_content_release(fetch->contents[which]);
    fetch->contents[which] = made;
    return true;
}

static const struct {
    cjose_fetch_text path;
    cjose_fetch_bytes content;
    cjose_fetch_status failure;
} files[] = {
    {cjose_fetch_text_ca_file, cjose_fetch_bytes_ca, cjose_fetch_status_tls_untrusted},
    {cjose_fetch_text_certificate_file, cjose_fetch_bytes_certificate, cjose_fetch_status_tls_client},
    {cjose_fetch_text_key_file, cjose_fetch_bytes_key, cjose_fetch_status_tls_client},
};

/// Reads a file again if it has changed. Where it cannot be read, nothing of it is used any more, and it is read again
/// next time.
static void refresh(cjose_fetch *fetch, const char *path, cjose_fetch_bytes which) {
    struct stat status;
    fetch_file_state *known = &fetch->states[which];
    if (stat(path, &status) == 0) {
        fetch_file_state state = state_of(&status);
        if (fetch->contents[which] != NULL && memcmp(&state, known, sizeof state) == 0) return;
    }
    const char *label = which == cjose_fetch_bytes_key ? key_label : certificate_label;
    fetch_buffer bytes = {0};
    fetch_content *made = read_file(path, label, &bytes, known) ? content_of(&bytes) : NULL;
    fetch_buffer_free(&bytes);
    fetch_content_release(fetch->contents[which]);
    fetch->contents[which] = made;
}

cjose_fetch_status fetch_files_take(cjose_fetch_request *request) {
    cjose_fetch *fetch = request->fetch;
    for (size_t i = 0; i < sizeof files / sizeof *files && !request->is_http; i++) {
        const char *path = fetch->texts[files[i].path];
        if (path == NULL) continue;
        refresh(fetch, path, files[i].content);
        if (fetch->contents[files[i].content] == NULL) return files[i].failure;
    }
    fetch_files_release(request);
    for (size_t i = 0; i < cjose_fetch_bytes_count; i++) {
        request->contents[i] = fetch->contents[i];
        if (request->contents[i] != NULL) request->contents[i]->users++;
    }
    return cjose_fetch_status_ok;
}

void fetch_files_release(cjose_fetch_request *request) {
    for (size_t i = 0; i < cjose_fetch_bytes_count; i++) {
        fetch_content_release(request->contents[i]);
        request->contents[i] = NULL;
    }
}

struct curl_blob fetch_content_blob(const fetch_content *content) {
    return (struct curl_blob){
        .data = content->bytes.bytes, .len = content->bytes.count, .flags = CURL_BLOB_NOCOPY};
}
#endif
