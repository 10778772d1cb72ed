internal import JOSE

/// The policy of every row, which each target states in its own way: as a `TokenPolicy`, and in the options of the
/// command. Times are compared with the clock of the system, which a service cannot replace.
package enum MatrixPolicy {
    package static let issuer = "https://id.example"
    /// The second issuer, where there are several. It has a key of its own.
    package static let otherIssuer = "https://other.example"
    package static let audience = "shop"
    package static let type = "JWT"
    /// The extension in `crit` that is understood.
    package static let critical = "x-known"
    /// The claim `role` has this value.
    package static let role = "user"
    package static let required = ["sub", "jti"]
    package static let forbidden = "admin"
    /// The longest lifetime in seconds. Tokens of the table expire in 2096.
    package static let maximumLifetime = 3_000_000_000
    /// The subject that the profile rejects.
    package static let barred = "barred"

    package static let tokenBytes = 16_384
    package static let plaintextBytes = 4_096
    package static let signatureBytes = 1_024

    package static let signatures = ["RS256", "PS256", "ES256", "EdDSA", "HS256"]
    package static let keyManagement = ["RSA-OAEP-256", "ECDH-ES", "ECDH-ES+A128KW", "A256GCMKW", "dir"]
    package static let contentEncryption = ["A128GCM", "A256GCM", "A128CBC-HS256"]
}
