#ifdef CJOSE_REDIS
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"

/// Connects to the next address. False where none is left, or no time. Each address gets an equal part of the time that is left.
static bool connect_next(redis_connection *connection) {
    while (connection->next_address < connection->addresses.count) {
        int64_t now = redis_clock_ms();
        int64_t left = connection->deadline - now;
        if (left <= 0) return false;
        connection->address_deadline = now + left / (connection->addresses.count - connection->next_address);
        const redis_address *address = &connection->addresses.list[connection->next_address++];
        const struct sockaddr *to = (const struct sockaddr *)&address->to;
        int fd = socket(to->sa_family, SOCK_STREAM, 0);
        if (fd >= 0) {
            int on = 1;
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
                if (connect(fd, to, address->count) == 0 || errno == EINPROGRESS) {
                    connection->fd = fd;
                    connection->state = redis_state_connecting;
                    return true;
                }
            }
            close(fd);
        }
        redis_address_failed(connection);
    }
    return false;
}

void redis_connection_give_up(redis_connection *connection, cjose_redis_status status) {
    // Of several addresses the one that came nearest to a reply is the most informative.
    if (connection->state > connection->reached) {
        connection->reached = connection->state;
        connection->fault = status;
    }
    redis_address_failed(connection);
    redis_connection_close(connection);
    // The commands so far are greetings: others are added to a connection that is ready.
    redis_command *command = connection->first;
    connection->first = connection->unsent = NULL;
    connection->last = &connection->first;
    connection->commands = 0;
    while (command != NULL) {
        redis_command *next = command->next;
        redis_command_free(command);
        command = next;
    }
    if (!connect_next(connection)) redis_connection_drop(connection, connection->fault);
}

/// Formats a command of the connection itself. False where memory runs out.
static bool add_own(redis_connection *connection, redis_kind kind, int count, const char **words, const size_t *lengths) {
    redis_command *command = redis_command_new(kind, count, words, lengths);
    if (command == NULL) return false;
    redis_connection_add(connection, command);
    return true;
}

/// Adds the commands that read how the server keeps what it confirms.
static bool add_questions(redis_connection *connection) {
    const char *memory[] = {"INFO", "memory"};
    const char *persistence[] = {"INFO", "persistence"};
    size_t memory_lengths[] = {4, 6}, persistence_lengths[] = {4, 11};
    return add_own(connection, redis_kind_memory, 2, memory, memory_lengths)
        && add_own(connection, redis_kind_persistence, 2, persistence, persistence_lengths);
}

/// Adds the credentials, the database, what the server must be, and a ping.
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
        if (!add_own(connection, redis_kind_greeting, count, words, lengths)) return false;
    }
    if (pool->numbers[cjose_redis_number_database] > 0) {
        char number[24];
        int n = snprintf(number, sizeof number, "%lld", (long long)pool->numbers[cjose_redis_number_database]);
        const char *words[2] = {"SELECT", number};
        size_t lengths[2] = {6, (size_t)n};
        if (!add_own(connection, redis_kind_greeting, 2, words, lengths)) return false;
    }
    if (pool->numbers[cjose_redis_number_durable] > 0 && !add_questions(connection)) return false;
    const char *words[1] = {"PING"};
    size_t lengths[1] = {4};
    return add_own(connection, redis_kind_ping, 1, words, lengths);
}

void redis_connection_open(redis_connection *connection) {
    connection->deadline = redis_clock_ms() + connection->pool->numbers[cjose_redis_number_connect_ms];
    connection->state = connection->reached = redis_state_lookup;
    connection->fault = cjose_redis_status_connect;
    connection->next_address = connection->addresses.count = 0;
    if (!redis_lookup_begin(connection)) {
        redis_connection_drop(connection, cjose_redis_status_backend);
    } else {
        redis_connection_step(connection);
    }
}

bool redis_connection_advance(redis_connection *connection) {
    cjose_redis_status status = cjose_redis_status_backend;
    switch (connection->state) {
    case redis_state_lookup:
        if (!redis_lookup_ended(connection)) return false;
        redis_addresses_sort(connection);
        if (connect_next(connection)) return false;
        redis_connection_drop(
            connection, connection->addresses.count == 0 ? cjose_redis_status_name : cjose_redis_status_connect);
        return false;
    case redis_state_connecting: {
        struct pollfd writable = {.fd = connection->fd, .events = POLLOUT};
        if (poll(&writable, 1, 0) <= 0) return false;
        int fault = 0;
        socklen_t n = sizeof fault;
        if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &fault, &n) != 0 || fault != 0) {
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
    redis_connection_give_up(connection, status);
    return false;
}
#endif
