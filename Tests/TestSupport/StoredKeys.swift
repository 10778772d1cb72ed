import Foundation
package import JOSE
import Synchronization

extension PrivateKey {
    /// Returns an RSA key that no other call of this process returns. libcrypto takes half a second to generate one of 2048 bits, so that
    /// the first ones of each size are read from `Tests/Vectors/keys/rsa.jsonl`, a line for each, as
    /// `bulla key generate RSA --bits BITS --private` writes it.
    package static func stored(bits: Int = 2048, keyID: String? = nil) throws -> PrivateKey {
        guard let line = StoredKeys.next(bits), case .privateKey(var key) = try JWK(parsing: line) else {
            return try .generate(.rsa(bits: bits), keyID: keyID)
        }
        key.keyID = keyID
        return key
    }
}

private enum StoredKeys {
    private static let lines = Mutex<[Int: [String]]>(read())

    static func next(_ bits: Int) -> String? { lines.withLock { $0[bits]?.popLast() } }

    private static func read() -> [Int: [String]] {
        let file = VectorFile.folder.appending(path: "keys/rsa.jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { preconditionFailure("no \(file.path)") }
        return Dictionary(grouping: text.split(separator: "\n").map(String.init)) { line in
            // Every number of that size has as many digits in base64url.
            let modulus = line.firstRange(of: "\"n\":\"").map { line[$0.upperBound...].prefix { $0 != "\"" } }
            return (modulus?.count ?? 0) * 6 / 8 * 8
        }
    }
}
