#ifndef CJOSE_SERVE_H
#define CJOSE_SERVE_H
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// A server of small responses on 127.0.0.1, through libmicrohttpd, with threads of its own.
typedef struct cjose_serve cjose_serve;
/// One request, valid during a call of the handler, like the texts that the calls below return.
typedef struct cjose_serve_request cjose_serve_request;
/// One response, valid during a call of the handler.
typedef struct cjose_serve_reply cjose_serve_reply;
/// Handles a request, on a thread of the server. Without a call of `cjose_serve_reply_body` the client gets a 500.
typedef void (*cjose_serve_handler)(
    void *_Nullable context, const cjose_serve_request *request, cjose_serve_reply *reply);

typedef struct cjose_serve_options {
    /// The port; 0: any that is free.
    uint16_t port;
    /// A certificate and its key as PEM, copied; both or none. With them the server speaks https only.
    const char *_Nullable certificate, *_Nullable key;
    /// Certificates of authorities as PEM, copied. With them a client is asked for a certificate; one without is served all the
    /// same.
    const char *_Nullable client_authorities;
    /// The largest number of bytes of a request body; a request that sends more gets a 413. 0: nothing is kept, and any amount is
    /// read and dropped.
    size_t body_limit;
    /// The largest number of connections at a time. One that is silent for ten seconds is closed.
    unsigned connections;
    /// Whether each connection has a thread (1), so that a handler may block, or one thread serves all (0).
    int is_threaded;
} cjose_serve_options;

/// Starts a server. The caller owns the result and frees it with `cjose_serve_stop`; null: `errno` has the reason. `context` must
/// live until then.
cjose_serve *_Nullable cjose_serve_start(
    const cjose_serve_options *options, cjose_serve_handler handler, void *_Nullable context)
    __attribute__((warn_unused_result));
/// Returns the port that it listens on.
uint16_t cjose_serve_port(const cjose_serve *server);
/// Stops the server. Returns when no handler runs any more and all connections are closed.
void cjose_serve_stop(cjose_serve *server);

/// Returns the method as it was sent.
const char *cjose_serve_request_method(const cjose_serve_request *request);
/// Returns the path, unescaped and without the query.
const char *cjose_serve_request_path(const cjose_serve_request *request);
/// Returns the path and the query as they were sent.
const char *cjose_serve_request_target(const cjose_serve_request *request);
/// Returns the first field of the name; null where there is none.
const char *_Nullable cjose_serve_request_field(const cjose_serve_request *request, const char *name);
/// Returns the number of fields of the name.
size_t cjose_serve_request_field_count(const cjose_serve_request *request, const char *name);
/// Returns the body of the request.
const void *_Nullable cjose_serve_request_body(const cjose_serve_request *request, size_t *n);
/// Returns the certificate of the client as DER, where one of `client_authorities` issued it for a client and it is valid now;
/// null otherwise.
const void *_Nullable cjose_serve_request_certificate(const cjose_serve_request *request, size_t *n);

/// Copies the body of the response. It is called once, before the fields. Returns 1 for success.
int cjose_serve_reply_body(cjose_serve_reply *reply, unsigned status, const void *_Nullable body, size_t n)
    __attribute__((warn_unused_result));
/// Adds a field, and copies both texts. Returns 1 for success.
int cjose_serve_reply_field(cjose_serve_reply *reply, const char *name, const char *value)
    __attribute__((warn_unused_result));

/// Returns the version of the loaded libmicrohttpd, such as 0.9.75; the text is static.
const char *cjose_serve_version(void);
/// Returns the version of the loaded GnuTLS; the text is static.
const char *cjose_serve_tls_version(void);

#pragma clang assume_nonnull end
#endif
