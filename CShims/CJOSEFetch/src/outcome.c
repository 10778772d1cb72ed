#ifdef CJOSE_HTTP
#include <string.h>

#include "internal.h"

/// The results of libcrypto's check of a certificate (x509_vfy.h) that are not "untrusted".
enum { not_looked_at = 1, not_yet_valid = 9, has_expired = 10, host_mismatch = 62, address_mismatch = 64 };

/// CURLE_TOO_LARGE, which the headers of a libcurl before 8.6 lack.
enum { too_large = 100 };

static cjose_fetch_status of_certificate(const cjose_fetch_request *request) {
    long result = 0;
    cjose_curl.easy_getinfo(request->easy, CURLINFO_SSL_VERIFYRESULT, &result);
    switch (result) {
        // The path is valid: the name is wrong, which libcurl compares itself, before it reads the result.
        case 0:
        case not_looked_at:
        case host_mismatch:
        case address_mismatch: return cjose_fetch_status_tls_name;
        case not_yet_valid:
        case has_expired: return cjose_fetch_status_tls_expired;
        default: return cjose_fetch_status_tls_untrusted;
    }
}

static bool tells(const cjose_fetch_request *request, const char *const *words) {
    for (; *words != NULL; words++) {
        if (strstr(request->error, *words) != NULL) return true;
    }
    return false;
}

/// Returns the status of an alert (RFC 8446, 6), which libcurl reports only as a text of libcrypto.
static cjose_fetch_status of_alert(const cjose_fetch_request *request, cjose_fetch_status otherwise) {
    static const char *const version[] = {"protocol version", "unsupported protocol", "version too low", NULL};
    static const char *const client[] = {
        "alert certificate required", "alert bad certificate", "alert unknown ca", "alert certificate unknown",
        "alert certificate expired", "alert certificate revoked", "alert unsupported certificate",
        "alert access denied", NULL};
    if (tells(request, version)) return cjose_fetch_status_tls_version;
    if (tells(request, client)) return cjose_fetch_status_tls_client;
    return otherwise;
}

static cjose_fetch_status of_time(const cjose_fetch_request *request) {
    bool is_over = request->connected || !request->connects_sooner || fetch_clock_ms() >= request->deadline;
    return is_over ? cjose_fetch_status_deadline : cjose_fetch_status_connect_deadline;
}

/// Returns the status of a connection that ended. A proxy that denies access ends it before a request was sent.
static cjose_fetch_status of_end(const cjose_fetch_request *request) {
    return request->connected ? cjose_fetch_status_lost : cjose_fetch_status_connect;
}

cjose_fetch_status fetch_outcome(const cjose_fetch_request *request, CURLcode code) {
    if (code != CURLE_OK && request->traffic_over) return fetch_traffic_status(request);
    // libcurl takes a header that was cut by the end of the connection for a response.
    if (code == CURLE_OK) return request->headers_ended ? cjose_fetch_status_ok : cjose_fetch_status_lost;
    if (request->body_over) return cjose_fetch_status_body;
    if (request->headers_over) return cjose_fetch_status_headers;
    switch ((int)code) {
        case CURLE_OPERATION_TIMEDOUT: return of_time(request);
        case CURLE_COULDNT_RESOLVE_HOST: return cjose_fetch_status_name;
        case CURLE_COULDNT_CONNECT:
        case CURLE_ABORTED_BY_CALLBACK:
            if (request->address_refused) return cjose_fetch_status_address;
            return request->exhausted ? cjose_fetch_status_backend : cjose_fetch_status_connect;
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_PROXY: return cjose_fetch_status_connect;
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_ISSUER_ERROR: return of_certificate(request);
        // The configured roots have the form of certificates, and cannot be read.
        case CURLE_SSL_CACERT_BADFILE: return cjose_fetch_status_tls_untrusted;
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CLIENTCERT: return cjose_fetch_status_tls_client;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CIPHER: return of_alert(request, cjose_fetch_status_tls_handshake);
        case CURLE_FILESIZE_EXCEEDED: return cjose_fetch_status_body;
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR: return of_alert(request, of_end(request));
        case CURLE_GOT_NOTHING:
        case CURLE_PARTIAL_FILE:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM: return cjose_fetch_status_lost;
        case CURLE_WEIRD_SERVER_REPLY:
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_BAD_CONTENT_ENCODING:
        case CURLE_WRITE_ERROR: return cjose_fetch_status_response;
        // These are libcurl's codes for a line that is longer than it keeps, before version 8.6 and from then on.
        case CURLE_OUT_OF_MEMORY:
        case too_large:
            return request->connected && !request->headers_ended ? cjose_fetch_status_headers
                                                                 : cjose_fetch_status_backend;
        default: return cjose_fetch_status_backend;
    }
}
#endif
