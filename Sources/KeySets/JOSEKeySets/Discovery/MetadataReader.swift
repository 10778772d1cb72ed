internal import JOSESupport

/// An additional check of an issuer's metadata, such as the verification of its signature. Metadata that fails it is
/// never used: neither its endpoints nor its `jwks_uri`.
package typealias MetadataCheck = @Sendable (IssuerMetadata) throws(DiscoveryFault) -> Void

/// A reader of an issuer's metadata, for its `jwks_uri`. Of the other members none is checked.
package struct MetadataReader: DocumentReader {
    package typealias Memory = Void

    private let issuer: String
    private let loopbackHTTP: Bool
    private let check: MetadataCheck?

    package init(issuer: String, loopbackHTTP: Bool, check: MetadataCheck? = nil) {
        self.issuer = issuer
        self.loopbackHTTP = loopbackHTTP
        self.check = check
    }

    /// Whether the metadata must pass an additional check.
    var isChecked: Bool { check != nil }

    package var mediaTypes: [String] { ["application/json"] }

    package func take(
        _ body: [UInt8], over current: IssuerMetadata?, _ memory: inout Void, at now: Double
    ) throws(KeySetError) -> Taken<IssuerMetadata> {
        do throws(DiscoveryFault) {
            let metadata = try IssuerMetadata(parsing: body, issuer: issuer, allowsLoopbackHTTP: loopbackHTTP)
            let url = try metadata.requiredURL(.jwksURI)
            try check?(metadata)
            guard let current else { return Taken(metadata, isNew: true) }
            let isMoved = !bytesEqual(url, current.keySetURL ?? "")
            return Taken(metadata, isNew: metadata.json != current.json, events: isMoved ? [.moved] : [])
        } catch {
            throw .discovery(error)
        }
    }
}

/// An observer that passes the events of an issuer's metadata on under the name of its keys.
struct MetadataObserver: KeySetObserver {
    let observer: any KeySetObserver

    func keySet(_ name: String, _ event: KeySetEvent) {
        // No token names metadata: throttled are the fetches of keys.
        if event != .throttled { observer.keySet(name, .metadata(event)) }
    }
}
