internal import JOSEBytes

/// A signer of JWS in the JSON serializations with one or several keys (RFC 7515, 7.2).
///
/// A value is created once and can be shared between tasks.
public struct JSONSigner: Sendable {
    /// One signature: its signer, and the members of its unprotected header.
    public struct Entry: Sendable {
        /// The signer, whose header is the protected one.
        public var signer: JWSSigner
        /// The members of the unprotected header. None of them may be in the signer's own header; a `kid` here needs a key
        /// without one.
        public var unprotected: HeaderParameters

        /// Creates an entry. Its headers are checked when the `JSONSigner` is created.
        public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) {
            self.signer = signer
            self.unprotected = unprotected
        }
    }
    private let signers: [JWSSigner]
    private let plan: JSONSigningPlan
    /// The serialization: `flattened` has one signature, `general` any number.
    public var form: JSONForm { plan.form }

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - entries: The signatures, in their order in the token.
    ///   - form: The serialization.
    /// - Throws: `malformed` for no entries, or for several in the flattened form; `headerInvalid` or `malformed` for headers
    ///   that a verifier would reject: a name in both headers, or `b64` in some of the signatures only;
    ///   `limitExceeded(.signatures)`.
    public init(_ entries: [Entry], form: JSONForm = .general) throws(JOSEError) {
        plan = try JSONSigningPlan(entries.map { ($0.signer.header, $0.unprotected) }, form: form)
        signers = entries.map(\.signer)
    }

    /// Creates a signer with one signature, in the flattened form.
    ///
    /// - Parameters:
    ///   - signer: The signer, whose header is the protected one.
    ///   - unprotected: The members of the unprotected header.
    /// - Throws: `headerInvalid` or `malformed` for headers that a verifier would reject.
    public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) throws(JOSEError) {
        try self.init([Entry(signer, unprotected: unprotected)], form: .flattened)
    }

    /// Signs a payload and returns the JSON text. With `payloadIsUnencoded` the payload must be UTF-8, because it is in a JSON
    /// string (RFC 7797, 5.1).
    public func sign(_ payload: Span<UInt8>) throws(JOSEError) -> String {
        try plan.check(payload)
        return try sign(payload, isDetached: false)
    }

    /// Signs a payload, given as an array of bytes, and returns the JSON text. With `payloadIsUnencoded` the payload must be
    /// UTF-8, because it is in a JSON string (RFC 7797, 5.1).
    public func sign(_ payload: [UInt8]) throws(JOSEError) -> String { try sign(payload.span) }
    /// Signs the UTF-8 of a text and returns the JSON text.
    public func sign(_ payload: String) throws(JOSEError) -> String { try sign(payload.utf8.span) }

    /// Signs a payload and returns the JSON text without it, for a payload that is transmitted separately (RFC 7515, appendix F).
    public func sign(detached payload: Span<UInt8>) throws(JOSEError) -> String {
        try sign(payload, isDetached: true)
    }

    /// Signs a payload, given as an array of bytes, and returns the JSON text without it, for a payload that is transmitted
    /// separately (RFC 7515, appendix F).
    public func sign(detached payload: [UInt8]) throws(JOSEError) -> String { try sign(detached: payload.span) }
    /// Signs the UTF-8 of a text and returns the JSON text without it, for a payload that is transmitted separately (RFC 7515,
    /// appendix F).
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
