/// The properties that two keys have in common, as a hashable value. The keys of two sets are matched by it without
/// comparing each public or private key of one set with each of the other.
///
/// Symmetric keys are still compared one by one: those with the same binding have the same likeness, because a secret
/// is compared in constant time and is not part of a hash value.
struct KeyLikeness: Hashable {
    /// The degrees of likeness, from the closest to the loosest.
    enum Degree: CaseIterable {
        /// One key, whose other members are equal too, except `kid`.
        case members
        /// One key, whatever its other members are.
        case key
        /// Keys of one key pair.
        case pair

        /// Returns whether two keys of one likeness are alike to this degree. The octets of symmetric keys are compared
        /// here, in constant time.
        func isMet(by old: JWK, _ new: JWK) -> Bool { self == .pair ? old.publicKey != nil : old == new }
    }

    /// The public parameters; nil for a symmetric key.
    private let numbers: PublicMembers?
    private let isPrivate: Bool?
    private let binding: Binding?

    private struct Binding: Hashable {
        let algorithm: [UInt8]?
        let use: KeyUse?
        let operations: KeyOperations?
        let otherOperations: Set<String>
        let issuer: [UInt8]?
        let chain: CertificateChain?
        let x5t: [UInt8]?
        let x5tS256: [UInt8]?

        init(_ binding: KeyBinding) {
            algorithm = binding.algorithm.map { Array($0.utf8) }
            use = binding.use
            operations = binding.operations
            otherOperations = Set(binding.otherOperations)
            issuer = binding.issuer.map { Array($0.utf8) }
            chain = binding.certificates?.chain
            x5t = binding.certificates?.x5t.map { Array($0.utf8) }
            x5tS256 = binding.certificates?.x5tS256.map { Array($0.utf8) }
        }
    }

    init(_ key: JWK, _ degree: Degree) {
        switch key {
        case .publicKey(let key): (numbers, isPrivate) = (key.members, degree == .pair ? nil : false)
        case .privateKey(let key): (numbers, isPrivate) = (key.members, degree == .pair ? nil : true)
        case .symmetricKey: (numbers, isPrivate) = (nil, nil)
        }
        binding = degree == .members ? Binding(key.binding) : nil
    }
}
