/// A level of assurance of DigiD, in ascending order. The names are DigiD's, and the raw values are its ranks.
public enum DigiDLevel: Int, Comparable, CaseIterable, Sendable {
    /// A login with a user name and a password.
    case basis = 10
    /// A login with the app, without a check of an identity document.
    case midden = 20
    /// A login with the app, after it has checked an identity document.
    case substantieel = 25
    /// A login with the chip of an identity document, which is read each time.
    case hoog = 30

    /// The authentication context class of SAML requests, and of assertions of the interface up to 3.7.
    public var classReference: String { Self.classes + word }
    /// The level of eIDAS, as ID tokens and assertions of the interface after 3.7 contain it; nil for ``basis``, which neither
    /// has.
    public var eIDAS: String? {
        switch self {
        case .basis: nil
        case .midden: Self.assurance + "low"
        case .substantieel: Self.assurance + "substantial"
        case .hoog: Self.assurance + "high"
        }
    }

    /// Creates a level from its authentication context class or its level of eIDAS, compared byte by byte. Nil for any other
    /// text.
    public init?(classReference text: String) {
        let found = Self.allCases.first { level in
            level.classReference.utf8.elementsEqual(text.utf8) || level.eIDAS?.utf8.elementsEqual(text.utf8) ?? false
        }
        guard let found else { return nil }
        self = found
    }

    /// Returns whether `left` is the lower level.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Returns the level of a message, which must be at least this one.
    ///
    /// - Throws: `acrTooLow` for a lower level, and for a text that is not a level.
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
