#include "cjose_threaded.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/// All objects of the process, and the process that made them: one that was forked has none of the threads.
static struct {
    pthread_mutex_t lock;
    cjose_threaded *first;
    pid_t process;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/// Under the lock. An object that is not in the list stays as it is.
static void take_out(cjose_threaded *object) {
    if (object->previous != NULL) object->previous->next = object->next;
    if (object->next != NULL) object->next->previous = object->previous;
    if (all.first == object) all.first = object->next;
    object->next = object->previous = NULL;
}

static cjose_threaded *take_first(void) {
    pthread_mutex_lock(&all.lock);
    cjose_threaded *object = all.first;
    if (object != NULL) {
        take_out(object);
        object->references++;
    }
    pthread_mutex_unlock(&all.lock);
    return object;
}

static void stop_all(void) {
    if (getpid() != all.process) return;
    cjose_threaded *object;
    while ((object = take_first()) != NULL) {
        object->stop(object);
        cjose_threaded_release(object);
    }
}

bool cjose_threaded_begin(void) {
    pthread_mutex_lock(&all.lock);
    all.process = getpid();
    pthread_mutex_unlock(&all.lock);
    return atexit(stop_all) == 0;
}

void cjose_threaded_init(cjose_threaded *object, void (*stop)(cjose_threaded *), void (*free)(cjose_threaded *)) {
    *object = (cjose_threaded){.stop = stop, .free = free, .references = 1};
    pthread_mutex_lock(&all.lock);
    object->next = all.first;
    if (all.first != NULL) all.first->previous = object;
    all.first = object;
    pthread_mutex_unlock(&all.lock);
}

void cjose_threaded_retain(cjose_threaded *object) {
    pthread_mutex_lock(&all.lock);
    object->references++;
    pthread_mutex_unlock(&all.lock);
}

void cjose_threaded_release(cjose_threaded *object) {
    pthread_mutex_lock(&all.lock);
    bool is_last = --object->references == 0;
    if (is_last) take_out(object);
    pthread_mutex_unlock(&all.lock);
    if (is_last) object->free(object);
}
