#ifndef CJOSE_STATUS_H
#define CJOSE_STATUS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a call came to. OpenSSL's error queue is emptied of what a failing call left there.
typedef enum __attribute__((enum_extensibility(closed))) cjose_status : int32_t {
    cjose_status_ok = 0,
    /// The data does not hold: a signature, tag, padding, point or wrapped key that is not right, or a length over
    /// INT32_MAX.
    cjose_status_invalid = 1,
    /// The key does not hold, or cannot do this.
    cjose_status_key_invalid = 2,
    /// The loaded libcrypto lacks the algorithm, or the form of the data is none that we take.
    cjose_status_unsupported = 3,
    /// Out of memory, or a fault inside the library.
    cjose_status_backend = 4,
    /// An RSA modulus under 2048 bits, or an empty HMAC key.
    cjose_status_key_too_small = 5,
    /// An encrypted private key, and no passphrase or a wrong one.
    cjose_status_needs_passphrase = 6,
} cjose_status;

#define CJOSE_CHECKED __attribute__((warn_unused_result))
#endif
