#include <xmlsec1/xmlsec/list.h>
