#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import Testing

    @Suite("SAML: signatures") struct SignatureTests {
        @Test("a valid response is a login in both generations")
        func honest() throws {
            for generation in [SAMLGeneration.saml3, .saml4] {
                let login = try #require(try Exchange(generation).outcome().login)
                #expect(login.identifiers.count == 1)
                #expect(login.identifiers[0].text.hasSuffix(Parties.number))
                #expect(login.classReference == Parties.midden)
                #expect(login.subjectLocality == "127.0.0.1")
            }
        }

        @Test("D01 any change of signed content makes the signature invalid")
        func changed() throws {
            let exchange = try Exchange()
            for (old, new) in [
                (Parties.number, "111222342"), ("Success", "success"), ("<saml:Audience>", "<saml:Audience >x"),
                ("MobileTwoFactorContract", "SmartcardPKI"), ("InResponseTo=\"_resolve\"", "InResponseTo=\"_other\""),
            ] {
                #expect(
                    try exchange.failure { $0.tamper = { $0.swap(old, new) } } == .signatureInvalid, "\(old)")
            }
            #expect(try exchange.failure { _ in } == nil)
        }

        @Test("DigiD case 19: D05 a key in the message is ignored")
        func keyInMessage() throws {
            let exchange = try Exchange()
            let other = exchange.parties.other
            // The attacker's key, its certificate and its name are consistent in the message.
            #expect(try exchange.failure { $0.signer = other.key } == .signatureInvalid)
            #expect(
                try exchange.failure {
                    $0.signer = other.key
                    let name = $0.parties.provider.key.keyName
                    $0.edit = { $0.swap(other.key.keyName, name) }
                } == .signatureInvalid)
            // A key name that the metadata do not contain selects no key, and all of them are tried.
            #expect(
                try exchange.failure {
                    let name = $0.parties.provider.key.keyName
                    $0.edit = { $0.swap("<ds:KeyName>\(name)", "<ds:KeyName>unknown") }
                } == nil)
            #expect(
                try exchange.failure {
                    $0.edit = { text in
                        if let info = try? text.element("ds:KeyInfo") { text = text.without(info) }
                    }
                } == nil)
        }

        @Test("during a key rotation both certificates are accepted, and an expired one is not")
        func overlap() throws {
            var exchange = try Exchange()
            let parties = exchange.parties
            exchange.rules.identityProvider = try parties.metadata(
                signing: [parties.provider.certificate, parties.successor.certificate])
            #expect(try exchange.failure { _ in } == nil)
            #expect(try exchange.failure { $0.signer = parties.successor.key } == nil)
            #expect(try exchange.failure { $0.signer = parties.other.key } == .signatureInvalid)
            #expect(
                try exchange.failure { $0.rules.now = parties.provider.certificate.notAfter.secondsSince1970 + 100 }
                    == .keyNotFound)
            #expect(
                try exchange.failure { $0.rules.now = parties.provider.certificate.notBefore.secondsSince1970 - 100 }
                    == .keyNotFound)
        }

        @Test(
            "DigiD case 20: D05 other signature, digest and canonicalization algorithms are rejected before any key is used"
        )
        func algorithms() throws {
            let exchange = try Exchange()
            let (ds, more) = ("http://www.w3.org/2000/09/xmldsig#", "http://www.w3.org/2001/04/xmldsig-more#")
            for (old, new) in [
                (SAMLNames.rsaSHA256, ds + "rsa-sha1"), (SAMLNames.rsaSHA256, ds + "hmac-sha1"),
                (SAMLNames.rsaSHA256, more + "hmac-sha256"), (SAMLNames.rsaSHA256, ds + "rsa-sha256"),
                (SAMLNames.rsaSHA256, more + "rsa-sha512"), (SAMLNames.rsaSHA256, more + "ecdsa-sha256"),
                (SAMLNames.sha256, ds + "sha1"), (SAMLNames.sha256, "http://www.w3.org/2001/04/xmlenc#sha512"),
                (SAMLNames.exclusive, SAMLNames.exclusive + "WithComments"),
                (SAMLNames.exclusive, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"),
                (SAMLNames.enveloped, "http://www.w3.org/TR/1999/REC-xslt-19991116"),
                (SAMLNames.enveloped, "http://www.w3.org/TR/1999/REC-xpath-19991116"),
                (SAMLNames.enveloped, ds + "base64"), (SAMLNames.enveloped, SAMLNames.exclusive),
            ] {
                #expect(try exchange.failure { $0.tamper = { $0.swap(old, new) } } == .algorithmNotAllowed, "\(new)")
            }
            #expect(try exchange.failure { _ in } == nil)
        }

        @Test("InclusiveNamespaces is accepted in a method or transform, and any other content is not")
        func parameters() throws {
            let exchange = try Exchange()
            func method(_ content: String) -> (inout String) -> Void {
                {
                    $0.swap(
                        "\"\(SAMLNames.exclusive)\"></ds:CanonicalizationMethod>",
                        "\"\(SAMLNames.exclusive)\">\(content)</ds:CanonicalizationMethod>")
                }
            }
            func transform(_ content: String) -> (inout String) -> Void {
                {
                    $0.swap(
                        "\"\(SAMLNames.exclusive)\"></ds:Transform>",
                        "\"\(SAMLNames.exclusive)\">\(content)</ds:Transform>")
                }
            }
            let list =
                "<ec:InclusiveNamespaces xmlns:ec=\"\(SAMLNames.exclusive)\" PrefixList=\"ds saml samlp xs\"/>"
            #expect(try exchange.failure { $0.edit = method(list) } == nil)
            #expect(try exchange.failure { $0.edit = transform(list) } == nil)
            let whole = "<ds:Transform Algorithm=\"\(SAMLNames.exclusive)\""
            #expect(
                try exchange.failure {
                    $0.tamper = { $0.swap(whole + "/>", whole + "><ds:XPath>1</ds:XPath></ds:Transform>") }
                }
                    == .algorithmNotAllowed)
            #expect(
                try exchange.failure {
                    $0.tamper = {
                        $0.swap(
                            "\"\(SAMLNames.rsaSHA256)\"/>",
                            "\"\(SAMLNames.rsaSHA256)\"><ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>"
                        )
                    }
                } == .algorithmNotAllowed)
        }

        @Test("a signature has one reference to its own element, and nothing else")
        func form() throws {
            let exchange = try Exchange()
            func outer(_ change: @escaping (String) throws -> String) throws -> RelyingPartyError.Reason? {
                try exchange.failure {
                    $0.tamper = { text in
                        let signature = try text.element("ds:Signature")
                        text.swap(signature, try change(signature))
                    }
                }
            }
            #expect(try outer { $0 } == nil)
            #expect(try outer { _ in "" } == .signatureInvalid)
            #expect(try outer { $0 + $0 } == .signatureInvalid)
            #expect(
                try outer { $0.replacingOccurrences(of: "</ds:Signature>", with: "<ds:Object/></ds:Signature>") }
                    == .signatureInvalid)
            #expect(
                try outer {
                    let reference = try $0.element("ds:Reference")
                    return $0.replacingOccurrences(of: reference, with: reference + reference)
                } == .signatureInvalid)
            #expect(try outer { $0.without(try $0.element("ds:Reference")) } == .signatureInvalid)
            for uri in ["", "#", "#_request", "#xpointer(/)", "file:///etc/passwd", "http://127.0.0.1:9/"] {
                #expect(
                    try outer {
                        $0.replacingOccurrences(
                            of: "URI=\"#\(try $0.attribute("URI").dropFirst())\"", with: "URI=\"\(uri)\"")
                    } == .signatureInvalid, "\(uri)")
            }
            #expect(try outer { $0.without(" URI=\"\(try $0.attribute("URI"))\"") } == .signatureInvalid)
            #expect(try outer { $0.without(try $0.element("ds:Transforms")) } == .signatureInvalid)
            #expect(try outer { $0.without(try $0.element("ds:SignatureValue")) } == .signatureInvalid)
        }

        @Test("an assertion must have a signature of its own if the rules require one")
        func assertions() throws {
            let exchange = try Exchange()
            #expect(try exchange.failure { $0.message.signsAssertion = false } == .signatureInvalid)
            #expect(
                try exchange.failure {
                    $0.message.signsAssertion = false
                    $0.rules.wantsSignedAssertion = false
                } == nil)
        }

        @Test("concurrent threads verify responses independently")
        func sideBySide() async throws {
            for generation in [SAMLGeneration.saml3, .saml4] {
                let exchange = try Exchange(generation)
                let (body, rules) = (Array(try exchange.body().utf8), exchange.rules)
                let names = await withTaskGroup(of: String?.self) { group in
                    for _ in 0..<32 {
                        group.addTask { (try? SAMLLogin.read(body, rules))?.identifiers.first?.text }
                    }
                    return await group.reduce(into: [String?]()) { $0.append($1) }
                }
                #expect(names.count == 32)
                #expect(names.allSatisfy { $0?.hasSuffix(Parties.number) ?? false })
            }
        }
    }
#endif
