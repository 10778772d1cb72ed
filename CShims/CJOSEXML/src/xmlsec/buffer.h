#include <xmlsec1/xmlsec/buffer.h>
