#ifdef CJOSE_SERVER
#define _GNU_SOURCE
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int prepared(int fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -1;
    return fd;
}

static int failed(int fd) {
    const int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return -1;
}

int cjose_serve_listen_loopback(const char *address, uint16_t *port) {
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    memset(&four, 0, sizeof four);
    memset(&six, 0, sizeof six);
    const int is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
    if (is_four) {
        if (ntohl(four.sin_addr.s_addr) >> 24 != 127) return errno = EADDRNOTAVAIL, -1;
    } else if (inet_pton(AF_INET6, address, &six.sin6_addr) != 1 || !IN6_IS_ADDR_LOOPBACK(&six.sin6_addr)) {
        return errno = EADDRNOTAVAIL, -1;
    }
    four.sin_family = AF_INET;
    six.sin6_family = AF_INET6;
    four.sin_port = six.sin6_port = htons(*port);
    struct sockaddr *bound = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t length = is_four ? sizeof four : sizeof six;
    const int fd = socket(bound->sa_family, SOCK_STREAM, 0);
    const int yes = 1;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 || bind(fd, bound, length) < 0 ||
        listen(fd, 1024) < 0 || getsockname(fd, bound, &length) < 0 || prepared(fd) < 0)
        return failed(fd);
    *port = ntohs(is_four ? four.sin_port : six.sin6_port);
    return fd;
}

/// Removes a socket that no process listens on. Returns 1 unless another file, or a socket in use, is at its path.
static int is_free(const struct sockaddr_un *address) {
    struct stat status;
    if (lstat(address->sun_path, &status) < 0) return errno == ENOENT;
    if (!S_ISSOCK(status.st_mode)) return errno = EEXIST, 0;
    const int probe = socket(AF_UNIX, SOCK_STREAM, 0);
    if (probe < 0) return 0;
    const int is_used = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 || errno != ECONNREFUSED;
    close(probe);
    if (is_used) return errno = EADDRINUSE, 0;
    return unlink(address->sun_path) == 0 || errno == ENOENT;
}

int cjose_serve_listen_unix(const char *path, unsigned mode) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) return errno = ENAMETOOLONG, -1;
    memcpy(address.sun_path, path, strlen(path));
    if (!is_free(&address)) return -1;
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    // The mode of the socket itself becomes that of the file, so that no other user connects between the two calls.
    if (fd < 0 || fchmod(fd, (mode_t)mode) < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        chmod(path, (mode_t)mode) < 0 || listen(fd, 1024) < 0 || prepared(fd) < 0)
        return failed(fd);
    return fd;
}

void cjose_serve_stop_listening(int socket) { (void)shutdown(socket, SHUT_RDWR); }

int cjose_serve_passed_sockets(void) {
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    const int is_ours = process && count && strtol(process, NULL, 10) == (long)getpid();
    const long passed = is_ours ? strtol(count, NULL, 10) : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    if (passed < 1 || passed > 16) return 0;
    for (int fd = 3; fd < 3 + (int)passed; fd++) {
        int listens = 0;
        socklen_t length = sizeof listens;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0 || !listens || prepared(fd) < 0) return 0;
    }
    return (int)passed;
}
#endif
