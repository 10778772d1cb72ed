#ifdef CJOSE_REDIS
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define TEXT_OF(number) #number
#define VERSION(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *cjose_redis_library_version(void) { return VERSION(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH); }

int64_t redis_clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool pipe_open(int ends[2]) {
    if (pipe(ends) != 0) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

static bool is_ready;
static void begin_library(void) { is_ready = OPENSSL_init_ssl(0, NULL) == 1 && cjose_threaded_begin(); }

static void stop_threaded(cjose_threaded *object) { cjose_redis_stop((cjose_redis *)object); }
static void free_threaded(cjose_threaded *object);

cjose_redis *cjose_redis_new(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, begin_library) != 0 || !is_ready) return NULL;
    cjose_redis *pool = calloc(1, sizeof *pool);
    if (pool == NULL) return NULL;
    if (!pipe_open(pool->wake)) {
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->ended_signal, NULL);
    pool->waiting_end = &pool->waiting;
    if (!cjose_threaded_init(&pool->threaded, stop_threaded, free_threaded)) {
        free_threaded(&pool->threaded);
        return NULL;
    }
    return pool;
}

bool cjose_redis_set_text(cjose_redis *pool, cjose_redis_text which, const void *bytes, size_t n) {
    char *copy = malloc(n + 1);
    if (copy == NULL) return false;
    if (n > 0) memcpy(copy, bytes, n);
    copy[n] = 0;
    free(pool->texts[which]);
    pool->texts[which] = copy;
    pool->lengths[which] = n;
    return true;
}

void cjose_redis_set_number(cjose_redis *pool, cjose_redis_number which, int64_t number) {
    pool->numbers[which] = number;
}

bool redis_has(const cjose_redis *pool, cjose_redis_text which) { return pool->texts[which] != NULL; }

static void free_threaded(cjose_threaded *object) {
    cjose_redis *pool = (cjose_redis *)object;
    for (int i = 0; i < cjose_redis_text_count; i++) {
        if (pool->texts[i] != NULL) cjose_wipe(pool->texts[i], pool->lengths[i]);
        free(pool->texts[i]);
    }
    // The client was never started.
    SSL_CTX_free(pool->tls);
    close(pool->wake[0]);
    close(pool->wake[1]);
    free(pool->connections);
    pthread_cond_destroy(&pool->ended_signal);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void redis_wake(cjose_redis *pool) {
    // A pipe that is full has woken the thread already.
    ssize_t written = write(pool->wake[1], "", 1);
    (void)written;
}

cjose_redis_status cjose_redis_start(cjose_redis *pool) {
    cjose_redis_status status = pool->numbers[cjose_redis_number_tls] ? redis_tls_open(pool) : cjose_redis_status_ok;
    if (status != cjose_redis_status_ok) return status;
    pool->connections = calloc((size_t)pool->numbers[cjose_redis_number_connections], sizeof *pool->connections);
    if (pool->connections == NULL) return cjose_redis_status_backend;
    // No signal handler of the process runs on the thread, and a server that disconnects raises no signal.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&pool->lock);
    pool->started = pthread_create(&pool->thread, NULL, redis_run, pool) == 0;
    if (pool->started) cjose_threaded_retain(&pool->threaded);
    bool started = pool->started;
    pthread_mutex_unlock(&pool->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started ? cjose_redis_status_ok : cjose_redis_status_backend;
}

void cjose_redis_stop(cjose_redis *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    bool waits = pool->started && !pthread_equal(pool->thread, pthread_self());
    bool joins = pool->started && !pool->joining;
    pool->joining = pool->joining || joins;
    redis_wake(pool);
    if (waits && !joins) {
        while (!pool->ended) pthread_cond_wait(&pool->ended_signal, &pool->lock);
    }
    pthread_t thread = pool->thread;
    pthread_mutex_unlock(&pool->lock);
    if (joins && waits) pthread_join(thread, NULL);
    if (joins && !waits) pthread_detach(thread);
}

void cjose_redis_free(cjose_redis *pool) {
    if (pool == NULL) return;
    cjose_redis_stop(pool);
    cjose_threaded_release(&pool->threaded);
}

static cjose_redis_status send_command(
    cjose_redis *pool, redis_command *command, cjose_redis_done done, void *context, uint64_t *id) {
    if (command == NULL) return cjose_redis_status_backend;
    command->done = done;
    command->context = context;
    command->deadline = redis_clock_ms() + pool->numbers[cjose_redis_number_command_ms];
    cjose_redis_status status = cjose_redis_status_ok;
    pthread_mutex_lock(&pool->lock);
    if (pool->stopping || !pool->started) {
        status = cjose_redis_status_closed;
    } else if (pool->health.outstanding >= pool->numbers[cjose_redis_number_queue]) {
        status = cjose_redis_status_queue;
        pool->health.failed++;
    } else {
        pool->health.outstanding++;
        command->id = *id = ++pool->last_id;
        *pool->waiting_end = command;
        pool->waiting_end = &command->next;
        pool->waiting_count++;
        if (!pool->woken) redis_wake(pool);
        pool->woken = true;
    }
    pthread_mutex_unlock(&pool->lock);
    if (status != cjose_redis_status_ok) redis_command_free(command);
    return status;
}

cjose_redis_status cjose_redis_insert(
    cjose_redis *pool, const void *key, size_t key_len, const void *value, size_t value_len, int64_t ms,
    cjose_redis_done done, void *context, uint64_t *id) {
    char life[24];
    int n = snprintf(life, sizeof life, "%lld", (long long)ms);
    const char *words[] = {"SET", key, value == NULL ? "" : value, "NX", "PX", life};
    size_t lengths[] = {3, key_len, value_len, 2, 2, (size_t)n};
    return send_command(pool, redis_command_new(redis_kind_insert, 6, words, lengths), done, context, id);
}

/// Sends a command of one key, whose reply is the key's value.
static cjose_redis_status send_value_command(
    cjose_redis *pool, redis_kind kind, const void *key, size_t key_len, cjose_redis_done done, void *context,
    uint64_t *id) {
    const char *words[] = {kind == redis_kind_take ? "GETDEL" : "GET", key};
    size_t lengths[] = {strlen(words[0]), key_len};
    return send_command(pool, redis_command_new(kind, 2, words, lengths), done, context, id);
}

cjose_redis_status cjose_redis_take(
    cjose_redis *pool, const void *key, size_t key_len, cjose_redis_done done, void *context, uint64_t *id) {
    return send_value_command(pool, redis_kind_take, key, key_len, done, context, id);
}

cjose_redis_status cjose_redis_read(
    cjose_redis *pool, const void *key, size_t key_len, cjose_redis_done done, void *context, uint64_t *id) {
    return send_value_command(pool, redis_kind_read, key, key_len, done, context, id);
}

cjose_redis_status cjose_redis_script(
    cjose_redis *pool, const void *bytes, size_t n, const size_t *lengths, size_t given, cjose_redis_done done,
    void *context, uint64_t *id) {
    const char *words[CJOSE_REDIS_WORDS];
    if (given > CJOSE_REDIS_WORDS) return cjose_redis_status_backend;
    size_t at = 0;
    for (size_t i = 0; i < given; i++) {
        if (lengths[i] > n - at) return cjose_redis_status_backend;
        words[i] = (const char *)bytes + at;
        at += lengths[i];
    }
    if (at != n) return cjose_redis_status_backend;
    return send_command(pool, redis_command_new(redis_kind_script, (int)given, words, lengths), done, context, id);
}

void cjose_redis_cancel(cjose_redis *pool, uint64_t id) {
    pthread_mutex_lock(&pool->lock);
    redis_command **at = &pool->waiting;
    while (*at != NULL && (*at)->id != id) at = &(*at)->next;
    redis_command *found = *at;
    if (found != NULL) {
        *at = found->next;
        if (found->next == NULL) pool->waiting_end = at;
        found->next = NULL;
        pool->waiting_count--;
    }
    pthread_mutex_unlock(&pool->lock);
    if (found != NULL) redis_fail(pool, found, cjose_redis_status_cancelled);
}

cjose_redis_health cjose_redis_health_now(cjose_redis *pool) {
    pthread_mutex_lock(&pool->lock);
    cjose_redis_health health = pool->health;
    pthread_mutex_unlock(&pool->lock);
    return health;
}
#endif
