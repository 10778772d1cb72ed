/// The root certificates by which a client authenticates the servers of its TLS connections, of HTTP and of Redis.
@nonexhaustive public enum TLSTrust: Sendable, Equatable {
    /// The root certificates of the system's store.
    case system
    /// The PEM certificates of a regular file, and no others.
    case file(String)
    /// The given PEM certificates, and no others.
    case pem([UInt8])
}

/// A certificate and its private key, which a client presents to servers that request them (RFC 8446, 4.3.2).
@nonexhaustive public enum TLSClientCertificate: Sendable, Equatable {
    /// A certificate with its intermediates, and a private key, in regular PEM files, which may be the same file. The
    /// passphrase decrypts the key if it is encrypted.
    case files(certificate: String, key: String, passphrase: String? = nil)
    /// PEM text of the certificate with its intermediates, and of the private key. The passphrase decrypts the key if it
    /// is encrypted.
    case pem(certificate: [UInt8], key: [UInt8], passphrase: String? = nil)
}

extension TLSClientCertificate: Redacted {
    /// A text that contains neither paths nor the passphrase nor the key.
    package var summary: String { "a client certificate" }
}
