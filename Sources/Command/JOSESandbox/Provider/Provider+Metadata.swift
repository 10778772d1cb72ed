internal import JOSEKeySets
internal import JOSEMitID
internal import JOSETokens
internal import JOSEZenKey

extension Provider {
    func metadata() -> TransportResponse { .json(metadataClaims(), cache: "public, max-age=300") }

    /// Returns the metadata of the provider's own document, as far as clients use it.
    func metadataClaims() -> ClaimsBuilder {
        var claims: ClaimsBuilder = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + paths.authorization),
            "token_endpoint": .string(issuer + paths.token), "userinfo_endpoint": .string(issuer + paths.userinfo),
            "jwks_uri": .string(issuer + paths.keys), "response_types_supported": ["code"],
            "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"],
        ]
        switch clients.first?.flavour {
        case .zenKey:
            claims["token_endpoint_auth_methods_supported"] = ["client_secret_basic", "client_secret_post"]
            claims["scopes_supported"] = ["openid", "name", "email", "phone", "postal_code", "last_4_social"]
        case .mitID, .openID:
            let isMitID = clients.first?.flavour == .mitID
            claims.add([
                "pushed_authorization_request_endpoint": .string(issuer + (paths.pushed ?? "")),
                "end_session_endpoint": .string(issuer + (paths.endSession ?? "")),
                "backchannel_authentication_endpoint": .string(issuer + (paths.backChannel ?? "")),
                "backchannel_token_delivery_modes_supported": ["poll"], "backchannel_logout_supported": true,
                "token_endpoint_auth_methods_supported": isMitID
                    ? ["client_secret_basic", "client_secret_post", "private_key_jwt"] : ["private_key_jwt"],
                "code_challenge_methods_supported": ["S256"], "request_parameter_supported": true,
                "request_object_signing_alg_values_supported": isMitID
                    ? ["RS256", "PS256", "ES256", "HS256"] : ["RS256"],
                "authorization_response_iss_parameter_supported": true,
            ])
            if isMitID {
                claims["response_modes_supported"] = ["form_post", "query"]
            } else {
                claims["token_endpoint_auth_signing_alg_values_supported"] = ["RS256"]
                claims["scopes_supported"] = ["openid", "profile", "email", "phone"]
                claims["acr_values_supported"] = ["high", "low"]
            }
        default:
            claims["token_endpoint_auth_methods_supported"] =
                clients.contains { $0.secret != nil } ? ["client_secret_post"] : ["private_key_jwt"]
            claims["scopes_supported"] = ["openid", "service", "profile", "email", "phone", "address"]
            claims["id_token_encryption_alg_values_supported"] = ["RSA-OAEP", "RSA-OAEP-256"]
            claims["id_token_encryption_enc_values_supported"] = ["A128CBC-HS256", "A256GCM"]
            claims["request_parameter_supported"] = true
            claims["request_uri_parameter_supported"] = .bool(clients.contains { $0.requestURIs != nil })
            claims["claims_parameter_supported"] = true
        }
        return claims
    }
}
