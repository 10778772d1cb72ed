#include "CJOSEOpenSSL.h"
