#define _GNU_SOURCE
#include "CRaw.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

bool craw_pin(int core) {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
#else
    (void)core;
    return false;
#endif
}

int craw_cores(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

static uint64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
uint64_t craw_thread_time(void) { return now(CLOCK_THREAD_CPUTIME_ID); }
uint64_t craw_process_time(void) { return now(CLOCK_PROCESS_CPUTIME_ID); }
uint64_t craw_wall_time(void) { return now(CLOCK_MONOTONIC); }

typedef struct {
    craw_body body;
    void *context;
    int thread;
    atomic_int *waiting;
    uint64_t start, end;
    bool preempted;
} job;

/// Returns how often the system took the core away from this thread, without waits for a lock.
static long preemptions(void) {
#ifdef RUSAGE_THREAD
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) == 0) return usage.ru_nivcsw;
#endif
    return 0;
}

static void *work(void *argument) {
    job *mine = argument;
    craw_pin(mine->thread % craw_cores());
    atomic_fetch_sub(mine->waiting, 1);
    long before = preemptions();
    while (atomic_load(mine->waiting) > 0) {}
    mine->start = craw_wall_time();
    mine->body(mine->context, mine->thread);
    mine->end = craw_wall_time();
    mine->preempted = preemptions() != before;
    return NULL;
}

uint64_t craw_threads(int threads, craw_body body, void *context, bool *undisturbed) {
    pthread_t ids[64];
    job jobs[64];
    atomic_int waiting = threads;
    uint64_t first = UINT64_MAX, last = 0;
    if (threads > 64) abort();
    for (int i = 0; i < threads; i++) {
        jobs[i] = (job){body, context, i, &waiting, 0, 0, false};
        if (pthread_create(&ids[i], NULL, work, &jobs[i])) abort();
    }
    *undisturbed = true;
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        if (jobs[i].preempted) *undisturbed = false;
        if (jobs[i].start < first) first = jobs[i].start;
        if (jobs[i].end > last) last = jobs[i].end;
    }
    return last - first;
}
