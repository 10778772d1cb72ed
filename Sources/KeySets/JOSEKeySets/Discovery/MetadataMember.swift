/// The members of an issuer's metadata whose types are known (RFC 8414, 2; OpenID Connect Discovery 1.0, 3). Other
/// members are available as JSON text.
@nonexhaustive public enum MetadataMember: String, Sendable, CaseIterable {
    /// The issuer of the metadata.
    case issuer
    /// The URL of the issuer's keys.
    case jwksURI = "jwks_uri"
    /// The URL of the authorization endpoint.
    case authorizationEndpoint = "authorization_endpoint"
    /// The URL of the token endpoint.
    case tokenEndpoint = "token_endpoint"
    /// The URL of the UserInfo endpoint.
    case userInfoEndpoint = "userinfo_endpoint"
    /// The URL of the endpoint for pushed authorization requests (RFC 9126, 5).
    case pushedAuthorizationRequestEndpoint = "pushed_authorization_request_endpoint"
    /// The URL of the endpoint that ends sessions (OpenID Connect RP-Initiated Logout 1.0, 2.1).
    case endSessionEndpoint = "end_session_endpoint"
    /// The URL of the revocation endpoint.
    case revocationEndpoint = "revocation_endpoint"
    /// The URL of the introspection endpoint.
    case introspectionEndpoint = "introspection_endpoint"
    /// The URL of the client registration endpoint.
    case registrationEndpoint = "registration_endpoint"
    /// The URL of the device authorization endpoint (RFC 8628, 4).
    case deviceAuthorizationEndpoint = "device_authorization_endpoint"
    /// The URL of the backchannel authentication endpoint (OpenID Connect CIBA 1.0, 4).
    case backchannelAuthenticationEndpoint = "backchannel_authentication_endpoint"
    /// The supported modes by which tokens of backchannel authentication are delivered: `poll`, `ping`, `push` (OpenID
    /// Connect CIBA 1.0, 4).
    case backchannelTokenDeliveryModes = "backchannel_token_delivery_modes_supported"
    /// The supported signature algorithms (`alg`) of signed backchannel authentication requests (OpenID Connect CIBA
    /// 1.0, 4).
    case backchannelRequestSigningAlgorithms = "backchannel_authentication_request_signing_alg_values_supported"
    /// Whether the parameter `user_code` is supported (OpenID Connect CIBA 1.0, 4).
    case backchannelUserCodeParameter = "backchannel_user_code_parameter_supported"
    /// The supported scopes.
    case scopes = "scopes_supported"
    /// The supported response types.
    case responseTypes = "response_types_supported"
    /// The supported response modes.
    case responseModes = "response_modes_supported"
    /// The supported grant types.
    case grantTypes = "grant_types_supported"
    /// The supported authentication context classes.
    case acrValues = "acr_values_supported"
    /// The supported subject identifier types.
    case subjectTypes = "subject_types_supported"
    /// The supported signature algorithms (`alg`) of ID tokens.
    case idTokenSigningAlgorithms = "id_token_signing_alg_values_supported"
    /// The supported key management algorithms (`alg`) of ID tokens.
    case idTokenKeyManagement = "id_token_encryption_alg_values_supported"
    /// The supported content encryption algorithms (`enc`) of ID tokens.
    case idTokenContentEncryption = "id_token_encryption_enc_values_supported"
    /// The supported signature algorithms (`alg`) of UserInfo responses.
    case userInfoSigningAlgorithms = "userinfo_signing_alg_values_supported"
    /// The supported key management algorithms (`alg`) of UserInfo responses.
    case userInfoKeyManagement = "userinfo_encryption_alg_values_supported"
    /// The supported content encryption algorithms (`enc`) of UserInfo responses.
    case userInfoContentEncryption = "userinfo_encryption_enc_values_supported"
    /// The supported signature algorithms (`alg`) of request objects.
    case requestObjectSigningAlgorithms = "request_object_signing_alg_values_supported"
    /// The supported key management algorithms (`alg`) of request objects.
    case requestObjectKeyManagement = "request_object_encryption_alg_values_supported"
    /// The supported content encryption algorithms (`enc`) of request objects.
    case requestObjectContentEncryption = "request_object_encryption_enc_values_supported"
    /// The supported methods of client authentication at the token endpoint.
    case tokenEndpointAuthMethods = "token_endpoint_auth_methods_supported"
    /// The supported signature algorithms (`alg`) of client authentication at the token endpoint.
    case tokenEndpointAuthSigningAlgorithms = "token_endpoint_auth_signing_alg_values_supported"
    /// The supported PKCE code challenge methods.
    case codeChallengeMethods = "code_challenge_methods_supported"
    /// The supported signature algorithms (`alg`) of DPoP proofs (RFC 9449, 5.1).
    case dpopSigningAlgorithms = "dpop_signing_alg_values_supported"
    /// The supported signature algorithms (`alg`) of authorization responses (JARM, 4).
    case authorizationSigningAlgorithms = "authorization_signing_alg_values_supported"
    /// The names of the supported claims.
    case claims = "claims_supported"
    /// Whether authorization responses have the parameter `iss` (RFC 9207, 3).
    case authorizationResponseIssParameter = "authorization_response_iss_parameter_supported"
    /// Whether authorization requests must be pushed (RFC 9126, 5).
    case requiresPushedAuthorizationRequests = "require_pushed_authorization_requests"
    /// Whether the parameter `request` is supported.
    case requestParameter = "request_parameter_supported"
    /// Whether the parameter `request_uri` is supported.
    case requestURIParameter = "request_uri_parameter_supported"
    /// Whether the parameter `claims` is supported.
    case claimsParameter = "claims_parameter_supported"
    /// Whether back-channel logout is supported (OpenID Connect Back-Channel Logout 1.0, 2.1).
    case backchannelLogout = "backchannel_logout_supported"

    enum Form { case text, address, list, truth }

    var form: Form {
        switch self {
        case .issuer: .text
        case .jwksURI, .authorizationEndpoint, .tokenEndpoint, .userInfoEndpoint, .pushedAuthorizationRequestEndpoint,
            .endSessionEndpoint, .revocationEndpoint, .introspectionEndpoint, .registrationEndpoint,
            .deviceAuthorizationEndpoint, .backchannelAuthenticationEndpoint:
            .address
        case .scopes, .responseTypes, .responseModes, .grantTypes, .acrValues, .subjectTypes, .idTokenSigningAlgorithms,
            .idTokenKeyManagement, .idTokenContentEncryption, .userInfoSigningAlgorithms, .userInfoKeyManagement,
            .userInfoContentEncryption, .requestObjectSigningAlgorithms, .requestObjectKeyManagement,
            .requestObjectContentEncryption, .tokenEndpointAuthMethods, .tokenEndpointAuthSigningAlgorithms,
            .codeChallengeMethods, .dpopSigningAlgorithms, .authorizationSigningAlgorithms, .claims,
            .backchannelTokenDeliveryModes, .backchannelRequestSigningAlgorithms:
            .list
        case .authorizationResponseIssParameter, .requiresPushedAuthorizationRequests, .requestParameter,
            .requestURIParameter, .claimsParameter, .backchannelLogout, .backchannelUserCodeParameter:
            .truth
        }
    }
}

extension MetadataMember: CustomStringConvertible {
    /// The name of the member in the document.
    public var description: String { rawValue }
}
