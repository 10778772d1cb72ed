#include <dlfcn.h>
#include <string.h>

#include "module.h"

pkcs11_module module;
static void *library;

#define TAKE(name)                                                                                                     \
    do {                                                                                                               \
        void *symbol = dlsym(library, #name);                                                                          \
        if (symbol == NULL) return 0;                                                                                  \
        memcpy(&module.name, &symbol, sizeof symbol);                                                                  \
    } while (0)

int module_load(const char *path) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
    TAKE(C_Initialize);
    TAKE(C_Finalize);
    TAKE(C_GetSlotList);
    TAKE(C_GetTokenInfo);
    TAKE(C_InitToken);
    TAKE(C_OpenSession);
    TAKE(C_Login);
    TAKE(C_Logout);
    TAKE(C_InitPIN);
    TAKE(C_GenerateKeyPair);
    TAKE(C_CreateObject);
    TAKE(C_DestroyObject);
    TAKE(C_GetAttributeValue);
    TAKE(C_FindObjectsInit);
    TAKE(C_FindObjects);
    TAKE(C_FindObjectsFinal);
    TAKE(C_SignInit);
    TAKE(C_Sign);
    TAKE(C_DecryptInit);
    TAKE(C_Decrypt);
    TAKE(C_DeriveKey);
    TAKE(C_UnwrapKey);
    return 1;
}
