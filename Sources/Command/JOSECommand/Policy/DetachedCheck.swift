import JOSE
import JOSESettings
import JOSETokens

/// Verifies a token with a detached payload, which is in a file.
struct DetachedCheck: Sendable {
    let path: String
    let verifier: JWSVerifier
    /// The remote JWKS, or nil if the keys are in a file.
    let keys: KeySetSource?
    let isJSON: Bool
    /// The largest size of a payload that the algorithm needs as a whole.
    let maximumBytes: Int

    func run(_ token: [UInt8]) throws(CommandFailure) -> Result<[UInt8], TokenError> {
        let source = try path == "-" ? Descriptor.input : Descriptor(reading: path)
        defer { if path != "-" { source.end() } }
        if isJSON { return try whole(token, source) }
        let stream: VerifyingStream
        do throws(TokenError) {
            stream = try waiting { () throws(JOSEError) in try verifier.stream(token) }
        } catch {
            if error == .jose(.algorithmNotAllowed(.streamedSignature), layer: .signature) {
                return try whole(token, source)
            }
            return .failure(error)
        }
        return try pieces(stream, source)
    }

    private func waiting<Value: ~Copyable>(_ body: () throws(JOSEError) -> Value) throws(TokenError) -> Value {
        guard let keys else { return try inLayer(.signature, body()) }
        return try keys.keys.withNewKeys(of: .signature, timeout: keys.timeout) { () throws(TokenError) in
            try inLayer(.signature, body())
        }
    }

    private func pieces(
        _ stream: consuming VerifyingStream, _ source: Descriptor
    ) throws(CommandFailure) -> Result<[UInt8], TokenError> {
        var block: [UInt8] = []
        while try source.read(onto: &block, maximumBytes: LineReader.block) {
            do throws(JOSEError) { try stream.update(block) } catch {
                return .failure(.jose(error, layer: .signature))
            }
            block.removeAll(keepingCapacity: true)
        }
        do throws(JOSEError) { _ = try stream.finish() } catch {
            return .failure(.jose(error, layer: .signature))
        }
        return .success([])
    }

    private func whole(_ token: [UInt8], _ source: Descriptor) throws(CommandFailure) -> Result<[UInt8], TokenError> {
        let payload = try source.readAll(maximumBytes: maximumBytes, name: path)
        return Result { () throws(TokenError) in
            try waiting { () throws(JOSEError) in
                _ =
                    isJSON
                    ? try verifier.verify(json: token, detachedPayload: payload).payload
                    : try verifier.verify(token, detachedPayload: payload).payload
            }
            return []
        }
    }
}
