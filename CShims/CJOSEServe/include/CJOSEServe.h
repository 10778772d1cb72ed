#ifndef CJOSE_SERVE_H
#define CJOSE_SERVE_H
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// A server of small answers on 127.0.0.1, through libmicrohttpd, with threads of its own.
typedef struct cjose_serve cjose_serve;
/// One request, for the length of a call of the handler; so are the texts that the calls below lend.
typedef struct cjose_serve_request cjose_serve_request;
/// One answer, for the length of a call of the handler.
typedef struct cjose_serve_reply cjose_serve_reply;
/// Asked for each request, on a thread of the server's. Without a call of `cjose_serve_reply_body` the client gets a 500.
typedef void (*cjose_serve_handler)(
    void *_Nullable context, const cjose_serve_request *request, cjose_serve_reply *reply);

typedef struct cjose_serve_options {
    /// 0: any that is free.
    uint16_t port;
    /// PEM, copied; both or none. With them it speaks https alone.
    const char *_Nullable certificate, *_Nullable key;
    /// PEM of authorities, copied; with them a client is asked for a certificate, and one without is served all the same.
    const char *_Nullable client_authorities;
    /// What a request may send along; one that sends more gets a 413. 0: nothing is kept, and any amount is read away.
    size_t body_limit;
    /// Connections at a time. One that is silent for ten seconds is closed.
    unsigned connections;
    /// 1: each connection has a thread, so that a handler may wait; 0: one thread for all.
    int is_threaded;
} cjose_serve_options;

/// The caller owns the result and ends it with `cjose_serve_stop`; null: `errno` says why. `context` must live until then.
cjose_serve *_Nullable cjose_serve_start(
    const cjose_serve_options *options, cjose_serve_handler handler, void *_Nullable context)
    __attribute__((warn_unused_result));
/// The port that it listens on.
uint16_t cjose_serve_port(const cjose_serve *server);
/// Comes back when no handler runs any more and all connections are closed.
void cjose_serve_stop(cjose_serve *server);

/// In the letters in which it was sent.
const char *cjose_serve_request_method(const cjose_serve_request *request);
/// Without its escapes and its query.
const char *cjose_serve_request_path(const cjose_serve_request *request);
/// The path and the query as they were sent.
const char *cjose_serve_request_target(const cjose_serve_request *request);
/// The first field of the name; null: none.
const char *_Nullable cjose_serve_request_field(const cjose_serve_request *request, const char *name);
/// How many fields have the name.
size_t cjose_serve_request_field_count(const cjose_serve_request *request, const char *name);
/// What was sent along.
const void *_Nullable cjose_serve_request_body(const cjose_serve_request *request, size_t *n);
/// The certificate that the client has shown, DER, where one of `client_authorities` vouches for it as a client's, and now; null: none.
const void *_Nullable cjose_serve_request_certificate(const cjose_serve_request *request, size_t *n);

/// Copies the body. Once an answer; the fields follow. 1: it worked.
int cjose_serve_reply_body(cjose_serve_reply *reply, unsigned status, const void *_Nullable body, size_t n)
    __attribute__((warn_unused_result));
/// 1: it worked. Copies both texts.
int cjose_serve_reply_field(cjose_serve_reply *reply, const char *name, const char *value)
    __attribute__((warn_unused_result));

/// The version of the libmicrohttpd that was loaded, such as 0.9.75; for ever, and never freed.
const char *cjose_serve_version(void);
/// The same of the GnuTLS beneath it.
const char *cjose_serve_tls_version(void);

#pragma clang assume_nonnull end
#endif
