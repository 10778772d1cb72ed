internal import JOSECrypto
internal import JOSESupport

/// Revocation data for the certificates of a path: certificate revocation lists (CRL; RFC 5280, 5) and OCSP responses
/// (RFC 6960) that the caller has fetched.
///
/// The library fetches no revocation data. Replace the data in time: data whose `nextUpdate` has passed rejects the
/// certificates that it is about. To do so, create a new value, a new ``CertificateTrust`` and a new verifier.
///
/// Each certificate of a path is checked except the root, which is trusted because the caller says so (RFC 5280, 6.1).
/// A list must be signed by a certificate of the path. A response must be signed by the issuer of the certificate that
/// it is about, or by a responder with a certificate of that issuer for `id-kp-OCSPSigning` (RFC 6960, 4.2.2.2);
/// whether the responder's own certificate was revoked is not checked. A certificate is rejected
///
/// - if one list or response says that it is revoked;
/// - if the lists of its issuer are all outdated, or the one that is used is not signed by the issuer;
/// - if there are responses about it, and none of them is valid and says that it is good;
/// - with ``Rule-swift.enum/required``, if there is no list and no response for it.
///
/// Give the newest data only. libcrypto hashes the lists of a path whenever it verifies that path: prefer responses to
/// large lists.
public struct CertificateRevocation: Sendable {
    /// The rule for a certificate that no list and no response is about.
    @nonexhaustive public enum Rule: Sendable, Equatable {
        /// The certificate is rejected with `certificateInvalid(.statusUnknown)`.
        case required
        /// The certificate is accepted.
        case ifProvided
    }

    /// The largest number of lists, and of responses.
    package static let maximumCount = 1_024
    /// The largest number of bytes of all lists and responses, in DER.
    package static let maximumBytes = 8 << 20

    /// The rule for a certificate that no list and no response is about.
    package let rule: Rule
    let data: X509Revocation
    private let counts: (lists: Int, responses: Int)

    /// Reads revocation data.
    ///
    /// - Parameters:
    ///   - lists: Complete revocation lists. Each element is one list in DER, or a PEM text with one or more blocks
    ///     labelled `X509 CRL`.
    ///   - responses: OCSP responses. Each element is one response in DER of at most 64 KiB, or a PEM text with one or
    ///     more blocks labelled `OCSP RESPONSE`.
    ///   - rule: The rule for a certificate that no list and no response is about.
    /// - Throws: `malformed` if an element is anything else, has no `nextUpdate`, is a delta or an indirect list or one
    ///   for some reasons only, or has an unknown critical extension; `certificateInvalid` if its signature has less
    ///   than 112 bits of security, as with SHA-1; `limitExceeded` if there are more than 1,024 lists or responses, or
    ///   more than 8 MiB in all. Signatures are not verified here, but with each path.
    public init(
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], rule: Rule = .required
    ) throws(JOSEError) {
        var bytes = 0
        let lists = try Self.read(lists, .list, &bytes)
        let responses = try Self.read(responses, .response, &bytes)
        for response in responses where response.count > Certificate.statusByteLimit {
            throw .limitExceeded(.revocationData)
        }
        data = try Self.data(lists.map { (.list, $0) } + responses.map { (.response, $0) })
        counts = (lists.count, responses.count)
        self.rule = rule
    }

    /// Returns the DER of each list or response.
    private static func read(
        _ given: [[UInt8]], _ kind: X509RevocationKind, _ bytes: inout Int
    ) throws(JOSEError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for one in given {
            // A PEM text is a third longer than the DER, and may have text between its blocks.
            guard one.count <= 2 * maximumBytes else { throw .limitExceeded(.revocationData) }
            let isDER = one.first == 0x30
            do throws(CryptoError) {
                let blocks = isDER ? [one] : try PEMFile.blocks(one.span, labelled: kind.label, maximum: maximumCount)
                guard !blocks.isEmpty else { throw .invalid }
                all += blocks
                bytes += blocks.reduce(0) { $0 + $1.count }
            } catch {
                guard error != .backend else { throw .backend }
                throw .malformed(isDER ? ParseFailure(kind.part, .der) : ParseFailure(kind.part, pem: one.span))
            }
            guard all.count <= maximumCount, bytes <= maximumBytes else { throw .limitExceeded(.revocationData) }
        }
        return all
    }

    private static func data(
        _ items: [(kind: X509RevocationKind, der: [UInt8])]
    ) throws(JOSEError) -> X509Revocation {
        var kind = X509RevocationKind.list
        do throws(CryptoError) {
            return try X509Revocation(items, reading: &kind)
        } catch {
            switch error {
            case .backend: throw .backend
            case .keyTooSmall: throw .certificateInvalid(.weak)
            default: throw .malformed(ParseFailure(kind.part, .der))
            }
        }
    }
}

extension CertificateRevocation: Redacted {
    package var summary: String {
        "CertificateRevocation(\(counts.lists) lists, \(counts.responses) responses, \(rule))"
    }
}

extension X509RevocationKind {
    fileprivate var part: ParseFailure.Part { self == .list ? .revocationList : .statusResponse }
}
