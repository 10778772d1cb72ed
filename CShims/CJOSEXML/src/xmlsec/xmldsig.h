#include <xmlsec1/xmlsec/xmldsig.h>
