package import JOSE

/// Whose rules a provider follows.
package enum Flavour: Sendable, Equatable {
    case itsmeV1, itsmeV2, itsmeNow, zenKey, mitID
    /// OpenID Connect Core without peculiarities.
    case openID

    var isItsme: Bool { self == .itsmeV1 || self == .itsmeV2 || self == .itsmeNow }
}

/// What a client and a provider have agreed on beforehand.
package struct Registration: Sendable {
    package enum ClientAuthentication: Sendable {
        /// `client_secret_basic`; the second with id and secret form-encoded before, as RFC 6749, 2.3.1 has it.
        case basic, encodedBasic
        case post
        /// `private_key_jwt`
        case signedAssertion, nestedAssertion
    }

    package enum TokenForm: Sendable {
        case signed
        case nested(KeyManagementAlgorithm, ContentEncryption)
        /// By the hash of the secret, without `kid` and `cty`.
        case direct

        var isEncrypted: Bool { if case .signed = self { false } else { true } }
    }

    package enum PKCE: Sendable { case none, optional, required }
    package enum RequestObject: Sendable { case none, signed, nested }

    package let flavour: Flavour
    /// As the relying party names it.
    package let profile: String
    package let clientID: String
    package var redirectURIs: [String]
    package var secret: String?
    package let authentication: [ClientAuthentication]
    /// Of the ID token and of userinfo that is a token.
    package let tokens: TokenForm
    /// Whether userinfo is `application/json`.
    package var userinfoIsJSON = false
    package var pkce = PKCE.none
    package var requestObjects: [RequestObject] = []
    /// What a request object's `aud` must be: the authorization endpoint, and not the issuer.
    package var requestAudienceIsEndpoint = false
    /// What an assertion's `aud` must be: the issuer, and not the token endpoint.
    package var assertionAudienceIsIssuer = false
    package var answersByPost = false
    /// What a `request_uri` that is an address begins with; nil: there is none.
    package var requestURIs: String?
    /// Whether it begins logins by the back channel, and none in a browser.
    package var isBackChannel = false
    /// Where logout tokens are sent.
    package var logoutURI: String?
    /// Public halves: those that sign, and those that are encrypted to.
    package var keys = KeySet.empty

    /// One is picked at random, as itsme does.
    var encryptionKey: PublicKey? {
        keys.keys.compactMap(\.publicKey).filter { $0.use == .encryption }.randomElement()
    }
}
