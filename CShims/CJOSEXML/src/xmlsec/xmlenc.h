#include <xmlsec1/xmlsec/xmlenc.h>
