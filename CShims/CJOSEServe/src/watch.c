#ifdef CJOSE_SERVER
#define _GNU_SOURCE
#include "watch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#ifndef MSG_NOSIGNAL
// libmicrohttpd has set SO_NOSIGPIPE where this flag does not exist.
#define MSG_NOSIGNAL 0
#endif

#define RECORD(link, member) ((cjose_serve_record *)(void *)((char *)(link) - offsetof(cjose_serve_record, member)))

static void make_empty(cjose_serve_link *head) { head->before = head->after = head; }

static void append(cjose_serve_link *head, cjose_serve_link *link) {
    link->before = head->before;
    link->after = head;
    head->before->after = link;
    head->before = link;
}

static void unlink_from_list(cjose_serve_link *link) {
    link->before->after = link->after;
    link->after->before = link->before;
    make_empty(link);
}

static int is_waiting(cjose_serve_phase phase) {
    return phase == cjose_serve_phase_first || phase == cjose_serve_phase_next;
}

int64_t cjose_serve_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int cjose_serve_watch_begin(cjose_serve_watch *watch, const cjose_serve_limits *limits, int is_tls) {
    const int64_t idle = limits->idle_seconds, request = limits->request_seconds;
    memset(watch, 0, sizeof *watch);
    watch->is_tls = is_tls;
    watch->limits[cjose_serve_phase_first] = 1000 * request;
    // libmicrohttpd closes a connection that is silent for `idle` seconds. One that is open after both has begun a
    // request before `idle` was over.
    watch->limits[cjose_serve_phase_next] = 1000 * (idle + request);
    watch->limits[cjose_serve_phase_reply] = 1000 * request;
    for (size_t i = 0; i < cjose_serve_phases; i++) make_empty(&watch->due[i]);
    for (size_t i = 0; i < cjose_serve_peers; i++) make_empty(&watch->peers[i].waiting);
    return pthread_mutex_init(&watch->lock, NULL) == 0;
}

void cjose_serve_watch_end(cjose_serve_watch *watch) { pthread_mutex_destroy(&watch->lock); }

static unsigned peer_of(int fd) {
#ifdef __linux__
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 || peer.pid <= 0) return 0;
    return (uint32_t)peer.pid * UINT32_C(2654435761) >> 24;
#else
    (void)fd;
    return 0;
#endif
}

/// Changes the phase. The lock is held.
static void change(cjose_serve_watch *watch, cjose_serve_record *record, cjose_serve_phase phase) {
    const int waited = is_waiting(record->phase), waits = is_waiting(phase);
    if (record->phase != cjose_serve_phase_none) unlink_from_list(&record->due);
    if (waited) {
        unlink_from_list(&record->share);
        watch->peers[record->peer].count--;
    }
    record->phase = phase;
    if (phase == cjose_serve_phase_none) return;
    record->since = cjose_serve_now();
    append(&watch->due[phase], &record->due);
    if (waits) {
        append(&watch->peers[record->peer].waiting, &record->share);
        watch->peers[record->peer].count++;
    }
}

cjose_serve_record *cjose_serve_watch_add(cjose_serve_watch *watch, int fd) {
    cjose_serve_record *record = calloc(1, sizeof *record);
    if (!record) return NULL;
    record->fd = fd;
    record->peer = peer_of(fd);
    record->phase = cjose_serve_phase_none;
    make_empty(&record->due);
    make_empty(&record->share);
    cjose_serve_watch_enter(watch, record, cjose_serve_phase_first);
    return record;
}

void cjose_serve_watch_enter(cjose_serve_watch *watch, cjose_serve_record *record, cjose_serve_phase phase) {
    if (!record) return;
    pthread_mutex_lock(&watch->lock);
    change(watch, record, phase);
    pthread_mutex_unlock(&watch->lock);
}

void cjose_serve_watch_remove(cjose_serve_watch *watch, cjose_serve_record *record) {
    if (!record) return;
    cjose_serve_watch_enter(watch, record, cjose_serve_phase_none);
    free(record);
}

/// Ends a connection. libmicrohttpd finds the end of the stream, and closes it. The lock is held, so that the
/// descriptor is this one's still.
static void end(cjose_serve_watch *watch, cjose_serve_record *record) {
    change(watch, record, cjose_serve_phase_none);
    shutdown(record->fd, SHUT_RDWR);
}

int64_t cjose_serve_watch_expire(cjose_serve_watch *watch, int64_t now) {
    static const char late[] = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    int64_t next = INT64_MAX;
    pthread_mutex_lock(&watch->lock);
    for (size_t i = 0; i < cjose_serve_phases; i++) {
        cjose_serve_link *head = &watch->due[i];
        while (head->after != head) {
            cjose_serve_record *record = RECORD(head->after, due);
            const int64_t until = record->since + watch->limits[i];
            if (until > now) {
                if (until < next) next = until;
                break;
            }
            // No response has begun while a request arrives (RFC 9110, 15.5.9).
            if (is_waiting(record->phase) && !watch->is_tls)
                (void)!send(record->fd, late, sizeof late - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            watch->slow++;
            end(watch, record);
        }
    }
    pthread_mutex_unlock(&watch->lock);
    return next;
}

int64_t cjose_serve_watch_displace(cjose_serve_watch *watch, int64_t now, int64_t min_wait) {
    int64_t at = INT64_MAX;
    pthread_mutex_lock(&watch->lock);
    size_t busiest = 0;
    for (size_t i = 1; i < cjose_serve_peers; i++) {
        if (watch->peers[i].count > watch->peers[busiest].count) busiest = i;
    }
    cjose_serve_link *head = &watch->peers[busiest].waiting;
    if (head->after != head) {
        cjose_serve_record *record = RECORD(head->after, share);
        at = record->since + min_wait;
        if (at <= now) {
            watch->displaced++;
            end(watch, record);
            at = 0;
        }
    }
    pthread_mutex_unlock(&watch->lock);
    return at;
}
#endif
