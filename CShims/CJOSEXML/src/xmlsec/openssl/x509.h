#include <xmlsec1/xmlsec/openssl/x509.h>
