import JOSE
import JOSESettings
import JOSETokens

/// Makes tokens from payloads: from claims, which are completed and checked, or from bytes, which are used unchanged.
enum TokenMaker: Sendable {
    case claims(BatchIssuer)
    /// The kernels, if any, compute the signatures of several tokens together.
    case bytes(JWSSigner?, JWEEncrypter?, SigningKernels?)
    case detached(JWSSigner)
    case signatures(JSONSigner, isDetached: Bool)
    case recipients(JSONEncrypter, additionalData: [UInt8]?)

    func make(_ payload: [UInt8]) throws(TokenError) -> [UInt8] {
        switch self {
        case .claims(let batch): return try batch.issuer.issueBytes(json: payload)
        case .bytes(let signer, let encrypter, _):
            guard let signer else { return try Self.encrypted(payload, encrypter) }
            let signed = try inLayer(.signature, signer.signBytes(payload.span))
            return try Self.encrypted(signed, encrypter)
        case .detached(let signer):
            return try inLayer(.signature, Array(signer.sign(detached: payload).utf8))
        case .signatures(let signer, let isDetached):
            return try inLayer(
                .signature, Array((isDetached ? signer.sign(detached: payload) : signer.sign(payload)).utf8))
        case .recipients(let encrypter, let additionalData):
            return try inLayer(
                .encryption, Array(encrypter.encrypt(payload, additionalData: additionalData).utf8))
        }
    }

    /// Makes a token of each payload.
    func make(_ payloads: [[UInt8]]) -> [Result<[UInt8], TokenError>] {
        switch self {
        case .claims(let batch):
            return batch.issueSynchronously(json: payloads).map { $0.map { Array($0.utf8) } }
        case .bytes(let signer?, let encrypter, let kernels?):
            var signing = SigningBatch(kernels)
            for payload in payloads { signing.add(payload.span, signer) }
            return signing.end().map { signed in
                Result { () throws(TokenError) in
                    try Self.encrypted(try inLayer(.signature, signed.get()), encrypter)
                }
            }
        default: return payloads.map { payload in Result { () throws(TokenError) in try make(payload) } }
        }
    }

    private static func encrypted(_ content: [UInt8], _ encrypter: JWEEncrypter?) throws(TokenError) -> [UInt8] {
        guard let encrypter else { return content }
        return try inLayer(.encryption, encrypter.encryptBytes(content.span))
    }

    init(_ arguments: Arguments, form: TokenForm) throws(CommandFailure) {
        let choice = try MakerChoice(arguments, form)
        let isOfClaims = Options.ofClaims.contains(where: arguments.has)
        for option in [Options.jsonForm.spec, Options.detach, Options.unencoded]
        where isOfClaims && arguments.has(option) {
            throw .usage("--\(option.name) does not make a JWT: leave out --iss, --aud, --sub and --lifetime")
        }
        let additionalData = try arguments.value(Options.additionalData).map { (path) throws(CommandFailure) in
            guard choice.json != nil else { throw .usage("--aad-file requires --json") }
            return try Descriptor.contents(of: path, maximumBytes: MakeRun.maximumBytes)
        }
        let isDetached = arguments.has(Options.detach)
        let operations: PrivateKeyOperations = arguments.has(Options.vectorizedPrivateKeys) ? .vectorized : .libcrypto
        self = try CommandFailure.inWords { () throws(TokenError) in
            isOfClaims
                ? .claims(BatchIssuer(try choice.issuer(), privateKeyOperations: operations))
                : try choice.maker(additionalData, isDetached: isDetached, operations)
        }
    }
}

extension MakerChoice {
    /// Creates the issuer of claims: compact tokens with one key for each layer.
    fileprivate func issuer() throws(TokenError) -> TokenIssuer {
        let inner = signatures.first.map { SignaturePolicy(algorithms: [$0.algorithm]) }
        var outer = recipients.first.map {
            EncryptionPolicy(keyManagement: [$0.algorithm], contentEncryption: [content])
        }
        outer?.allowsCompression = encryptionHeader.compresses
        let policy: TokenPolicy
        switch (inner, outer) {
        case (let inner?, let outer?): policy = .nested(outer: outer, inner: inner, claims: claims)
        case (let inner?, nil): policy = .signed(inner, claims: claims)
        case (nil, let outer?): policy = .encrypted(outer, claims: claims)
        case (nil, nil): throw .policyInvalid(.key)
        }
        return try TokenIssuer(
            policy, signingKey: signatures.first?.key, encryptionKey: recipients.first?.key, lifetime: lifetime,
            signatureHeader: signatureHeader, encryptionHeader: encryptionHeader)
    }

    fileprivate func maker(
        _ additionalData: [UInt8]?, isDetached: Bool, _ operations: PrivateKeyOperations
    ) throws(TokenError) -> TokenMaker {
        let signers = try inLayer(
            .signature,
            signatures.map { (one) throws(JOSEError) in
                try JWSSigner(key: one.key, algorithm: one.algorithm, header: signatureHeader)
            })
        let encrypters = try inLayer(
            .encryption,
            recipients.map { (one) throws(JOSEError) in
                try JWEEncrypter(
                    key: one.key, keyManagement: one.algorithm, contentEncryption: content,
                    header: header(of: one, isWhole: json == nil))
            })
        guard let json else {
            if isDetached, let signer = signers.first { return .detached(signer) }
            return .bytes(signers.first, encrypters.first, operations == .vectorized ? SigningKernels() : nil)
        }
        if !signers.isEmpty {
            let entries = signers.map { JSONSigner.Entry($0) }
            return .signatures(try inLayer(.signature, JSONSigner(entries, form: json)), isDetached: isDetached)
        }
        var protected = encryptionHeader
        protected.passwordIterations = nil
        return .recipients(
            try inLayer(.encryption, JSONEncrypter(encrypters, protected: protected, form: json)),
            additionalData: additionalData)
    }
}
