internal import JOSERelyingParty
internal import JOSESupport

/// A level of assurance of the Danish framework for electronic identities (NSIS). The broker states it for the login as
/// a whole (`loa`), for the authenticator (`aal`), and for the identity proofing (`ial`).
public enum NSISLevel: Int, RankedLevel, CaseIterable, Sendable {
    /// A level of assurance. The order is ascending: `low`, `substantial`, `high`.
    case low, substantial, high

    /// The URI of the level, which tokens contain.
    package var uri: String { Self.prefix + uriWord }
    /// The name of the level in `idp_params`.
    package var parameter: String {
        switch self {
        case .low: "low"
        case .substantial: "substantial"
        case .high: "high"
        }
    }

    /// Creates a level from its URI, compared byte by byte. The result is nil for any other text.
    package init?(uri: String) {
        guard let level = Self.allCases.first(where: { bytesEqual($0.uri, uri) }) else { return nil }
        self = level
    }

    init?(parameter: String) {
        guard let level = Self.allCases.first(where: { bytesEqual($0.parameter, parameter) }) else {
            return nil
        }
        self = level
    }

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
    /// The name of the authenticator in `amr`.
    public let description: String

    /// Creates an authenticator from its name in `amr`. The broker's misspelling `code_app_enchanced` is read as
    /// `code_app_enhanced`.
    public init(_ name: String) {
        description = bytesEqual(name, "code_app_enchanced") ? "code_app_enhanced" : name
    }

    /// A password.
    public static let password = Self("password")
    /// A device that shows one-time codes (MitID code display).
    public static let codeToken = Self("code_token")
    /// A device that reads one-time codes aloud (MitID audio code reader).
    public static let codeReader = Self("code_reader")
    /// MitID's app on a phone or tablet.
    public static let codeApp = Self("code_app")
    /// MitID's app with a key in the phone's hardware.
    public static let codeAppEnhanced = Self("code_app_enhanced")
    /// A U2F security key (MitID chip).
    public static let u2fToken = Self("u2f_token")

    /// Returns whether the names of two authenticators are equal, byte by byte.
    public static func == (left: Self, right: Self) -> Bool {
        bytesEqual(left.description, right.description)
    }
}

/// The type of an identity (`identity_type`): that of a person, or of a member of an organization.
public enum MitIDIdentityType: String, Hashable, Sendable {
    /// An identity of a person who acts for themselves (`private`), or for an organization (`professional`).
    case `private`, professional
    /// A test identity, which exists in the pre-production environment only.
    case test
}
