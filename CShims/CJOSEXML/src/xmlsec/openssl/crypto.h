#include <xmlsec1/xmlsec/openssl/crypto.h>
