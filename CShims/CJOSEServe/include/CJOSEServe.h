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
/// Handles a request, on a thread of the server. A request whose end or host is ambiguous gets a 400 without it (RFC 9112, 3.2 and 6.3). Without a call of `cjose_serve_reply_body` the client gets a 500.
typedef void (*cjose_serve_handler)(
    void *_Nullable context, const cjose_serve_request *request, cjose_serve_reply *reply);

/// The limits of a server. A caller sets some members of a struct of zeros, and the server keeps a copy.
typedef struct cjose_serve_limits {
    /// The largest number of bytes of a request body; a request that sends more gets a 413. 0: nothing is kept, and any
    /// amount is read and dropped.
    size_t body;
    /// The largest number of bytes of the request line and the fields of a request, at least 4096, where each field,
    /// cookie and argument counts for 64 more, and the field Cookie twice; a request that sends more gets a 431, or an
    /// error from libmicrohttpd if it is longer than this and the response together. 0: as libmicrohttpd limits it.
    size_t head;
    /// The largest number of bytes of the status line and the fields of a response, where `head` is not 0.
    size_t reply;
    /// The largest number of connections at a time. Where all of a loop are taken and another client waits, the
    /// connection that waits longest for a request is closed, among those of the process that has most of them. The
    /// processes at the other ends are known for Unix sockets on Linux; elsewhere all clients count as one.
    unsigned connections;
    /// The number of seconds after which a silent connection is closed.
    unsigned idle_seconds;
    /// The number of seconds in which a request must arrive, from the connection or, after another request, from
    /// `idle_seconds` at the latest, and in which the client must take the response.
    unsigned request_seconds;
} cjose_serve_limits;

typedef struct cjose_serve_options {
    /// The port; 0: any that is free.
    uint16_t port;
    /// A certificate and its key as PEM, copied; both or none. With them the server speaks https only.
    const char *_Nullable certificate, *_Nullable key;
    /// Certificates of authorities as PEM, copied. With them a client is asked for a certificate; one without is served all the
    /// same.
    const char *_Nullable client_authorities;
    cjose_serve_limits limits;
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
/// Returns the TLS session (`gnutls_session_t`) of the connection, valid like the texts; null for http.
void *_Nullable cjose_serve_request_session(const cjose_serve_request *request);

/// Copies the body of the response. It is called once, before the fields. Returns 1 for success.
int cjose_serve_reply_body(cjose_serve_reply *reply, unsigned status, const void *_Nullable body, size_t n)
    __attribute__((warn_unused_result));
/// Adds a field, and copies both texts. Returns 1 for success.
int cjose_serve_reply_field(cjose_serve_reply *reply, const char *name, const char *value)
    __attribute__((warn_unused_result));

/// An event loop of a server of small responses: it has a listening socket, epoll and no thread of its own. Several loops may share
/// one socket. A loop is used by one thread, except for the calls that say otherwise.
typedef struct cjose_serve_loop cjose_serve_loop;

/// Creates a loop of a listening socket, which it duplicates; the caller keeps the original. The caller owns the result
/// and frees it with `cjose_serve_loop_free`; null: `errno` has the reason. `context` must live until then. Within
/// `handler`, `cjose_serve_request_suspend` may be called in place of a response.
cjose_serve_loop *_Nullable cjose_serve_loop_create(
    int socket, const cjose_serve_limits *limits, cjose_serve_handler handler, void *_Nullable context)
    __attribute__((warn_unused_result));
/// Waits until there is something to handle, `cjose_serve_loop_wake` was called or the time has passed.
void cjose_serve_loop_wait(cjose_serve_loop *loop, int milliseconds);
/// Handles what has arrived, without waiting, and sends the responses of requests that were resumed.
void cjose_serve_loop_turn(cjose_serve_loop *loop);
/// Ends a wait of the loop, or its next one. Any thread may call it.
void cjose_serve_loop_wake(cjose_serve_loop *loop);
/// Accepts no further connection, and closes each connection after its next response.
void cjose_serve_loop_drain(cjose_serve_loop *loop);
/// Returns the number of open connections.
unsigned cjose_serve_loop_connections(const cjose_serve_loop *loop);
/// Returns the number of connections that were closed because a request or its response took too long. Any thread may call it.
uint64_t cjose_serve_loop_slow(cjose_serve_loop *loop);
/// Returns the number of connections that were closed because all were taken and another client waited. Any thread may call it.
uint64_t cjose_serve_loop_displaced(cjose_serve_loop *loop);
/// Closes all connections. No request may be suspended.
void cjose_serve_loop_free(cjose_serve_loop *loop);

/// Suspends the request during a call of the handler, which then returns without a response. The request and its texts stay valid
/// until `cjose_serve_request_resume`.
void cjose_serve_request_suspend(cjose_serve_request *request);
/// Returns the response of a suspended request, to be filled by the thread that resumes it.
cjose_serve_reply *cjose_serve_request_reply(cjose_serve_request *request);
/// Lets the loop send the response of a suspended request, and wakes it. Any thread may call it, once. The request is not valid afterwards.
void cjose_serve_request_resume(cjose_serve_request *request);

/// Returns the first field of the name, and counts all; null where there is none.
const char *_Nullable cjose_serve_request_only_field(
    const cjose_serve_request *request, const char *name, size_t *n, size_t *count);
/// Adds `count` fields, whose names and values follow each other in two texts, each with a NUL at its end. An empty value is sent as
/// white space, which is not part of a value (RFC 9110, 5.5). Returns 1 for success.
int cjose_serve_reply_fields(cjose_serve_reply *reply, size_t count, const char *names, const char *values)
    __attribute__((warn_unused_result));

/// Removes the response, so that the client gets a 500.
void cjose_serve_reply_drop(cjose_serve_reply *reply);

/// Listens on a loopback address. Returns the socket, or -1: `errno` has the reason.
///
/// `address` is IPv4 or IPv6 in text form. `port` is the port, 0 for any that is free, and receives the one that was bound.
int cjose_serve_listen_loopback(const char *address, uint16_t *port) __attribute__((warn_unused_result));
/// Listens on a Unix domain socket, in place of one that nobody listens on any more. Returns the socket, or -1: `errno` has the
/// reason.
int cjose_serve_listen_unix(const char *path, unsigned mode) __attribute__((warn_unused_result));
/// Returns the number of sockets that the service manager passed to this process (sd_listen_fds(3)), and removes the variables. The
/// first is descriptor 3.
int cjose_serve_passed_sockets(void);

/// Ends the listening of a socket: later connections are refused. The descriptor stays open.
void cjose_serve_stop_listening(int socket);
/// Lowers the priority of the calling thread, so that the threads of the loops run first.
void cjose_serve_lower_priority(void);

/// Returns the version of the loaded libmicrohttpd, such as 0.9.75; the text is static.
const char *cjose_serve_version(void);

#pragma clang assume_nonnull end
#endif
