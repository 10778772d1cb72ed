#if SAML
    import Foundation
    import JOSERelyingParty
    import JOSEDigiD
    import Testing

    @Suite("SAML: strict XML") struct StrictXMLTests {
        private func failure(_ text: String) -> RelyingPartyError.Reason? { failure(Array(text.utf8)) }
        private func failure(_ bytes: [UInt8]) -> RelyingPartyError.Reason? {
            do throws(RelyingPartyError.Reason) {
                _ = try XMLDocument(bytes)
                return nil
            } catch {
                return error
            }
        }

        @Test("DigiD case 18: D03 a document type is rejected, whatever it declares")
        func documentTypes() {
            #expect(failure("<a>x</a>") == nil)
            #expect(failure("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>x</a>") == nil)
            var laughs = "<!ENTITY l0 \"ha\">"
            for level in 1...9 {
                laughs += "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
            }
            for inside in [
                "", "SYSTEM \"file:///etc/passwd\"", "PUBLIC \"x\" \"http://127.0.0.1:9/x.dtd\"", "[]",
                "[<!ENTITY x SYSTEM \"file:///etc/passwd\">]", "[<!ENTITY % x SYSTEM \"http://127.0.0.1:9/\"> %x;]",
                "[<!ATTLIST a ID ID #IMPLIED>]", "[\(laughs)]",
            ] {
                for content in ["x", "&x;", "&l9;"] {
                    #expect(failure("<!DOCTYPE a \(inside)><a>\(content)</a>") == .malformed, "\(inside)")
                }
            }
        }

        @Test("D03 entities, processing instructions and other encodings than UTF-8 are rejected")
        func others() {
            #expect(failure("<a b=\"&amp;&#x41;&quot;\">&lt;&gt;&amp;&#65;</a>") == nil)
            #expect(failure("<a>&x;</a>") == .malformed)
            #expect(failure("<a b=\"&x;\"/>") == .malformed)
            #expect(failure("<a><?php x?></a>") == .malformed)
            #expect(failure("<?xml-stylesheet href=\"file:///x\"?><a/>") == .malformed)
            #expect(failure("<?xml version=\"1.1\"?><a/>") == .malformed)
            #expect(failure("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>x</a>") == .malformed)
            #expect(failure([0xFF, 0xFE] + "<a/>".utf8.flatMap { [$0, 0] }) == .malformed)
            #expect(failure("<?xml version=\"1.0\" encoding=\"UTF-7\"?><a>x</a>") == .malformed)
            #expect(failure([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) == .malformed)
            for text in ["", " ", "a", "<a>", "<a/><b/>", "<a></b>", "<a b=\"1\" b=\"2\"/>", "<x:a/>", "<a>\u{1}</a>"] {
                #expect(failure(text) == .malformed, "\(text)")
            }
        }

        @Test("a message has at most 256 KiB, 64 levels, and 64 attributes and 32 namespace declarations per element")
        func bounds() {
            let (limit, frame) = (262_144, "<a></a>".utf8.count)
            #expect(failure("<a>" + String(repeating: "x", count: limit - frame) + "</a>") == nil)
            #expect(failure("<a>" + String(repeating: "x", count: limit - frame + 1) + "</a>") == .malformed)
            func deep(_ count: Int) -> String {
                String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
            }
            #expect(failure(deep(64)) == nil)
            #expect(failure(deep(65)) == .malformed)
            #expect(failure(deep(37_000)) == .malformed)
            func wide(_ count: Int) -> String { "<a" + (0..<count).map { " a\($0)=\"\"" }.joined() + "/>" }
            #expect(failure(wide(64)) == nil)
            #expect(failure(wide(65)) == .malformed)
            func spaces(_ count: Int) -> String {
                "<a" + (0..<count).map { " xmlns:a\($0)=\"u:\($0)\"" }.joined() + "/>"
            }
            #expect(failure(spaces(32)) == nil)
            #expect(failure(spaces(33)) == .malformed)
        }

        @Test("T75 namespace declarations in scope and IDs of a document are bounded across its elements")
        func boundsOfDocuments() {
            func declarations(_ count: Int, from first: Int = 0) -> String {
                (first..<(first + count)).map { " xmlns:p\($0)=\"u:\($0)\"" }.joined()
            }
            func nested(_ inner: Int) -> String { "<a\(declarations(32))><b\(declarations(inner, from: 32))/></a>" }
            #expect(failure(nested(32)) == nil)
            #expect(
                failure(
                    "<a\(declarations(32))><b\(declarations(31, from: 32))><c\(declarations(2, from: 63))/></b></a>")
                    == .malformed)
            // Declarations of siblings are not in scope together.
            let sibling = "<b\(declarations(32, from: 32))/>"
            #expect(failure("<a\(declarations(32))>\(String(repeating: sibling, count: 20))</a>") == nil)
            let levels = 0..<64
            func deep(_ each: Int) -> String {
                levels.map { "<a\(declarations(each, from: $0 * each))>" }.joined()
                    + levels.map { _ in "</a>" }.joined()
            }
            #expect(failure(deep(1)) == nil)
            #expect(failure(deep(2)) == .malformed)

            func identifiers(_ count: Int) -> String {
                "<a>" + (0..<count).map { "<b ID=\"i\($0)\"/>" }.joined() + "</a>"
            }
            #expect(failure(identifiers(256)) == nil)
            #expect(failure(identifiers(257)) == .malformed)
        }

        @Test(
            "T75 the attributes of a tag are counted before libxml2 compares them, and nothing else is counted as one"
        )
        func boundsOfTags() {
            let equals = String(repeating: "a=\"1\" ", count: 1_000)
            for text in [
                "<a>\(equals)</a>", "<a><!-- <b \(equals)/> --></a>", "<a><![CDATA[<b \(equals)/>]]></a>",
                "<a b='\(equals)'/>", "<a b='>'/>", "<a b=\">'\" c='>\"'/>", "\n <a/>", "\u{FEFF}<a/>",
                "<?xml version='1.0' encoding='utf-8'?><a/>", "<?xml version='1.0'?><a/>",
                "<?xml version = '1.0' encoding = \"UTF-8\" ?><a/>", "<!-- x --><a/><!-- x -->",
            ] { #expect(failure(text) == nil, "\(text.prefix(40))") }
            for text in [
                "<a \(equals)/>", "<a><b \(equals)/></a>", "<a></a \(equals)>", "<a b=\"<\"/>", "<a b='", "<a", "<",
                "<a><!-- </a>",
                "<a><![CDATA[</a>", "<?xml version='1.0' encoding='UTF-16'?><a/>",
                "<?xml version='1.0' encoding=UTF-8?><a/>",
                "<?xml version='1.0' encoding='UTF-8", "<?xml version='1.0' encoding", "x<a/>",
            ] { #expect(failure(text) == .malformed, "\(text.prefix(40))") }
        }

        @Test("a duplicate ID is rejected, in any of the spellings ID, Id and id")
        func identifiers() {
            #expect(failure("<a ID=\"x\"><b Id=\"y\"/><b id=\"z\"/></a>") == nil)
            #expect(failure("<a ID=\"x\"><b ID=\"x\"/></a>") == .malformed)
            #expect(failure("<a ID=\"x\"><b Id=\"x\"/></a>") == .malformed)
            #expect(failure("<a ID=\"x\"><b><c id=\"x\"/></b></a>") == .malformed)
            #expect(failure("<a ID=\"x\" id=\"x\"/>") == .malformed)
            #expect(failure("<a ID=\"\"/>") == .malformed)
            #expect(failure("<a xml:id=\"x\"/>") == .malformed)
            #expect(failure("<a xmlns:w=\"u:w\" w:Id=\"x\"/>") == .malformed)
        }

        @Test("D07 namespace names that have no canonical form are rejected")
        func namespaces() {
            #expect(failure("<a xmlns=\"urn:x\"><b xmlns=\"\"/></a>") == nil)
            for name in ["1", "x", "/x", "../x", "#x", ":x", "x:"] {
                #expect(failure("<a xmlns:n=\"\(name)\"/>") == .malformed, "\(name)")
                #expect(failure("<a xmlns=\"\(name)\"/>") == .malformed, "\(name)")
            }
        }

        @Test("D02 the text of an element is read as a whole, across comments and CDATA")
        func texts() throws {
            func text(_ content: String) throws -> String {
                try XMLDocument(Array("<a>\(content)</a>".utf8)).root.text()
            }
            #expect(try text("12<!-- x -->34") == "1234")
            #expect(try text("<!-- x -->12<!----><!-- -->34<!-- y -->") == "1234")
            #expect(try text("12<![CDATA[34]]>&#53;") == "12345")
            #expect(try text("") == "")
            #expect(throws: RelyingPartyError.Reason.malformed) { try text("12<b/>34") }
            #expect(throws: RelyingPartyError.Reason.malformed) { try text("<b>12</b>") }
        }
    }
#endif
