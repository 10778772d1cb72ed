internal import JOSE
internal import JOSEBytes
internal import JOSEKeySets
internal import JOSETokens

/// DigiD, whose metadata are signed (RFC 8414, 2.1): what is read of them is what the pinned key has signed.
struct DigiDDirectory: ProviderDirectory {
    private let single: SingleProvider
    private let verifier: Verifier?

    init(_ settings: DirectorySettings, pinned: KeySet?) throws(RelyingPartyError) {
        guard pinned != nil || !settings.place.isProduction else {
            throw RelyingPartyError(.configurationError, in: .configuration)
        }
        single = try SingleProvider(settings)
        verifier = pinned.map { Verifier(keys: $0, policy: SignaturePolicy(algorithms: [.rs256])) }
    }

    func provider(_ hint: String?) async throws(RelyingPartyError) -> Provider {
        let provider = try await single.provider(hint)
        do throws(RelyingPartyFailure) { try check(provider.metadata) } catch {
            throw RelyingPartyError(error, in: .discovery)
        }
        return provider
    }

    /// Whatever is read of the document is signed as it is; what it announces of algorithms is not looked at, for it is wrong there.
    private func check(_ metadata: IssuerMetadata) throws(RelyingPartyFailure) {
        guard let verifier else { return }
        let jws = try JSONAnswer(metadata.json).required("signed_metadata")
        let payload: [UInt8]
        do throws(JOSEError) { payload = try verifier.verify(jws).payload } catch {
            throw RelyingPartyFailure(error)
        }
        let signed: IssuerMetadata
        do throws(DiscoveryFault) {
            // Its addresses are held against the document's, of which it is known whether they may be asked.
            signed = try IssuerMetadata(parsing: payload, issuer: metadata.issuer, allowsLoopbackHTTP: true)
        } catch {
            throw .discoveryMismatch
        }
        guard MetadataMember.allCases.allSatisfy({ Self.isSame($0, metadata, signed) }) else {
            throw .discoveryMismatch
        }
    }

    /// Of either form there is one, or none: both documents were read, and so are of the forms that their members have.
    private static func isSame(_ member: MetadataMember, _ left: IssuerMetadata, _ right: IssuerMetadata) -> Bool {
        func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }
        func lists(_ texts: [String]?) -> [[UInt8]]? { texts?.map { Array($0.utf8) } }
        return bytes(left.string(member)) == bytes(right.string(member)) && left.bool(member) == right.bool(member)
            && lists(left.strings(member)) == lists(right.strings(member))
    }
}
