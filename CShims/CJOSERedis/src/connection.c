#ifdef CJOSE_REDIS
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CJOSEBytes.h"
#include "internal.h"

void redis_connection_add(redis_connection *connection, redis_command *command) {
    command->next = NULL;
    command->sent = 0;
    *connection->last = command;
    connection->last = &command->next;
    connection->commands++;
    if (connection->unsent == NULL) connection->unsent = command;
}

static void close_socket(redis_connection *connection) {
    SSL_free(connection->ssl);
    connection->ssl = NULL;
    connection->wants_write = false;
    if (connection->fd >= 0) close(connection->fd);
    connection->fd = -1;
}

/// Whether there was one left to try.
static bool connect_next(redis_connection *connection) {
    close_socket(connection);
    while (connection->address != NULL) {
        struct addrinfo *to = connection->address;
        connection->address = to->ai_next;
        int fd = socket(to->ai_family, to->ai_socktype, to->ai_protocol);
        if (fd < 0) continue;
        int on = 1;
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
            if (connect(fd, to->ai_addr, to->ai_addrlen) == 0 || errno == EINPROGRESS) {
                connection->fd = fd;
                connection->state = redis_state_connecting;
                return true;
            }
        }
        close(fd);
    }
    return false;
}

/// Who we are, which database, and whether anyone is there.
static bool greet(redis_connection *connection) {
    const cjose_redis *pool = connection->pool;
    connection->state = redis_state_greeting;
    if (!redis_reader_open(connection)) return false;
    if (redis_has(pool, cjose_redis_text_password)) {
        const char *words[3] = {"AUTH"};
        size_t lengths[3] = {4};
        int count = 1;
        for (cjose_redis_text which = cjose_redis_text_username; which <= cjose_redis_text_password; which++) {
            if (!redis_has(pool, which)) continue;
            words[count] = pool->texts[which];
            lengths[count++] = pool->lengths[which];
        }
        redis_command *command = redis_command_new(redis_kind_greeting, count, words, lengths);
        if (command == NULL) return false;
        redis_connection_add(connection, command);
    }
    if (pool->numbers[cjose_redis_number_database] > 0) {
        char number[24];
        int n = snprintf(number, sizeof number, "%lld", (long long)pool->numbers[cjose_redis_number_database]);
        const char *words[2] = {"SELECT", number};
        size_t lengths[2] = {6, (size_t)n};
        redis_command *command = redis_command_new(redis_kind_greeting, 2, words, lengths);
        if (command == NULL) return false;
        redis_connection_add(connection, command);
    }
    const char *words[1] = {"PING"};
    size_t lengths[1] = {4};
    redis_command *ping = redis_command_new(redis_kind_ping, 1, words, lengths);
    if (ping == NULL) return false;
    redis_connection_add(connection, ping);
    return true;
}

/// Fills the room to write from, and writes, until there is nothing or no room.
static cjose_redis_status flush(redis_connection *connection) {
    while (true) {
        if (connection->out_sent == connection->out_count) {
            cjose_wipe(connection->out, connection->out_count);
            connection->out_sent = connection->out_count = 0;
        }
        redis_command *command;
        while ((command = connection->unsent) != NULL && connection->out_count < sizeof connection->out) {
            size_t room = sizeof connection->out - connection->out_count;
            size_t rest = command->count - command->sent;
            size_t n = rest < room ? rest : room;
            memcpy(connection->out + connection->out_count, command->bytes + command->sent, n);
            connection->out_count += n;
            command->sent += n;
            if (n == rest) connection->unsent = command->next;
        }
        if (connection->out_sent == connection->out_count) return cjose_redis_status_ok;
        cjose_redis_status status;
        ssize_t n = redis_write(
            connection, connection->out + connection->out_sent, connection->out_count - connection->out_sent, &status);
        if (n < 0) return status;
        if (n == 0) return cjose_redis_status_ok;
        connection->out_sent += (size_t)n;
    }
}

static cjose_redis_status receive(redis_connection *connection) {
    char chunk[REDIS_CHUNK];
    cjose_redis_status status = cjose_redis_status_ok;
    ssize_t n = 0;
    while (status == cjose_redis_status_ok && (n = redis_read(connection, chunk, sizeof chunk, &status)) > 0) {
        status = redis_reader_feed(connection, chunk, (size_t)n);
        cjose_wipe(chunk, (size_t)n);
    }
    return n == 0 ? cjose_redis_status_ok : status;
}

void redis_connection_open(redis_connection *connection) {
    connection->deadline = redis_clock_ms() + connection->pool->numbers[cjose_redis_number_connect_ms];
    connection->state = redis_state_lookup;
    if (!redis_lookup_begin(connection)) {
        redis_connection_drop(connection, cjose_redis_status_backend);
    } else {
        redis_connection_step(connection);
    }
}

/// Whether the state before `greeting` is over, so that there is more to do.
static bool advance(redis_connection *connection) {
    cjose_redis_status status = cjose_redis_status_backend;
    switch (connection->state) {
    case redis_state_lookup:
        if (!redis_lookup_ended(connection)) return false;
        connection->address = connection->addresses;
        if (connect_next(connection)) return false;
        status = connection->addresses == NULL ? cjose_redis_status_name : cjose_redis_status_connect;
        break;
    case redis_state_connecting: {
        struct pollfd writable = {.fd = connection->fd, .events = POLLOUT};
        if (poll(&writable, 1, 0) <= 0) return false;
        int fault = 0;
        socklen_t n = sizeof fault;
        if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &fault, &n) != 0 || fault != 0) {
            if (connect_next(connection)) return false;
            status = cjose_redis_status_connect;
            break;
        }
        if (connection->pool->tls == NULL) {
            if (greet(connection)) return true;
            break;
        }
        connection->state = redis_state_handshake;
        if (redis_tls_begin(connection)) return true;
        break;
    }
    case redis_state_handshake: {
        int result = redis_tls_handshake(connection, &status);
        if (result == 0) return false;
        if (result > 0) {
            if (greet(connection)) return true;
            status = cjose_redis_status_backend;
        }
        break;
    }
    case redis_state_down:
    case redis_state_greeting:
    case redis_state_ready: return false;
    }
    redis_connection_drop(connection, status);
    return false;
}

void redis_connection_step(redis_connection *connection) {
    while (connection->state < redis_state_greeting && advance(connection)) {}
    if (connection->state < redis_state_greeting) return;
    cjose_redis_status status = receive(connection);
    if (status == cjose_redis_status_ok) status = flush(connection);
    if (status != cjose_redis_status_ok) redis_connection_drop(connection, status);
}

/// The commands that were not begun to be sent, first in the queue again.
static void give_back(redis_connection *connection) {
    redis_command **at = &connection->first;
    while (*at != NULL && (*at)->sent > 0) at = &(*at)->next;
    redis_command *rest = *at;
    *at = NULL;
    connection->last = at;
    while (rest != NULL && rest->done == NULL) {
        redis_command *next = rest->next;
        redis_command_free(rest);
        rest = next;
    }
    if (rest == NULL) return;
    cjose_redis *pool = connection->pool;
    redis_command *end = rest;
    int64_t count = 1;
    for (; end->next != NULL; end = end->next) count++;
    pthread_mutex_lock(&pool->lock);
    end->next = pool->waiting;
    if (pool->waiting == NULL) pool->waiting_end = &end->next;
    pool->waiting = rest;
    pool->waiting_count += count;
    pthread_mutex_unlock(&pool->lock);
}

static void back_off(cjose_redis *pool, cjose_redis_status status) {
    int64_t most = pool->numbers[cjose_redis_number_retry_most_ms];
    int64_t wait = pool->numbers[cjose_redis_number_retry_ms];
    for (int64_t i = 0; i < pool->failures && wait < most; i++) wait *= 2;
    if (wait > most) wait = most;
    // Machines that lost the same server do not come back to it at the same time.
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    wait -= wait * (now.tv_nsec / 1000 % 256) / 1024;
    pool->failures++;
    pool->retry_at = redis_clock_ms() + wait;
    pthread_mutex_lock(&pool->lock);
    bool fails = pool->health.connections == 0;
    redis_command *waiting = fails ? pool->waiting : NULL;
    if (fails) {
        pool->waiting = NULL;
        pool->waiting_end = &pool->waiting;
        pool->waiting_count = 0;
    }
    pthread_mutex_unlock(&pool->lock);
    while (waiting != NULL) {
        redis_command *next = waiting->next;
        redis_fail(pool, waiting, status);
        waiting = next;
    }
}

void redis_connection_drop(redis_connection *connection, cjose_redis_status status) {
    cjose_redis *pool = connection->pool;
    redis_state state = connection->state;
    close_socket(connection);
    redis_lookup_forget(connection);
    if (connection->addresses != NULL) freeaddrinfo(connection->addresses);
    connection->addresses = connection->address = NULL;
    redis_reader_close(connection);
    cjose_wipe(connection->out, sizeof connection->out);
    connection->out_count = connection->out_sent = 0;
    connection->state = redis_state_down;
    give_back(connection);
    redis_command *command = connection->first;
    connection->first = connection->unsent = NULL;
    connection->last = &connection->first;
    connection->commands = 0;
    pthread_mutex_lock(&pool->lock);
    if (state == redis_state_ready) pool->health.connections--;
    // One that was idle is closed by any server after a while.
    if (state != redis_state_ready || command != NULL) pool->health.fault = status;
    pthread_mutex_unlock(&pool->lock);
    while (command != NULL) {
        redis_command *next = command->next;
        redis_fail(pool, command, status);
        command = next;
    }
    if (state != redis_state_down && state != redis_state_ready) back_off(pool, status);
}

short redis_connection_events(const redis_connection *connection) {
    switch (connection->state) {
    case redis_state_down:
    case redis_state_lookup: return 0;
    case redis_state_connecting: return POLLOUT;
    case redis_state_handshake: return connection->wants_write ? POLLOUT : POLLIN;
    case redis_state_greeting:
    case redis_state_ready: break;
    }
    bool writes = connection->out_sent < connection->out_count || connection->wants_write;
    return (short)(POLLIN | (writes ? POLLOUT : 0));
}

int64_t redis_connection_deadline(const redis_connection *connection) {
    if (connection->state == redis_state_down) return INT64_MAX;
    if (connection->state != redis_state_ready) return connection->deadline;
    return connection->first == NULL ? INT64_MAX : connection->first->deadline;
}
#endif
