#ifndef CJOSE_SERVE_INTERNAL_H
#define CJOSE_SERVE_INTERNAL_H
#include "watch.h"

#include <microhttpd.h>
#include <stdarg.h>

struct cjose_serve {
    struct MHD_Daemon *daemon;
    cjose_serve_handler handler;
    void *context;
    cjose_serve_limits limits;
    uint16_t port;
    /// Whether each connection is closed after its next response.
    int is_draining;
    /// The time limits of its connections.
    cjose_serve_watch watch;
    /// The loop that the server is part of; null for a server with threads of its own.
    struct cjose_serve_loop *loop;
    /// The thread that closes slow connections of a server with threads of its own, and the pipe that ends it.
    pthread_t watcher;
    int end[2];
};

struct cjose_serve_reply {
    struct MHD_Response *response;
    unsigned status;
};

struct cjose_serve_request {
    struct MHD_Connection *connection;
    cjose_serve *server;
    /// The record of its connection; null where memory ran out.
    cjose_serve_record *record;
    const char *method;
    const char *path;
    char *target;
    unsigned char *body;
    size_t body_len;
    int has_headers;
    int is_too_large;
    int is_head_too_large;
    /// Whether the handler has suspended the request, which is resumed with `reply`.
    int is_suspended;
    cjose_serve_reply reply;
};

/// Starts libmicrohttpd on a listening socket, with the limits of the server, more flags and options for TLS. Returns 1
/// for success. Otherwise `errno` has the reason, and the socket is open.
int cjose_serve_begin(cjose_serve *server, unsigned flags, int socket, const struct MHD_OptionItem *tls);
/// Keeps the record of a connection. This and the next three are callbacks of MHD, whose context is a `cjose_serve`.
void cjose_serve_connected(
    void *context, struct MHD_Connection *connection, void **record, enum MHD_ConnectionNotificationCode what);
/// Creates a request with its target.
void *cjose_serve_request_begin(void *context, const char *target, struct MHD_Connection *connection);
void cjose_serve_request_end(
    void *context, struct MHD_Connection *connection, void **seen, enum MHD_RequestTerminationCode why);
/// Handles what has arrived of a request.
enum MHD_Result cjose_serve_answer(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *upload, size_t *upload_size, void **seen);
/// The number of bytes that the head of a request takes of the memory of its connection: MHD keeps a record of each
/// field, cookie and argument, and a copy of the field Cookie.
size_t cjose_serve_request_head(const cjose_serve_request *request);
/// Whether all programs find the end of the request in the same place, and its host (RFC 9112, 3.2 and 6.3).
int cjose_serve_request_is_framed(const cjose_serve_request *request, const char *version);
/// Drops messages of MHD, which would write them to standard error, where a browser's failed handshake is of no
/// interest.
void cjose_serve_be_quiet(void *context, const char *format, va_list arguments);
/// Adds bytes of the body. 0 where memory runs out.
int cjose_serve_request_add(cjose_serve_request *request, const char *bytes, size_t n, size_t limit);
#endif
