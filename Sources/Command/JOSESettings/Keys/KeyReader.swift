package import JOSE
import JOSESupport

/// Reads keys from files: a JWK, a JWK Set, PEM blocks, DER, certificates, or PKCS#12, told apart by their first bytes.
/// A URI in place of a path is read by OpenSSL's store.
package struct KeyReader {
    static let maximumFileBytes = 4 * 1024 * 1024
    let passphrase: Passphrase
    private let isService: Bool
    private let arguments: Arguments

    /// Creates a reader.
    ///
    /// - Parameter isService: Whether the files are read again and again: they must be regular ones, and an empty set
    ///   is no error, because it withdraws the last key.
    package init(_ arguments: Arguments, isService: Bool = false) {
        passphrase = Passphrase(arguments: arguments, isService: isService)
        self.isService = isService
        self.arguments = arguments
    }

    /// The keys of a file, and those of them that cannot be used.
    package struct Contents {
        package var keys: [JWK]
        package var unusable: [UnusableKey] = []
        /// The format of the file.
        package var form: Form
    }
    package enum Form { case jwk, set, pem, der }

    /// Returns the keys of a file for a verifier or a decrypter.
    ///
    /// - Throws: A failure if no key of the file is usable.
    func keySet(_ path: String) throws(CommandFailure) -> KeySet {
        if Self.isURI(path) { return KeySet(try stored(path)) }
        var text = try Self.text(path, isRegular: isService)
        defer { wipe(&text) }
        if Self.form(of: text) == .set {
            let set = try self.set(path, text)
            if isService, set.keys.isEmpty, set.unusable.isEmpty { return .empty }
            guard !set.keys.isEmpty else {
                let reason = set.unusable.first.map { ": \($0)" } ?? ""
                throw CommandFailure("\(path) contains no usable key" + reason)
            }
            return set
        }
        return KeySet(try contents(path, text).keys)
    }

    /// Returns the keys of a file, and those of them that cannot be used.
    package func contents(_ path: String) throws(CommandFailure) -> Contents {
        if Self.isURI(path) { return Contents(keys: [try stored(path)], form: .der) }
        var text = try Self.text(path, isRegular: isService)
        defer { wipe(&text) }
        return try contents(path, text)
    }

    /// Returns one key of a file. Of several keys it is the one with the `kid`, or the only one with that `use`.
    package func key(_ path: String, keyID: String?, use: KeyUse? = nil) throws(CommandFailure) -> JWK {
        let contents = try contents(path)
        if contents.keys.isEmpty, let first = contents.unusable.first { throw CommandFailure("\(path): \(first)") }
        if contents.form != .set, let only = contents.keys.first, contents.keys.count == 1 { return only }
        var found = contents.keys.filter { key in
            keyID == nil || key.keyID.map { bytesEqual($0, keyID ?? "") } ?? false
        }
        if let use, found.count > 1 {
            let fitting = found.filter { $0.use == use }
            if fitting.count == 1 { found = fitting }
        }
        guard let first = found.first else { throw CommandFailure("\(path) contains no key with kid '\(keyID ?? "")'") }
        guard found.count == 1 else {
            throw CommandFailure("\(path) contains \(found.count) keys: choose one with --kid")
        }
        return first
    }

    private func contents(_ path: String, _ text: [UInt8]) throws(CommandFailure) -> Contents {
        switch Self.form(of: text) {
        case .set:
            let set = try self.set(path, text)
            return Contents(keys: set.keys, unusable: set.unusable, form: .set)
        case .jwk:
            let key = try Self.named(path) { () throws(JOSEError) in try JWK(parsing: text.span) }
            return Contents(keys: [key], form: .jwk)
        case .der:
            if PKCS12.isOne(text) {
                let key = try opened(path) { (word) throws(JOSEError) in
                    .privateKey(try PrivateKey(pkcs12: text, passphrase: word ?? []))
                }
                return Contents(keys: [key], form: .der)
            }
            if let certificate = try? Certificate(der: text) {
                let key = try Self.named(path) { () throws(JOSEError) in
                    try certificate.publicKey(members: CertificateChains.members)
                }
                return Contents(keys: [.publicKey(key)], form: .der)
            }
            let key = try opened(path) { (word) throws(JOSEError) in try JWK(der: text.span, passphrase: word) }
            return Contents(keys: [key], form: .der)
        case .pem:
            var keys: [JWK] = []
            var certificates: [UInt8] = []
            for range in PEMBlocks.ranges(in: text) {
                if PEMBlocks.isCertificate(text.span.extracting(range)) {
                    certificates += text[range] + [0x0A]
                    continue
                }
                keys.append(
                    try opened(path) { (word) throws(JOSEError) in
                        try JWK(pem: text.span.extracting(range), passphrase: word)
                    })
            }
            if !certificates.isEmpty {
                keys = try Self.named(path) { () throws(JOSEError) in
                    try CertificateChains.join(certificates, to: keys)
                }
            }
            guard !keys.isEmpty else { throw Self.failure(path, text) }
            return Contents(keys: keys, form: .pem)
        }
    }

    private func set(_ path: String, _ text: [UInt8]) throws(CommandFailure) -> KeySet {
        var limits = ParsingLimits.standard
        if let maximum = try arguments.value(Options.maximumKeys) { limits.keysInSet = maximum }
        return try Self.named(path) { () throws(JOSEError) in try KeySet(parsing: text.span, limits: limits) }
    }

    /// Returns the failure for a text without JSON and without a whole PEM block, and what the text is instead where
    /// that is evident.
    private static func failure(_ path: String, _ text: [UInt8]) -> CommandFailure {
        let fault = ParseFailure(.key, pem: text.span)
        guard fault.reason != .pem else { return CommandFailure("\(path) is not a JWK, a JWK Set or PEM") }
        return CommandFailure("\(path): \(JOSEError.malformed(fault))")
    }

    /// Returns a key, which is read with the passphrase if it needs one.
    private func opened(
        _ path: String, _ read: (_ passphrase: [UInt8]?) throws(JOSEError) -> JWK
    ) throws(CommandFailure) -> JWK {
        do throws(JOSEError) {
            return try read(nil)
        } catch .keyInvalid(.passphrase) {
            var word = try passphrase.word(for: path)
            defer { wipe(&word) }
            return try Self.named(path) { () throws(JOSEError) in try read(word) }
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    /// Returns the result of `read`, whose error names the path.
    package static func named<Value>(
        _ path: String, _ read: () throws(JOSEError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(JOSEError) { return try read() } catch { throw CommandFailure("\(path): \(error)") }
    }

    /// Returns the bytes of a file, or of standard input for `-`.
    ///
    /// - Parameter isRegular: Whether the path must be that of a regular file, because it is read again and again.
    package static func text(_ path: String, isRegular: Bool = false) throws(CommandFailure) -> [UInt8] {
        guard isRegular || path != "-" else {
            return try Descriptor.input.readAll(maximumBytes: maximumFileBytes, name: path)
        }
        return try Descriptor.contents(of: path, isRegular: isRegular, maximumBytes: maximumFileBytes)
    }

    private static func form(of text: [UInt8]) -> Form {
        switch text.first {
        case 0x30: return .der
        case UInt8(ascii: "-"): return .pem
        default: break
        }
        if let object = try? JSONObject(parsing: text.span) {
            if object.first("keys", in: text.span) != nil { return .set }
            // An object with no member of a key is rather meant to be a set, and the error says what it lacks.
            let members: [StaticString] = ["kty", "kid", "crv", "x", "n", "k"]
            return members.contains { object.first($0, in: text.span) != nil } ? .jwk : .set
        }
        // Text that is neither JSON nor PEM is reported as invalid JSON if it begins like JSON.
        let first = text.first { !$0.isWhiteSpace }
        return first == UInt8(ascii: "{") ? .jwk : .pem
    }
}
