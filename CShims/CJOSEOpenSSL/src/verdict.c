#include <openssl/ecerr.h>

#include "internal.h"

cjose_status cjose_refused(cjose_status status) {
    for (unsigned long why; (why = ERR_get_error()) != 0;)
        if (ERR_GET_REASON(why) == ERR_R_MALLOC_FAILURE) status = cjose_status_backend;
    // Decoders discard the reasons of what they tried: whether there still is no memory is seen by a request.
    void *probe = OPENSSL_malloc(4096);
    if (probe == NULL) status = cjose_failed(cjose_status_backend);
    OPENSSL_free(probe);
    return status;
}

cjose_status cjose_verdict(int result) {
    if (result == 1) return cjose_status_ok;
    // ECDSA returns 0 for an invalid signature and a negative number for a failure, for which libcrypto 3.5 may leave
    // no reason. Arithmetic on curves fails for one kind of invalid signature, too: where the sum is no point.
    bool is_fault = result < 0, is_infinity = false;
    for (unsigned long why; (why = ERR_get_error()) != 0;) {
        if (ERR_GET_REASON(why) == ERR_R_MALLOC_FAILURE) return cjose_failed(cjose_status_backend);
        if (ERR_GET_LIB(why) != ERR_LIB_EC) continue;
        is_fault |= ERR_GET_REASON(why) == ERR_R_EC_LIB || ERR_GET_REASON(why) == ERR_R_BN_LIB;
        is_infinity |= ERR_GET_REASON(why) == EC_R_POINT_AT_INFINITY;
    }
    return is_fault && !is_infinity ? cjose_status_backend : cjose_status_invalid;
}

cjose_status cjose_rsa_verdict(bool valid) {
    if (valid) return cjose_status_ok;
    bool is_invalid = false;
    for (unsigned long why; (why = ERR_get_error()) != 0;) {
        if (ERR_GET_REASON(why) == ERR_R_MALLOC_FAILURE) return cjose_failed(cjose_status_backend);
        // The reasons that all modules share stand for a fault, not for an invalid signature.
        is_invalid |= ERR_GET_LIB(why) == ERR_LIB_RSA && !ERR_COMMON_ERROR(why);
    }
    return is_invalid ? cjose_status_invalid : cjose_status_backend;
}
