/// Reads an issuer's metadata, for the sake of its `jwks_uri`.
package struct MetadataReader: DocumentReader {
    package typealias Memory = Void

    private let issuer: String
    private let loopbackHTTP: Bool

    package init(issuer: String, loopbackHTTP: Bool) {
        self.issuer = issuer
        self.loopbackHTTP = loopbackHTTP
    }

    package var mediaTypes: [String] { ["application/json"] }

    package func take(
        _ body: [UInt8], over held: IssuerMetadata?, _ memory: inout Void, at now: Double
    ) throws(KeySetError) -> Taken<IssuerMetadata> {
        do throws(DiscoveryFault) {
            let metadata = try IssuerMetadata(parsing: body, issuer: issuer, allowsLoopbackHTTP: loopbackHTTP)
            guard let url = metadata.keySetURL else { throw .missing(.jwksURI) }
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
