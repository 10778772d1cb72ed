#ifdef CJOSE_REDIS
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct redis_lookup {
    cjose_redis *pool;
    /// Under the lock of `pool`.
    struct addrinfo *found;
    bool ended, forgotten;
};

static struct addrinfo *look_up(const cjose_redis *pool, int flags) {
    char port[24];
    snprintf(port, sizeof port, "%lld", (long long)pool->numbers[cjose_redis_number_port]);
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
    struct addrinfo *found = NULL;
    return getaddrinfo(pool->texts[cjose_redis_text_host], port, &hints, &found) == 0 ? found : NULL;
}

static void *run(void *context) {
    redis_lookup *lookup = context;
    cjose_redis *pool = lookup->pool;
    struct addrinfo *found = look_up(pool, 0);
    pthread_mutex_lock(&pool->lock);
    bool forgotten = lookup->forgotten;
    lookup->found = found;
    lookup->ended = true;
    pthread_mutex_unlock(&pool->lock);
    if (forgotten) {
        if (found != NULL) freeaddrinfo(found);
        free(lookup);
    } else {
        redis_wake(pool);
    }
    redis_release(pool);
    return NULL;
}

bool redis_lookup_begin(redis_connection *connection) {
    cjose_redis *pool = connection->pool;
    connection->addresses = look_up(pool, AI_NUMERICHOST);
    if (connection->addresses != NULL) return true;
    redis_lookup *lookup = calloc(1, sizeof *lookup);
    if (lookup == NULL) return false;
    lookup->pool = pool;
    redis_retain(pool);
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, lookup) != 0) {
        redis_release(pool);
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
    if (!ended) return;
    if (lookup->found != NULL) freeaddrinfo(lookup->found);
    free(lookup);
}
#endif
