#define _GNU_SOURCE
#include "CRaw.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/// The peak of the child's own address space. `ru_maxrss` will not do: on Linux it begins with the parent's size.
static int64_t peak_now(pid_t child) {
    char path[64], line[256];
    int64_t peak = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lld", (long long *)&peak) == 1) break;
    fclose(file);
    return peak;
}

static bool feed(int to, const char *block, size_t n) {
    for (size_t done = 0; done < n;) {
        ssize_t wrote = write(to, block + done, n - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += (size_t)wrote;
    }
    return true;
}

bool craw_stream(char *const *arguments, const void *block, size_t n, size_t repeats, craw_child *out) {
    int pipes[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    uint64_t begun = craw_wall_time();
    if (pipe(pipes)) return false;
    signal(SIGPIPE, SIG_IGN);
    fcntl(pipes[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0], 0);
    posix_spawn_file_actions_addclose(&actions, pipes[0]);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[0]);
    bool fed = !failed;
    for (size_t i = 0; fed && i < repeats; i++) fed = feed(pipes[1], block, n);
    out->peak_kilobytes = failed ? 0 : peak_now(child);
    close(pipes[1]);
    if (failed) return false;
    while (wait4(child, &out->status, 0, &usage) < 0 && errno == EINTR) {}
#ifndef __linux__
    out->peak_kilobytes = usage.ru_maxrss / 1024;
#endif
    out->nanoseconds = craw_wall_time() - begun;
    return fed;
}
