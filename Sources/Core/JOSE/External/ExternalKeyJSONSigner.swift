internal import JOSESupport

/// A signer of JWS in the JSON serializations with keys outside the process, for instance in an HSM or a key management
/// service. Keys in the process can be used beside them (RFC 7515, 7.2).
public struct ExternalKeyJSONSigner: Sendable {
    /// A signature to make: its signer, and the members of its unprotected header.
    public struct Entry: Sendable {
        enum Source: Sendable {
            case local(JWSSigner)
            case external(ExternalKeySigner)

            var header: EncodedHeader {
                switch self {
                case .local(let signer): signer.header
                case .external(let signer): signer.header
                }
            }

            func signature(_ input: [UInt8]) async throws(JOSEError) -> [UInt8] {
                switch self {
                case .local(let signer): try signer.signature(input.span)
                case .external(let signer): try await signer.signer.signature(input)
                }
            }
        }
        let source: Source
        /// The members of the unprotected header of this signature.
        public var unprotected: HeaderParameters

        /// Creates an entry for a key outside the process. Its headers are checked when the `ExternalKeyJSONSigner` is
        /// created.
        public init(_ signer: ExternalKeySigner, unprotected: HeaderParameters = HeaderParameters()) {
            source = .external(signer)
            self.unprotected = unprotected
        }

        /// Creates an entry for a key in the process. Its headers are checked when the `ExternalKeyJSONSigner` is
        /// created.
        public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) {
            source = .local(signer)
            self.unprotected = unprotected
        }
    }
    private let sources: [Entry.Source]
    private let plan: JSONSigningPlan
    /// The serialization: `flattened` has one signature, `general` any number.
    public var form: JSONForm { plan.form }

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - entries: The signatures, in the order in which they are made.
    ///   - form: The serialization.
    /// - Throws: `malformed` if there are no entries, or several in the flattened form; `headerInvalid` or `malformed`
    ///   if a verifier would reject the headers; `limitExceeded(.signatures)`.
    public init(_ entries: [Entry], form: JSONForm = .general) throws(JOSEError) {
        plan = try JSONSigningPlan(entries.map { ($0.source.header, $0.unprotected) }, form: form)
        sources = entries.map(\.source)
    }

    /// Signs a payload, given as bytes, and returns the JSON text. The signatures are made one after another, in the
    /// order of the entries.
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled.
    public func sign(_ payload: [UInt8]) async throws(JOSEError) -> String {
        try plan.check(payload.span)
        return try await sign(payload, isDetached: false)
    }

    /// Signs the UTF-8 bytes of a string and returns the JSON text, as the method that takes bytes does.
    public func sign(_ payload: String) async throws(JOSEError) -> String { try await sign(Array(payload.utf8)) }

    /// Signs a detached payload and returns the JSON text, which does not contain the payload (RFC 7515, appendix F).
    ///
    /// - Throws: `JOSEError`, which is `cancelled` if the task was cancelled.
    public func sign(detached payload: [UInt8]) async throws(JOSEError) -> String {
        try await sign(payload, isDetached: true)
    }

    private func sign(_ payload: [UInt8], isDetached: Bool) async throws(JOSEError) -> String {
        var writer = plan.begin(payload.span, isDetached: isDetached)
        for index in sources.indices {
            let signature = try await sources[index].signature(plan.input(index, payload.span))
            plan.add(index, signature.span, to: &writer)
        }
        return plan.end(&writer)
    }
}
