#ifndef CJOSE_FETCH_H
#define CJOSE_FETCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// Loads libcurl, unless it is loaded. False where that fails: it is not installed or lacks a function, or memory or
/// descriptors are exhausted.
bool cjose_fetch_load(void);
/// Returns the version of libcurl, such as 7.88.1; null where it cannot be loaded. The text is static.
const char *_Nullable cjose_fetch_version(void);

typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_status : int32_t {
    cjose_fetch_status_ok = 0,
    cjose_fetch_status_url,
    cjose_fetch_status_scheme,
    cjose_fetch_status_address,
    cjose_fetch_status_name,
    cjose_fetch_status_connect,
    cjose_fetch_status_connect_deadline,
    cjose_fetch_status_deadline,
    cjose_fetch_status_tls_untrusted,
    cjose_fetch_status_tls_expired,
    cjose_fetch_status_tls_name,
    cjose_fetch_status_tls_version,
    cjose_fetch_status_tls_client,
    cjose_fetch_status_tls_handshake,
    cjose_fetch_status_body,
    cjose_fetch_status_headers,
    cjose_fetch_status_redirect,
    cjose_fetch_status_lost,
    cjose_fetch_status_response,
    cjose_fetch_status_cancelled,
    cjose_fetch_status_closed,
    /// Memory, descriptors or threads ran out, or libcurl does not accept a setting.
    cjose_fetch_status_backend,
} cjose_fetch_status;

/// The kind of an address, by the registries of special-purpose addresses (RFC 6890 and its successors).
typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_address : int32_t {
    cjose_fetch_address_global = 0,
    cjose_fetch_address_loopback,
    /// A private address (RFC 1918, RFC 4193) or one of the shared space (RFC 6598).
    cjose_fetch_address_private,
    cjose_fetch_address_link_local,
    /// An address that is never connected to: unspecified, multicast, documentation, benchmarks, or not assigned.
    cjose_fetch_address_reserved,
} cjose_fetch_address;

/// Returns the kind of an address of 4 or 16 bytes in network order; any other length is reserved. An address that
/// contains an IPv4 address (mapped, 6to4, NAT64) has the kind of that one.
cjose_fetch_address cjose_fetch_address_kind(const void *address, size_t n);

/// A client with one thread, its connections and its settings. Settings are made before `cjose_fetch_start` only; after
/// it every call may come from any thread. A process that forks may not use it in the child.
typedef struct cjose_fetch cjose_fetch;

typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_text : int32_t {
    cjose_fetch_text_user_agent = 0,
    /// The proxy; without it none is used, unless those of the environment are enabled.
    cjose_fetch_text_proxy,
    cjose_fetch_text_ca_file,
    cjose_fetch_text_certificate_file,
    cjose_fetch_text_key_file,
    cjose_fetch_text_passphrase,
    cjose_fetch_text_count,
} cjose_fetch_text;

typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_bytes : int32_t {
    cjose_fetch_bytes_ca = 0,
    cjose_fetch_bytes_certificate,
    cjose_fetch_bytes_key,
    cjose_fetch_bytes_count,
} cjose_fetch_bytes;

typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_number : int32_t {
    cjose_fetch_number_environment_proxy = 0,
    cjose_fetch_number_loopback_http,
    cjose_fetch_number_loopback,
    cjose_fetch_number_private,
    cjose_fetch_number_link_local,
    cjose_fetch_number_tls13,
    cjose_fetch_number_connections,
    cjose_fetch_number_host_connections,
    cjose_fetch_number_idle_seconds,
    cjose_fetch_number_lifetime_seconds,
    cjose_fetch_number_happy_eyeballs_ms,
    cjose_fetch_number_header_bytes,
    cjose_fetch_number_header_count,
    cjose_fetch_number_count,
} cjose_fetch_number;

typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_list : int32_t {
    /// Entries `host:port:address[,address]`, which replace the resolver.
    cjose_fetch_list_resolve = 0,
    /// The only hosts that are connected to, where the list is not empty.
    cjose_fetch_list_hosts,
    cjose_fetch_list_count,
} cjose_fetch_list;

/// Whether a regular file of at most 16 MiB contains `label`. A FIFO or a device is not waited for.
bool cjose_fetch_file_contains(const char *path, const char *label);

/// Creates a client. Null where memory runs out, or libcurl cannot be loaded. The caller frees it with `cjose_fetch_free`.
cjose_fetch *_Nullable cjose_fetch_new(void);
/// Set a value, which is copied. False where memory runs out.
bool cjose_fetch_set_text(cjose_fetch *fetch, cjose_fetch_text which, const char *text);
bool cjose_fetch_set_bytes(cjose_fetch *fetch, cjose_fetch_bytes which, const void *_Nullable bytes, size_t n);
void cjose_fetch_set_number(cjose_fetch *fetch, cjose_fetch_number which, int64_t number);
bool cjose_fetch_add(cjose_fetch *fetch, cjose_fetch_list which, const char *text);
/// Starts the thread. False where that fails.
bool cjose_fetch_start(cjose_fetch *fetch) __attribute__((warn_unused_result));
/// Ends every request with `closed`, closes every connection and waits for the thread to end; on that thread itself it
/// does not wait. It may be called any number of times.
void cjose_fetch_stop(cjose_fetch *fetch);
/// Stops the client, and releases it.
void cjose_fetch_free(cjose_fetch *_Nullable fetch);

typedef struct cjose_fetch_request cjose_fetch_request;

/// Creates a request. Null where memory runs out. The caller passes it to `cjose_fetch_send` or frees it with
/// `cjose_fetch_request_free`.
cjose_fetch_request *_Nullable cjose_fetch_request_new(const char *url, bool is_post);
/// Adds a header field. `line` is a name, a colon, and a value; or a name and a semicolon for an empty value. False
/// where memory runs out.
bool cjose_fetch_request_add_header(cjose_fetch_request *request, const char *line);
bool cjose_fetch_request_set_body(cjose_fetch_request *request, const void *_Nullable body, size_t n);
void cjose_fetch_request_set_bounds(
    cjose_fetch_request *request, int64_t deadline_ms, int64_t connect_ms, size_t body_limit, int32_t redirects);
void cjose_fetch_request_free(cjose_fetch_request *_Nullable request);

/// The response. It and what it points to live as long as the callback that receives it.
typedef struct cjose_fetch_answer {
    cjose_fetch_status status;
    int32_t code;
    /// The lines without their ends, each followed by one LF.
    const void *_Nullable headers;
    size_t headers_len;
    const void *_Nullable body;
    size_t body_len;
} cjose_fetch_answer;

typedef void (*cjose_fetch_done)(void *_Nullable context, const cjose_fetch_answer *answer);

/// Takes the request over, whatever it returns. After `ok`, `done` is called once, on the thread of `fetch`, and `*id`
/// identifies the request until then. Otherwise the request was rejected at once, and `done` is not called.
cjose_fetch_status cjose_fetch_send(
    cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_done done, void *_Nullable context, uint64_t *id)
    __attribute__((warn_unused_result));
/// Ends the request with `cancelled`, unless it has ended already.
void cjose_fetch_cancel(cjose_fetch *fetch, uint64_t id);

#pragma clang assume_nonnull end
#endif
