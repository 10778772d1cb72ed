package import JOSE

extension TokenError: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .jose(let error, .encryption): row("encryption layer: ", of: error)
        case .jose(let error, .signature): row("signature layer: ", of: error)
        case .jose(let error, .keyBinding): row("key binding: ", of: error)
        case .claim(let failure): row(of: failure)
        case .claims(let failures):
            row(
                failures.first?.code ?? "claim_invalid", failures.map(\.description).joined(separator: "; "),
                remedy: failures.map(\.remedy).joined(separator: "; "))
        case .issuerUnknown:
            row(
                "issuer_unknown", "iss is not a configured issuer",
                remedy: "add the issuer to those of the verifier, if its tokens are to be accepted")
        case .policyInvalid(let fault): row("policy_invalid", "invalid policy: ", fault)
        case .awaitRequired:
            row(
                "await_required", "external keys or an asynchronous replay store: call a method with a timeout",
                remedy: "call the method with a timeout")
        case .notDecodable(let failure):
            row(
                "claims_not_decodable", "the claims cannot be decoded as the requested type: \(failure)",
                remedy: "make the property optional, or have the issuer set the claim to the expected type")
        case .notEncodable(let failure):
            row(
                "claims_not_encodable", "the value cannot be encoded as claims: \(failure)",
                remedy: "encode an object whose members are JSON values")
        case .cancelled:
            row("task_cancelled", "the task was cancelled while it waited", remedy: "repeat the call", retryable: true)
        case .replay(let fault): row(of: fault)
        case .disclosure(let fault): row(of: fault)
        }
    }

    /// Returns whether other keys for `layer` may change the outcome, as `JOSEError.mayChangeWithKeys` defines it.
    package func mayChangeWithKeys(of layer: TokenLayer) -> Bool {
        guard case .jose(let error, layer) = self else { return false }
        return error.mayChangeWithKeys
    }
}

extension ClaimFailure: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch self {
        case .issuerMismatch:
            row(
                "issuer_mismatch", "iss is not the expected issuer",
                remedy:
                    "use a token of the expected issuer, or correct the policy's issuer; both are compared byte by byte"
            )
        case .audienceMismatch:
            row(
                "audience_mismatch", "aud does not contain the expected audience",
                remedy: "request a token for this audience from the issuer")
        case .expired:
            row(
                "token_expired", "the token has expired",
                remedy: "get a new token; if a new token has expired too, synchronize the clocks")
        case .notYetValid:
            row(
                "token_not_yet_valid", "the token is not yet valid",
                remedy:
                    "synchronize the clocks, or allow more leeway; to issue a token that becomes valid later, set TokenOptions.validFrom"
            )
        case .issuedInFuture(let name):
            row(
                "token_issued_in_future", "\(name) is in the future",
                remedy: "synchronize the clocks, or allow more leeway")
        case .missing(let name): row("claim_missing", "\(name) is missing", remedy: "have the issuer set \(name)")
        case .invalid(let name):
            row(
                "claim_invalid", "\(name) has the wrong type or value",
                remedy: ["exp", "nbf", "iat", "auth_time"].contains(name)
                    ? "have the issuer set \(name) to a number of seconds since 1970, not of milliseconds"
                    : "have the issuer set \(name) to the expected type and value")
        case .forbidden(let name):
            row("claim_forbidden", "\(name) is forbidden", remedy: "have the issuer omit \(name)")
        case .tooOld("auth_time"):
            row(
                "authentication_too_old", "auth_time is longer ago than the policy allows",
                remedy: "get a new token; auth_time must be recent")
        case .tooOld(let name):
            row(
                "token_too_old", "\(name) is longer ago than the policy allows",
                remedy: "get a new token; \(name) must be recent")
        case .expiresTooSoon:
            row(
                "token_expires_too_soon", "exp is sooner than the minimum remaining lifetime allows",
                remedy: "have the client obtain a new token, or lower minimumRemainingLifetime")
        case .lifetimeTooLong:
            row(
                "token_lifetime_too_long", "exp exceeds the maximum lifetime",
                remedy: "have the issuer set an earlier exp, or raise maximumLifetime if both sides agreed on it")
        case .headerCopyDiffers(let name):
            row(
                "header_copy_differs", "\(name) in the outer header differs from the claim",
                remedy: "make \(name) in the outer header equal to the claim, or omit it there")
        }
    }
}

extension PolicyFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        switch condition {
        case .leeway:
            row(
                "leeway_out_of_range", "leeway must be 0 to 300 seconds",
                remedy: "set a leeway of 0 to 300 seconds; if clocks differ by more, synchronize them")
        case .duration:
            row(
                "policy_duration_invalid", "a duration of the policy, or a lifetime, is negative or too long",
                remedy: "set a duration of at least zero and of less than some thousand years")
        case .lifetimeNotPositive:
            row(
                "lifetime_not_positive", "the lifetime of a token is not positive",
                remedy: "set a lifetime of more than zero, such as .seconds(300)")
        case .validFrom:
            row(
                "valid_from_invalid", "TokenOptions.validFrom is not a valid time",
                remedy: "set TokenOptions.validFrom to a time from 1970 on, in seconds")
        case .clock:
            row(
                "clock_invalid", "the clock shows no valid time",
                remedy: "correct the clock, whose time must be a number of seconds from 1970 on")
        case .emptyList:
            row(
                "policy_list_empty",
                "a list of accepted values is empty, or an issuer or an audience is the empty string; check whether an environment variable is unset",
                remedy: "list at least one value, and set the variable from which an empty text was read")
        case .contradiction:
            row(
                "policy_contradiction",
                "requirements contradict each other, such as a claim that is both required and forbidden",
                remedy:
                    "remove the claim from required, acceptedValues or forbidden, set a minimumRemainingLifetime below the maximumLifetime, or name the audience beside which others are trusted"
            )
        case .key:
            row(
                "policy_key_mismatch",
                "a key is missing for a layer, or given for a layer that the policy does not have",
                remedy: "give one key for each layer of the policy, and none for a layer that it does not have")
        case .lifetime:
            row(
                "lifetime_exceeds_publication",
                "the token lifetime exceeds the time for which the signing key is published",
                remedy: "issue tokens with a shorter lifetime, or let the key source publish its keys for longer")
        case .lifetimeUnbounded:
            row(
                "lifetime_unbounded", "a profile with a replay store needs a maximumLifetime",
                remedy: "set maximumLifetime in the claims of the profile's policy")
        case .issuerNotExact:
            row(
                "issuer_not_exact",
                "each policy of a verifier of several issuers must name its issuer with .exactly or .template",
                remedy: "name the issuer of each policy with .exactly or .template")
        case .issuerTemplate:
            row(
                "issuer_template_invalid",
                "the issuer template is not an https URL with {tenantid} as one path segment, or its tenants are not GUIDs in lower case",
                remedy:
                    "write {tenantid} as one segment of the path of an https URL, and list tenants as GUIDs in lower case"
            )
        case .issuerRepeated: row("issuer_repeated", "duplicate issuer", remedy: "give each issuer once")
        case .setByProfile(let setting):
            row(
                "policy_set_by_profile", "the profile sets \(setting), which was given another value",
                remedy:
                    "leave the setting as it is, and set the property of the profile of that name if there is one; for tokens of another form, create the verifier with a TokenPolicy instead of the profile"
            )
        }
    }
}

extension DisclosureFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let remedy = "have the issuer and the holder follow RFC 9901; the description names the part"
        return switch condition {
        case .form:
            row("sd_jwt_malformed", "not an SD-JWT: expected a JWT and disclosures, separated by ~", remedy: remedy)
        case .malformed:
            row(
                "disclosure_malformed", "a disclosure is not base64url of an array of salt, name and value",
                remedy: remedy)
        case .hash: row("disclosure_hash_unknown", "_sd_alg names an unsupported hash algorithm", remedy: remedy)
        case .reservedName:
            row(
                "disclosure_reserved_name", "a claim has one of the reserved names '_sd', '_sd_alg' and '...'",
                remedy: remedy)
        case .digests:
            row("disclosure_digests_malformed", "'_sd' or '...' contains something other than digests", remedy: remedy)
        case .repeatedDigest: row("disclosure_repeated_digest", "duplicate digest of a disclosure", remedy: remedy)
        case .repeatedDisclosure: row("disclosure_repeated", "duplicate disclosure", remedy: remedy)
        case .unreferenced:
            row(
                "disclosure_unreferenced", "the digest of a disclosure is not among those in the claims", remedy: remedy
            )
        case .wrongPlace:
            row(
                "disclosure_wrong_place", "a disclosure of a claim is referenced as an array element, or the reverse",
                remedy: remedy)
        case .nameTaken: row("disclosure_name_taken", "a disclosed claim has the name of another claim", remedy: remedy)
        case .path:
            row(
                "disclosure_path_invalid",
                "the path of a claim to hide matches no claim, or a claim that must stay visible", remedy: remedy)
        case .keyBindingMissing: row("key_binding_missing", "the presentation has no key binding", remedy: remedy)
        case .keyBindingUnexpected:
            row(
                "key_binding_unexpected",
                "the presentation has a key binding, but the verifier has no policy to check it", remedy: remedy)
        case .holderKeyMissing:
            row("holder_key_missing", "cnf contains no key of the holder, which key binding requires", remedy: remedy)
        case .keyBinding(let failure): row(failure.code, "key binding: \(failure)", remedy: remedy)
        }
    }
}

extension ReplayFault: ErrorTable {
    package func row(_ row: ErrorRow) -> ErrorRow.Cell {
        let raise = "retry later, or raise the limits of the replay store"
        return switch self {
        case .seen: row("token_replayed", "the token was used before", remedy: "get a new token; each may be used once")
        case .storeFull: row("store_full", "the replay store is full", remedy: raise, retryable: true)
        case .shareFull:
            row(
                "store_share_full", "the client has used up its share of the replay store", remedy: raise,
                retryable: true)
        case .storeUnavailable:
            row(
                "store_unavailable", "the replay store is unavailable",
                remedy: "retry later, and check the replay store", retryable: true)
        }
    }
}
