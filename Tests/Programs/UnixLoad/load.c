// load SOCKET CONNECTIONS SECONDS PATH TOKENS: sends requests to `bulla serve` over a Unix socket, each connection its next one as soon as
// the response to the last has arrived, and prints their number, the number of each status, and percentiles of the latency.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct connection {
    char in[8192];
    size_t in_n;
    double began;
};

static char **tokens, *path;
static size_t token_count, next_token, request_count;
static unsigned long statuses[600];
static float *latencies;
static const size_t most_latencies = 1 << 24;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static void read_tokens(const char *name) {
    FILE *file = fopen(name, "r");
    if (!file) fail(name);
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, file)) > 0) {
        if (line[n - 1] == '\n') line[--n] = 0;
        if (n == 0) continue;
        tokens = realloc(tokens, (token_count + 1) * sizeof *tokens);
        if (!tokens || !(tokens[token_count++] = strdup(line))) fail("memory");
    }
    free(line);
    fclose(file);
    if (token_count == 0) exit(2);
}

static void send_next(int fd, struct connection *c) {
    static char request[65536];
    const int n = snprintf(
        request, sizeof request, "GET /auth HTTP/1.1\r\nHost: x\r\nX-Bulla-Path: %s\r\nAuthorization: Bearer %s\r\n\r\n", path,
        tokens[next_token++ % token_count]);
    if (n < 0 || (size_t)n >= sizeof request) exit(2);
    c->began = now();
    if (send(fd, request, (size_t)n, MSG_NOSIGNAL) != n) fail("send");
}

static int is_later(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words) {
    if (count != 6) return 2;
    const int connections = atoi(words[2]);
    const double end = now() + atof(words[3]);
    path = words[4];
    read_tokens(words[5]);
    latencies = malloc(most_latencies * sizeof *latencies);
    struct pollfd *polled = calloc((size_t)connections, sizeof *polled);
    struct connection *all = calloc((size_t)connections, sizeof *all);
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (!latencies || !polled || !all || strlen(words[1]) >= sizeof place.sun_path) return 2;
    strcpy(place.sun_path, words[1]);
    for (int i = 0; i < connections; i++) {
        polled[i].fd = socket(AF_UNIX, SOCK_STREAM, 0);
        polled[i].events = POLLIN;
        if (connect(polled[i].fd, (struct sockaddr *)&place, sizeof place) < 0) fail("connect");
        send_next(polled[i].fd, &all[i]);
    }
    int is_over = 0;
    while (!is_over) {
        if (poll(polled, (nfds_t)connections, 1000) < 0) fail("poll");
        is_over = now() >= end;
        for (int i = 0; i < connections; i++) {
            if (!(polled[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
            struct connection *c = &all[i];
            const ssize_t n = recv(polled[i].fd, c->in + c->in_n, sizeof c->in - c->in_n - 1, 0);
            if (n <= 0) fail("recv");
            c->in_n += (size_t)n;
            c->in[c->in_n] = 0;
            // Responses of /auth have no body.
            if (!strstr(c->in, "\r\n\r\n")) continue;
            const int status = atoi(c->in + 9);
            statuses[status > 0 && status < 600 ? status : 0]++;
            if (request_count < most_latencies) latencies[request_count] = (float)(now() - c->began);
            request_count++;
            c->in_n = 0;
            send_next(polled[i].fd, c);
        }
    }
    const size_t kept = request_count < most_latencies ? request_count : most_latencies;
    if (kept == 0) return 2;
    qsort(latencies, kept, sizeof *latencies, &is_later);
    printf("{\"requests\":%zu,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"statuses\":{", request_count, (double)latencies[kept / 2] * 1e3,
        (double)latencies[kept * 99 / 100] * 1e3);
    const char *comma = "";
    for (int i = 0; i < 600; i++) {
        if (statuses[i]) printf("%s\"%d\":%lu", comma, i, statuses[i]), comma = ",";
    }
    puts("}}");
    return 0;
}
