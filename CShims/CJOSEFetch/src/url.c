#ifdef CJOSE_HTTP
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a URL is printable, has only bytes that RFC 3986, 2 allows, and no fragment.
static bool is_clean(const char *url) {
    size_t n = strnlen(url, CJOSE_FETCH_URL_LIMIT + 1);
    if (n == 0 || n > CJOSE_FETCH_URL_LIMIT) return false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)url[i];
        if (c <= ' ' || c >= 0x7F || strchr("\"<>\\^`{|}#", c) != NULL) return false;
    }
    return true;
}

/// Returns the beginning of the authority; null without a scheme and an authority. `*is_web` is set for a supported
/// scheme.
static const char *authority(const char *url, bool *is_web, bool *is_http) {
    const char *end = url;
    while (is_letter(*end) || (end != url && (is_digit(*end) || *end == '+' || *end == '-' || *end == '.'))) end++;
    if (end == url || end[0] != ':') return NULL;
    size_t n = (size_t)(end - url);
    *is_http = n == 4 && strncasecmp(url, "http", n) == 0;
    *is_web = *is_http || (n == 5 && strncasecmp(url, "https", n) == 0);
    if (end[1] != '/' || end[2] != '/') return *is_web ? NULL : end;
    return end + 3;
}

/// Whether a text is a name or an address with at most one port: no user, no zone, and nothing escaped.
static bool is_host_and_port(const char *text, size_t n) {
    size_t at = 0;
    if (n > 0 && text[0] == '[') {
        while (at < n && text[at] != ']') at++;
        if (at == n) return false;
        for (size_t i = 1; i < at; i++) {
            if (!is_digit(text[i]) && !is_letter(text[i]) && text[i] != ':' && text[i] != '.') return false;
        }
        at++;
    } else {
        while (at < n && (is_letter(text[at]) || is_digit(text[at]) || strchr("-._", text[at]) != NULL)) at++;
        if (at == 0 || text[0] == '.') return false;
    }
    if (at == n) return true;
    if (text[at] != ':' || n - at < 2 || n - at > 6) return false;
    long port = 0;
    for (size_t i = at + 1; i < n; i++) {
        if (!is_digit(text[i])) return false;
        port = 10 * port + (text[i] - '0');
    }
    return port > 0 && port <= 65535;
}

static bool is_listed(const cjose_fetch *fetch, const char *host) {
    const struct curl_slist *entry = fetch->lists[cjose_fetch_list_hosts];
    if (entry == NULL) return true;
    for (; entry != NULL; entry = entry->next) {
        if (strcasecmp(entry->data, host) == 0) return true;
    }
    return false;
}

/// Whether a host that is an address is allowed. The addresses of a name are checked when it is connected to.
static bool is_allowed(const cjose_fetch *fetch, char *host, bool is_http) {
    size_t n = strlen(host);
    unsigned char bytes[16];
    if (n > 2 && host[0] == '[') {
        host[n - 1] = 0;
        bool allowed = fetch_text_address_allowed(fetch, host + 1, is_http);
        host[n - 1] = ']';
        return allowed;
    }
    return inet_pton(AF_INET, host, bytes) != 1 || fetch_address_allowed(fetch, bytes, 4, is_http);
}

cjose_fetch_status fetch_url_parse(const cjose_fetch *fetch, const char *url, CURLU **parsed, bool *is_http) {
    bool is_web = false;
    if (!is_clean(url)) return cjose_fetch_status_url;
    const char *start = authority(url, &is_web, is_http);
    if (start == NULL) return cjose_fetch_status_url;
    if (!is_web) return cjose_fetch_status_scheme;
    if (!is_host_and_port(start, strcspn(start, "/?"))) return cjose_fetch_status_url;
    if (*is_http && fetch->numbers[cjose_fetch_number_loopback_http] != 1) return cjose_fetch_status_scheme;

    CURLU *made = cjose_curl.url();
    if (made == NULL) return cjose_fetch_status_backend;
    char *host = NULL;
    cjose_fetch_status status = cjose_fetch_status_url;
    // The host is checked as libcurl reads it, which normalizes other forms of addresses.
    if (cjose_curl.url_set(made, CURLUPART_URL, url, CURLU_DISALLOW_USER) == CURLUE_OK &&
        cjose_curl.url_get(made, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        bool allowed = is_listed(fetch, host) && is_allowed(fetch, host, *is_http);
        status = allowed ? cjose_fetch_status_ok : cjose_fetch_status_address;
    }
    cjose_curl.free(host);
    if (status == cjose_fetch_status_ok) {
        *parsed = made;
    } else {
        cjose_curl.url_cleanup(made);
    }
    return status;
}

bool fetch_url_same_origin(CURLU *a, CURLU *b) {
    static const CURLUPart parts[] = {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT};
    bool same = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && same; i++) {
        char *one = NULL, *other = NULL;
        same = cjose_curl.url_get(a, parts[i], &one, CURLU_DEFAULT_PORT) == CURLUE_OK &&
               cjose_curl.url_get(b, parts[i], &other, CURLU_DEFAULT_PORT) == CURLUE_OK && strcasecmp(one, other) == 0;
        cjose_curl.free(one);
        cjose_curl.free(other);
    }
    return same;
}
#endif
