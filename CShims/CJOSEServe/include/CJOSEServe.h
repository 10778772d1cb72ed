#ifndef CJOSE_SERVE_H
#define CJOSE_SERVE_H
#include <stddef.h>
#include <stdint.h>
#pragma clang assume_nonnull begin

/// A server of short texts on 127.0.0.1, through libmicrohttpd, with a thread of its own.
typedef struct cjose_serve cjose_serve;
/// One answer, for the length of a call of the handler.
typedef struct cjose_serve_reply cjose_serve_reply;
/// Asked for each GET and HEAD, on the server's thread; the texts are lent. Without a call of `cjose_serve_reply_body` the client
/// gets a 500.
typedef void (*cjose_serve_handler)(
    void *_Nullable context, const char *path, const char *_Nullable if_none_match, cjose_serve_reply *reply);

/// Port 0: any that is free. The caller owns the result and ends it with `cjose_serve_stop`; null: `errno` says why. `context` must
/// live until then.
cjose_serve *_Nullable cjose_serve_start(uint16_t port, cjose_serve_handler handler, void *_Nullable context)
    __attribute__((warn_unused_result));
/// The port that it listens on.
uint16_t cjose_serve_port(const cjose_serve *server);
/// Comes back when no handler runs any more and all connections are closed.
void cjose_serve_stop(cjose_serve *server);

/// Copies the body. Once an answer; the fields follow. 1: it worked.
int cjose_serve_reply_body(cjose_serve_reply *reply, unsigned status, const void *_Nullable body, size_t n)
    __attribute__((warn_unused_result));
/// 1: it worked. Copies both texts.
int cjose_serve_reply_field(cjose_serve_reply *reply, const char *name, const char *value)
    __attribute__((warn_unused_result));

/// The version of the libmicrohttpd that was loaded, such as 0.9.75; for ever, and never freed.
const char *cjose_serve_version(void);

#pragma clang assume_nonnull end
#endif
