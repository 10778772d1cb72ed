/// A level of the Danish framework for electronic identities (NSIS), in ascending order. The broker states it for the login as
/// a whole (`loa`), for the authenticator (`aal`), and for the proof of identity (`ial`).
public enum NSISLevel: Int, Comparable, CaseIterable, Sendable {
    /// The levels of assurance, in ascending order.
    case low, substantial, high

    /// The URI of the level, as tokens contain it.
    public var uri: String { Self.prefix + uriWord }
    /// The name of the level in `idp_params`.
    public var parameter: String {
        switch self {
        case .low: "low"
        case .substantial: "substantial"
        case .high: "high"
        }
    }

    /// Creates a level from its URI, compared byte by byte. Nil for any other text.
    public init?(uri: String) {
        guard let level = Self.allCases.first(where: { $0.uri.utf8.elementsEqual(uri.utf8) }) else { return nil }
        self = level
    }

    init?(parameter: String) {
        guard let level = Self.allCases.first(where: { $0.parameter.utf8.elementsEqual(parameter.utf8) }) else {
            return nil
        }
        self = level
    }

    /// Returns whether `left` is the lower level.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static let prefix = "https://data.gov.dk/concept/core/nsis/"
    private var uriWord: String {
        switch self {
        case .low: "Low"
        case .substantial: "Substantial"
        case .high: "High"
        }
    }
}

/// An authenticator with which the user logged in: a value of `amr`.
public struct MitIDAuthenticator: Hashable, Sendable, CustomStringConvertible {
    /// The name of the authenticator.
    public let description: String

    /// Creates an authenticator from its name in `amr`. The broker's spelling `code_app_enchanced` is read as
    /// `code_app_enhanced`.
    public init(_ name: String) {
        description = name.utf8.elementsEqual("code_app_enchanced".utf8) ? "code_app_enhanced" : name
    }

    /// A password.
    public static let password = Self("password")
    /// A device that shows codes.
    public static let codeToken = Self("code_token")
    /// A device that reads codes out.
    public static let codeReader = Self("code_reader")
    /// MitID's app.
    public static let codeApp = Self("code_app")
    /// MitID's app with a key in the phone's hardware.
    public static let codeAppEnhanced = Self("code_app_enhanced")
    /// A chip (U2F token).
    public static let u2fToken = Self("u2f_token")

    /// Returns whether the names are equal, byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }
}

/// The type of an identity: that of a person or of a member of an organization (`identity_type`).
public enum MitIDIdentityType: String, Hashable, Sendable {
    /// An identity of a person who acts for themselves, or for an organization.
    case `private`, professional
    /// A test identity, which exists in the pre-production environment only.
    case test
}
