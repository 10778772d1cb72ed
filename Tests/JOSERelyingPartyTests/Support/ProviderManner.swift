import JOSE

/// How a scripted provider makes its tokens and knows its client.
struct ProviderManner: Sendable {
    enum Layers: Sendable {
        case signed
        case nested(KeyManagementAlgorithm, ContentEncryption)
        /// `dir` under the digest of the client's secret.
        case direct
        case json
    }
    enum Authentication: Sendable { case assertion(audience: String, isEncrypted: Bool), secretPost, secretBasic }
    var idToken = Layers.nested(.rsaOAEP, .a128cbcHS256)
    var userInfo = Layers.nested(.rsaOAEP, .a128cbcHS256)
    /// HS256 with the secret, in place of RS256.
    var signsWithSecret = false
    var authentication: Authentication
    var clientID = "partner-code"
    var secret = "a secret of thirty-two bytes, and of some more"
    var clientKey = TestKeys.client.publicKey
    var clientEncryptionKey = TestKeys.clientEncryption.publicKey
    var acr: String?
    var usesPKCE = false
}
