#if SAML
    import Foundation
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import Testing

    /// The response to one login: it is built validly, changed by a test, and read.
    struct Exchange {
        let parties: Parties
        var message: ArtifactResponseMessage
        var rules: ArtifactResponseRules
        /// The change of the text before it is signed.
        var edit: (inout String) -> Void = { _ in }
        /// The change of the text after it was signed.
        var tamper: (inout String) throws -> Void = { _ in }
        var signer: SAMLKey

        init(_ generation: SAMLGeneration = .saml3) throws {
            parties = try Parties.made()
            // The certificates are new: an hour later they have been valid for some time.
            let now = Date().timeIntervalSince1970.rounded(.down) + 3600
            message = ArtifactResponseMessage(
                generation, issuer: Parties.entityID, audience: Parties.service, consumerURL: Parties.consumerURL,
                resolveID: "_resolve", requestID: "_request", classReference: Parties.midden, now: now)
            rules = ArtifactResponseRules(
                generation, from: try parties.metadata(now: NumericDate(secondsSince1970: now)), to: Parties.service,
                consumerURL: Parties.consumerURL, resolveID: "_resolve", requestID: "_request", now: now)
            signer = parties.provider.key
            if generation == .saml3 {
                message.nameID = "s00000000:" + Parties.number
            } else {
                message.identifiers = [("urn:nl-eid-gdi:1.0:id:legacy-BSN", Parties.number)]
                message.recipients = [(Parties.service, try parties.service.verifying)]
                rules.decryption = [parties.service.key]
            }
        }

        func body() throws -> String {
            var text = String(decoding: try message.text(signedWith: signer), as: UTF8.self)
            edit(&text)
            var signed = String(decoding: try message.finished(Array(text.utf8), with: signer), as: UTF8.self)
            try tamper(&signed)
            return signed
        }

        func outcome() throws -> Result<SAMLLogin, SAMLRejection> { read(try body()) }

        func read(_ body: String) -> Result<SAMLLogin, SAMLRejection> {
            do throws(SAMLRejection) {
                return .success(try SAMLLogin.read(Array(body.utf8), rules))
            } catch {
                return .failure(error)
            }
        }

        /// Returns the failure that a change causes; nil if the response is still a login.
        func failure(_ change: (inout Exchange) throws -> Void) throws -> RelyingPartyError.Reason? {
            var changed = self
            try change(&changed)
            return try changed.outcome().failure
        }
    }

    extension Result<SAMLLogin, SAMLRejection> {
        var failure: RelyingPartyError.Reason? {
            if case .failure(let refusal) = self { refusal.reason } else { nil }
        }
        var login: SAMLLogin? { try? get() }
        var name: String? { login?.identifiers.first?.text }
    }

    extension String {
        /// Replaces a text, and records an issue if the text is not there.
        mutating func swap(_ old: String, _ new: String) {
            if !contains(old) { Issue.record("\(old) is not there") }
            self = replacingOccurrences(of: old, with: new)
        }

        /// Returns the text from the first start tag with this name to the first end tag after it.
        func element(_ name: String) throws -> String {
            let start = try #require(range(of: "<\(name)[ >]", options: .regularExpression))
            let end = try #require(range(of: "</\(name)>", range: start.lowerBound..<endIndex))
            return String(self[start.lowerBound..<end.upperBound])
        }

        func without(_ part: String) -> String { replacingOccurrences(of: part, with: "") }

        /// Returns the first value of an attribute.
        func attribute(_ name: String) throws -> String {
            let start = try #require(range(of: " \(name)=\""))
            let end = try #require(range(of: "\"", range: start.upperBound..<endIndex))
            return String(self[start.upperBound..<end.lowerBound])
        }
    }
#endif
