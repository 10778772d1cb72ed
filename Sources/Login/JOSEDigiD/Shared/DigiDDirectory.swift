internal import JOSE
internal import JOSEKeySets
internal import JOSERelyingParty
internal import JOSESupport

/// The directory of DigiD, whose metadata are signed (RFC 8414, 2.1). They are used only if the pinned key has signed
/// every member that is read, so that the keys of ID tokens come from a signed URL.
struct DigiDDirectory: ProviderDirectory {
    private let single: SingleProvider

    init(_ settings: DirectorySettings, pinned: KeySet?) throws(RelyingPartyError) {
        guard pinned != nil || !settings.location.isProduction else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        guard let pinned else {
            single = try SingleProvider(settings)
            return
        }
        let verifier: JWSVerifier
        do throws(JOSEError) {
            verifier = try JWSVerifier(keys: pinned, policy: SignaturePolicy(algorithms: [.rs256]))
        } catch {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        let check: MetadataCheck = { (metadata) throws(DiscoveryFault) in try Self.check(metadata, by: verifier) }
        single = try SingleProvider(settings, check: check)
    }

    func provider(_ hint: String?, until deadline: CallDeadline?) async throws(RelyingPartyError) -> Provider {
        try await single.provider(hint, until: deadline)
    }

    /// Checks that every member that is read has the same value in the signed metadata. The algorithms that the
    /// metadata name are not used, because DigiD's are wrong.
    private static func check(_ metadata: IssuerMetadata, by verifier: JWSVerifier) throws(DiscoveryFault) {
        guard let answer = try? JSONAnswer(metadata.json), let jws = answer.string("signed_metadata") else {
            throw .notSigned
        }
        let payload: [UInt8]
        do throws(JOSEError) { payload = try verifier.verify(jws).payload } catch { throw .signatureInvalid(error) }
        guard
            let signed = try? IssuerMetadata(
                parsing: payload, issuer: metadata.issuer, allowsLoopbackHTTP: metadata.allowsLoopbackHTTP),
            MetadataMember.all.allSatisfy({ isSame($0, metadata, signed) })
        else { throw .signedMetadataMismatch }
    }

    /// Returns whether a member has the same value in both documents. A value that nobody can use, such as a URL of
    /// another scheme, counts as absent, because no login reads it.
    private static func isSame(_ member: MetadataMember, _ left: IssuerMetadata, _ right: IssuerMetadata) -> Bool {
        func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
        func lists(_ texts: [String]?) -> [[UInt8]]? { texts?.map { Array($0.utf8) } }
        return bytes(left.string(member)) == bytes(right.string(member)) && left.bool(member) == right.bool(member)
            && lists(left.strings(member)) == lists(right.strings(member))
    }
}
