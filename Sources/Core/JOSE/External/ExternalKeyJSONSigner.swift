internal import JOSEBytes

/// Makes JWS in the JSON serializations as `JSONSigner` does, some or all signatures by keys outside the process.
///
/// Its calls throw `JOSEError`, and `CancellationError` where the task was cancelled.
public struct ExternalKeyJSONSigner: Sendable {
    /// One signature: who makes it, and what its header says without being signed.
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

            func signature(_ input: [UInt8]) async throws -> [UInt8] {
                switch self {
                case .local(let signer): try signer.signature(input.span)
                case .external(let signer): try await signer.signer.signature(input)
                }
            }
        }
        let source: Source
        /// Members beside the signed header.
        public var unprotected: HeaderParameters

        /// By a key outside the process. Nothing is checked before the `ExternalKeyJSONSigner` is made.
        public init(_ signer: ExternalKeySigner, unprotected: HeaderParameters = HeaderParameters()) {
            source = .external(signer)
            self.unprotected = unprotected
        }

        /// By a key that is here.
        public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) {
            source = .local(signer)
            self.unprotected = unprotected
        }
    }
    private let sources: [Entry.Source]
    private let plan: JSONSigningPlan
    /// Flattened for one signature, general for any number.
    public var form: JSONForm { plan.form }

    /// Throws what `JSONSigner` would.
    public init(_ entries: [Entry], form: JSONForm = .general) throws(JOSEError) {
        plan = try JSONSigningPlan(entries.map { ($0.source.header, $0.unprotected) }, form: form)
        sources = entries.map(\.source)
    }

    /// The signatures are made one after the other, in the order of the entries.
    public func sign(_ payload: [UInt8]) async throws -> String {
        try plan.check(payload.span)
        return try await sign(payload, isDetached: false)
    }

    /// The same of a text's UTF-8.
    public func sign(_ payload: String) async throws -> String { try await sign(Array(payload.utf8)) }

    /// The JSON text without the payload (RFC 7515, appendix F).
    public func sign(detached payload: [UInt8]) async throws -> String { try await sign(payload, isDetached: true) }

    private func sign(_ payload: [UInt8], isDetached: Bool) async throws -> String {
        var writer = plan.begin(payload.span, isDetached: isDetached)
        for place in sources.indices {
            let signature = try await sources[place].signature(plan.input(place, payload.span))
            plan.add(place, signature.span, to: &writer)
        }
        return plan.end(&writer)
    }
}
