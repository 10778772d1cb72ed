#ifndef CJOSE_STATUS_H
#define CJOSE_STATUS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The result of a call. What a failing call left in OpenSSL's error queue is removed.
typedef enum __attribute__((enum_extensibility(closed))) cjose_status : int32_t {
    cjose_status_ok = 0,
    /// The data is invalid: a signature, tag, padding, point or wrapped key is wrong, or a length is over INT32_MAX.
    cjose_status_invalid = 1,
    /// The key is invalid, or not one for this operation.
    cjose_status_key_invalid = 2,
    /// The loaded libcrypto lacks the algorithm, or the form of the data is not supported.
    cjose_status_unsupported = 3,
    /// Memory ran out, or the library failed.
    cjose_status_backend = 4,
    /// The RSA modulus has fewer than 2048 bits, or the HMAC key is empty.
    cjose_status_key_too_small = 5,
    /// The private key is encrypted, and the passphrase is missing or wrong.
    cjose_status_needs_passphrase = 6,
} cjose_status;

#define CJOSE_CHECKED __attribute__((warn_unused_result))
#endif
