import Foundation
import JOSE
import JOSEDigiD
import JOSERelyingParty

// Metadata of a service, signed and looked at with the public interface alone.
let folder = ProcessInfo.processInfo.environment["BULLA_SAML_FOLDER"] ?? ""
func file(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }
let certificate = try Certificate(pem: file("certificate.pem"))
let key = try SAMLKey(PrivateKey(pem: file("key.pem")), certificate: certificate)
let service = ServiceProviderMetadata(
    entityID: "https://service.test", assertionConsumers: [(index: 0, url: "https://service.test/acs")],
    signing: [certificate])
let signed = try service.signed(with: key)

func failure(_ xml: [UInt8]) -> RelyingPartyError.Reason? {
    do throws(RelyingPartyError) {
        _ = try IdentityProviderMetadata(
            xml, entityID: service.entityID, signedBy: [certificate], now: .now)
        return nil
    } catch {
        return error.reason
    }
}
// The signature holds, but a service is no identity provider; changed, it does not hold.
precondition(failure(signed) == .malformed, "\(String(describing: failure(signed)))")
let text = String(decoding: signed, as: UTF8.self)
let changed = Array(text.replacingOccurrences(of: "service.test/acs", with: "service.test/abc").utf8)
precondition(failure(changed) == .discoveryMismatch, "\(String(describing: failure(changed)))")
print("A consumer with the trait SAML signed metadata of \(signed.count) bytes, and refused changed ones.")
