#include "internal.h"

// On the thread of `fetch` alone.

/// Sets the request on its way; where that fails it is finished.
void fetch_begin(cjose_fetch *fetch, cjose_fetch_request *request, bool fresh);
/// What libcurl has ended: handed over, or set on its way once more.
void fetch_complete(cjose_fetch *fetch, CURL *easy, CURLcode code);
/// Hands the answer over and forgets the request. No lock is held: whoever is called may call back.
void fetch_finish(cjose_fetch *fetch, cjose_fetch_request *request, cjose_fetch_status status);
