/// How sure DigiD is of its user, in its order. The names are DigiD's; the values its ranks.
public enum DigiDLevel: Int, Comparable, CaseIterable, Sendable {
    /// A name and a password.
    case basis = 10
    /// The app, without a check of an identity document.
    case midden = 20
    /// The app, once it has checked an identity document.
    case substantieel = 25
    /// The chip of an identity document, each time.
    case hoog = 30

    /// As a SAML request has it, and an assertion of the interface until 3.7.
    public var classReference: String { Self.classes + word }
    /// As assertions of the later interface and ID tokens have it; nil for ``basis``, of which neither speaks.
    public var eIDAS: String? {
        switch self {
        case .basis: nil
        case .midden: Self.assurance + "low"
        case .substantieel: Self.assurance + "substantial"
        case .hoog: Self.assurance + "high"
        }
    }

    /// Of either spelling, byte by byte: any other is no level.
    public init?(classReference text: String) {
        let found = Self.allCases.first { level in
            level.classReference.utf8.elementsEqual(text.utf8) || level.eIDAS?.utf8.elementsEqual(text.utf8) ?? false
        }
        guard let found else { return nil }
        self = found
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// What a message says, if it is at least this; `acrTooLow` for what is lower, or no level at all.
    package func reached(by classReference: String?) throws(RelyingPartyError.Reason) -> DigiDLevel {
        guard let level = classReference.flatMap({ DigiDLevel(classReference: $0) }), level >= self else {
            throw .acrTooLow
        }
        return level
    }

    private static let classes = "urn:oasis:names:tc:SAML:2.0:ac:classes:"
    private static let assurance = "http://eidas.europa.eu/LoA/"
    private var word: String {
        switch self {
        case .basis: "PasswordProtectedTransport"
        case .midden: "MobileTwoFactorContract"
        case .substantieel: "Smartcard"
        case .hoog: "SmartcardPKI"
        }
    }
}
