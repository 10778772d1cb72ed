import Foundation

/// The folder of keys and tokens that `Benchmarks/Peers/fixtures.py` writes for all harnesses alike.
public struct Fixtures {
    private let folder: URL
    /// The text of the claims.
    public let claims: Data
    /// The issuer that a verification requires.
    public let issuer: String
    /// The audience that a verification requires.
    public let audience: String

    /// Reads the claims. Errors of files end the program, because it cannot go on.
    init(folder: String) throws {
        struct Expected: Decodable {
            let iss: String
            let aud: String
        }
        self.folder = URL(fileURLWithPath: folder)
        claims = try Data(contentsOf: self.folder.appendingPathComponent("claims.json"))
        let expected = try JSONDecoder().decode(Expected.self, from: claims)
        issuer = expected.iss
        audience = expected.aud
    }

    /// Returns the content of a file.
    public func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

    /// Returns the content of a file as text, without the line end.
    public func text(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Returns the lines of a file.
    func lines(_ name: String) throws -> [String] { try text(name).split(separator: "\n").map(String.init) }

    /// Returns whether the keys of an algorithm are symmetric.
    public func isShared(_ algorithm: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("keys/\(algorithm).secret").path)
    }
}
