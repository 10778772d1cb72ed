#ifdef CJOSE_HTTP
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "internal.h"

/// Creates the socket of a connection, after its name was resolved: the address is checked here.
static curl_socket_t on_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    cjose_fetch_request *request = context;
    const void *bytes = NULL;
    size_t n = 0;
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        bytes = &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr;
        n = 4;
    } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        bytes = &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr;
        n = 16;
    }
    if (purpose != CURLSOCKTYPE_IPCXN || n == 0 || !fetch_address_allowed(request->fetch, bytes, n, request->is_http)) {
        request->address_refused = true;
        return CURL_SOCKET_BAD;
    }
    int made = socket(address->family, address->socktype, address->protocol);
    if (made < 0) {
        // Any other error is an address family that this machine lacks.
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) request->exhausted = true;
        return CURL_SOCKET_BAD;
    }
    fcntl(made, F_SETFD, FD_CLOEXEC);
    return made;
}

/// Called on a connection, new or kept, just before a request goes over it.
static int on_connected(void *context, char *remote, char *local, int remote_port, int local_port) {
    (void)local, (void)remote_port, (void)local_port;
    cjose_fetch_request *request = context;
    request->connected = true;
    if (fetch_text_address_allowed(request->fetch, remote, request->is_http)) return CURL_PREREQFUNC_OK;
    request->address_refused = true;
    return CURL_PREREQFUNC_ABORT;
}

static size_t on_header(char *line, size_t size, size_t count, void *context) {
    cjose_fetch_request *request = context;
    size_t n = size * count, whole = n;
    const int64_t *numbers = request->fetch->numbers;
    request->header_bytes += n;
    request->header_count++;
    // The fields of interim responses, and trailers, count too.
    if (request->header_bytes > (size_t)numbers[cjose_fetch_number_header_bytes] ||
        request->header_count > numbers[cjose_fetch_number_header_count]) {
        request->headers_over = true;
        return 0;
    }
    while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == '\n')) n--;
    if (n >= 5 && strncasecmp(line, "HTTP/", 5) == 0) {
        request->answer_headers.count = 0;
        request->headers_ended = false;
    } else if (n == 0) {
        request->headers_ended = true;
    } else if (!request->headers_ended) {
        if (!fetch_buffer_append(&request->answer_headers, line, n, SIZE_MAX / 2) ||
            !fetch_buffer_append(&request->answer_headers, "\n", 1, SIZE_MAX / 2))
            return 0;
    }
    return whole;
}

/// Receives the decoded body.
static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
    cjose_fetch_request *request = context;
    size_t n = size * count;
    if (n > request->body_limit || request->answer_body.count > request->body_limit - n) {
        request->body_over = true;
        return 0;
    }
    return fetch_buffer_append(&request->answer_body, bytes, n, request->body_limit) ? n : 0;
}

/// Returns the largest `Content-Length` that is accepted: a larger one is rejected before anything is read. It is that of the
/// encoded body, which may be a little longer than the text.
static curl_off_t told_limit(size_t limit) {
    size_t most = SIZE_MAX / 4;
    return (curl_off_t)(limit > most ? most : limit + limit / 256 + 1024);
}

#define SET(option, value)                                                       \
    do {                                                                         \
        if (curl_easy_setopt(easy, option, value) != CURLE_OK) return false;     \
    } while (0)

static bool set_trust(CURL *easy, cjose_fetch *fetch) {
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION,
        fetch->numbers[cjose_fetch_number_tls13] == 1 ? (long)CURL_SSLVERSION_TLSv1_3 : (long)CURL_SSLVERSION_TLSv1_2);
    char *ca = fetch->texts[cjose_fetch_text_ca_file];
    struct curl_blob *blobs = fetch->blobs;
    if (ca != NULL) SET(CURLOPT_CAINFO, ca);
    if (blobs[cjose_fetch_bytes_ca].data != NULL) SET(CURLOPT_CAINFO_BLOB, &blobs[cjose_fetch_bytes_ca]);
    // With configured roots those of the system are not trusted.
    if (ca != NULL || blobs[cjose_fetch_bytes_ca].data != NULL) SET(CURLOPT_CAPATH, NULL);
    char **texts = fetch->texts;
    if (texts[cjose_fetch_text_certificate_file] != NULL)
        SET(CURLOPT_SSLCERT, texts[cjose_fetch_text_certificate_file]);
    if (texts[cjose_fetch_text_key_file] != NULL) SET(CURLOPT_SSLKEY, texts[cjose_fetch_text_key_file]);
    if (blobs[cjose_fetch_bytes_certificate].data != NULL)
        SET(CURLOPT_SSLCERT_BLOB, &blobs[cjose_fetch_bytes_certificate]);
    if (blobs[cjose_fetch_bytes_key].data != NULL) SET(CURLOPT_SSLKEY_BLOB, &blobs[cjose_fetch_bytes_key]);
    // Without a passphrase, libcrypto would prompt at the terminal for that of a locked key.
    char *passphrase = texts[cjose_fetch_text_passphrase];
    SET(CURLOPT_KEYPASSWD, passphrase == NULL ? "" : passphrase);
    return true;
}

static bool set_network(CURL *easy, cjose_fetch_request *request) {
    cjose_fetch *fetch = request->fetch;
    const int64_t *numbers = fetch->numbers;
    SET(CURLOPT_PROTOCOLS_STR, request->is_http ? "http" : "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    char *proxy = fetch->texts[cjose_fetch_text_proxy];
    // A proxy is never used for loopback.
    if (request->is_http) proxy = NULL;
    if (proxy != NULL || request->is_http || numbers[cjose_fetch_number_environment_proxy] != 1) {
        SET(CURLOPT_PROXY, proxy == NULL ? "" : proxy);
        SET(CURLOPT_NOPROXY, "");
        SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    }
    if (fetch->lists[cjose_fetch_list_resolve] != NULL) SET(CURLOPT_RESOLVE, fetch->lists[cjose_fetch_list_resolve]);
    SET(CURLOPT_OPENSOCKETFUNCTION, on_socket);
    SET(CURLOPT_OPENSOCKETDATA, request);
    SET(CURLOPT_PREREQFUNCTION, on_connected);
    SET(CURLOPT_PREREQDATA, request);
    SET(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, (long)numbers[cjose_fetch_number_happy_eyeballs_ms]);
    SET(CURLOPT_MAXAGE_CONN, (long)numbers[cjose_fetch_number_idle_seconds]);
    SET(CURLOPT_MAXLIFETIME_CONN, (long)numbers[cjose_fetch_number_lifetime_seconds]);
    SET(CURLOPT_NOSIGNAL, 1L);
    // A name that is still being resolved is abandoned, not waited for.
    SET(CURLOPT_QUICK_EXIT, 1L);
    return true;
}

static bool set_message(CURL *easy, cjose_fetch_request *request) {
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    SET(CURLOPT_USERAGENT, request->fetch->texts[cjose_fetch_text_user_agent]);
    SET(CURLOPT_ACCEPT_ENCODING, "gzip");
    SET(CURLOPT_HTTPHEADER, request->headers);
    if (request->is_post) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.count);
        SET(CURLOPT_POSTFIELDS, request->body.count == 0 ? "" : (const char *)request->body.bytes);
    } else {
        SET(CURLOPT_HTTPGET, 1L);
    }
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, request);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, request);
    SET(CURLOPT_MAXFILESIZE_LARGE, told_limit(request->body_limit));
    return true;
}

bool fetch_configure(cjose_fetch_request *request, bool fresh) {
    CURL *easy = request->easy;
    curl_easy_reset(easy);
    request->connected = request->address_refused = request->exhausted = false;
    request->headers_over = request->headers_ended = request->body_over = false;
    request->header_bytes = 0;
    request->header_count = 0;
    request->answer_headers.count = request->answer_body.count = 0;
    request->error[0] = 0;
    int64_t left = request->deadline - fetch_clock_ms();
    if (left < 1) left = 1;
    request->connects_sooner = request->connect_ms < left;
    SET(CURLOPT_CURLU, request->place);
    SET(CURLOPT_PRIVATE, request);
    SET(CURLOPT_ERRORBUFFER, request->error);
    SET(CURLOPT_TIMEOUT_MS, (long)left);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_ms);
    // A request that is not idempotent uses no connection that may be closed at the other end: libcurl would send it again.
    SET(CURLOPT_FRESH_CONNECT, fresh || request->is_post ? 1L : 0L);
    return set_network(easy, request) && set_trust(easy, request->fetch) && set_message(easy, request);
}
#endif
