#ifndef CJOSE_SERVE_WATCH_H
#define CJOSE_SERVE_WATCH_H
#include "CJOSEServe.h"

#include <pthread.h>

/// An element of a circular list, whose head is one more element.
typedef struct cjose_serve_link {
    struct cjose_serve_link *before, *after;
} cjose_serve_link;

/// The step of a connection. libmicrohttpd limits the time without any byte alone, so that a client that sends or takes
/// one byte now and then would hold its connection for ever.
typedef enum cjose_serve_phase {
    /// The first request of the connection arrives.
    cjose_serve_phase_first,
    /// The next request arrives, or the connection is idle.
    cjose_serve_phase_next,
    /// The client takes the response.
    cjose_serve_phase_reply,
    /// The server works on the request, which has no time limit here, or closes the connection.
    cjose_serve_phase_none,
} cjose_serve_phase;

enum { cjose_serve_phases = 3, cjose_serve_peers = 256 };

/// The record of one connection.
typedef struct cjose_serve_record {
    int fd;
    cjose_serve_phase phase;
    /// The number of the process at the other end of a Unix socket, reduced to an index; 0 for TCP.
    unsigned peer;
    /// The time at which the phase began, in milliseconds.
    int64_t since;
    /// The position among the connections of its phase, in the order of `since`.
    cjose_serve_link due;
    /// The position among the connections of its peer that wait for a request, in the order of `since`.
    cjose_serve_link share;
} cjose_serve_record;

/// The time limits of the connections of one server.
typedef struct cjose_serve_watch {
    pthread_mutex_t lock;
    /// The milliseconds that a phase may take.
    int64_t limits[cjose_serve_phases];
    cjose_serve_link due[cjose_serve_phases];
    struct {
        cjose_serve_link waiting;
        unsigned count;
    } peers[cjose_serve_peers];
    /// Whether the server speaks TLS, so that it can send nothing beside libmicrohttpd.
    int is_tls;
    /// The numbers of connections that were closed because they were slow, and because all connections were taken.
    uint64_t slow, displaced;
} cjose_serve_watch;

/// The time in milliseconds, by a clock that does not jump.
int64_t cjose_serve_now(void);
/// Prepares the time limits. Returns 1 for success.
int cjose_serve_watch_begin(cjose_serve_watch *watch, const cjose_serve_limits *limits, int is_tls);
void cjose_serve_watch_end(cjose_serve_watch *watch);
/// Keeps a record of a connection; null where memory runs out.
cjose_serve_record *cjose_serve_watch_add(cjose_serve_watch *watch, int fd);
void cjose_serve_watch_remove(cjose_serve_watch *watch, cjose_serve_record *record);
/// Begins a phase of a connection.
void cjose_serve_watch_enter(cjose_serve_watch *watch, cjose_serve_record *record, cjose_serve_phase phase);
/// Closes the connections whose phase takes too long. Returns the time at which the next one will, or INT64_MAX.
int64_t cjose_serve_watch_expire(cjose_serve_watch *watch, int64_t now);
/// Closes the connection that waits longest for a request, among those of the peer that has most of them, if it has
/// waited for `min_wait` milliseconds. Returns 0 if it did, otherwise the time at which it would, or INT64_MAX.
int64_t cjose_serve_watch_displace(cjose_serve_watch *watch, int64_t now, int64_t min_wait);
#endif
