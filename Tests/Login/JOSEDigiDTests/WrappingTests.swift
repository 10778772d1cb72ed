#if SAML
    import Foundation
    import JOSERelyingParty
    import JOSEDigiD
    import Testing

    /// The eight forms of XML signature wrapping, for the response as a whole and for the assertion alone.
    @Suite("SAML: signature wrapping") struct WrappingTests {
        private static let forgedNumber = "111222342"

        private func forged(_ element: String) throws -> String {
            var forged = element
            for signature in try [element.element("ds:Signature")] { forged = forged.without(signature) }
            forged.swap(" ID=\"_", " ID=\"_forged")
            forged.swap(Parties.number, Self.forgedNumber)
            return forged
        }

        /// Returns the element with `inner` inserted after its issuer.
        private func with(_ inner: String, in element: String) -> String {
            guard let issuer = element.range(of: "</saml:Issuer>") else { return element }
            return element.replacingCharacters(in: issuer.upperBound..<issuer.upperBound, with: inner)
        }

        private func holding(_ original: String, in signature: String) -> String {
            signature.replacingOccurrences(
                of: "</ds:Signature>", with: "<ds:Object>\(original)</ds:Object></ds:Signature>")
        }

        @Test("D01 a forged response is rejected wherever the signed one has been moved")
        func answers() throws {
            var exchange = try Exchange()
            exchange.message.signsAssertion = false
            exchange.rules.wantsSignedAssertion = false
            let honest = try exchange.body()
            #expect(exchange.read(honest).name?.hasSuffix(Parties.number) == true)
            let answer = try honest.element("samlp:ArtifactResponse")
            let signature = try answer.element("ds:Signature")
            let bare = answer.without(signature)
            let forged = try forged(answer)
            let shapes: [(String, String)] = [
                ("in the signature", with(holding(bare, in: signature), in: forged)),
                ("beside the signature", with(signature + bare, in: forged)),
                ("before the signature", with(bare + signature, in: forged)),
                ("whole, within", with(answer, in: forged)),
                ("whole, under Extensions", with("<samlp:Extensions>\(answer)</samlp:Extensions>", in: forged)),
                ("whole, before", answer + forged),
                ("whole, after", forged + answer),
                (
                    "under its own ID",
                    with(
                        signature,
                        in: forged.replacingOccurrences(
                            of: try forged.attribute("ID"), with: try answer.attribute("ID")))
                ),
            ]
            for (name, shape) in shapes {
                let outcome = exchange.read(honest.replacingOccurrences(of: answer, with: shape))
                #expect(outcome.failure == .signatureInvalid || outcome.failure == .malformed, "\(name)")
            }
            let header = "<soapenv:Header>\(answer)</soapenv:Header><soapenv:Body>"
            let headed = honest.replacingOccurrences(of: answer, with: with(signature, in: forged))
                .replacingOccurrences(of: "<soapenv:Body>", with: header.without(signature))
            #expect(exchange.read(headed).failure == .signatureInvalid)
        }

        @Test(
            "DigiD case 16: D01 a forged assertion within a signed response is rejected wherever the signed one has been moved"
        )
        func assertions() throws {
            let exchange = try Exchange()
            let honest = try exchange.body()
            let assertion = try honest.element("saml:Assertion")
            let signature = try assertion.element("ds:Signature")
            let bare = assertion.without(signature)
            let forged = try forged(assertion)
            let shapes: [(String, String)] = [
                ("the same", assertion),
                ("before", assertion + forged),
                ("after", forged + assertion),
                ("within", with(assertion, in: forged)),
                ("without its signature, after", with(signature, in: forged) + bare),
                (
                    "in the signature",
                    with(
                        signature.replacingOccurrences(of: "</ds:Signature>", with: bare + "</ds:Signature>"),
                        in: forged)
                ),
                ("in an object of the signature", with(holding(bare, in: signature), in: forged)),
                ("under Extensions", "<samlp:Extensions>\(assertion)</samlp:Extensions>" + forged),
                (
                    "under Extensions, the signature in place",
                    "<samlp:Extensions>\(bare)</samlp:Extensions>" + with(signature, in: forged)
                ),
            ]
            for (name, shape) in shapes {
                // The provider signs the response around it, so that the assertion's own signature decides.
                let document = try XMLDocument(Array(honest.replacingOccurrences(of: assertion, with: shape).utf8))
                let answer = try #require(document.root.children.last?.children.first)
                try answer.sign(with: exchange.signer)
                let outcome = exchange.read(String(decoding: try document.write(), as: UTF8.self))
                if name == "the same" {
                    #expect(outcome.name?.hasSuffix(Parties.number) == true)
                } else {
                    #expect(outcome.failure == .signatureInvalid || outcome.failure == .malformed, "\(name)")
                }
            }
        }

        @Test("DigiD case 17: D02 a number with a comment within it is read as a whole")
        func comments() throws {
            let exchange = try Exchange()
            let cut = "s00000000:111<!-- -->222333"
            let outcome = exchange.read(try exchange.body().replacingOccurrences(of: "s00000000:111222333", with: cut))
            #expect(outcome.name == "s00000000:111222333")
            #expect(
                try exchange.failure { $0.tamper = { $0.swap("s00000000:111222333", "s00000000:111<b/>222333") } }
                    == .signatureInvalid)
        }

        @Test("D07 an element that has no canonical form is rejected, and not verified as empty input")
        func voidCanonicalization() throws {
            let exchange = try Exchange()
            // The digest of empty input, which libxml2 returns when canonicalization fails.
            let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            for attribute in [" xmlns:n=\"1\"", " xmlns:n=\"relative/name\""] {
                let failure = try exchange.failure {
                    $0.tamper = {
                        $0.swap("<samlp:ArtifactResponse", "<samlp:ArtifactResponse" + attribute)
                        let digest = try $0.element("ds:DigestValue")
                        $0.swap(digest, "<ds:DigestValue>\(empty)</ds:DigestValue>")
                    }
                }
                #expect(failure == .malformed)
            }
            // An attribute with a namespace is not the attribute of SAML, and an attribute without one is not that of a
            // namespace.
            let prefixed = try exchange.failure {
                $0.tamper = { $0.swap("InResponseTo=\"_resolve\"", "samlp:InResponseTo=\"_resolve\"") }
            }
            #expect(prefixed == .signatureInvalid)
            let signed = try exchange.failure {
                $0.edit = { $0.swap("InResponseTo=\"_resolve\"", "samlp:InResponseTo=\"_resolve\"") }
            }
            #expect(signed == .inResponseToMismatch)
            // The prefix `saml` stands for another namespace.
            let moved = try exchange.failure {
                $0.edit = { $0.swap("<saml:Assertion ", "<saml:Assertion xmlns:saml=\"urn:other\" ") }
            }
            #expect(moved == .malformed)
        }
    }
#endif
