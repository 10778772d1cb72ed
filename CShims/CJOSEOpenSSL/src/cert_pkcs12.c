#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "cert.h"

/// The largest number of bags of one file, at any depth that is read.
#define MAX_BAGS 64

struct cjose_pkcs12 {
    cjose_key *key;
    STACK_OF(X509) *chain;
};

typedef struct reading {
    const char *word;
    int length;
    /// The number of rounds that may still be run.
    int64_t rounds;
    int bags;
    size_t max_certificates;
    EVP_PKEY *pkey;
    STACK_OF(X509) *certificates;
} reading;

static bool spend(reading *reading, int64_t rounds) {
    if (rounds < 1 || rounds > reading->rounds) return false;
    reading->rounds -= rounds;
    return true;
}

/// Checks that an encryption is PBES2, or the one cipher of PKCS #12 that every libcrypto has: triple DES. RC2 and RC4
/// are in the legacy provider only, and weak.
static cjose_pkcs12_fault affordable(reading *reading, const X509_ALGOR *algorithm) {
    const ASN1_OBJECT *object;
    X509_ALGOR_get0(&object, NULL, NULL, algorithm);
    int64_t rounds = 0;
    int nid = OBJ_obj2nid(object);
    if (nid == NID_pbe_WithSHA1And3_Key_TripleDES_CBC || nid == NID_pbe_WithSHA1And2_Key_TripleDES_CBC) {
        PBEPARAM *pbe = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), algorithm->parameter);
        bool read = pbe != NULL && pbe->iter != NULL && ASN1_INTEGER_get_int64(&rounds, pbe->iter) == 1;
        PBEPARAM_free(pbe);
        if (!read) return cjose_pkcs12_malformed;
    } else if (nid != NID_pbes2 || !cjose_pbes2_rounds(algorithm, &rounds)) {
        return cjose_pkcs12_encryption;
    }
    return spend(reading, rounds) ? cjose_pkcs12_ok : cjose_pkcs12_rounds;
}

static cjose_pkcs12_fault add_key(reading *reading, const PKCS8_PRIV_KEY_INFO *info) {
    if (reading->pkey != NULL) return cjose_pkcs12_several_keys;
    if (info == NULL) return cjose_pkcs12_key;
    switch (cjose_pkcs8_key(info, &reading->pkey)) {
        case cjose_status_ok: return cjose_pkcs12_ok;
        case cjose_status_backend: return cjose_pkcs12_backend;
        default: return cjose_pkcs12_key;
    }
}

static cjose_pkcs12_fault add_shrouded(reading *reading, const PKCS12_SAFEBAG *bag) {
    const X509_SIG *sealed = PKCS12_SAFEBAG_get0_pkcs8(bag);
    const X509_ALGOR *algorithm;
    if (sealed == NULL) return cjose_pkcs12_malformed;
    X509_SIG_get0(sealed, &algorithm, NULL);
    cjose_pkcs12_fault fault = affordable(reading, algorithm);
    if (fault != cjose_pkcs12_ok) return fault;
    PKCS8_PRIV_KEY_INFO *info = PKCS8_decrypt(sealed, reading->word, reading->length);
    // The passphrase was right for the MAC.
    fault = info != NULL ? add_key(reading, info) : cjose_pkcs12_malformed;
    PKCS8_PRIV_KEY_INFO_free(info);
    return fault;
}

/// Reads the certificate of a bag; `malformed` where it is no X.509 certificate, or one whose reading takes work that
/// is not linear in its size.
static cjose_pkcs12_fault read_certificate(const PKCS12_SAFEBAG *bag, X509 **out) {
    uint8_t *der = NULL;
    int size = i2d_PKCS12_SAFEBAG(bag, &der);
    if (size <= 0) return cjose_pkcs12_backend;
    bool is_explicit = cjose_der_has_explicit_curve((cjose_bytes){der, (size_t)size});
    OPENSSL_free(der);
    if (is_explicit || (*out = PKCS12_SAFEBAG_get1_cert(bag)) == NULL) return cjose_pkcs12_malformed;
    if (cjose_x509_is_bounded(*out)) return cjose_pkcs12_ok;
    X509_free(*out);
    return cjose_pkcs12_malformed;
}

static cjose_pkcs12_fault add_bag(reading *reading, const PKCS12_SAFEBAG *bag) {
    if (++reading->bags > MAX_BAGS) return cjose_pkcs12_too_many;
    switch (PKCS12_SAFEBAG_get_nid(bag)) {
        case NID_keyBag: return add_key(reading, PKCS12_SAFEBAG_get0_p8inf(bag));
        case NID_pkcs8ShroudedKeyBag: return add_shrouded(reading, bag);
        case NID_certBag: {
            X509 *made;
            cjose_pkcs12_fault fault = read_certificate(bag, &made);
            if (fault != cjose_pkcs12_ok) return fault;
            if (sk_X509_num(reading->certificates) >= (int)reading->max_certificates) {
                X509_free(made);
                return cjose_pkcs12_too_many;
            }
            if (sk_X509_push(reading->certificates, made) > 0) return cjose_pkcs12_ok;
            X509_free(made);
            return cjose_pkcs12_backend;
        }
        // These are revocation lists and secrets of other programs. Nested contents are not written by any known
        // program.
        case NID_safeContentsBag: return cjose_pkcs12_encryption;
        default: return cjose_pkcs12_ok;
    }
}

static cjose_pkcs12_fault add_safe(reading *reading, PKCS7 *safe) {
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    cjose_pkcs12_fault fault = cjose_pkcs12_ok;
    switch (OBJ_obj2nid(safe->type)) {
        case NID_pkcs7_data: bags = PKCS12_unpack_p7data(safe); break;
        case NID_pkcs7_encrypted:
            if (safe->d.encrypted == NULL || safe->d.encrypted->enc_data == NULL) return cjose_pkcs12_malformed;
            fault = affordable(reading, safe->d.encrypted->enc_data->algorithm);
            if (fault == cjose_pkcs12_ok) bags = PKCS12_unpack_p7encdata(safe, reading->word, reading->length);
            break;
        // This is encrypted to a certificate, which takes another private key.
        default: return cjose_pkcs12_encryption;
    }
    if (fault == cjose_pkcs12_ok && bags == NULL) fault = cjose_pkcs12_malformed;
    for (int i = 0; fault == cjose_pkcs12_ok && i < sk_PKCS12_SAFEBAG_num(bags); i++)
        fault = add_bag(reading, sk_PKCS12_SAFEBAG_value(bags, i));
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return fault;
}

/// Verifies the MAC over the contents with the passphrase.
static cjose_pkcs12_fault check_mac(reading *reading, PKCS12 *file) {
    const ASN1_INTEGER *count = NULL;
    const X509_ALGOR *algorithm = NULL;
    int64_t rounds = 1;
    if (PKCS12_mac_present(file) != 1) return cjose_pkcs12_encryption;
    PKCS12_get0_mac(NULL, &algorithm, NULL, &count, file);
    if (count != NULL && ASN1_INTEGER_get_int64(&rounds, count) != 1) return cjose_pkcs12_rounds;
    if (!spend(reading, rounds)) return cjose_pkcs12_rounds;
    const ASN1_OBJECT *object;
    X509_ALGOR_get0(&object, NULL, NULL, algorithm);
    switch (OBJ_obj2nid(object)) {
        case NID_sha1:
        case NID_sha224:
        case NID_sha256:
        case NID_sha384:
        case NID_sha512: break;
        default: return cjose_pkcs12_encryption;
    }
    if (PKCS12_verify_mac(file, reading->word, reading->length) == 1) return cjose_pkcs12_ok;
    // There are two encodings of an absent passphrase.
    if (reading->length != 0 || PKCS12_verify_mac(file, NULL, 0) != 1) return cjose_pkcs12_passphrase;
    reading->word = NULL;
    return cjose_pkcs12_ok;
}

/// Orders the certificate of the key and from there each one's issuer, as far as they go; the others are left out.
static cjose_pkcs12_fault put_in_order(reading *reading, STACK_OF(X509) *chain) {
    X509 *current = NULL;
    for (int i = 0; current == NULL && i < sk_X509_num(reading->certificates); i++) {
        X509 *one = sk_X509_value(reading->certificates, i);
        if (X509_check_private_key(one, reading->pkey) == 1) current = one;
    }
    if (current == NULL) return sk_X509_num(reading->certificates) == 0 ? cjose_pkcs12_ok : cjose_pkcs12_certificate;
    while (current != NULL) {
        if (X509_up_ref(current) != 1) return cjose_pkcs12_backend;
        if (sk_X509_push(chain, current) <= 0) {
            X509_free(current);
            return cjose_pkcs12_backend;
        }
        X509 *issuer = NULL;
        // A self-signed certificate has no other issuer, and a cycle comes to an end.
        bool ends = X509_NAME_cmp(X509_get_issuer_name(current), X509_get_subject_name(current)) == 0;
        for (int i = 0; !ends && issuer == NULL && i < sk_X509_num(reading->certificates); i++) {
            X509 *one = sk_X509_value(reading->certificates, i);
            bool known = false;
            for (int j = 0; !known && j < sk_X509_num(chain); j++) known = sk_X509_value(chain, j) == one;
            if (!known && X509_check_issued(one, current) == X509_V_OK) issuer = one;
        }
        current = issuer;
    }
    return cjose_pkcs12_ok;
}

static cjose_pkcs12_fault read_safes(reading *reading, PKCS12 *file) {
    cjose_pkcs12_fault fault = check_mac(reading, file);
    STACK_OF(PKCS7) *safes = fault == cjose_pkcs12_ok ? PKCS12_unpack_authsafes(file) : NULL;
    if (fault == cjose_pkcs12_ok && safes == NULL) fault = cjose_pkcs12_malformed;
    for (int i = 0; fault == cjose_pkcs12_ok && i < sk_PKCS7_num(safes); i++)
        fault = add_safe(reading, sk_PKCS7_value(safes, i));
    sk_PKCS7_pop_free(safes, PKCS7_free);
    if (fault == cjose_pkcs12_ok && reading->pkey == NULL) fault = cjose_pkcs12_no_key;
    return fault;
}

/// Whether a certificate in the contents of the file has a curve with explicit parameters. BER lets a string consist of
/// pieces, which libcrypto joins: in its own encoding every string is one.
static bool has_explicit_curve_inside(const PKCS12 *file) {
    uint8_t *der = NULL;
    int size = i2d_PKCS12(file, &der);
    bool found = size <= 0 || cjose_der_has_explicit_curve((cjose_bytes){der, (size_t)size});
    OPENSSL_free(der);
    return found;
}

cjose_pkcs12_fault cjose_pkcs12_parse(
    cjose_bytes der, cjose_bytes passphrase, size_t max_certificates, int64_t rounds, cjose_pkcs12 **out,
    cjose_status *key_status) {
    *out = NULL;
    *key_status = cjose_status_ok;
    if (der.at == NULL || cjose_too_long(der.count) || cjose_too_long(passphrase.count) || cjose_too_long(max_certificates))
        return cjose_pkcs12_malformed;
    // Certificates of signed data, which no file of keys has, are decoded with the rest of it.
    if (cjose_der_has_explicit_curve(der)) return cjose_pkcs12_malformed;
    const uint8_t *at = der.at, *end = at + der.count;
    PKCS12 *file = d2i_PKCS12(NULL, &at, (long)der.count);
    if (file == NULL || at != end || has_explicit_curve_inside(file)) {
        PKCS12_free(file);
        ERR_clear_error();
        return cjose_pkcs12_malformed;
    }
    reading reading = {
        .word = passphrase.count > 0 ? passphrase.at : "", .length = (int)passphrase.count, .rounds = rounds,
        .max_certificates = max_certificates};
    cjose_pkcs12 *made = calloc(1, sizeof *made);
    reading.certificates = sk_X509_new_null();
    if (made != NULL) made->chain = sk_X509_new_null();
    cjose_pkcs12_fault fault = cjose_pkcs12_backend;
    if (made != NULL && made->chain != NULL && reading.certificates != NULL) fault = read_safes(&reading, file);
    if (fault == cjose_pkcs12_ok) fault = put_in_order(&reading, made->chain);
    if (fault == cjose_pkcs12_ok) {
        *key_status = cjose_key_adopt(reading.pkey, true, &made->key);
        reading.pkey = NULL;
        if (*key_status != cjose_status_ok) fault = cjose_pkcs12_key;
    }
    EVP_PKEY_free(reading.pkey);
    sk_X509_pop_free(reading.certificates, X509_free);
    PKCS12_free(file);
    ERR_clear_error();
    if (fault == cjose_pkcs12_ok) {
        *out = made;
    } else {
        cjose_pkcs12_free(made);
        // The key is of a kind that libcrypto itself does not know.
        if (fault == cjose_pkcs12_key && *key_status == cjose_status_ok) *key_status = cjose_status_unsupported;
    }
    return fault;
}

void cjose_pkcs12_free(cjose_pkcs12 *file) {
    if (file == NULL) return;
    cjose_key_free(file->key);
    sk_X509_pop_free(file->chain, X509_free);
    free(file);
}

cjose_key *cjose_pkcs12_take_key(cjose_pkcs12 *file) {
    cjose_key *key = file->key;
    file->key = NULL;
    return key;
}

size_t cjose_pkcs12_count(const cjose_pkcs12 *file) { return (size_t)sk_X509_num(file->chain); }

cjose_status cjose_pkcs12_chain_get(const cjose_pkcs12 *file, size_t index, void **der, size_t *der_len) {
    *der = NULL;
    *der_len = 0;
    if (index >= cjose_pkcs12_count(file)) return cjose_status_invalid;
    uint8_t *made = NULL;
    int size = i2d_X509(sk_X509_value(file->chain, (int)index), &made);
    if (size <= 0) return cjose_failed(cjose_status_backend);
    *der = made;
    *der_len = (size_t)size;
    return cjose_status_ok;
}
