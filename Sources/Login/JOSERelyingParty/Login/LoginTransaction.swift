internal import JOSE
internal import JOSECrypto
internal import JOSESupport

/// The state of a login between `beginLogin` and `completeLogin`. It is stored on the server alone and used once.
package struct LoginTransaction: Sendable {
    var profile: String
    var clientID: String
    /// The issuer with which the login began. The response of another issuer is a mix-up attack (threat R01).
    package var issuer: String
    /// The provider that the request named, if the profile has several.
    package var provider: String?
    package var state: String
    package var nonce: String
    package var verifier: String?
    package var redirectURI: String
    package var responseMode: ResponseMode
    package var scopes: [String]
    var acrValues: [String]
    /// The accepted values of `acr`, if the parameter `claims` requires the claim as essential. An empty list accepts
    /// any value, but requires the claim.
    var essentialACRs: [String]?
    /// The longest time since the authentication, in seconds (`max_age`).
    package var maximumAge: Double?
    var expectedSubject: String?
    package var returnTo: String?
    /// The SHA-256 digest of the binding, base64url.
    var bindingHash: String
    /// The binding itself, once the browser has sent it. It is never stored.
    var binding: String?
    /// The time at which the login began, in seconds since 1970.
    package var created: Double
    /// The provider's acknowledgement of a login that the back end began; nil for any other login.
    package var backChannel: BackChannelAcknowledgement?
    /// The values that a profile keeps until the login is complete, by names of its own.
    package var notes: [String: String]

    static let kind = "login"

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("profile", profile)
        writer.member("client", clientID)
        writer.member("issuer", issuer)
        if let provider { writer.member("provider", provider) }
        writer.member("state", state)
        writer.member("nonce", nonce)
        if let verifier { writer.member("verifier", verifier) }
        writer.member("redirect", redirectURI)
        writer.member("mode", responseMode.rawValue)
        writer.member("scope", scopes.joined(separator: " "))
        if !acrValues.isEmpty { writer.member("acr", acrValues.joined(separator: " ")) }
        if let essentialACRs { writer.member("essential", essentialACRs.joined(separator: " ")) }
        if let maximumAge {
            writer.name("age")
            writer.number(maximumAge)
        }
        if let expectedSubject { writer.member("subject", expectedSubject) }
        if let returnTo { writer.member("return", returnTo) }
        writer.member("binding", bindingHash)
        writer.name("created")
        writer.number(created)
        if let backChannel {
            writer.name("backChannel")
            backChannel.write(to: &writer)
        }
        if !notes.isEmpty {
            writer.name("notes")
            writer.beginObject()
            for (name, value) in notes { writer.member(name, value) }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Creates a transaction from its JSON text; nil if the text is not a transaction of this version of the library.
    init?(json: [UInt8]) {
        guard let object = try? JSONObject(parsing: json.span) else { return nil }
        func text(_ name: StaticString) -> String? { object.first(name, in: json.span)?.string(in: json.span) }
        func words(_ name: StaticString) -> [String] {
            text(name).map { $0.split(separator: " ").map(String.init) } ?? []
        }
        guard let profile = text("profile"), let clientID = text("client"), let issuer = text("issuer"),
            let state = text("state"), let nonce = text("nonce"), let redirectURI = text("redirect"),
            let responseMode = text("mode").flatMap({ ResponseMode(rawValue: $0) }),
            let bindingHash = text("binding"),
            let created = object.first("created", in: json.span)?.number(in: json.span)
        else { return nil }
        self.init(
            profile: profile, clientID: clientID, issuer: issuer, state: state, nonce: nonce, redirectURI: redirectURI,
            responseMode: responseMode, bindingHash: bindingHash, created: created)
        provider = text("provider")
        verifier = text("verifier")
        scopes = words("scope")
        acrValues = words("acr")
        essentialACRs = text("essential") == nil ? nil : words("essential")
        maximumAge = object.first("age", in: json.span)?.number(in: json.span)
        expectedSubject = text("subject")
        returnTo = text("return")
        backChannel = object.first("backChannel", in: json.span).flatMap {
            BackChannelAcknowledgement($0, in: json.span)
        }
        for member in object.first("notes", in: json.span)?.object(in: json.span) ?? [] {
            notes[member.name(in: json.span)] = member.value.string(in: json.span)
        }
    }

    /// Returns whether a value equals the one of `LoginRequest.comparedNotes` under this name, or the request had none.
    /// The values are compared by their MACs under the binding, so that the result is false without the binding.
    package func accepts(_ value: String, as name: String) throws(RelyingPartyError.Reason) -> Bool {
        guard let wanted = notes[name] else { return true }
        guard let binding else { return false }
        let mac = try Secret.mac(of: value, under: binding)
        return constantTimeEquals(mac.utf8.span, wanted.utf8.span)
    }

    init(
        profile: String, clientID: String, issuer: String, state: String, nonce: String, redirectURI: String,
        responseMode: ResponseMode, bindingHash: String, created: Double
    ) {
        self.profile = profile
        self.clientID = clientID
        self.issuer = issuer
        self.state = state
        self.nonce = nonce
        self.redirectURI = redirectURI
        self.responseMode = responseMode
        self.bindingHash = bindingHash
        self.created = created
        scopes = []
        acrValues = []
        notes = [:]
    }
}

extension LoginTransaction: Redacted {
    /// The name of the profile alone: most of the transaction is secret.
    package var description: String { "LoginTransaction(\(profile))" }
}

/// Random secrets and their hashes.
package enum Secret {
    /// Returns a random secret of 256 bits in base64url: 43 characters, which is also a valid PKCE verifier (RFC 7636,
    /// 4.1).
    package static func fresh() throws(RelyingPartyError.Reason) -> String {
        do throws(CryptoError) {
            let bytes = try Random.bytes(32)
            return String(decoding: Base64URL.encode(bytes.span), as: UTF8.self)
        } catch {
            throw .internalFault
        }
    }

    /// Returns the HMAC-SHA-256 of a text in base64url. Without the key the text cannot be found by an exhaustive
    /// search.
    static func mac(of text: String, under key: String) throws(RelyingPartyError.Reason) -> String {
        do throws(CryptoError) {
            let tag = try MACKey(.sha256, GuardedBytes(copying: key.utf8.span)).sign(text.utf8.span)
            return String(decoding: Base64URL.encode(tag.span), as: UTF8.self)
        } catch {
            throw .internalFault
        }
    }

    /// Returns the SHA-256 digest of a text in base64url; for a PKCE verifier this is the challenge (RFC 7636, 4.2).
    static func hash(_ text: String) throws(RelyingPartyError.Reason) -> String {
        do throws(CryptoError) {
            let digest = try Hash.sha256.digest(text.utf8.span)
            return String(decoding: Base64URL.encode(digest.span), as: UTF8.self)
        } catch {
            throw .internalFault
        }
    }
}
