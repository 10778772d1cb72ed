#ifdef CJOSE_SAML
#include <string.h>

#include "internal.h"

/// Whether the name of a namespace is absolute. A relative one has no canonical form: libxml2 stops in the middle, and
/// its output until then is useless.
static bool is_absolute(const xmlChar *name) {
    if (name == NULL || name[0] == 0) return true;
    size_t scheme = strspn(
        (const char *)name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return scheme > 0 && name[scheme] == ':' && name[scheme + 1] != 0;
}

static bool is_plain_text(xmlNodePtr list) {
    return list == NULL || (list->type == XML_TEXT_NODE && list->next == NULL);
}

static bool names_id(const xmlAttr *attribute) {
    return xmlStrcasecmp(attribute->name, BAD_CAST "id") == 0;
}

static cjose_xml_status check_attributes(xmlNodePtr node, xmlHashTablePtr ids) {
    int count = 0;
    for (xmlAttrPtr attribute = node->properties; attribute != NULL; attribute = attribute->next) {
        if (++count > cjose_xml_max_attributes || !is_plain_text(attribute->children)) return cjose_xml_malformed;
        if (!names_id(attribute)) continue;
        // Readers disagree on an ID that is in a namespace, or written in other case.
        if (attribute->ns != NULL || xmlStrEqual(attribute->name, BAD_CAST "iD")) return cjose_xml_malformed;
        const xmlChar *value = attribute->children == NULL ? NULL : attribute->children->content;
        // The hash function of libxml2 is not secret: the names of a document can be made to collide.
        if (value == NULL || value[0] == 0 || xmlHashSize(ids) >= cjose_xml_max_ids) return cjose_xml_malformed;
        if (xmlHashAddEntry(ids, value, node) != 0) return cjose_xml_malformed;
    }
    return cjose_xml_ok;
}

static cjose_xml_status check_namespaces(xmlNodePtr node) {
    int count = 0;
    for (xmlNsPtr ns = node->nsDef; ns != NULL; ns = ns->next)
        if (++count > cjose_xml_max_namespaces || !is_absolute(ns->href)) return cjose_xml_malformed;
    return cjose_xml_ok;
}

cjose_xml_status cjose_xml_check_tree(xmlNodePtr node, int depth, xmlHashTablePtr ids) {
    if (depth > cjose_xml_max_depth) return cjose_xml_malformed;
    for (; node != NULL; node = node->next) {
        if (node->type == XML_TEXT_NODE) continue;
        if (node->type != XML_ELEMENT_NODE) return cjose_xml_malformed;
        cjose_xml_status status = check_namespaces(node);
        if (status == cjose_xml_ok) status = check_attributes(node, ids);
        if (status == cjose_xml_ok) status = cjose_xml_check_tree(node->children, depth + 1, ids);
        if (status != cjose_xml_ok) return status;
    }
    return cjose_xml_ok;
}

bool cjose_xml_named(const xmlNode *node, const char *space, const char *name) {
    return node != NULL && node->ns != NULL && xmlStrEqual(node->ns->href, BAD_CAST space) &&
        xmlStrEqual(node->name, BAD_CAST name);
}

bool cjose_xml_has_algorithm(const xmlNode *node, const char *algorithm) {
    const char *value = cjose_xml_attribute(cjose_xml_outer(node), "Algorithm");
    return value != NULL && xmlStrEqual(BAD_CAST value, BAD_CAST algorithm);
}

const cjose_xml_node *cjose_xml_root(const cjose_xml *xml) {
    return cjose_xml_outer(xmlDocGetRootElement(xml->doc));
}

const cjose_xml_node *cjose_xml_child(const cjose_xml_node *node) {
    return cjose_xml_outer(xmlFirstElementChild(cjose_xml_inner(node)));
}

const cjose_xml_node *cjose_xml_next(const cjose_xml_node *node) {
    return cjose_xml_outer(xmlNextElementSibling(cjose_xml_inner(node)));
}

bool cjose_xml_is(const cjose_xml_node *node, const char *space, const char *name) {
    return cjose_xml_named(cjose_xml_inner(node), space, name);
}

const char *cjose_xml_attribute(const cjose_xml_node *node, const char *name) {
    for (xmlAttrPtr attribute = cjose_xml_inner(node)->properties; attribute != NULL; attribute = attribute->next) {
        if (attribute->ns != NULL || !xmlStrEqual(attribute->name, BAD_CAST name)) continue;
        return attribute->children == NULL ? "" : (const char *)attribute->children->content;
    }
    return NULL;
}

const char *cjose_xml_text(const cjose_xml_node *node) {
    xmlNodePtr list = cjose_xml_inner(node)->children;
    if (!is_plain_text(list)) return NULL;
    return list == NULL || list->content == NULL ? "" : (const char *)list->content;
}
#endif
