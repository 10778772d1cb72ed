#ifdef CJOSE_HTTP
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __APPLE__
#include <netinet/in.h>
#include <netinet/tcp.h>
#else
// This declares the counter that <netinet/tcp.h> of glibc lacks.
#include <linux/tcp.h>
#include <netinet/in.h>
#endif

#include "exchange.h"

/// A socket of a connection. libcurl counts the bytes of fields and bodies, but neither chunk extensions nor the padding and the frames
/// of HTTP/2, so that the system's counter is read.
struct fetch_socket {
    fetch_socket *next;
    int number;
    uint64_t id;
    /// The request that opened the connection.
    uint64_t opener;
    /// The largest number of bytes that may have been received so far.
    uint64_t allowed;
};

/// Returns the number of bytes that the socket has received; 0 where the system does not count them.
static uint64_t received(int number) {
#ifdef __APPLE__
    struct tcp_connection_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    return getsockopt(number, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &size) == 0 ? info.tcpi_rxbytes : 0;
#else
    struct tcp_info info;
    socklen_t size = sizeof info;
    memset(&info, 0, sizeof info);
    return getsockopt(number, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
#endif
}

/// Returns the number of bytes that a server may send for one response. Chunks of a few bytes and small TLS records need several times
/// the bytes that they contain; the handshake needs bytes of its own.
static uint64_t limit_of(const cjose_fetch_request *request) {
    uint64_t fields = (uint64_t)request->fetch->numbers[cjose_fetch_number_header_bytes];
    uint64_t body = (uint64_t)fetch_encoded_limit(request->body_limit);
    return 4 * (fields + body) + 256 * 1024;
}

bool fetch_traffic_open(cjose_fetch_request *request, int number) {
    cjose_fetch *fetch = request->fetch;
    fetch_socket *made = malloc(sizeof *made);
    if (made == NULL) return false;
    *made = (fetch_socket){
        .next = fetch->sockets,
        .number = number,
        .id = ++fetch->last_socket,
        .opener = request->id,
        .allowed = limit_of(request),
    };
    fetch->sockets = made;
    return true;
}

int fetch_traffic_close(void *context, curl_socket_t number) {
    cjose_fetch *fetch = context;
    for (fetch_socket **at = &fetch->sockets; *at != NULL; at = &(*at)->next) {
        if ((*at)->number != number) continue;
        fetch_socket *ended = *at;
        *at = ended->next;
        free(ended);
        break;
    }
    return close(number);
}

/// Whether the address has this port and this text.
static bool is_address(const struct sockaddr_storage *address, const char *text, int port) {
    unsigned char bytes[16];
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)address;
        return ntohs(in->sin_port) == port && inet_pton(AF_INET, text, bytes) == 1
            && memcmp(bytes, &in->sin_addr, 4) == 0;
    }
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)address;
    return address->ss_family == AF_INET6 && ntohs(in->sin6_port) == port && inet_pton(AF_INET6, text, bytes) == 1
        && memcmp(bytes, &in->sin6_addr, 16) == 0;
}

static bool connects(int number, const char *remote, int remote_port, const char *local, int local_port) {
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    memset(&own, 0, sizeof own);
    memset(&peer, 0, sizeof peer);
    return getsockname(number, (struct sockaddr *)&own, &own_size) == 0
        && getpeername(number, (struct sockaddr *)&peer, &peer_size) == 0 && is_address(&own, local, local_port)
        && is_address(&peer, remote, remote_port);
}

/// Whether the request goes over the socket, or opens it.
static bool is_user(const cjose_fetch_request *request, const fetch_socket *socket) {
    return request->socket == socket->id || (!request->connected && request->id == socket->opener);
}

/// Returns an active request that goes over the socket or opens it, other than `except`; null where there is none.
static cjose_fetch_request *user(cjose_fetch *fetch, const fetch_socket *socket, const cjose_fetch_request *except) {
    pthread_mutex_lock(&fetch->lock);
    cjose_fetch_request *request = fetch->active;
    while (request != NULL && (request == except || !is_user(request, socket))) request = request->next;
    pthread_mutex_unlock(&fetch->lock);
    return request;
}

bool fetch_traffic_use(
    cjose_fetch_request *request, const char *remote, int remote_port, const char *local, int local_port) {
    cjose_fetch *fetch = request->fetch;
    fetch_socket *socket = fetch->sockets;
    while (socket != NULL && !connects(socket->number, remote, remote_port, local, local_port)) socket = socket->next;
    if (socket == NULL) return false;
    request->socket = socket->id;
    // Requests at the same time share a connection of HTTP/2 and what it may bring.
    bool is_shared = user(fetch, socket, request) != NULL;
    socket->allowed = (is_shared ? socket->allowed : received(socket->number)) + limit_of(request);
    return true;
}

void fetch_traffic_cut(cjose_fetch *fetch) {
    for (fetch_socket *socket = fetch->sockets; socket != NULL; socket = socket->next) {
        if (user(fetch, socket, NULL) == NULL || received(socket->number) <= socket->allowed) continue;
        // Nothing that arrives from now on can be read.
        shutdown(socket->number, SHUT_RDWR);
        pthread_mutex_lock(&fetch->lock);
        for (cjose_fetch_request *request = fetch->active; request != NULL; request = request->next) {
            if (is_user(request, socket)) request->traffic_over = true;
        }
        pthread_mutex_unlock(&fetch->lock);
    }
}

void fetch_traffic_check(cjose_fetch *fetch) {
    fetch_traffic_cut(fetch);
    while (true) {
        pthread_mutex_lock(&fetch->lock);
        cjose_fetch_request *request = fetch->active;
        while (request != NULL && !request->traffic_over) request = request->next;
        pthread_mutex_unlock(&fetch->lock);
        if (request == NULL) return;
        fetch_finish(fetch, request, fetch_traffic_status(request));
    }
}

cjose_fetch_status fetch_traffic_status(const cjose_fetch_request *request) {
    return request->headers_ended ? cjose_fetch_status_body : cjose_fetch_status_headers;
}

void fetch_traffic_end(cjose_fetch *fetch) {
    while (fetch->sockets != NULL) {
        fetch_socket *next = fetch->sockets->next;
        free(fetch->sockets);
        fetch->sockets = next;
    }
}
#endif
