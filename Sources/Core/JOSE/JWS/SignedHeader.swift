/// The common part of the tokens that one key signed under the same header bytes. A class, so that a verified token
/// takes it over by counting one reference.
package final class SignedHeader: Sendable {
    package let header: JOSEHeader
    package let algorithm: SignatureAlgorithm
    package let key: JWK

    package init(_ header: JOSEHeader, _ algorithm: SignatureAlgorithm, _ key: JWK) {
        self.header = header
        self.algorithm = algorithm
        self.key = key
    }
}
