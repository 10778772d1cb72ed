#ifdef CJOSE_REDIS
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct redis_lookup {
    cjose_redis *pool;
    /// The following members are protected by the lock of `pool`.
    redis_addresses found;
    bool ended, forgotten;
};

static void add(const cjose_redis *pool, const char *host, int flags, redis_addresses *to) {
    char port[24];
    snprintf(port, sizeof port, "%lld", (long long)pool->numbers[cjose_redis_number_port]);
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) return;
    for (const struct addrinfo *one = found; one != NULL && to->count < REDIS_ADDRESSES; one = one->ai_next) {
        if (one->ai_addrlen > sizeof(struct sockaddr_storage)) continue;
        redis_address *address = &to->list[to->count++];
        memset(address, 0, sizeof *address);
        memcpy(&address->to, one->ai_addr, one->ai_addrlen);
        address->count = one->ai_addrlen;
    }
    freeaddrinfo(found);
}

static void look_up(const cjose_redis *pool, int flags, redis_addresses *to) {
    const char *at = pool->texts[cjose_redis_text_addresses];
    if (at == NULL) {
        add(pool, pool->texts[cjose_redis_text_host], flags, to);
        return;
    }
    while (*at != 0) {
        char host[64];
        size_t n = strcspn(at, ",");
        if (n < sizeof host) {
            memcpy(host, at, n);
            host[n] = 0;
            add(pool, host, AI_NUMERICHOST, to);
        }
        at += n + (at[n] == ',' ? 1 : 0);
    }
}

static void *run(void *context) {
    redis_lookup *lookup = context;
    cjose_redis *pool = lookup->pool;
    redis_addresses found = {.count = 0};
    look_up(pool, 0, &found);
    pthread_mutex_lock(&pool->lock);
    bool forgotten = lookup->forgotten;
    lookup->found = found;
    lookup->ended = true;
    pthread_mutex_unlock(&pool->lock);
    if (forgotten) {
        free(lookup);
    } else {
        redis_wake(pool);
    }
    cjose_threaded_release(&pool->threaded);
    return NULL;
}

bool redis_lookup_begin(redis_connection *connection) {
    cjose_redis *pool = connection->pool;
    connection->addresses.count = 0;
    look_up(pool, AI_NUMERICHOST, &connection->addresses);
    if (connection->addresses.count > 0) return true;
    redis_lookup *lookup = calloc(1, sizeof *lookup);
    if (lookup == NULL) return false;
    lookup->pool = pool;
    cjose_threaded_retain(&pool->threaded);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, lookup) != 0) {
        cjose_threaded_release(&pool->threaded);
        free(lookup);
        return false;
    }
    pthread_detach(thread);
    connection->lookup = lookup;
    return true;
}

bool redis_lookup_ended(redis_connection *connection) {
    redis_lookup *lookup = connection->lookup;
    if (lookup == NULL) return true;
    pthread_mutex_lock(&connection->pool->lock);
    bool ended = lookup->ended;
    pthread_mutex_unlock(&connection->pool->lock);
    if (!ended) return false;
    connection->addresses = lookup->found;
    connection->lookup = NULL;
    free(lookup);
    return true;
}

void redis_lookup_forget(redis_connection *connection) {
    redis_lookup *lookup = connection->lookup;
    if (lookup == NULL) return;
    connection->lookup = NULL;
    pthread_mutex_lock(&connection->pool->lock);
    bool ended = lookup->ended;
    lookup->forgotten = true;
    pthread_mutex_unlock(&connection->pool->lock);
    if (ended) free(lookup);
}
#endif
