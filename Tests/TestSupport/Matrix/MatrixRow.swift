/// The layers that a token must have, by the policy of its row.
package enum MatrixForm: String, CaseIterable, Sendable {
    case signed, encrypted, nested
    /// A signed token, whose header may have certificates under a trusted root.
    case certified

    package var isSigned: Bool { self != .encrypted }
    package var isEncrypted: Bool { self == .encrypted || self == .nested }
}

/// The step of the verification that finds a fault, in the order of the steps. A token without a fault passes all of
/// them.
package enum MatrixStage: Int, Comparable, Sendable {
    /// The size, the number of parts, and of an encrypted token the JSON of its header.
    case parts
    /// The other parts of the encryption layer that are read before a key is chosen, and what the policy requires of
    /// its header.
    case encryptionHeader
    case decryptionKey, decryption
    case signatureHeader, signatureKey, signature
    /// The JSON of the claims.
    case claimsText
    case claims
    /// The checks of a profile that are not part of its policy, and then its replay store.
    case profile, replay
    case passed

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The answer to a token.
package enum MatrixAnswer: Hashable, Sendable, CustomStringConvertible {
    case valid
    /// The code of the error, or `unsupported`.
    case rejected(String)

    /// Creates the answer with a code; nil for a valid token.
    package init(code: String?) { self = code.map { .rejected($0) } ?? .valid }

    package var code: String? { if case .rejected(let code) = self { code } else { nil } }
    package var description: String { code ?? "valid" }
}

/// A part of a configuration with which a token may have another answer than without it.
package enum MatrixCircumstance: Hashable, Sendable {
    /// There is a second issuer.
    case severalIssuers
    /// A profile rejects the subject `barred`.
    case profile
    /// A token may be used once.
    case replayStore
    /// The options of `bulla check`, which lack some of the policy's rules.
    case checkOptions
}

/// A token of the table, with its answer.
package struct MatrixRow: Sendable, CustomStringConvertible {
    package let name: String
    package let form: MatrixForm
    package let token: String
    /// The name of the row without the fault of this one; nil for a token without a fault.
    package let control: String?
    /// The answer under the policy alone, and the step that finds the fault.
    package let answer: MatrixAnswer
    package let stage: MatrixStage
    /// The answers under circumstances, where they are others.
    package let exceptions: [MatrixCircumstance: MatrixAnswer]
    /// The claims of the token, as they are signed or encrypted.
    package let payload: [UInt8]
    /// The `kid` of the key that verifies the signature; nil where there is no signature, or a certificate has the key.
    package let keyID: String?
    /// Whether the token names its issuer where that can be read before it is decrypted.
    package let namesIssuer: Bool

    package var description: String { name }

    /// The number of parts that dots separate.
    package var partCount: Int { token.utf8.count { $0 == UInt8(ascii: ".") } + 1 }

    /// Returns the answer under circumstances.
    package func answer(_ circumstances: Set<MatrixCircumstance>) -> MatrixAnswer {
        if circumstances.contains(.severalIssuers), let own = exceptions[.severalIssuers], own != .valid { return own }
        for circumstance in [MatrixCircumstance.severalIssuers, .checkOptions, .profile, .replayStore]
        where circumstances.contains(circumstance) {
            if let own = exceptions[circumstance] { return own }
        }
        return answer
    }
}
