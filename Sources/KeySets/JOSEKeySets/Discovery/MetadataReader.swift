/// A further condition on an issuer's metadata, such as a signature over it. Metadata that fails it is never used: neither its endpoints nor
/// its `jwks_uri`.
package typealias MetadataCheck = @Sendable (IssuerMetadata) throws(DiscoveryFault) -> Void

/// Reads an issuer's metadata, for the sake of its `jwks_uri`.
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

    /// Whether metadata must pass more than its own form.
    var isChecked: Bool { check != nil }

    package var mediaTypes: [String] { ["application/json"] }

    package func take(
        _ body: [UInt8], over held: IssuerMetadata?, _ memory: inout Void, at now: Double
    ) throws(KeySetError) -> Taken<IssuerMetadata> {
        do throws(DiscoveryFault) {
            let metadata = try IssuerMetadata(parsing: body, issuer: issuer, allowsLoopbackHTTP: loopbackHTTP)
            guard let url = metadata.keySetURL else { throw .missing(.jwksURI) }
            try check?(metadata)
            guard let held else { return Taken(metadata, isNew: true) }
            let isMoved = !sameBytes(url, held.keySetURL ?? "")
            return Taken(metadata, isNew: metadata.json != held.json, events: isMoved ? [.moved] : [])
        } catch {
            throw .discovery(error)
        }
    }
}

/// Tells of an issuer's metadata under the name of its keys.
struct MetadataObserver: KeySetObserver {
    let observer: any KeySetObserver

    func keySet(_ name: String, _ event: KeySetEvent) {
        // No token asks for metadata: it is the fetches of keys that are throttled.
        if event != .throttled { observer.keySet(name, .metadata(event)) }
    }
}
