internal import JOSEBytes

/// Makes JWS in the JSON serializations (RFC 7515, 7.2), by one signer or several. Made once, shared freely.
public struct JSONSigner: Sendable {
    /// One signature: who makes it, and what its header says without being signed.
    public struct Entry: Sendable {
        /// Its header is the protected one.
        public var signer: JWSSigner
        /// Members that are not in the signer's own header: a `kid` here needs a key without one.
        public var unprotected: HeaderParameters

        /// Nothing is checked before the `JSONSigner` is made.
        public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) {
            self.signer = signer
            self.unprotected = unprotected
        }
    }
    private let signers: [JWSSigner]
    private let plan: JSONSigningPlan
    /// Flattened for one signature, general for any number.
    public var form: JSONForm { plan.form }

    /// Throws `malformed` for none, or for several in the flattened form; `headerInvalid` or `malformed` for headers that
    /// a verifier would refuse: a name in both, `b64` in one signature and not in another.
    public init(_ entries: [Entry], form: JSONForm = .general) throws(JOSEError) {
        plan = try JSONSigningPlan(entries.map { ($0.signer.header, $0.unprotected) }, form: form)
        signers = entries.map(\.signer)
    }

    /// Of one signer, in the flattened form.
    public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) throws(JOSEError) {
        try self.init([Entry(signer, unprotected: unprotected)], form: .flattened)
    }

    /// The JSON text. With `payloadIsUnencoded` the payload must be UTF-8, for it stands in a JSON string (RFC 7797, 5.1).
    public func sign(_ payload: Span<UInt8>) throws(JOSEError) -> String {
        try plan.check(payload)
        return try sign(payload, isDetached: false)
    }

    /// The same of bytes in an array.
    public func sign(_ payload: [UInt8]) throws(JOSEError) -> String { try sign(payload.span) }
    /// The same of a text's UTF-8.
    public func sign(_ payload: String) throws(JOSEError) -> String { try sign(payload.utf8.span) }

    /// The JSON text without the payload, which goes its own way (RFC 7515, appendix F).
    public func sign(detached payload: Span<UInt8>) throws(JOSEError) -> String {
        try sign(payload, isDetached: true)
    }

    /// The same of bytes in an array.
    public func sign(detached payload: [UInt8]) throws(JOSEError) -> String { try sign(detached: payload.span) }
    /// The same of a text's UTF-8.
    public func sign(detached payload: String) throws(JOSEError) -> String { try sign(detached: payload.utf8.span) }

    private func sign(_ payload: Span<UInt8>, isDetached: Bool) throws(JOSEError) -> String {
        var writer = plan.begin(payload, isDetached: isDetached)
        for place in signers.indices {
            let input = plan.input(place, payload)
            let signature = try signers[place].signature(input.span)
            plan.add(place, signature.span, to: &writer)
        }
        return plan.end(&writer)
    }
}
