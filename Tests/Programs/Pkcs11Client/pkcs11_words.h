#ifndef PKCS11_WORDS_H
#define PKCS11_WORDS_H
#include <stddef.h>

// The part of PKCS#11 2.40 (OASIS) that the client uses, with the standard's names.
typedef unsigned long CK_ULONG;

typedef struct CK_MECHANISM {
    CK_ULONG mechanism;
    void *pParameter;
    CK_ULONG ulParameterLen;
} CK_MECHANISM;

typedef struct CK_ATTRIBUTE {
    CK_ULONG type;
    void *pValue;
    CK_ULONG ulValueLen;
} CK_ATTRIBUTE;

typedef struct CK_RSA_PKCS_OAEP_PARAMS {
    CK_ULONG hashAlg, mgf, source;
    void *pSourceData;
    CK_ULONG ulSourceDataLen;
} CK_RSA_PKCS_OAEP_PARAMS;

typedef struct CK_RSA_PKCS_PSS_PARAMS {
    CK_ULONG hashAlg, mgf, sLen;
} CK_RSA_PKCS_PSS_PARAMS;

typedef struct CK_ECDH1_DERIVE_PARAMS {
    CK_ULONG kdf, ulSharedDataLen;
    void *pSharedData;
    CK_ULONG ulPublicDataLen;
    void *pPublicData;
} CK_ECDH1_DERIVE_PARAMS;

enum {
    CKM_RSA_PKCS_KEY_PAIR_GEN = 0x0000, CKM_RSA_PKCS_OAEP = 0x0009, CKM_SHA256_RSA_PKCS = 0x0040,
    CKM_SHA256_RSA_PKCS_PSS = 0x0043, CKM_SHA_1 = 0x0220, CKM_SHA256 = 0x0250, CKM_EC_KEY_PAIR_GEN = 0x1040,
    CKM_ECDSA = 0x1041, CKM_ECDH1_DERIVE = 0x1050, CKM_AES_KEY_WRAP = 0x2109,
    CKG_MGF1_SHA1 = 1, CKG_MGF1_SHA256 = 2, CKZ_DATA_SPECIFIED = 1, CKD_NULL = 1,
    CKA_CLASS = 0x000, CKA_TOKEN = 0x001, CKA_PRIVATE = 0x002, CKA_VALUE = 0x011, CKA_KEY_TYPE = 0x100,
    CKA_ID = 0x102, CKA_SENSITIVE = 0x103, CKA_DECRYPT = 0x105, CKA_UNWRAP = 0x107, CKA_SIGN = 0x108,
    CKA_VERIFY = 0x10A, CKA_DERIVE = 0x10C, CKA_MODULUS = 0x120, CKA_MODULUS_BITS = 0x121,
    CKA_PUBLIC_EXPONENT = 0x122, CKA_VALUE_LEN = 0x161, CKA_EXTRACTABLE = 0x162, CKA_EC_PARAMS = 0x180,
    CKA_EC_POINT = 0x181,
    CKO_SECRET_KEY = 4, CKO_PRIVATE_KEY = 3, CKK_GENERIC_SECRET = 0x10, CKK_AES = 0x1F,
    CKU_SO = 0, CKU_USER = 1, CKF_RW_SESSION = 2, CKF_SERIAL_SESSION = 4,
    CKR_GENERAL_ERROR = 0x05, CKR_KEY_HANDLE_INVALID = 0x60,
};
#endif
