internal import JOSEKeySets

/// What providers ask of the service: the document at a `request_uri`, and to end somebody's sessions. It is sent to the one service that
/// the sandbox was made for, whatever a request says.
package struct ServiceCalls: Sendable {
    /// `https://host:port`
    let origin: String
    let transport: any HTTPTransport

    /// What a `request_uri` begins with (itsme: https, with the port written out). The port stands for the service's own.
    package static let documents = "https://\(Sandbox.serviceHost):443/requests/"

    /// The request object; nil: the address is not one that the client registered, or nothing of the kind was there.
    func document(_ uri: String, for client: Registration) async -> String? {
        guard let registered = client.requestURIs, uri.hasPrefix(registered) else { return nil }
        let name = uri.dropFirst(registered.count)
        // One name and no way out of the folder.
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

    /// OpenID Connect Back-Channel Logout 1.0, 2.5. False: the service did not take it.
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
