internal import JOSEBytes

/// Makes JWS in the JSON serializations (RFC 7515, 7.2), by one signer or several. Made once, shared freely.
public struct JSONSigner: Sendable {
    /// One signature: who makes it, and what its header says without being signed.
    public struct Entry: Sendable {
        /// Its header is the protected one.
        public var signer: Signer
        /// Members that are not in the signer's own header: a `kid` here needs a key without one.
        public var unprotected: HeaderParameters

        /// Nothing is checked before the `JSONSigner` is made.
        public init(_ signer: Signer, unprotected: HeaderParameters = HeaderParameters()) {
            self.signer = signer
            self.unprotected = unprotected
        }
    }
    private struct Part: Sendable {
        let signer: Signer
        let unprotected: [UInt8]?
    }
    private let parts: [Part]
    private let isUnencoded: Bool
    /// Flattened for one signature, general for any number.
    public let form: JSONForm

    /// Throws `malformed` for none, or for several in the flattened form; `headerInvalid` or `malformed` for headers that
    /// a verifier would refuse: a name in both, `b64` in one signature and not in another.
    public init(_ entries: [Entry], form: JSONForm = .general) throws(JOSEError) {
        guard !entries.isEmpty, form == .general || entries.count == 1 else {
            throw .malformed(Malformation(.token, .parts))
        }
        guard entries.count <= Limits.standard.signatures else { throw .limitExceeded(.signatures) }
        isUnencoded = entries[0].signer.payloadIsUnencoded
        var parts: [Part] = []
        for entry in entries {
            guard entry.signer.payloadIsUnencoded == isUnencoded else { throw .headerInvalid(.b64) }
            guard entry.unprotected.agreementPartyU == nil, entry.unprotected.agreementPartyV == nil else {
                throw .headerInvalid(.agreementInfo)
            }
            let unprotected = try entry.unprotected.writeUnprotected()
            _ = try JSONHeaders(protected: entry.signer.header.segment, [unprotected], limits: .standard)
            parts.append(Part(signer: entry.signer, unprotected: unprotected))
        }
        self.parts = parts
        self.form = form
    }

    /// Of one signer, in the flattened form.
    public init(_ signer: Signer, unprotected: HeaderParameters = HeaderParameters()) throws(JOSEError) {
        try self.init([Entry(signer, unprotected: unprotected)], form: .flattened)
    }

    /// The JSON text. With `payloadIsUnencoded` the payload must be UTF-8, for it stands in a JSON string (RFC 7797, 5.1).
    public func sign(_ payload: Span<UInt8>) throws(JOSEError) -> String {
        if isUnencoded {
            guard isUTF8(payload) else { throw .malformed(Malformation(.payload, .unencoded)) }
        }
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
        var writer = JSONWriter()
        writer.beginObject()
        if !isDetached {
            if isUnencoded {
                writer.name("payload")
                writer.string(payload)
            } else {
                writer.member("payload", base64URL: payload)
            }
        }
        if form == .general {
            writer.name("signatures")
            writer.beginArray()
        }
        for part in parts {
            if form == .general { writer.beginObject() }
            let header = part.signer.header.segment
            writer.name("protected")
            writer.string(header.span)
            if let unprotected = part.unprotected {
                writer.name("header")
                writer.raw(unprotected.span)
            }
            let input = SigningInput.bytes(header: header, payload: payload, isUnencoded: isUnencoded)
            let signature = try part.signer.signature(input.span)
            writer.member("signature", base64URL: signature.span)
            if form == .general { writer.endObject() }
        }
        if form == .general { writer.endArray() }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
