#include "CJOSESodium.h"
