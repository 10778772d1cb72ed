internal import JOSEBytes

/// A parsed header of a JWE that the policy allows: the common part of a sender's tokens, where no member of it belongs
/// to one token only.
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
