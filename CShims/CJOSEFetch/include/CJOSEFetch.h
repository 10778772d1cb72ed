#ifndef CJOSE_FETCH_H
#define CJOSE_FETCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// The version of the libcurl that was loaded, such as 7.88.1; for ever, and never freed.
const char *cjose_fetch_version(void);

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
    /// Out of memory, descriptors or threads, or a setting that libcurl does not take.
    cjose_fetch_status_backend,
} cjose_fetch_status;

/// What an address is for, by the registries of special-purpose addresses (RFC 6890 and those after it).
typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_address : int32_t {
    cjose_fetch_address_global = 0,
    cjose_fetch_address_loopback,
    /// RFC 1918, RFC 4193 and the shared space of RFC 6598.
    cjose_fetch_address_private,
    cjose_fetch_address_link_local,
    /// Never to connect to: unspecified, multicast, documentation, benchmarks, and what is not assigned.
    cjose_fetch_address_reserved,
} cjose_fetch_address;

/// The kind of an address of 4 or 16 bytes in the order of the network; any other length is reserved. One that holds an
/// IPv4 address (mapped, 6to4, NAT64) is of the kind of that.
cjose_fetch_address cjose_fetch_address_kind(const void *address, size_t n);

/// One thread, its connections and its settings. Settings are made before `cjose_fetch_start` alone; after it every call
/// may come from any thread. A process that forks may not use it in the child.
typedef struct cjose_fetch cjose_fetch;

typedef enum __attribute__((enum_extensibility(closed))) cjose_fetch_text : int32_t {
    cjose_fetch_text_user_agent = 0,
    /// The one proxy; without it there is none, unless the environment's are asked for.
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
    /// `host:port:address[,address]`, in place of the resolver.
    cjose_fetch_list_resolve = 0,
    /// Where it has any, these hosts alone are connected to.
    cjose_fetch_list_hosts,
    cjose_fetch_list_count,
} cjose_fetch_list;

/// Whether a line of the file holds `label`.
bool cjose_fetch_file_holds(const char *path, const char *label);

/// Null: out of memory. The caller ends it with `cjose_fetch_free`.
cjose_fetch *_Nullable cjose_fetch_new(void);
/// These copy what they are given. False: out of memory.
bool cjose_fetch_set_text(cjose_fetch *fetch, cjose_fetch_text which, const char *text);
bool cjose_fetch_set_bytes(cjose_fetch *fetch, cjose_fetch_bytes which, const void *_Nullable bytes, size_t n);
void cjose_fetch_set_number(cjose_fetch *fetch, cjose_fetch_number which, int64_t number);
bool cjose_fetch_add(cjose_fetch *fetch, cjose_fetch_list which, const char *text);
/// Begins the thread. False: it could not be.
bool cjose_fetch_start(cjose_fetch *fetch) __attribute__((warn_unused_result));
/// Ends every request with `closed`, closes every connection and waits for the thread to end; on that thread itself it
/// does not wait. Any number of times.
void cjose_fetch_stop(cjose_fetch *fetch);
/// Stops it, and gives it up.
void cjose_fetch_free(cjose_fetch *_Nullable fetch);

typedef struct cjose_fetch_request cjose_fetch_request;

/// Null: out of memory. The caller ends it with `cjose_fetch_send` or `cjose_fetch_request_free`.
cjose_fetch_request *_Nullable cjose_fetch_request_new(const char *url, bool is_post);
/// `line`: a name, a colon, and a value; or a name and a semicolon for no value. False: out of memory.
bool cjose_fetch_request_add_header(cjose_fetch_request *request, const char *line);
bool cjose_fetch_request_set_body(cjose_fetch_request *request, const void *_Nullable body, size_t n);
void cjose_fetch_request_set_bounds(
    cjose_fetch_request *request, int64_t deadline_ms, int64_t connect_ms, size_t body_limit, int32_t redirects);
void cjose_fetch_request_free(cjose_fetch_request *_Nullable request);

/// What came. It and what it points to live as long as the call that hands it over.
typedef struct cjose_fetch_answer {
    cjose_fetch_status status;
    int32_t code;
    /// Lines without their ends, each followed by one LF.
    const void *_Nullable headers;
    size_t headers_len;
    const void *_Nullable body;
    size_t body_len;
} cjose_fetch_answer;

typedef void (*cjose_fetch_done)(void *_Nullable context, const cjose_fetch_answer *answer);

/// Takes the request, whatever it returns. `ok`: `done` will be called once, on the thread of `fetch`, and `*id` names
/// the request until then. Any other: it was refused at once, and `done` is not called.
cjose_fetch_status cjose_fetch_send(
    cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_done done, void *_Nullable context, uint64_t *id)
    __attribute__((warn_unused_result));
/// The request ends with `cancelled`, unless it has ended already.
void cjose_fetch_cancel(cjose_fetch *fetch, uint64_t id);

#pragma clang assume_nonnull end
#endif
