internal import JOSEKeySets

/// What ZenKey's guide says of single values.
enum ZenKey {
    static func rank(_ acr: String) -> Int? {
        switch acr {
        case "a1", "aal1": 1
        case "a2", "aal2", "loa2": 2
        case "a3", "aal3", "loa3": 3
        default: nil
        }
    }

    /// `ccid-` and letters and digits.
    static func isClientID(_ text: String) -> Bool {
        let rest = text.utf8.dropFirst(5)
        return text.utf8.starts(with: "ccid-".utf8) && (1...128).contains(rest.count) && rest.allSatisfy(isAlphanumeric)
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
