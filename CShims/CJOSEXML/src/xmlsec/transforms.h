#include <xmlsec1/xmlsec/transforms.h>
