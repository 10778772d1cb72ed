#include "CJOSEBytes.h"
