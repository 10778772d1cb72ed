#include "internal.h"

// On the thread of `fetch` alone.

/// Sets the request on its way; where that fails it is finished.
void fetch_begin(cjose_fetch *fetch, cjose_fetch_request *request, bool fresh);
/// What libcurl has ended: handed over, or set on its way once more.
void fetch_complete(cjose_fetch *fetch, CURL *easy, CURLcode code);
/// Hands the answer over and forgets the request. No lock is held: whoever is called may call back.
void fetch_finish(cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_status status);

/// Whose turn it is: as many requests of one origin are under way as it may have connections, and the others wait here. libcurl has
/// such a queue too (CURLMOPT_MAX_HOST_CONNECTIONS), but wakes one of it for each transfer that ends: where that one is cancelled
/// before it begins, the rest sleep until their deadlines (seen with 7.88).

/// False: out of memory.
bool fetch_turn_ask(cjose_fetch *fetch, cjose_fetch_request *request);
/// Whether it is this request's turn; from then on it is under way.
bool fetch_turn_take(cjose_fetch *fetch, cjose_fetch_request *request);
void fetch_turn_end(cjose_fetch *fetch, cjose_fetch_request *request);
