#ifndef CJOSE_SERVE_INTERNAL_H
#define CJOSE_SERVE_INTERNAL_H
#include "CJOSEServe.h"

#include <microhttpd.h>

struct cjose_serve {
    struct MHD_Daemon *daemon;
    cjose_serve_handler handler;
    void *context;
    size_t body_limit;
    uint16_t port;
};

struct cjose_serve_request {
    struct MHD_Connection *connection;
    const char *method;
    const char *path;
    char *target;
    unsigned char *body;
    size_t body_len;
    int has_headers;
    int is_too_large;
};

struct cjose_serve_reply {
    struct MHD_Response *response;
    unsigned status;
};

/// Creates a request with its target. This and the next are callbacks of MHD.
void *cjose_serve_request_begin(void *context, const char *target, struct MHD_Connection *connection);
void cjose_serve_request_end(
    void *context, struct MHD_Connection *connection, void **seen, enum MHD_RequestTerminationCode why);
/// Adds bytes of the body. 0 where memory runs out.
int cjose_serve_request_add(cjose_serve_request *request, const char *bytes, size_t n, size_t limit);
#endif
