import JOSE
import TestSupport

/// Verifies or decrypts any published token under a policy that allows every supported algorithm.
enum RFCRunner {
    static let paths = VectorFile.paths(with: .jws, .jwe, .nested)

    struct Opened {
        let header: JOSEHeader
        let innerHeader: JOSEHeader?
        let payload: [UInt8]
    }

    /// - Parameter token: The token to use in place of the vector's own.
    static func open(_ vector: Vector, in file: VectorFile, token: String? = nil) throws(JOSEError) -> Opened {
        let keys =
            if let password = vector.password {
                KeySet(try SecretKey(bytes: Array(password.utf8)))
            } else {
                try KeySet(parsing: file.keySet(of: vector))
            }
        let token = token ?? vector.tokenText
        switch vector.kind {
        case .jwe where vector.serialization != .compact:
            let opened = try decrypter(keys).decrypt(json: token)
            return Opened(header: opened.header, innerHeader: nil, payload: opened.plaintext)
        case .jwe:
            let opened = try decrypt(token, keys)
            return Opened(header: opened.header, innerHeader: nil, payload: opened.plaintext)
        case .nested where vector.serialization != .compact:
            let outer = try decrypter(keys).decrypt(json: token)
            let inner = try verify(String(decoding: outer.plaintext, as: UTF8.self), keys)
            return Opened(header: outer.header, innerHeader: inner.header, payload: inner.payload)
        case .nested:
            let outer = try decrypt(token, keys)
            let inner = try verify(String(decoding: outer.plaintext, as: UTF8.self), keys)
            return Opened(header: outer.header, innerHeader: inner.header, payload: inner.payload)
        case .jws where vector.serialization != .compact:
            let isDetached = vector.needs?.contains("detached") == true
            let opened =
                isDetached
                ? try verifier(keys).verify(json: token, detachedPayload: vector.payloadBytes)
                : try verifier(keys).verify(json: token)
            return Opened(header: opened.signatures[0].header, innerHeader: nil, payload: opened.payload)
        case .jws where vector.needs?.contains("detached") == true:
            let opened = try verifier(keys).verify(token, detachedPayload: vector.payloadBytes)
            return Opened(header: opened.header, innerHeader: nil, payload: opened.payload)
        default:
            let opened = try verify(token, keys)
            return Opened(header: opened.header, innerHeader: nil, payload: opened.payload)
        }
    }

    private static func verify(_ token: String, _ keys: KeySet) throws(JOSEError) -> VerifiedJWS {
        try verifier(keys).verify(token)
    }

    private static func verifier(_ keys: KeySet) -> JWSVerifier {
        var policy = SignaturePolicy(algorithms: SignatureAlgorithm.all)
        // RFC 7520, 4.7 and 4.8 protect no header. Every signature of every vector must be valid.
        policy.acceptsUnprotectedAlgorithm = true
        policy.requirement = .all
        return JWSVerifier(unexaminedKeys: keys, policy: policy)
    }

    private static func decrypt(_ token: String, _ keys: KeySet) throws(JOSEError) -> DecryptedJWE {
        try decrypter(keys).decrypt(token)
    }

    private static func decrypter(_ keys: KeySet) -> JWEDecrypter {
        var policy = EncryptionPolicy(
            keyManagement: KeyManagementAlgorithm.all + [.rsa1_5BrokenDecryptionOnly],
            contentEncryption: ContentEncryption.all)
        policy.allowsCompression = true
        return JWEDecrypter(unexaminedKeys: keys, policy: policy)
    }

    /// Returns the name of the error with which the token is rejected; nil if it is accepted.
    static func refusal(of vector: Vector, in file: VectorFile, token: String? = nil) -> String? {
        do throws(JOSEError) {
            _ = try open(vector, in: file, token: token)
            return nil
        } catch {
            return name(error)
        }
    }

    /// The name of the error in `refusal` of `Tests/Vectors`.
    static func name(_ error: JOSEError) -> String {
        switch error {
        case .malformed: "malformed"
        case .limitExceeded(let limit): "limitExceeded.\(limit.condition)"
        case .headerInvalid(let fault): "headerInvalid.\(fault)"
        case .algorithmNotAllowed(let role): "algorithmNotAllowed.\(role)"
        case .criticalHeaderUnknown: "criticalHeaderUnknown"
        case .keyNotFound: "keyNotFound"
        case .keysUnavailable(let outage): "keysUnavailable.\(outage)"
        case .keyUnsuitable(let reason): "keyUnsuitable.\(reason.condition)"
        case .configurationInvalid(let fault): "configurationInvalid.\(fault)"
        case .keyInvalid(let fault):
            switch fault.condition {
            case .member(_, .missing): "keyInvalid.missingMember"
            case .member(_, .unsupported): "keyInvalid.unsupportedKind"
            case .member: "keyInvalid.memberValue"
            case let condition: "keyInvalid.\(condition)"
            }
        case .certificateInvalid(let fault): "certificateInvalid.\(fault)"
        case .signatureInvalid: "signatureInvalid"
        case .decryptionFailed: "decryptionFailed"
        case .decompressionFailed: "decompressionFailed"
        case .externalKey: "externalKey"
        case .overloaded: "overloaded"
        case .cancelled: "cancelled"
        case .backend: "backend"
        }
    }
}

extension Vector {
    var isToken: Bool { kind == .jws || kind == .jwe || kind == .nested }
}
