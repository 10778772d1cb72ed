#include "client.h"

#include <string.h>

#include "module.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static CK_ULONG session;
static unsigned char yes = 1, no = 0;

static int find_slot(const char *label, CK_ULONG *slot) {
    CK_ULONG slots[16], count = COUNT(slots);
    if (module.C_GetSlotList(1, slots, &count) != 0) return 0;
    for (CK_ULONG i = 0; i < count; i++) {
        // The name is the first member of the token's description, padded with spaces.
        char info[1024] = {0};
        if (module.C_GetTokenInfo(slots[i], info) != 0) continue;
        *slot = slots[i];
        if (strncmp(info, label, strlen(label)) == 0) return 1;
    }
    return 0;
}

CK_ULONG client_open(const char *path, const char *label, const char *so_pin, const char *pin) {
    if (!module_load(path)) return CKR_GENERAL_ERROR;
    CK_ULONG status = module.C_Initialize(NULL);
    if (status != 0) return status;
    CK_ULONG slot = 0, slots[16], count = COUNT(slots);
    if ((status = module.C_GetSlotList(0, slots, &count)) != 0 || count == 0) return CKR_GENERAL_ERROR;
    char name[32];
    memset(name, ' ', sizeof name);
    memcpy(name, label, strlen(label) < sizeof name ? strlen(label) : sizeof name);
    if ((status = module.C_InitToken(slots[0], so_pin, strlen(so_pin), name)) != 0) return status;
    // A token that was just made may have moved to another slot.
    if (!find_slot(label, &slot)) return CKR_GENERAL_ERROR;
    status = module.C_OpenSession(slot, CKF_RW_SESSION | CKF_SERIAL_SESSION, NULL, NULL, &session);
    if (status != 0) return status;
    if ((status = module.C_Login(session, CKU_SO, so_pin, strlen(so_pin))) != 0) return status;
    if ((status = module.C_InitPIN(session, pin, strlen(pin))) != 0) return status;
    return module.C_Logout(session);
}

void client_close(void) {
    if (module.C_Finalize != NULL) module.C_Finalize(NULL);
}

CK_ULONG client_login(const char *pin) { return module.C_Login(session, CKU_USER, pin, strlen(pin)); }
CK_ULONG client_logout(void) { return module.C_Logout(session); }

static CK_ULONG find(const bytes *id, CK_ULONG class, CK_ULONG *key) {
    CK_ATTRIBUTE wanted[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_ID, (void *)id->at, id->count},
    };
    CK_ULONG count = 0, status = module.C_FindObjectsInit(session, wanted, COUNT(wanted));
    if (status != 0) return status;
    status = module.C_FindObjects(session, key, 1, &count);
    module.C_FindObjectsFinal(session);
    return status != 0 ? status : count == 1 ? 0 : (CK_ULONG)CKR_KEY_HANDLE_INVALID;
}

static CK_ULONG part(CK_ULONG object, CK_ULONG type, bytes *out) {
    CK_ATTRIBUTE wanted = {type, out->at, sizeof out->at};
    CK_ULONG status = module.C_GetAttributeValue(session, object, &wanted, 1);
    if (status == 0) out->count = wanted.ulValueLen;
    return status;
}

static CK_ULONG make_pair(
    const bytes *id, CK_ULONG mechanism, CK_ATTRIBUTE parameters[2], size_t count, CK_ULONG *public_key) {
    CK_ATTRIBUTE public_part[6] = {
        {CKA_TOKEN, &yes, 1}, {CKA_VERIFY, &yes, 1}, {CKA_ID, (void *)id->at, id->count},
    };
    memcpy(public_part + 3, parameters, count * sizeof *parameters);
    CK_ATTRIBUTE private_part[] = {
        {CKA_TOKEN, &yes, 1}, {CKA_PRIVATE, &yes, 1}, {CKA_SENSITIVE, &yes, 1}, {CKA_EXTRACTABLE, &no, 1},
        {CKA_SIGN, &yes, 1}, {CKA_DECRYPT, &yes, 1}, {CKA_DERIVE, &yes, 1}, {CKA_ID, (void *)id->at, id->count},
    };
    CK_MECHANISM how = {mechanism, NULL, 0};
    CK_ULONG private_key = 0;
    return module.C_GenerateKeyPair(
        session, &how, public_part, 3 + count, private_part, COUNT(private_part), public_key, &private_key);
}

CK_ULONG client_make_rsa(const bytes *id, bytes *modulus, bytes *exponent) {
    CK_ULONG bits = 2048, key = 0;
    unsigned char f4[] = {1, 0, 1};
    CK_ATTRIBUTE parameters[] = {{CKA_MODULUS_BITS, &bits, sizeof bits}, {CKA_PUBLIC_EXPONENT, f4, sizeof f4}};
    CK_ULONG status = make_pair(id, CKM_RSA_PKCS_KEY_PAIR_GEN, parameters, 2, &key);
    if (status == 0) status = part(key, CKA_MODULUS, modulus);
    return status == 0 ? part(key, CKA_PUBLIC_EXPONENT, exponent) : status;
}

CK_ULONG client_make_ec(const bytes *id, const bytes *curve, bytes *point) {
    CK_ULONG key = 0;
    CK_ATTRIBUTE parameters[] = {{CKA_EC_PARAMS, (void *)curve->at, curve->count}};
    CK_ULONG status = make_pair(id, CKM_EC_KEY_PAIR_GEN, parameters, 1, &key);
    return status == 0 ? part(key, CKA_EC_POINT, point) : status;
}

CK_ULONG client_keep_aes(const bytes *id, const bytes *value) {
    CK_ULONG class = CKO_SECRET_KEY, type = CKK_AES, key = 0;
    CK_ATTRIBUTE parts[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &no, 1},
        {CKA_SENSITIVE, &yes, 1}, {CKA_EXTRACTABLE, &no, 1}, {CKA_UNWRAP, &yes, 1},
        {CKA_ID, (void *)id->at, id->count}, {CKA_VALUE, (void *)value->at, value->count},
    };
    return module.C_CreateObject(session, parts, COUNT(parts), &key);
}

CK_ULONG client_sign(const bytes *id, client_scheme scheme, const bytes *data, bytes *signature) {
    CK_RSA_PKCS_PSS_PARAMS pss = {CKM_SHA256, CKG_MGF1_SHA256, 32};
    CK_MECHANISM schemes[] = {
        [client_rs256] = {CKM_SHA256_RSA_PKCS, NULL, 0},
        [client_ps256] = {CKM_SHA256_RSA_PKCS_PSS, &pss, sizeof pss},
        [client_ecdsa] = {CKM_ECDSA, NULL, 0},
    };
    CK_ULONG key = 0, status = find(id, CKO_PRIVATE_KEY, &key);
    if (status != 0 || (status = module.C_SignInit(session, &schemes[scheme], key)) != 0) return status;
    CK_ULONG count = sizeof signature->at;
    status = module.C_Sign(session, data->at, data->count, signature->at, &count);
    signature->count = status == 0 ? count : 0;
    return status;
}

CK_ULONG client_decrypt_oaep(const bytes *id, const bytes *data, bytes *plaintext) {
    CK_RSA_PKCS_OAEP_PARAMS oaep = {CKM_SHA_1, CKG_MGF1_SHA1, CKZ_DATA_SPECIFIED, NULL, 0};
    CK_MECHANISM how = {CKM_RSA_PKCS_OAEP, &oaep, sizeof oaep};
    CK_ULONG key = 0, status = find(id, CKO_PRIVATE_KEY, &key);
    if (status != 0 || (status = module.C_DecryptInit(session, &how, key)) != 0) return status;
    CK_ULONG count = sizeof plaintext->at;
    status = module.C_Decrypt(session, data->at, data->count, plaintext->at, &count);
    plaintext->count = status == 0 ? count : 0;
    return status;
}

/// Reads the value of a secret that was created for this, and deletes the secret.
static CK_ULONG take(CK_ULONG made, bytes *out) {
    CK_ULONG status = part(made, CKA_VALUE, out);
    module.C_DestroyObject(session, made);
    return status;
}

CK_ULONG client_derive(const bytes *id, const bytes *point, bytes *secret) {
    CK_ECDH1_DERIVE_PARAMS ecdh = {CKD_NULL, 0, NULL, point->count, (void *)point->at};
    CK_MECHANISM how = {CKM_ECDH1_DERIVE, &ecdh, sizeof ecdh};
    CK_ULONG class = CKO_SECRET_KEY, type = CKK_GENERIC_SECRET, size = (point->count - 1) / 2, made = 0, key = 0;
    CK_ATTRIBUTE parts[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &no, 1},
        {CKA_SENSITIVE, &no, 1}, {CKA_EXTRACTABLE, &yes, 1}, {CKA_VALUE_LEN, &size, sizeof size},
    };
    CK_ULONG status = find(id, CKO_PRIVATE_KEY, &key);
    if (status == 0) status = module.C_DeriveKey(session, &how, key, parts, COUNT(parts), &made);
    return status == 0 ? take(made, secret) : status;
}

CK_ULONG client_unwrap(const bytes *id, const bytes *wrapped, bytes *out) {
    CK_MECHANISM how = {CKM_AES_KEY_WRAP, NULL, 0};
    CK_ULONG class = CKO_SECRET_KEY, type = CKK_GENERIC_SECRET, made = 0, key = 0;
    CK_ATTRIBUTE parts[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &no, 1},
        {CKA_SENSITIVE, &no, 1}, {CKA_EXTRACTABLE, &yes, 1},
    };
    CK_ULONG status = find(id, CKO_SECRET_KEY, &key);
    if (status == 0)
        status = module.C_UnwrapKey(
            session, &how, key, wrapped->at, wrapped->count, parts, COUNT(parts), &made);
    return status == 0 ? take(made, out) : status;
}

CK_ULONG client_destroy(const bytes *id) {
    CK_ULONG key = 0, status = find(id, CKO_PRIVATE_KEY, &key);
    return status == 0 ? module.C_DestroyObject(session, key) : status;
}
