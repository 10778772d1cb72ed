#ifndef MODULE_H
#define MODULE_H
#include "pkcs11_words.h"

/// The functions of a module, by their own names.
typedef struct pkcs11_module {
    CK_ULONG (*C_Initialize)(void *arguments);
    CK_ULONG (*C_Finalize)(void *reserved);
    CK_ULONG (*C_GetSlotList)(unsigned char with_token, CK_ULONG *slots, CK_ULONG *count);
    CK_ULONG (*C_GetTokenInfo)(CK_ULONG slot, void *info);
    CK_ULONG (*C_InitToken)(CK_ULONG slot, const char *pin, CK_ULONG pin_len, const char *label);
    CK_ULONG (*C_OpenSession)(CK_ULONG slot, CK_ULONG flags, void *application, void *notify, CK_ULONG *session);
    CK_ULONG (*C_Login)(CK_ULONG session, CK_ULONG user, const char *pin, CK_ULONG pin_len);
    CK_ULONG (*C_Logout)(CK_ULONG session);
    CK_ULONG (*C_InitPIN)(CK_ULONG session, const char *pin, CK_ULONG pin_len);
    CK_ULONG (*C_GenerateKeyPair)(
        CK_ULONG session, CK_MECHANISM *mechanism, CK_ATTRIBUTE *public_part, CK_ULONG public_count,
        CK_ATTRIBUTE *private_part, CK_ULONG private_count, CK_ULONG *public_key, CK_ULONG *private_key);
    CK_ULONG (*C_CreateObject)(CK_ULONG session, CK_ATTRIBUTE *parts, CK_ULONG count, CK_ULONG *object);
    CK_ULONG (*C_DestroyObject)(CK_ULONG session, CK_ULONG object);
    CK_ULONG (*C_GetAttributeValue)(CK_ULONG session, CK_ULONG object, CK_ATTRIBUTE *parts, CK_ULONG count);
    CK_ULONG (*C_FindObjectsInit)(CK_ULONG session, CK_ATTRIBUTE *parts, CK_ULONG count);
    CK_ULONG (*C_FindObjects)(CK_ULONG session, CK_ULONG *objects, CK_ULONG most, CK_ULONG *count);
    CK_ULONG (*C_FindObjectsFinal)(CK_ULONG session);
    CK_ULONG (*C_SignInit)(CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG key);
    CK_ULONG (*C_Sign)(
        CK_ULONG session, const void *data, CK_ULONG data_len, void *signature, CK_ULONG *signature_len);
    CK_ULONG (*C_DecryptInit)(CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG key);
    CK_ULONG (*C_Decrypt)(CK_ULONG session, const void *data, CK_ULONG data_len, void *out, CK_ULONG *out_len);
    CK_ULONG (*C_DeriveKey)(
        CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG base, CK_ATTRIBUTE *parts, CK_ULONG count, CK_ULONG *key);
    CK_ULONG (*C_UnwrapKey)(
        CK_ULONG session, CK_MECHANISM *mechanism, CK_ULONG by, const void *wrapped, CK_ULONG wrapped_len,
        CK_ATTRIBUTE *parts, CK_ULONG count, CK_ULONG *key);
} pkcs11_module;

extern pkcs11_module module;
/// Loads a module. 0 where it cannot be loaded, or lacks a needed function.
int module_load(const char *path);
#endif
