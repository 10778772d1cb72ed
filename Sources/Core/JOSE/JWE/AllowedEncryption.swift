internal import JOSEBytes

/// The header of a JWE that is read and that the policy allows: what the tokens of a sender have in common, where nothing in it is
/// one token's own.
final class AllowedEncryption: ReadHeader {
    let segment: [UInt8]
    let header: JOSEHeader
    let algorithm: KeyManagementAlgorithm
    let content: ContentEncryption

    init(
        _ segment: Span<UInt8>, _ header: JOSEHeader, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption
    ) {
        self.segment = segment.copy()
        self.header = header
        self.algorithm = algorithm
        self.content = content
    }
}
