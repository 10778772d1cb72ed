#ifdef CJOSE_HTTP
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <unistd.h>

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
    if (!fetch_traffic_open(request, made)) {
        request->exhausted = true;
        close(made);
        return CURL_SOCKET_BAD;
    }
    return made;
}

/// Called on a connection, new or kept, just before a request goes over it.
static int on_connected(void *context, char *remote, char *local, int remote_port, int local_port) {
    cjose_fetch_request *request = context;
    request->connected = true;
    if (!fetch_text_address_allowed(request->fetch, remote, request->is_http)) {
        request->address_refused = true;
    } else if (!fetch_traffic_use(request, remote, remote_port, local, local_port)) {
        request->exhausted = true;
    } else {
        return CURL_PREREQFUNC_OK;
    }
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

/// Returns the largest `Content-Length` that is accepted: a larger one is rejected before anything is read. It is that
/// of the encoded body, which may be a little longer than the text.
curl_off_t fetch_encoded_limit(size_t limit) {
    // Four times this, and the sum of many requests of one connection, do not overflow.
    size_t max_limit = SIZE_MAX / 4096;
    return (curl_off_t)(limit > max_limit ? max_limit : limit + limit / 256 + 1024);
}

#define SET(option, value)                                                         \
    do {                                                                           \
        if (cjose_curl.easy_setopt(easy, option, value) != CURLE_OK) return false; \
    } while (0)

/// Called for each TLS message and each head of a record.
static void on_record(int writes, int version, int type, const void *bytes, size_t n, SSL *tls, void *context) {
    (void)version, (void)bytes, (void)n, (void)tls;
    cjose_fetch *fetch = context;
    if (writes == 0 && type == SSL3_RT_HEADER && ++fetch->records % 16 == 0) fetch_traffic_cut(fetch);
}

/// Keeps libcurl from writing the secrets of a connection to the file that the environment names (SSLKEYLOGFILE).
/// libcurl reads the variable once for the process, and installs a function for each connection; this runs after it,
/// and removes the function.
static CURLcode on_tls(CURL *easy, void *tls, void *context) {
    (void)easy;
    SSL_CTX_set_keylog_callback((SSL_CTX *)tls, NULL);
    SSL_CTX_set_msg_callback((SSL_CTX *)tls, on_record);
    SSL_CTX_set_msg_callback_arg((SSL_CTX *)tls, context);
    return CURLE_OK;
}

/// Returns false where libcurl uses another TLS library and the environment asks for the secrets of connections.
static bool set_silence(CURL *easy, cjose_fetch *fetch) {
    const char *library = cjose_curl.version_info(CURLVERSION_NOW)->ssl_version;
    if (library != NULL && strncasecmp(library, "OpenSSL/3", 9) == 0) {
        SET(CURLOPT_SSL_CTX_FUNCTION, on_tls);
        SET(CURLOPT_SSL_CTX_DATA, fetch);
        return true;
    }
    return getenv("SSLKEYLOGFILE") == NULL;
}

static bool set_blob(CURL *easy, CURLoption option, const fetch_content *content) {
    if (content == NULL) return true;
    struct curl_blob blob = fetch_content_blob(content);
    SET(option, &blob);
    return true;
}

static bool set_trust(CURL *easy, cjose_fetch_request *request) {
    cjose_fetch *fetch = request->fetch;
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION,
        fetch->numbers[cjose_fetch_number_tls13] == 1 ? (long)CURL_SSLVERSION_TLSv1_3 : (long)CURL_SSLVERSION_TLSv1_2);
#if LIBCURL_VERSION_NUM >= 0x075700
    // Roots of the system that were removed are not trusted on new connections; a library that is older has no such
    // cache.
    cjose_curl.easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#endif
    // The contents of files are given as well: with other contents libcurl uses neither a connection nor a session that
    // was made before.
    fetch_content **contents = request->contents;
    if (!set_blob(easy, CURLOPT_CAINFO_BLOB, contents[cjose_fetch_bytes_ca])) return false;
    // With configured roots those of the system are not trusted.
    if (contents[cjose_fetch_bytes_ca] != NULL) SET(CURLOPT_CAPATH, NULL);
    if (!set_blob(easy, CURLOPT_SSLCERT_BLOB, contents[cjose_fetch_bytes_certificate]) ||
        !set_blob(easy, CURLOPT_SSLKEY_BLOB, contents[cjose_fetch_bytes_key]))
        return false;
    // Without a passphrase, libcrypto would prompt at the terminal for that of a locked key.
    char *passphrase = fetch->texts[cjose_fetch_text_passphrase];
    SET(CURLOPT_KEYPASSWD, passphrase == NULL ? "" : passphrase);
    return set_silence(easy, fetch);
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
    // The connection outlives the request.
    SET(CURLOPT_CLOSESOCKETFUNCTION, fetch_traffic_close);
    SET(CURLOPT_CLOSESOCKETDATA, fetch);
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
    SET(CURLOPT_MAXFILESIZE_LARGE, fetch_encoded_limit(request->body_limit));
    return true;
}

bool fetch_configure(cjose_fetch_request *request, bool fresh) {
    CURL *easy = request->easy;
    cjose_curl.easy_reset(easy);
    request->connected = request->address_refused = request->exhausted = false;
    request->headers_over = request->headers_ended = request->body_over = false;
    request->socket = 0;
    request->traffic_over = false;
    request->header_bytes = 0;
    request->header_count = 0;
    request->answer_headers.count = request->answer_body.count = 0;
    request->error[0] = 0;
    int64_t left = request->deadline - fetch_clock_ms();
    if (left < 1) left = 1;
    request->connects_sooner = request->connect_ms < left;
    SET(CURLOPT_CURLU, request->parsed_url);
    SET(CURLOPT_PRIVATE, request);
    SET(CURLOPT_ERRORBUFFER, request->error);
    SET(CURLOPT_TIMEOUT_MS, (long)left);
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_ms);
    // A request that is not idempotent uses no connection that may be closed at the other end: libcurl would send it
    // again.
    SET(CURLOPT_FRESH_CONNECT, fresh || request->is_post ? 1L : 0L);
    return set_network(easy, request) && set_trust(easy, request) && set_message(easy, request);
}
#endif
