import JOSE
import JOSEItsme
import JOSERelyingParty

extension LoginFixture {
    /// A `sub` of the second generation, which has 32 characters.
    static let secondSubject = "user-1-of-the-second-generation0"

    static let basic = LoginRequest.itsme(service: "SHOP", level: .basic)

    static func itsmeV2(
        request: LoginRequest = basic, credentials: ClientCredentials? = nil
    ) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .assertion(audience: issuer + "/token", isEncrypted: true))
        manner.acr = "http://itsme.services/V2/claim/acr_basic"
        manner.subject = secondSubject
        return try LoginFixture(.itsmeV2, manner: manner, request: request, credentials: credentials)
    }

    static func itsmeV1(
        _ userInfo: ItsmeUserInfoForm = .signed, _ change: (inout ProviderProfile) -> Void = { _ in }
    ) throws -> LoginFixture {
        var profile = ProviderProfile.itsmeV1(userInfo: userInfo)
        change(&profile)
        var manner = ProviderManner(authentication: .assertion(audience: issuer + "/token", isEncrypted: false))
        manner.idToken = .signed
        manner.userInfo =
            switch userInfo {
            case .signed, .encrypted: .signed
            case .nested: .nested(.rsaOAEP, .a128cbcHS256)
            case .json: .json
            }
        manner.acr = "tag:sixdots.be,2016-06:acr_basic"
        return try LoginFixture(profile, manner: manner, request: basic)
    }

    static func itsmeV1Nested() throws -> LoginFixture {
        let manner = ProviderManner(authentication: .assertion(audience: issuer + "/token", isEncrypted: true))
        return try LoginFixture(.itsmeV1Nested, manner: manner, request: basic)
    }

    /// Returns a fixture whose client has two encryption keys, of which itsme selects one.
    static func itsmeKey(_ authentication: ClientAuthentication? = nil) throws -> LoginFixture {
        var manner = ProviderManner(
            authentication: .assertion(
                audience: issuer + "/token", isEncrypted: authentication == .privateKeyJWTEncrypted))
        manner.idToken = .nested(.rsaOAEP256, .a256gcm)
        manner.userInfo = .nested(.rsaOAEP256, .a256cbcHS512)
        manner.clientEncryptionKey = TestKeys.secondClientEncryption.publicKey
        let keys = KeySet([.privateKey(TestKeys.clientEncryption), .privateKey(TestKeys.secondClientEncryption)])
        return try LoginFixture(
            .itsmeKey, manner: manner, request: basic,
            credentials: .keys(signing: TestKeys.client, decryption: keys), authentication: authentication)
    }

    static func itsmeSecret(_ signature: ItsmeSecretSignature = .rs256) throws -> LoginFixture {
        var manner = ProviderManner(authentication: .secretPost)
        (manner.idToken, manner.userInfo) = (.direct, .direct)
        manner.signsWithSecret = signature == .hs256
        return try LoginFixture(
            .itsmeSecret(signature: signature), manner: manner, request: basic, credentials: .secret(manner.secret))
    }
}

/// The layers of nested tokens of itsme's first and second generation.
let nestedLayers = ProviderManner.Layers.nested(.rsaOAEP, .a128cbcHS256)
