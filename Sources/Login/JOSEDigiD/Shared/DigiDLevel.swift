package import JOSERelyingParty
internal import JOSESupport

/// A level of assurance of DigiD. The names are those that DigiD uses, and the raw values are DigiD's ranks of the
/// levels.
public enum DigiDLevel: Int, RankedLevel, CaseIterable, Sendable {
    /// A login with a user name and a password.
    case basis = 10
    /// A login with DigiD's app, without a check of an identity document.
    case midden = 20
    /// A login with DigiD's app, after the app has checked an identity document.
    case substantieel = 25
    /// A login for which the chip of an identity document is read each time.
    case hoog = 30

    /// The URI of the level's authentication context class, in SAML requests and in the assertions of DigiD's SAML
    /// interface up to version 3.7.
    package var classReference: String { Self.classes + word }
    /// The URI of the level in eIDAS, in ID tokens and in the assertions of DigiD's SAML interface after version 3.7;
    /// nil for ``basis``, which has no eIDAS level.
    package var eIDAS: String? {
        switch self {
        case .basis: nil
        case .midden: Self.assurance + "low"
        case .substantieel: Self.assurance + "substantial"
        case .hoog: Self.assurance + "high"
        }
    }

    /// Creates a level from the URI of its authentication context class or of its eIDAS level, compared byte by byte.
    /// The result is nil for any other text.
    package init?(classReference text: String) {
        let found = Self.allCases.first { level in
            bytesEqual(level.classReference, text) || bytesEqual(level.eIDAS, text)
        }
        guard let found else { return nil }
        self = found
    }

    /// Returns the level that a message states, which must be at least this level.
    ///
    /// - Throws: `acrTooLow` if the stated level is lower, unknown or missing.
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
