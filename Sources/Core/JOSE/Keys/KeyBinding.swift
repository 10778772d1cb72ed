package import JOSECrypto

/// The members of a key besides its parameters, such as `kid` and `alg`, which the key has as properties.
public struct KeyBinding: Sendable {
    package var keyID: String? { didSet { keyIDBytes = keyID.map { Array($0.utf8) } } }
    package private(set) var keyIDBytes: [UInt8]?
    package var algorithm: String? { didSet { bound = BoundAlgorithm(algorithm) } }
    package private(set) var bound = BoundAlgorithm.none
    package var use: KeyUse?
    package var operations: KeyOperations?
    /// The names of unregistered operations (`KeyOperations.other`), so that writing the key does not widen its
    /// permissions.
    package var otherOperations: [String] = []
    package var certificates: KeyCertificates?
    /// The member `issuer`, which is not part of RFC 7517: providers with many tenants name there the issuer of the
    /// tokens that the key may verify. A member of another type is ignored, as all members that RFC 7517 does not
    /// define are.
    package var issuer: String?

    package init() {}

    /// Returns the binding of a key with these members. The `alg` of an AKP key is its kind (RFC 9964, 3).
    func of(_ members: PublicMembers) -> KeyBinding {
        guard algorithm == nil, case .raw(let kind, _) = members, kind.isAlgorithmKeyPair else { return self }
        var bound = self
        bound.algorithm = kind.registeredName
        return bound
    }

    var ofPublicHalf: KeyBinding {
        var half = self
        half.operations = operations?.ofPublicHalf
        return half
    }

    /// Returns this binding for a key that has `own` now. Certificates of another key, which may have come with the
    /// binding of that key, are left out.
    func replacing(_ own: KeyBinding, of key: @autoclosure () -> PublicKey?) -> KeyBinding {
        guard let certificates, certificates !== own.certificates, !certificates.certifies(key()) else { return self }
        var binding = self
        binding.certificates = nil
        return binding
    }
}

/// The only algorithm that a key's `alg` names (RFC 7517, 4.4).
package enum BoundAlgorithm: Equatable, Sendable {
    /// The key has no `alg`.
    case none
    case signature(SignatureAlgorithm.Core)
    case keyManagement(KeyManagementAlgorithm.Core)
    /// The content encryption algorithm of a key for `dir`.
    case contentEncryption(ContentCipher)
    /// A name that the library does not know; the key fits no algorithm.
    case foreign

    init(_ name: String?) {
        guard let name else {
            self = .none
            return
        }
        if let known = SignatureAlgorithm(name: name) {
            self = .signature(known.core)
        } else if let known = KeyManagementAlgorithm(registeredName: name) {
            self = .keyManagement(known.core)
        } else if let known = ContentEncryption(name: name) {
            self = .contentEncryption(known.core)
        } else {
            self = .foreign
        }
    }
}

/// A key behind one reference, so that copying it counts one reference.
package final class KeyRecord<Material: Sendable>: Sendable {
    package let binding: KeyBinding
    package let material: Material

    package init(_ material: Material, _ binding: KeyBinding) {
        self.binding = binding
        self.material = material
    }
}
