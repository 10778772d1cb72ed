#include <pthread.h>

#include "CJOSEBytes.h"
#include "CJOSEFetch.h"
#include "libcurl.h"

/// The largest length of a URL.
#define CJOSE_FETCH_URL_LIMIT 4096

/// Bytes that grow up to a bound.
typedef struct fetch_buffer {
    unsigned char *bytes;
    size_t count;
    size_t capacity;
} fetch_buffer;

/// A scheme, host and port, with the requests to it.
typedef struct fetch_origin fetch_origin;

/// A socket of a connection, and the number of bytes that it may bring.
typedef struct fetch_socket fetch_socket;

/// The bytes of roots, of a client certificate or of a private key.
typedef struct fetch_content fetch_content;

/// The device, the number, the size and the times of a file.
typedef struct fetch_file_state {
    int64_t numbers[7];
} fetch_file_state;

struct cjose_fetch {
    /// The reference count; the thread has another reference.
    cjose_threaded threaded;
    char *texts[cjose_fetch_text_count];
    int64_t numbers[cjose_fetch_number_count];
    struct curl_slist *lists[cjose_fetch_list_count];

    pthread_mutex_t lock;
    pthread_cond_t ended_signal;
    pthread_t thread;
    /// The following members are protected by the lock.
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

    /// The following members are used on the thread only.
    fetch_origin *origins;
    fetch_socket *sockets;
    uint64_t last_socket;
    /// The number of TLS records that were read.
    uint64_t records;
    /// The bytes that the caller gave, or the contents of the files when they were read last; null where a file could
    /// not be read.
    fetch_content *contents[cjose_fetch_bytes_count];
    fetch_file_state states[cjose_fetch_bytes_count];
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
    /// The following member is protected by the lock of `fetch`.
    bool cancelled;

    fetch_origin *origin;
    bool under_way;
    CURL *easy;
    /// The contents that `easy` refers to.
    fetch_content *contents[cjose_fetch_bytes_count];
    CURLU *parsed_url;
    /// The deadline on the monotonic clock.
    int64_t deadline;
    bool is_http;
    bool retried;
    /// The following members describe the time since the last connect.
    bool connected;
    /// The socket of the connection; 0 before the request goes over one.
    uint64_t socket;
    /// Whether the connection was shut down, because it brought more bytes than it may.
    bool traffic_over;
    /// Whether the time to connect ends before the total does: libcurl has one code for both, and its clock differs
    /// from ours.
    bool connects_sooner;
    bool address_refused;
    bool exhausted;
    /// The following members describe the last response.
    bool headers_over;
    bool headers_ended;
    bool body_over;
    size_t header_bytes;
    int64_t header_count;
    fetch_buffer answer_headers;
    fetch_buffer answer_body;
    char error[CURL_ERROR_SIZE];
};

/// Appends bytes, up to `max_bytes` in all. False where memory runs out.
bool fetch_buffer_append(fetch_buffer *buffer, const void *bytes, size_t n, size_t max_bytes);
void fetch_buffer_free(fetch_buffer *buffer);

int64_t fetch_clock_ms(void);

/// Checks whether a URL is allowed; then `*parsed` is the caller's.
cjose_fetch_status fetch_url_parse(const cjose_fetch *fetch, const char *url, CURLU **parsed, bool *is_http);
bool fetch_url_same_origin(CURLU *a, CURLU *b);
/// Whether a connection may use an address; `is_http` stands for one without TLS.
bool fetch_address_allowed(const cjose_fetch *fetch, const void *address, size_t n, bool is_http);
/// Whether a connection may use an address given as text; a text that is no address is not allowed.
bool fetch_text_address_allowed(const cjose_fetch *fetch, const char *address, bool is_http);

/// Takes the roots and the client certificate for a request. Files are read again if they have changed.
cjose_fetch_status fetch_files_take(cjose_fetch_request *request);
void fetch_files_release(cjose_fetch_request *request);
void fetch_content_release(fetch_content *content);
/// Returns the bytes for libcurl, which refers to them.
struct curl_blob fetch_content_blob(const fetch_content *content);

/// Counts what a new socket receives. False where memory runs out.
bool fetch_traffic_open(cjose_fetch_request *request, int number);
/// Closes a socket; `context` is the client.
int fetch_traffic_close(void *context, curl_socket_t number);
/// Notes that the request goes over the connection between these addresses. False where it is unknown.
bool fetch_traffic_use(
    cjose_fetch_request *request, const char *remote, int remote_port, const char *local, int local_port);
/// Shuts down the connections that have brought more bytes than they may. It is called while libcurl reads, too:
/// libcurl goes on reading frames of HTTP/2 for as long as there are any.
void fetch_traffic_cut(cjose_fetch *fetch);
/// Returns the status of a request whose connection was shut down for that.
cjose_fetch_status fetch_traffic_status(const cjose_fetch_request *request);
/// Ends the requests whose connections have brought more bytes than they may.
void fetch_traffic_check(cjose_fetch *fetch);
void fetch_traffic_end(cjose_fetch *fetch);

/// Returns the largest `Content-Length` that is accepted for a body of at most `limit` bytes.
curl_off_t fetch_encoded_limit(size_t limit);

/// Configures `request->easy` for its URL; with `fresh` on a new connection.
bool fetch_configure(cjose_fetch_request *request, bool fresh);
/// Returns the status of a transfer that ended with `code`.
cjose_fetch_status fetch_outcome(const cjose_fetch_request *request, CURLcode code);

/// Replaces the connections by new ones; false where that fails, and the old ones stay.
bool fetch_renew(cjose_fetch *fetch);
/// Runs the thread.
void *fetch_run(void *fetch);
