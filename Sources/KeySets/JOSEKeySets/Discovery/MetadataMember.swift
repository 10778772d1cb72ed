internal import JOSESupport

/// The name of a member of an issuer's metadata, such as `"token_endpoint"` (RFC 8414, 2; OpenID Connect Discovery 1.0,
/// 3).
public struct MetadataMember: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes of the name, by which names are compared.
    let bytes: [UInt8]

    /// The name of the member in the document.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Creates a name.
    ///
    /// - Parameter name: The name of the member in the document.
    public init(_ name: String) { bytes = Array(name.utf8) }

    /// Creates a name from a literal.
    public init(stringLiteral name: String) { self.init(name) }

    /// Whether the value is a URL, which is checked before it is returned.
    var isAddress: Bool {
        bytes.elementsEqual("jwks_uri".utf8) || bytes.suffix(9).elementsEqual("_endpoint".utf8)
    }
}

/// The members that have a constant in this package.
extension MetadataMember {
    /// The issuer of the metadata.
    package static let issuer = MetadataMember("issuer")
    /// The URL of the issuer's keys.
    package static let jwksURI = MetadataMember("jwks_uri")
    /// The URL of the authorization endpoint.
    package static let authorizationEndpoint = MetadataMember("authorization_endpoint")
    /// The URL of the token endpoint.
    package static let tokenEndpoint = MetadataMember("token_endpoint")
    /// The URL of the UserInfo endpoint.
    package static let userInfoEndpoint = MetadataMember("userinfo_endpoint")
    /// The URL of the endpoint for pushed authorization requests (RFC 9126, 5).
    package static let pushedAuthorizationRequestEndpoint = MetadataMember("pushed_authorization_request_endpoint")
    /// The URL of the endpoint that ends sessions (OpenID Connect RP-Initiated Logout 1.0, 2.1).
    package static let endSessionEndpoint = MetadataMember("end_session_endpoint")
    /// The URL of the revocation endpoint.
    package static let revocationEndpoint = MetadataMember("revocation_endpoint")
    /// The URL of the introspection endpoint.
    package static let introspectionEndpoint = MetadataMember("introspection_endpoint")
    /// The URL of the client registration endpoint.
    package static let registrationEndpoint = MetadataMember("registration_endpoint")
    /// The URL of the device authorization endpoint (RFC 8628, 4).
    package static let deviceAuthorizationEndpoint = MetadataMember("device_authorization_endpoint")
    /// The URL of the backchannel authentication endpoint (OpenID Connect CIBA 1.0, 4).
    package static let backchannelAuthenticationEndpoint = MetadataMember("backchannel_authentication_endpoint")
    /// The supported modes by which tokens of backchannel authentication are delivered: `poll`, `ping`, `push` (OpenID
    /// Connect CIBA 1.0, 4).
    package static let backchannelTokenDeliveryModes = MetadataMember("backchannel_token_delivery_modes_supported")
    /// The supported signature algorithms (`alg`) of signed backchannel authentication requests (OpenID Connect CIBA
    /// 1.0, 4).
    package static let backchannelRequestSigningAlgorithms = MetadataMember(
        "backchannel_authentication_request_signing_alg_values_supported")
    /// Whether the parameter `user_code` is supported (OpenID Connect CIBA 1.0, 4).
    package static let backchannelUserCodeParameter = MetadataMember("backchannel_user_code_parameter_supported")
    /// The supported scopes.
    package static let scopes = MetadataMember("scopes_supported")
    /// The supported response types.
    package static let responseTypes = MetadataMember("response_types_supported")
    /// The supported response modes.
    package static let responseModes = MetadataMember("response_modes_supported")
    /// The supported grant types.
    package static let grantTypes = MetadataMember("grant_types_supported")
    /// The supported authentication context classes.
    package static let acrValues = MetadataMember("acr_values_supported")
    /// The supported subject identifier types.
    package static let subjectTypes = MetadataMember("subject_types_supported")
    /// The supported signature algorithms (`alg`) of ID tokens.
    package static let idTokenSigningAlgorithms = MetadataMember("id_token_signing_alg_values_supported")
    /// The supported key management algorithms (`alg`) of ID tokens.
    package static let idTokenKeyManagement = MetadataMember("id_token_encryption_alg_values_supported")
    /// The supported content encryption algorithms (`enc`) of ID tokens.
    package static let idTokenContentEncryption = MetadataMember("id_token_encryption_enc_values_supported")
    /// The supported signature algorithms (`alg`) of UserInfo responses.
    package static let userInfoSigningAlgorithms = MetadataMember("userinfo_signing_alg_values_supported")
    /// The supported key management algorithms (`alg`) of UserInfo responses.
    package static let userInfoKeyManagement = MetadataMember("userinfo_encryption_alg_values_supported")
    /// The supported content encryption algorithms (`enc`) of UserInfo responses.
    package static let userInfoContentEncryption = MetadataMember("userinfo_encryption_enc_values_supported")
    /// The supported signature algorithms (`alg`) of request objects.
    package static let requestObjectSigningAlgorithms = MetadataMember("request_object_signing_alg_values_supported")
    /// The supported key management algorithms (`alg`) of request objects.
    package static let requestObjectKeyManagement = MetadataMember("request_object_encryption_alg_values_supported")
    /// The supported content encryption algorithms (`enc`) of request objects.
    package static let requestObjectContentEncryption = MetadataMember("request_object_encryption_enc_values_supported")
    /// The supported methods of client authentication at the token endpoint.
    package static let tokenEndpointAuthMethods = MetadataMember("token_endpoint_auth_methods_supported")
    /// The supported signature algorithms (`alg`) of client authentication at the token endpoint.
    package static let tokenEndpointAuthSigningAlgorithms = MetadataMember(
        "token_endpoint_auth_signing_alg_values_supported")
    /// The supported PKCE code challenge methods.
    package static let codeChallengeMethods = MetadataMember("code_challenge_methods_supported")
    /// The supported signature algorithms (`alg`) of DPoP proofs (RFC 9449, 5.1).
    package static let dpopSigningAlgorithms = MetadataMember("dpop_signing_alg_values_supported")
    /// The supported signature algorithms (`alg`) of authorization responses (JARM, 4).
    package static let authorizationSigningAlgorithms = MetadataMember("authorization_signing_alg_values_supported")
    /// The names of the supported claims.
    package static let claims = MetadataMember("claims_supported")
    /// Whether authorization responses have the parameter `iss` (RFC 9207, 3).
    package static let authorizationResponseIssParameter = MetadataMember(
        "authorization_response_iss_parameter_supported")
    /// Whether authorization requests must be pushed (RFC 9126, 5).
    package static let requiresPushedAuthorizationRequests = MetadataMember("require_pushed_authorization_requests")
    /// Whether the parameter `request` is supported.
    package static let requestParameter = MetadataMember("request_parameter_supported")
    /// Whether the parameter `request_uri` is supported.
    package static let requestURIParameter = MetadataMember("request_uri_parameter_supported")
    /// Whether the parameter `claims` is supported.
    package static let claimsParameter = MetadataMember("claims_parameter_supported")
    /// Whether back-channel logout is supported (OpenID Connect Back-Channel Logout 1.0, 2.1).
    package static let backchannelLogout = MetadataMember("backchannel_logout_supported")

    /// The members above that are URLs.
    static let addresses: [MetadataMember] = [
        .jwksURI, .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .pushedAuthorizationRequestEndpoint,
        .endSessionEndpoint, .revocationEndpoint, .introspectionEndpoint, .registrationEndpoint,
        .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint,
    ]

    /// All members above.
    package static let all: [MetadataMember] = [
        .issuer, .jwksURI, .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint,
        .pushedAuthorizationRequestEndpoint, .endSessionEndpoint, .revocationEndpoint, .introspectionEndpoint,
        .registrationEndpoint, .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint,
        .backchannelTokenDeliveryModes, .backchannelRequestSigningAlgorithms, .backchannelUserCodeParameter, .scopes,
        .responseTypes, .responseModes, .grantTypes, .acrValues, .subjectTypes, .idTokenSigningAlgorithms,
        .idTokenKeyManagement, .idTokenContentEncryption, .userInfoSigningAlgorithms, .userInfoKeyManagement,
        .userInfoContentEncryption, .requestObjectSigningAlgorithms, .requestObjectKeyManagement,
        .requestObjectContentEncryption, .tokenEndpointAuthMethods, .tokenEndpointAuthSigningAlgorithms,
        .codeChallengeMethods, .dpopSigningAlgorithms, .authorizationSigningAlgorithms, .claims,
        .authorizationResponseIssParameter, .requiresPushedAuthorizationRequests, .requestParameter,
        .requestURIParameter, .claimsParameter, .backchannelLogout,
    ]
}
