internal import JOSEKeySets
public import JOSERelyingParty

/// The rules of ZenKey's guide for single values.
enum ZenKey {
    /// Returns the rank of an `acr` value; nil for an unknown one.
    static func rank(_ acr: String) -> Int? {
        switch acr {
        case "a1", "aal1": 1
        case "a2", "aal2", "loa2": 2
        case "a3", "aal3", "loa3": 3
        default: nil
        }
    }

    /// Returns whether a text is a client ID: `ccid-`, followed by letters and digits.
    static func isClientID(_ text: String) -> Bool {
        let suffix = text.utf8.dropFirst(5)
        return text.utf8.starts(with: "ccid-".utf8) && (1...128).contains(suffix.count)
            && suffix.allSatisfy(isAlphanumeric)
    }

    /// Returns whether a text is a valid redirect URI: https, or a scheme of the app's own. Other apps may claim such a
    /// scheme as well; PKCE and the binding protect the login.
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

    /// Returns whether a text is a correlation ID: 8 to 16 letters, digits and hyphens.
    static func isCorrelationID(_ text: String) -> Bool {
        (8...16).contains(text.utf8.count) && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    /// Returns whether a text is a valid context: 1 to 280 Unicode scalars.
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

/// A scope of ZenKey.
@nonexhaustive public enum ZenKeyScope: String, Sendable, CaseIterable {
    /// The user's name, e-mail address or telephone number, with the related claims.
    case name, email, phone
    /// The postal code of the user's address.
    case postalCode = "postal_code"
    /// The last four digits of the user's social security number.
    case lastFourSocial = "last_4_social"
}

extension LoginRequest {
    /// Returns a request for a login with ZenKey. Duplicate scopes are removed, `openid` is added, and the scopes are
    /// sorted by name.
    ///
    /// - Parameter scopes: The scopes in addition to `openid`.
    public static func zenKey(_ scopes: [ZenKeyScope] = []) -> LoginRequest {
        var request = LoginRequest()
        request.scopes = Set(["openid"] + scopes.map(\.rawValue)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return request
    }

    /// The text to which the user is asked to agree, of at most 280 Unicode scalars (`context`).
    public var zenKeyContext: String? {
        get { self["context"] }
        set { self["context"] = newValue }
    }
}
