#include "internal.h"

// These functions run on the thread of `fetch` only.

/// Starts the request; where that fails it is finished.
void fetch_begin(cjose_fetch *fetch, cjose_fetch_request *request, bool fresh);
/// Handles a transfer that libcurl has ended: delivers its response, or starts it once more.
void fetch_complete(cjose_fetch *fetch, CURL *easy, CURLcode code);
/// Delivers the response and frees the request. No lock is held: the callback may call back.
void fetch_finish(cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_status status);

/// The limit of requests for each origin: as many are active as it may have connections, and the others wait here. libcurl has
/// such a queue too (CURLMOPT_MAX_HOST_CONNECTIONS), but wakes one waiting transfer for each that ends: where that one is
/// cancelled before it begins, the rest sleep until their deadlines (seen with 7.88).

/// Adds the request to its origin. False where memory runs out.
bool fetch_turn_ask(cjose_fetch *fetch, cjose_fetch_request *request);
/// Whether this request may begin; it is active from then on.
bool fetch_turn_take(cjose_fetch *fetch, cjose_fetch_request *request);
void fetch_turn_end(cjose_fetch *fetch, cjose_fetch_request *request);
