#include <curl/curl.h>
#include <pthread.h>

#include "CJOSEBytes.h"
#include "CJOSEFetch.h"

/// No URL that is longer is asked for.
#define CJOSE_FETCH_URL_LIMIT 4096

/// Bytes that grow up to a bound.
typedef struct fetch_buffer {
    unsigned char *bytes;
    size_t count;
    size_t capacity;
} fetch_buffer;

/// Scheme, host and port, with the requests there.
typedef struct fetch_origin fetch_origin;

struct cjose_fetch {
    /// Another reference is the thread's.
    cjose_threaded threaded;
    char *texts[cjose_fetch_text_count];
    struct curl_blob blobs[cjose_fetch_bytes_count];
    int64_t numbers[cjose_fetch_number_count];
    struct curl_slist *lists[cjose_fetch_list_count];

    pthread_mutex_t lock;
    pthread_cond_t ended_signal;
    pthread_t thread;
    /// All that follow, under the lock.
    CURLM *multi;
    cjose_fetch_request *waiting;
    cjose_fetch_request **waiting_end;
    cjose_fetch_request *active;
    cjose_fetch_request **active_end;
    uint64_t last_id;
    bool started;
    bool stopping;
    bool joining;
    bool ended;

    /// On the thread alone.
    fetch_origin *origins;
};

struct cjose_fetch_request {
    char *url;
    bool is_post;
    struct curl_slist *headers;
    fetch_buffer body;
    int64_t deadline_ms;
    int64_t connect_ms;
    size_t body_limit;
    int32_t redirects;

    cjose_fetch *fetch;
    cjose_fetch_request *next;
    uint64_t id;
    cjose_fetch_done done;
    void *context;
    /// Under the lock of `fetch`.
    bool cancelled;

    fetch_origin *origin;
    bool under_way;
    CURL *easy;
    CURLU *place;
    /// On the monotonic clock.
    int64_t deadline;
    bool is_http;
    bool retried;
    /// Since the last connect:
    bool connected;
    /// The time to connect ends before the whole does: libcurl has one code for both, and its clock is not ours.
    bool connects_sooner;
    bool address_refused;
    bool exhausted;
    /// Of the last answer:
    bool headers_over;
    bool headers_ended;
    bool body_over;
    size_t header_bytes;
    int64_t header_count;
    fetch_buffer answer_headers;
    fetch_buffer answer_body;
    char error[CURL_ERROR_SIZE];
};

/// False: out of memory. `most` bytes at most are made room for.
bool fetch_buffer_append(fetch_buffer *buffer, const void *bytes, size_t n, size_t most);
void fetch_buffer_free(fetch_buffer *buffer);

int64_t fetch_clock_ms(void);

/// Whether a URL may be asked for; then `*place` is the caller's.
cjose_fetch_status fetch_place_open(const cjose_fetch *fetch, const char *url, CURLU **place, bool *is_http);
bool fetch_place_same_origin(CURLU *a, CURLU *b);
/// Whether an address of a connection may be one; `is_http`: of one without TLS.
bool fetch_address_allowed(const cjose_fetch *fetch, const void *address, size_t n, bool is_http);
/// The same for an address as text; a text that is none is not allowed.
bool fetch_text_address_allowed(const cjose_fetch *fetch, const char *address, bool is_http);

/// Sets `request->easy` up for the URL at `place`. `fresh`: on a connection of its own.
bool fetch_configure(cjose_fetch_request *request, bool fresh);
/// What a transfer that ended so comes to.
cjose_fetch_status fetch_outcome(const cjose_fetch_request *request, CURLcode code);

/// New connections in place of the old; false: it could not be, and the old stay.
bool fetch_renew(cjose_fetch *fetch);
/// The thread.
void *fetch_run(void *fetch);
