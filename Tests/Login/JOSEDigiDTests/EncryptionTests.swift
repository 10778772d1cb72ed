#if SAML
    import Foundation
    import JOSERelyingParty
    import JOSEDigiD
    import JOSETokens
    import Testing

    @Suite("SAML: encrypted numbers") struct EncryptionTests {
        /// Changes the encrypted parts of a response, signs the parts around them again, and reads the result.
        private func outcome(
            _ exchange: Exchange, _ change: (inout String) throws -> Void
        ) throws -> Result<SAMLLogin, SAMLRejection> {
            var text = try exchange.body()
            try change(&text)
            let document = try XMLDocument(Array(text.utf8))
            let answer = try #require(document.root.children.last?.children.first)
            let assertion = answer.children.flatMap(\.children).flatMap { [$0] }.first { $0.attribute("ID") != nil }
            try assertion?.sign(with: exchange.signer)
            try answer.sign(with: exchange.signer)
            return exchange.read(String(decoding: try document.write(), as: UTF8.self))
        }

        private func changed(_ base64: String, at index: Int) -> String {
            var bytes = Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
            bytes[index < 0 ? bytes.count + index : index] ^= 1
            return Data(bytes).base64EncodedString()
        }

        private func cipher(_ text: String, of name: String) throws -> String {
            let value = try text.element(name).element("xenc:CipherValue")
            return String(value.dropFirst("<xenc:CipherValue>".count).dropLast("</xenc:CipherValue>".count))
        }

        @Test(
            "DigiD case 28: wrong padding, keys and content give the same error, and only after the signature is verified"
        )
        func oneFailure() throws {
            let exchange = try Exchange(.saml4)
            #expect(try outcome(exchange) { _ in }.name == Parties.number)
            for (element, index) in [
                ("xenc:EncryptedKey", 0), ("xenc:EncryptedKey", 100), ("xenc:EncryptedKey", -1),
                ("xenc:EncryptedData", 0), ("xenc:EncryptedData", 20), ("xenc:EncryptedData", -1),
                ("xenc:EncryptedData", -17),
            ] {
                let failed = try outcome(exchange) { text in
                    let old = try cipher(text, of: element)
                    text.swap(old, changed(old, at: index))
                }
                #expect(failed.failure == .decryptionFailed, "\(element) \(index)")
                let unsigned = try exchange.failure {
                    $0.tamper = { text in
                        let old = try cipher(text, of: element)
                        text.swap(old, changed(old, at: index))
                    }
                }
                #expect(unsigned == .signatureInvalid)
            }
            for content in ["", "AAAA", "not base64!", String(repeating: "A", count: 44)] {
                let failed = try outcome(exchange) { text in
                    text.swap(try cipher(text, of: "xenc:EncryptedData"), content)
                }
                #expect(failed.failure == .decryptionFailed, "\(content)")
                let key = try outcome(exchange) { text in text.swap(try cipher(text, of: "xenc:EncryptedKey"), content)
                }
                #expect(key.failure == .decryptionFailed, "\(content)")
            }
        }

        @Test("encrypted content other than a single NameID is rejected")
        func content() throws {
            var exchange = try Exchange(.saml4)
            #expect(try exchange.outcome().failure == nil)
            // Text that looks like XML stays text, because it was escaped.
            exchange.message.identifiers[0].text = "<a/>&x;"
            #expect(try exchange.outcome().name == "<a/>&x;")
            exchange.message.identifiers = [
                ("urn:nl-eid-gdi:1.0:id:Pseudonym", "P-1"), ("urn:nl-eid-gdi:1.0:id:BSN", Parties.number),
            ]
            let both = try #require(try exchange.outcome().login?.identifiers)
            #expect(both.map(\.text) == ["P-1", Parties.number])
            #expect(both.map(\.qualifier) == ["urn:nl-eid-gdi:1.0:id:Pseudonym", "urn:nl-eid-gdi:1.0:id:BSN"])
            exchange.message.identifiers = []
            #expect(try exchange.outcome().failure == .claimMissing("ActingSubjectID"))
        }

        @Test("D02 encrypted content is parsed as strictly as plain content")
        func plaintexts() throws {
            var exchange = try Exchange(.saml4)
            let qualifier = DigiDNumber.qualifiers[0]
            func outcome(_ text: String) throws -> Result<SAMLLogin, SAMLRejection> {
                exchange.message.plaintext = Array(text.utf8)
                return try exchange.outcome()
            }
            func name(_ content: String, _ more: String = "") -> String {
                "<saml:NameID NameQualifier=\"\(qualifier)\"\(more)>\(content)</saml:NameID>"
            }
            // The prefix may be declared outside the encrypted element.
            for space in ["", " xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\""] {
                let login = try #require(try outcome(name(Parties.number, space)).login)
                #expect(login.identifiers.map(\.text) == [Parties.number])
                #expect(login.identifiers.map(\.qualifier) == [qualifier])
            }
            for text in [
                name("111<!-- -->222333"), name("111<b/>222333"), name("111<?x y?>222333"), name("111&x;222333"),
                name(Parties.number) + name(Parties.number), "x" + name(Parties.number), name(Parties.number) + "x",
                "<!DOCTYPE a>" + name(Parties.number), "<!DOCTYPE a [<!ENTITY x \"1\">]>" + name("&x;"),
                "<saml:NameID>" + Parties.number, "<saml:BaseID>\(Parties.number)</saml:BaseID>",
                name(Parties.number, " xmlns:saml=\"urn:other\""), name(Parties.number, " xmlns:x=\"relative\""),
                name("<saml:NameID>\(Parties.number)</saml:NameID>"), Parties.number, " ",
                "<other:NameID>\(Parties.number)</other:NameID>", name(Parties.number) + "\u{0}",
            ] {
                #expect(try outcome(text).failure == .decryptionFailed, "\(text)")
            }
        }

        @Test("T75 the limits on attributes and namespace declarations apply to encrypted content too")
        func boundsOfPlaintexts() throws {
            var exchange = try Exchange(.saml4)
            /// - Parameter attributes: The number of attributes, at least 1, of which `NameQualifier` is one.
            func failure(attributes: Int, namespaces: Int) throws -> RelyingPartyError.Reason? {
                let start =
                    "<saml:NameID NameQualifier=\"\(DigiDNumber.qualifiers[0])\""
                    + (1..<attributes).map { " a\($0)=\"\"" }.joined()
                    + (0..<namespaces).map { " xmlns:p\($0)=\"u:\($0)\"" }.joined()
                exchange.message.plaintext = Array("\(start)>\(Parties.number)</saml:NameID>".utf8)
                return try exchange.outcome().failure
            }
            #expect(try failure(attributes: 64, namespaces: 32) == nil)
            #expect(try failure(attributes: 65, namespaces: 0) == .decryptionFailed)
            #expect(try failure(attributes: 1, namespaces: 33) == .decryptionFailed)
            #expect(try failure(attributes: 1_000, namespaces: 0) == .decryptionFailed)
            #expect(try failure(attributes: 1, namespaces: 1_000) == .decryptionFailed)
        }

        @Test("among the keys of several recipients ours is chosen by Recipient and KeyName")
        func recipients() throws {
            var exchange = try Exchange(.saml4)
            let parties = exchange.parties
            exchange.message.recipients = [
                ("https://other.test/saml", try parties.other.verifying),
                (Parties.service, try parties.service.verifying),
            ]
            #expect(try exchange.outcome().name == Parties.number)
            exchange.rules.decryption = [parties.other.key, parties.service.key]
            #expect(try exchange.outcome().name == Parties.number)
            // Without a key name, each of our keys is tried.
            let nameless = try exchange.failure {
                $0.edit = { text in
                    text = text.without(
                        "<ds:KeyInfo><ds:KeyName>\(parties.service.key.keyName)</ds:KeyName></ds:KeyInfo>")
                }
            }
            #expect(nameless == nil)
            exchange.rules.decryption = [parties.other.key]
            #expect(try exchange.outcome().failure == .keyNotFound)
            exchange.rules.decryption = [parties.service.key]
            exchange.rules.recipient = "https://third.test/saml"
            #expect(try exchange.outcome().failure == .keyNotFound)
        }

        @Test("D05 other encryption algorithms are rejected with encryptionNotAllowed")
        func algorithms() throws {
            let exchange = try Exchange(.saml4)
            let names = "http://www.w3.org/2001/04/xmlenc#"
            for (old, new) in [
                (SAMLNames.oaep, names + "rsa-1_5"), (SAMLNames.aes256, names + "tripledes-cbc"),
                (SAMLNames.aes256, names + "aes128-cbc"),
                (SAMLNames.aes256, "http://www.w3.org/2009/xmlenc11#aes256-gcm"),
            ] {
                #expect(try outcome(exchange) { $0.swap(old, new) }.failure == .encryptionNotAllowed, "\(new)")
            }
            let reference = try outcome(exchange) { text in
                let data = try text.element("xenc:EncryptedData")
                text.swap(
                    try data.element("xenc:CipherData"),
                    "<xenc:CipherData><xenc:CipherReference URI=\"file:///etc/passwd\"/></xenc:CipherData>")
            }
            #expect(reference.failure == .malformed)
            #expect(try outcome(exchange) { _ in }.failure == nil)
        }
    }
#endif
