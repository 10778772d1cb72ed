#include <xmlsec/keys.h>

#include "internal.h"

/// The key as xmlsec has keys, with the same `EVP_PKEY`; null: out of memory. Ended with `xmlSecKeyDestroy`.
xmlSecKeyPtr cjose_xml_adopt(const cjose_xml_key *key);
