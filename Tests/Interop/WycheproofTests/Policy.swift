/// The cases for which Wycheproof allows either result, and those for which the library's result differs.
enum Policy {
    /// Flags of `acceptable` cases that are rejected. The others are accepted with the value of the case: points on the
    /// twist, and non-canonical public values of X25519 and X448, which RFC 7748, 5 requires to be accepted.
    static let refusedFlags: Set<String> = [
        // DER of an RSA signature without the NULL, which RFC 8017, 9.2 does not allow.
        "MissingNull",
        // A content key of 8 bytes: RFC 3394 requires at least 16, and no `enc` has such a key.
        "ShortKey",
        // RFC 7518, 4.3: the label is empty.
        "EncryptionWithLabel",
        // RFC 7748, 6: the shared value is zero.
        "ZeroSharedSecret",
        // The other public values of small order, for which X448 does not return zero.
    ]

    struct Exception {
        let file: String
        let ids: [Int]
        let why: String
    }

    /// Cases whose result differs from the published one. A case that does not differ must be removed from this list.
    static let exceptions = [
        Exception(
            file: "json_web_signature", ids: [346, 350],
            why: "The key's alg is PS256, the header's PS384. RFC 7517, 4.4 binds it; 331 and on want such refused."),
        Exception(
            file: "json_web_signature", ids: [347, 351],
            why:
                "The key's alg is \"ES521\", which is none. RFC 7517, 4.4 binds it; json_web_key 19 wants that refused."
        ),
        Exception(
            file: "json_web_signature", ids: [367, 370],
            why: "To be refused for their padding, but they have none: they are the token of 357, which is valid."),
        Exception(
            file: "json_web_signature", ids: [372, 373],
            why:
                "Valid with a \"?\" in the midst of base64url: RFC 7515, 2 knows no such thing, and 363 wants it refused."
        ),
        Exception(
            file: "json_web_key", ids: [1, 4],
            why: "Flagged ambiguous: a set of secrets and public keys, and a kid twice. RFC 7517, 4.5 allows both."),
        Exception(file: "json_web_crypto", ids: [47], why: "The set of json_web_key 1."),
        Exception(
            file: "rsa_pss_2048_sha256_mgf1_0", ids: [69],
            why: "Invalid where the salt has to be empty, as it is in this file. It has 32 bytes, which is PS256."),
    ]
}
