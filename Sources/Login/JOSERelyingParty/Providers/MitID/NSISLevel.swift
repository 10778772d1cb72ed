/// A level of the Danish framework for electronic identities (NSIS), in its order. The broker says it of the login as a whole (`loa`), of
/// the means (`aal`) and of the proof of identity (`ial`).
public enum NSISLevel: Int, Comparable, CaseIterable, Sendable {
    /// In the order of assurance.
    case low, substantial, high

    /// As tokens have it.
    public var uri: String { Self.prefix + uriWord }
    /// As `idp_params` has it.
    public var parameter: String {
        switch self {
        case .low: "low"
        case .substantial: "substantial"
        case .high: "high"
        }
    }

    /// Byte by byte: another prefix, or another spelling, is no level.
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

/// What the user proved who they are with: a value of `amr`.
public struct MitIDAuthenticator: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// As the broker wrote it; its misspelling of "enhanced" is read as what it means.
    public init(_ name: String) {
        description = name.utf8.elementsEqual("code_app_enchanced".utf8) ? "code_app_enhanced" : name
    }

    /// What the user knows.
    public static let password = Self("password")
    /// The device that shows codes.
    public static let codeToken = Self("code_token")
    /// The device that reads codes out.
    public static let codeReader = Self("code_reader")
    /// MitID's app.
    public static let codeApp = Self("code_app")
    /// The app, with a key that the phone's hardware keeps.
    public static let codeAppEnhanced = Self("code_app_enhanced")
    /// The chip.
    public static let u2fToken = Self("u2f_token")

    public static func == (left: Self, right: Self) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }
}

/// Whether the user acts for themselves or for an organization: `identity_type`.
public enum MitIDIdentityType: String, Hashable, Sendable {
    /// For themselves, or for an organization.
    case `private`, professional
    /// Of the pre-production environment alone.
    case test
}
