internal import JOSESupport

/// A signer of JWS in the JSON serializations with one or several keys (RFC 7515, 7.2).
///
/// If a key is outside the process, use the methods with a `timeout`; the others throw `externalKey(.awaitRequired)`.
/// Create one instance and share it between tasks.
public struct JSONSigner: Sendable {
    /// A signature to make: its signer, and the members of its unprotected header.
    public struct Entry: Sendable {
        /// The signer, whose header is the protected one.
        package var signer: JWSSigner
        /// The members of the unprotected header. None of them may be in the signer's own header too, so a `kid` is
        /// possible only if the signer's key has none.
        package var unprotected: HeaderParameters

        /// Creates an entry. Its headers are checked when the `JSONSigner` is created.
        public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) {
            self.signer = signer
            self.unprotected = unprotected
        }
    }
    private let signers: [JWSSigner]
    private let plan: JSONSigningPlan
    /// The serialization: `flattened` has one signature, `general` any number.
    package var form: JSONForm { plan.form }

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - entries: The signatures, in the order in which they are made and written.
    ///   - form: The serialization.
    /// - Throws: `malformed` if there are no entries, or several in the flattened form; `headerInvalid` or `malformed`
    ///   if a verifier would reject the headers, for instance because a name is in both headers of a signature or only
    ///   some signatures have `b64`; `limitExceeded`.
    public init(_ entries: [Entry], form: JSONForm = .general) throws(JOSEError) {
        plan = try JSONSigningPlan(entries.map { ($0.signer.header, $0.unprotected) }, form: form)
        signers = entries.map(\.signer)
    }

    /// Creates a signer with one signature, in the flattened form.
    ///
    /// - Parameters:
    ///   - signer: The signer, whose header is the protected one.
    ///   - unprotected: The members of the unprotected header.
    /// - Throws: `headerInvalid` or `malformed` if a verifier would reject the headers.
    public init(_ signer: JWSSigner, unprotected: HeaderParameters = HeaderParameters()) throws(JOSEError) {
        try self.init([Entry(signer, unprotected: unprotected)], form: .flattened)
    }

    /// Signs a payload and returns the JSON text. If a header has `payloadIsUnencoded`, the payload must be UTF-8,
    /// because it is written as a JSON string (RFC 7797, 5.1).
    public func sign(_ payload: borrowing some BorrowedBytes) throws(JOSEError) -> String {
        try payload.withBytes { payload throws(JOSEError) in
            try plan.check(payload)
            return try sign(payload, isDetached: false)
        }
    }

    /// Signs a detached payload and returns the JSON text, which does not contain the payload (RFC 7515, appendix F).
    public func sign(detached payload: borrowing some BorrowedBytes) throws(JOSEError) -> String {
        try payload.withBytes { payload throws(JOSEError) in try sign(payload, isDetached: true) }
    }

    private func sign(_ payload: Span<UInt8>, isDetached: Bool) throws(JOSEError) -> String {
        var writer = plan.begin(payload, isDetached: isDetached)
        for index in signers.indices {
            let input = plan.input(index, payload)
            let signature = try signers[index].signature(input.span)
            plan.add(index, signature.span, to: &writer)
        }
        return plan.end(&writer)
    }

    /// Signs a payload and returns the JSON text. Keys outside the process are awaited, one after another, in the order
    /// of the entries; keys in the process sign at once.
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - limit: The longest time to wait for all keys together.
    /// - Throws: `JOSEError`, which is `externalKey(.timedOut)` if a key did not answer in time, and `cancelled` if the
    ///   task was cancelled.
    public func sign(_ payload: some ByteSource, timeout limit: Duration) async throws(JOSEError) -> String {
        let end = ContinuousClock.now + limit
        let payload = payload.array
        try plan.check(payload.span)
        return try await sign(payload, isDetached: false, until: end)
    }

    /// Signs a detached payload and returns the JSON text, which does not contain the payload (RFC 7515, appendix F).
    /// Keys outside the process are awaited as by `sign(_:timeout:)`.
    public func sign(detached payload: some ByteSource, timeout limit: Duration) async throws(JOSEError) -> String {
        try await sign(payload.array, isDetached: true, until: ContinuousClock.now + limit)
    }

    private func sign(
        _ payload: [UInt8], isDetached: Bool, until end: ContinuousClock.Instant
    ) async throws(JOSEError) -> String {
        var writer = plan.begin(payload.span, isDetached: isDetached)
        for index in signers.indices {
            let signature = try await signers[index].signature(plan.input(index, payload.span), until: end)
            plan.add(index, signature.span, to: &writer)
        }
        return plan.end(&writer)
    }
}
