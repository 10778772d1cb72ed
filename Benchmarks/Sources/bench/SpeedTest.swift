internal import Foundation

/// A measurement of `openssl speed` that performs the same operation as a raw call.
enum SpeedTest: Hashable {
    case rsa2048Sign, rsa2048Verify
    case ecdsaSign(bits: Int), ecdsaVerify(bits: Int)
    case ecdh(bits: Int)
    case hmac(String, bytes: Int)
    case digest(String, bytes: Int)
    case gcm(String, bytes: Int)
    /// OpenSSL's Ed25519; ours is libsodium's.
    case ed25519Sign, ed25519Verify

    private var arguments: [String] {
        switch self {
        case .rsa2048Sign, .rsa2048Verify: ["rsa2048"]
        case .ecdsaSign(let bits), .ecdsaVerify(let bits): ["ecdsap\(bits)"]
        case .ecdh(let bits): ["ecdhp\(bits)"]
        case .hmac(let hash, let bytes): ["-hmac", hash, "-bytes", "\(bytes)"]
        case .digest(let hash, let bytes): ["-evp", hash, "-bytes", "\(bytes)"]
        case .gcm(let cipher, let bytes): ["-evp", cipher, "-aead", "-bytes", "\(bytes)"]
        case .ed25519Sign, .ed25519Verify: ["ed25519"]
        }
    }

    /// The index of the number in the result line, from its end.
    private var place: Int {
        switch self {
        case .rsa2048Sign, .ecdsaSign, .ed25519Sign, .ecdh: 2
        default: 1
        }
    }

    private var bytes: Int? {
        switch self {
        case .hmac(_, let bytes), .digest(_, let bytes), .gcm(_, let bytes): bytes
        default: nil
        }
    }

    /// Returns the operations a second, on the core to which this thread is bound, or nil if there is no `openssl`.
    func perSecond(_ cache: inout [[String]: String]) -> Double? {
        let output = cache[arguments] ?? Self.run(["speed", "-seconds", "1", "-mr"] + arguments)
        guard let output else { return nil }
        cache[arguments] = output
        let results = output.split(separator: "\n").filter { $0.hasPrefix("+F") }
        guard let fields = results.last?.split(separator: ":"), fields.count > place,
            let number = Double(fields[fields.count - place])
        else { return nil }
        return bytes.map { number / Double($0) } ?? number
    }

    private static func run(_ arguments: [String]) -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
