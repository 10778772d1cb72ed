internal import JOSECrypto
internal import JOSESupport

extension PrivateKey {
    /// Reads the private key of a PKCS #12 file (`.p12`, `.pfx`; RFC 7292).
    ///
    /// The certificate chain of the key becomes its `certificates`, and is written as `x5c` and `x5t#S256` when the key
    /// is exported as a JWK. The chain is not verified, and other certificates in the file are ignored. The MAC is
    /// verified before anything is decrypted.
    ///
    /// - Parameters:
    ///   - file: The contents of the file.
    ///   - passphrase: The passphrase in UTF-8.
    ///   - checks: Further checks of the key.
    ///   - limits: The limits on certificates and on the iterations of the key derivation.
    /// - Throws: `malformed` if the bytes are not such a file; `keyInvalid` if the file has no MAC or a cipher other
    ///   than AES or triple DES, no key, several keys, or certificates but none of the key; `keyInvalid(.passphrase)`
    ///   if the passphrase is wrong; `limitExceeded(.iterations)` if its key derivations need more iterations in all
    ///   than four times `limits.maxPBKDF2Iterations`.
    public init(
        pkcs12 file: borrowing some BorrowedBytes, passphrase: [UInt8], checks: KeyChecks = [],
        limits: ParsingLimits = .standard
    ) throws(JOSEError) {
        self = try file.withBytes { file throws(JOSEError) in
            try PrivateKey(ofPKCS12: file, passphrase, checks, limits)
        }
    }

    private init(
        ofPKCS12 file: Span<UInt8>, _ passphrase: [UInt8], _ checks: KeyChecks, _ limits: ParsingLimits
    ) throws(JOSEError) {
        let contents: PKCS12File
        do throws(PKCS12File.Fault) {
            // Programs that write such files add roots to the chain, some of them more than once.
            contents = try PKCS12File(
                file, passphrase: passphrase.span, maximumCertificates: 4 * limits.certificates,
                rounds: 4 * min(limits.maxPBKDF2Iterations, .max / 4))
        } catch {
            throw JOSEError(error)
        }
        var key = try PrivateKey(of: JWK(contents.key))
        try JWK.privateKey(key).pass(checks)
        if !contents.certificates.isEmpty {
            var certificates: [Certificate] = []
            for der in contents.certificates { certificates.append(try Certificate(der: der.span, limits: limits)) }
            try key.setCertificates(CertificateChain(certificates, limits: limits))
        }
        self = key
    }
}

extension JOSEError {
    fileprivate init(_ fault: PKCS12File.Fault) {
        self =
            switch fault {
            case .malformed: .malformed(ParseFailure(.key, .der))
            case .passphrase: .keyInvalid(.passphrase)
            case .encryption: .keyInvalid(.encryption)
            case .rounds: .limitExceeded(.iterations)
            case .noKey: .keyInvalid(.absent)
            case .severalKeys: .keyInvalid(.keySet)
            case .certificate: .keyInvalid(.certificate)
            case .tooMany: .limitExceeded(.certificates)
            case .backend: .backend
            case .key(let fault): JOSEError(importing: fault)
            }
    }
}
