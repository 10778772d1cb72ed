#include <xmlsec1/xmlsec/openssl/evp.h>
