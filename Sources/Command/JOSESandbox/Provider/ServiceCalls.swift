internal import JOSEKeySets

/// The requests of providers to the service: the document at a `request_uri`, and the end of sessions. They go only to
/// the service for which the sandbox was made, whatever a request says.
package struct ServiceCalls: Sendable {
    /// The origin of the service, `https://host:port`.
    let origin: String
    let transport: any HTTPTransport

    /// The prefix of a `request_uri` (itsme requires https with an explicit port). The port stands for the service's
    /// own.
    package static let documents = "https://\(Sandbox.serviceHost):443/requests/"

    /// Returns the request object, or nil if the address is not one that the client registered or has no request
    /// object.
    func document(_ uri: String, for client: Registration) async -> String? {
        guard let registered = client.requestURIs, uri.hasPrefix(registered) else { return nil }
        let name = uri.dropFirst(registered.count)
        // The name must be one path component that does not leave the folder.
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isWord) else { return nil }
        var request = TransportRequest(url: origin + "/requests/" + name)
        request.headers = [TransportHeaderField("Accept", "application/jwt")]
        request.bodyLimit = 64 * 1024
        guard let response = try? await transport.send(request), response.status == 200,
            response.header("Content-Type")?.lowercased() == "application/jwt",
            response.body.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return String(decoding: response.body, as: UTF8.self)
    }

    /// Sends a logout token (OpenID Connect Back-Channel Logout 1.0, 2.5). Returns false if the service did not accept
    /// it.
    func logOut(_ token: String, at uri: String) async -> Bool {
        var form = FormFields()
        form.add("logout_token", token)
        var request = TransportRequest(url: uri)
        request.method = .post
        request.headers = [TransportHeaderField("Content-Type", "application/x-www-form-urlencoded")]
        request.body = Array(form.encoded.utf8)
        request.bodyLimit = 64 * 1024
        let status = try? await transport.send(request).status
        return status == 200 || status == 204
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
