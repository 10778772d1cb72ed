#include <xmlsec1/xmlsec/errors.h>
