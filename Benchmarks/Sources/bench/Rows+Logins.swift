internal import Foundation
internal import JOSE
internal import JOSEDigiD
internal import JOSERelyingParty

extension Fixtures {
    /// Returns rows of the beginning of a login.
    func loginRows() throws -> [Row] { [try digiDRow()] }

    /// Returns the row of the link that opens DigiD's app: a request of usual size is signed, put into its envelope, and
    /// measured.
    private func digiDRow() throws -> Row {
        let app = try DigiDApp(
            name: "Service", returnURL: "https://service.example/digid", icon: "https://service.example/icon.png")
        // The request has the length of the base64 of a compressed request, with as many bytes to escape.
        let request = String(repeating: "fZFBT4NAEIX/Ctk7sNBWcQIk2MZI+UpUevBilu1gN4Fd3FmM/nspa", count: 9)
        let relayState = String(repeating: "r", count: 43)
        let signed = try SignedCase(self, .rs256)
        let key = rsa
        var unreserved = CharacterSet.alphanumerics
        unreserved.insert(charactersIn: "-._~")
        let encoded = request.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
        let octets =
            "SAMLRequest=\(encoded)&RelayState=\(relayState)"
            + "&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256"
        return Row(
            "login", "DigiD request link",
            { count in
                var good = 0
                for _ in 0..<count {
                    let made = try? DigiDAppRequest(
                        of: app, samlRequest: request, relayState: relayState, signedBy: key)
                    if let link = try? made?.link(), link.utf8.count > 1_000 { good += 1 }
                }
                return good
            }, raw: { signed.rawSign(Array(octets.utf8)) })
    }
}
