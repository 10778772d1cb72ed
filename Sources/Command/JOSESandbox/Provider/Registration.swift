package import JOSE
internal import JOSEEntra
internal import JOSEItsme

/// The provider whose rules are followed.
package enum Flavour: Sendable, Equatable {
    case itsmeV1, itsmeV2, itsmeNow, zenKey, mitID, entra
    /// OpenID Connect Core without peculiarities.
    case openID

    var isItsme: Bool { self == .itsmeV1 || self == .itsmeV2 || self == .itsmeNow }
}

/// The registration of a client at a provider.
package struct Registration: Sendable {
    package enum ClientAuthentication: Sendable {
        /// Authentication by `client_secret_basic`: `encodedBasic` form-encodes ID and secret first (RFC 6749, 2.3.1).
        case basic, encodedBasic
        case post
        /// Authentication by `private_key_jwt`; `nestedAssertion` is encrypted too.
        case signedAssertion, nestedAssertion
    }

    package enum TokenForm: Sendable {
        case signed
        case nested(KeyManagementAlgorithm, ContentEncryption)
        /// Tokens are encrypted directly with the hash of the secret, without `kid` and `cty`.
        case direct

        var isEncrypted: Bool { if case .signed = self { false } else { true } }
    }

    package enum PKCE: Sendable { case none, optional, required }
    package enum RequestObject: Sendable { case none, signed, nested }

    package let flavour: Flavour
    /// The profile's name at the relying party.
    package let profile: String
    package let clientID: String
    package var redirectURIs: [String]
    package var secret: String?
    package let authentication: [ClientAuthentication]
    /// The form of the ID token, and of userinfo if that is a token.
    package let tokens: TokenForm
    /// Whether userinfo is `application/json`.
    package var userinfoIsJSON = false
    package var pkce = PKCE.none
    package var requestObjects: [RequestObject] = []
    /// Whether `aud` of a request object must be the authorization endpoint instead of the issuer.
    package var requestAudienceIsEndpoint = false
    /// Whether `aud` of an assertion must be the issuer instead of the token endpoint.
    package var assertionAudienceIsIssuer = false
    package var answersByPost = false
    /// The prefix of a `request_uri` that is fetched, or nil if the client has none.
    package var requestURIs: String?
    /// Whether the client begins logins by the back channel, and none in a browser.
    package var isBackChannel = false
    /// The URL to which logout tokens are sent.
    package var logoutURI: String?
    /// Whether the wallet AltID answers, which states no level.
    package var isAltID: Bool { profile.hasPrefix("altid.") }
    /// Whether AltID proves an age, for which there is no userinfo. The response to a request for MitID's age alone is
    /// that of a login.
    package var isAgeProof: Bool { profile.hasPrefix("altid.age") }
    /// Whether the client requests an age from MitID, and nothing else.
    package var isMitIDAge: Bool { profile == "mitid.age" || profile == "mitid.years" }
    /// Whether the client rejects the lowest level: the wallet AltID and Entra ID state none, and an age alone needs
    /// none.
    package var requiresLevel: Bool { !isAltID && flavour != .entra && !isMitIDAge }
    /// The public keys of the client, for signatures and for encryption.
    package var keys = KeySet.empty

    /// The key for encryption, chosen at random as at itsme.
    var encryptionKey: PublicKey? {
        keys.keys.compactMap(\.publicKey).filter { $0.use == .encryption }.randomElement()
    }
}
