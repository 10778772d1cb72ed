#if !__has_include(<curl/curl.h>)
#error "The package trait HTTP needs the headers of libcurl: apt install libcurl4-openssl-dev, or brew install curl."
#endif
#include <curl/curl.h>

// The functions of libcurl that are used. On Linux the library is loaded at the first use and not linked, because its
// own libraries, Kerberos', LDAP's and GnuTLS' among them, take a third of the time in which a process starts that
// fetches nothing.
#define CJOSE_CURL_FUNCTIONS(each)                                                                \
    each(easy_cleanup) each(easy_getinfo) each(easy_init) each(easy_reset) each(easy_setopt)      \
    each(free) each(global_init) each(multi_add_handle) each(multi_cleanup) each(multi_info_read) \
    each(multi_init) each(multi_perform) each(multi_poll) each(multi_remove_handle)               \
    each(multi_setopt) each(multi_wakeup) each(slist_append) each(slist_free_all) each(url)       \
    each(url_cleanup) each(url_get) each(url_set) each(version_info)

// Macros of curl.h, which fix the number of arguments and, with some compilers, check the types of values.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

typedef struct cjose_curl_functions {
#define CJOSE_CURL_MEMBER(name) __typeof__(curl_##name) *name;
    CJOSE_CURL_FUNCTIONS(CJOSE_CURL_MEMBER)
#undef CJOSE_CURL_MEMBER
} cjose_curl_functions;

/// The functions of libcurl. They may be called once `cjose_fetch_load` has returned true, as it has wherever a client
/// exists.
extern cjose_curl_functions cjose_curl;
