internal import JOSEKeySets

/// What both of ZenKey's guides have in common, and where they differ.
enum ZenKey {
    enum Guide: Sendable {
        case seed, late

        /// The name of its profile.
        var profile: String { self == .seed ? "zenkey.seed" : "zenkey.late" }
    }

    static func rank(_ acr: String) -> Int? {
        switch acr {
        case "a1", "aal1": 1
        case "a2", "aal2", "loa2": 2
        case "a3", "aal3", "loa3": 3
        default: nil
        }
    }

    /// `ccid-` and letters and digits: sixteen in the later guide, and other numbers of them in samples.
    static func isClientID(_ text: String) -> Bool {
        let rest = text.utf8.dropFirst(5)
        return text.utf8.starts(with: "ccid-".utf8) && (1...128).contains(rest.count) && rest.allSatisfy(isAlphanumeric)
    }

    /// `ccid-` and what it was registered by; the portal puts milliseconds behind a dot.
    static func isKeyID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.flatMap({ String(Substring($0)) }), isClientID(name) else { return false }
        guard parts.count > 1 else { return true }
        return (1...20).contains(parts[1].count) && parts[1].allSatisfy { (0x30...0x39).contains($0) }
    }

    /// https, or a scheme of the app's own: other apps may claim that one as well, and PKCE and the binding stand against it.
    static func isRedirectURI(_ text: String) -> Bool {
        if let url = WebURL(text) { return url.scheme == .https && !url.hasFragment && !url.hasUserInformation }
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard let first = scheme.first, isAlphanumeric(first), first > 0x39, scheme.count <= 256,
            scheme.allSatisfy({ isAlphanumeric($0) || "+-.".utf8.contains($0) }),
            text.utf8.dropFirst(scheme.count).starts(with: "://".utf8)
        else { return false }
        let isForeign = ["http", "https", "javascript", "data", "file", "about", "blob"].contains { name in
            scheme.map { $0 | 0x20 }.elementsEqual(name.utf8)
        }
        return !isForeign && text.utf8.count <= 2_048
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""<>\^`{|}#"#.utf8.contains($0) }
    }

    /// Of 8 to 16 letters, digits and hyphens.
    static func isCorrelationID(_ text: String) -> Bool {
        (8...16).contains(text.utf8.count) && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    /// Counted in Unicode scalars.
    static func isContext(_ text: String) -> Bool { (1...280).contains(text.unicodeScalars.count) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// What may be asked for of a ZenKey user.
@nonexhaustive public enum ZenKeyScope: String, Sendable, CaseIterable {
    /// One claim, or a few that belong together.
    case name, email, phone
    /// Of the user's address.
    case postalCode = "postal_code"
    /// Of the social security number.
    case lastFourSocial = "last_4_social"
    /// Of the later guide alone.
    case address, birthdate, proofing
    /// A refresh token; of the later guide alone, which advises against it.
    case offlineAccess = "offline_access"

    static func known(to guide: ZenKey.Guide) -> [ZenKeyScope] {
        guide == .late ? allCases : [.name, .email, .phone, .postalCode, .lastFourSocial]
    }
}

extension LoginRequest {
    /// A login with ZenKey. Scopes may stand there twice; `openid` is added, and they are sent in the order of their names.
    public static func zenKey(_ scopes: [ZenKeyScope] = []) -> LoginRequest {
        var request = LoginRequest()
        request.scopes = Set(["openid"] + scopes.map(\.rawValue)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return request
    }

    /// What the user is asked to agree to, as they read it: at most 280 Unicode scalars.
    public var zenKeyContext: String? {
        get { self["context"] }
        set { self["context"] = newValue }
    }
}
