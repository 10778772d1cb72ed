#if SAML
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD

    internal import Foundation

    extension Shapes {
        static func saml(_ path: String?) -> [Shape] {
            // The certificate is read once, so that the preparation of its key is not counted.
            let certificate = Result { try readCertificate(path) }
            return xml.map { shape in
                Shape("xml." + shape.name, shape.count, isAccepted: shape.isAccepted, isBounded: shape.isBounded) {
                    count in
                    let text = Array("<a>\(shape.content(count))</a>".utf8)
                    return { accepts { _ = try XMLDocument(text) } }
                }
            }
                + xml.filter { $0.isAccepted && !$0.isBounded }.map { shape in
                    Shape("xml signature." + shape.name, shape.count, isAccepted: false) { count in
                        let certificate = try certificate.get()
                        let document = try XMLDocument(Array(signed(shape.content(count)).utf8))
                        return { accepts { try document.root.verify(by: [certificate]) } }
                    }
                }
        }

        private struct CertificateFault: Error, CustomStringConvertible { let description: String }

        /// Reads the certificate whose key verifies signatures.
        private static func readCertificate(_ path: String?) throws -> SAMLCertificate {
            guard let path else { throw CertificateFault(description: "the shapes of signatures need a certificate") }
            do {
                return try SAMLCertificate(Certificate(pem: String(contentsOfFile: path, encoding: .utf8)))
            } catch {
                throw CertificateFault(description: "\(path) is not a PEM file of an RSA certificate: \(error)")
            }
        }

        private struct XML {
            let name: String
            let count: Int
            var isAccepted = true
            var isBounded = false
            let content: (Int) -> String
        }

        private static var xml: [XML] {
            [
                XML(name: "elements", count: 512) { times($0, "<e/>") },
                XML(name: "elements with text", count: 512) { times($0, "<e>x</e>") },
                XML(name: "levels", count: 15, isBounded: true) { times($0, "<e>") + times($0, "</e>") },
                XML(name: "levels beyond the limit", count: 128, isAccepted: false) {
                    times($0, "<e>") + times($0, "</e>")
                },
                XML(name: "attributes of an element", count: 16, isBounded: true) { count in
                    "<e " + list(count) { "a\($0)=''" }.replacing(",", with: " ") + "/>"
                },
                XML(name: "attributes of an element beyond the limit", count: 512, isAccepted: false) { count in
                    "<e " + list(count) { "a\($0)=''" }.replacing(",", with: " ") + "/>"
                },
                XML(name: "elements with attributes", count: 64) { times($0, "<e a='' b='' c=''/>") },
                XML(name: "elements with attributes of namespaces", count: 16) { count in
                    "<e " + list(16) { "xmlns:p\($0)='u:\($0)'" }.replacing(",", with: " ") + ">"
                        + times(count, "<e " + list(16) { "p\($0):a=''" }.replacing(",", with: " ") + "/>") + "</e>"
                },
                XML(name: "namespaces of an element", count: 8, isBounded: true) { count in
                    "<e " + list(count) { "xmlns:p\($0)='u:\($0)'" }.replacing(",", with: " ") + "/>"
                },
                XML(name: "namespaces of an element beyond the limit", count: 512, isAccepted: false) { count in
                    "<e " + list(count) { "xmlns:p\($0)='u:\($0)'" }.replacing(",", with: " ") + "/>"
                },
                XML(name: "elements that declare one namespace", count: 64) { times($0, "<p:e xmlns:p='u:1'/>") },
                XML(name: "elements in 50 namespaces", count: 64) { count in
                    let levels = 0..<50
                    return levels.map { "<p\($0):e xmlns:p\($0)='u:\($0)'>" }.joined() + times(count, "<p0:e/>")
                        + levels.reversed().map { "</p\($0):e>" }.joined()
                },
                // The input has the largest number of levels; the declarations in scope grow with the number of all, and the
                // elements use the first.
                XML(name: "elements in nested namespaces beyond the limit", count: 256, isAccepted: false) { count in
                    let each = count / 16
                    let open = (0..<16).map { level in
                        "<p\(level * each):e "
                            + (0..<each).map { "xmlns:p\(level * each + $0)='u:\(level * each + $0)'" }.joined(
                                separator: " ") + ">"
                    }
                    let close = (0..<16).reversed().map { "</p\($0 * each):e>" }
                    return open.joined() + times(count, "<p0:e/>") + close.joined()
                },
                XML(name: "text", count: 16_384) { times($0, "x") },
                XML(name: "entities", count: 2_048) { times($0, "&amp;") },
                XML(name: "character references", count: 2_048) { times($0, "&#13;") },
                XML(name: "comments in text", count: 2_048) { times($0, "x<!---->") },
                XML(name: "bytes of a comment", count: 8_192) { "<!--" + times($0, "-x") + "-->" },
                XML(name: "CDATA sections", count: 2_048) { times($0, "<![CDATA[x]]>") },
                XML(name: "entities of an attribute", count: 2_048) { "<e a='" + times($0, "&amp;") + "'/>" },
                XML(name: "bytes of an attribute", count: 16_384) { "<e a='" + times($0, "x") + "'/>" },
                XML(name: "IDs", count: 64, isBounded: true) { count in (0..<count).map { "<e ID='i\($0)'/>" }.joined()
                },
                XML(name: "IDs beyond the limit", count: 512, isAccepted: false) { count in
                    (0..<count).map { "<e ID='i\($0)'/>" }.joined()
                },
                XML(name: "declarations of entities", count: 128, isAccepted: false) { count in
                    times(count, "<!ENTITY x 'y'>")
                },
                XML(name: "element that does not end", count: 256, isAccepted: false) { times($0, "<e ") },
            ]
        }

        /// Returns a signature over the content, in the only accepted form, with a digest that does not match.
        private static func signed(_ content: String) -> String {
            let method = { (name: String, algorithm: String) in "<\(name) Algorithm='\(algorithm)'/>" }
            return "<a ID='_a'>"
                + "<ds:Signature xmlns:ds='http://www.w3.org/2000/09/xmldsig#'><ds:SignedInfo>"
                + method("ds:CanonicalizationMethod", SAMLNames.exclusive)
                + method("ds:SignatureMethod", SAMLNames.rsaSHA256) + "<ds:Reference URI='#_a'><ds:Transforms>"
                + method("ds:Transform", SAMLNames.enveloped) + method("ds:Transform", SAMLNames.exclusive)
                + "</ds:Transforms>" + method("ds:DigestMethod", SAMLNames.sha256)
                + "<ds:DigestValue>AAAA</ds:DigestValue></ds:Reference></ds:SignedInfo>"
                + "<ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>\(content)</a>"
        }
    }
#else
    extension Shapes {
        static func saml(_ path: String?) -> [Shape] { [] }
    }
#endif
