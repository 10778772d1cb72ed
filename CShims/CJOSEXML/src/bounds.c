#ifdef CJOSE_SAML
#include <string.h>
#include <strings.h>

#include "internal.h"

/// The part of a text that is still to be read.
typedef struct unread {
    const uint8_t *at;
    const uint8_t *end;
} unread;

static bool begins(const unread *unread, const char *word) {
    size_t n = strlen(word);
    return (size_t)(unread->end - unread->at) >= n && memcmp(unread->at, word, n) == 0;
}

/// Moves past `word`, where the text continues with it.
static bool take(unread *unread, const char *word) {
    if (!begins(unread, word)) return false;
    unread->at += strlen(word);
    return true;
}

/// Moves past the next `word`; false where there is none.
static bool pass(unread *unread, const char *word) {
    for (; unread->at < unread->end; unread->at++)
        if (take(unread, word)) return true;
    return false;
}

static void pass_space(unread *unread) {
    while (unread->at < unread->end && strchr(" \t\r\n", *unread->at) != NULL) unread->at++;
}

/// Whether the text begins with `<`, and its XML declaration, if there is one, names UTF-8 or no encoding (XML 1.0, 2.8
/// and 4.3.3): in another encoding the bytes could have other tags.
static bool is_utf8(unread text) {
    take(&text, "\xEF\xBB\xBF");
    if (!take(&text, "<?xml")) {
        // In an encoding that does not contain ASCII, such as EBCDIC, the text begins with another byte.
        pass_space(&text);
        return begins(&text, "<");
    }
    unread declaration = text;
    if (!pass(&text, "?>")) return false;
    declaration.end = text.at;
    if (!pass(&declaration, "encoding")) return true;
    pass_space(&declaration);
    if (!take(&declaration, "=")) return false;
    pass_space(&declaration);
    if (declaration.end - declaration.at < 7) return false;
    uint8_t quote = *declaration.at++;
    return (quote == '"' || quote == '\'') && strncasecmp((const char *)declaration.at, "UTF-8", 5) == 0 &&
        declaration.at[5] == quote;
}

/// Moves past the tag whose `<` was passed. False if it has too many attributes, does not end, or contains `<`, which
/// even an attribute value may not contain (XML 1.0, 3.1).
static bool pass_tag(unread *unread) {
    int attributes = 0;
    uint8_t quote = 0;
    while (unread->at < unread->end) {
        uint8_t byte = *unread->at++;
        if (byte == '<') return false;
        if (quote != 0) {
            if (byte == quote) quote = 0;
        } else if (byte == '>') {
            return true;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
        } else if (byte == '=' && ++attributes > cjose_xml_max_attributes + cjose_xml_max_namespaces) {
            return false;
        }
    }
    return false;
}

bool cjose_xml_is_bounded(const uint8_t *bytes, size_t n) {
    unread text = {bytes, bytes + n};
    if (!is_utf8(text)) return false;
    while ((text.at = memchr(text.at, '<', (size_t)(text.end - text.at))) != NULL) {
        text.at++;
        bool passed = take(&text, "!--") ? pass(&text, "-->")
            : take(&text, "![CDATA[")    ? pass(&text, "]]>")
                                         : pass_tag(&text);
        if (!passed) return false;
    }
    return true;
}
#endif
