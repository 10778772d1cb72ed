import Foundation
import JOSECrypto
import TestSupport
import Testing

private struct KeyFiles: Decodable {
    struct File: Decodable {
        let what: String
        let outcome: String
        let pem: String
        let passphrase: String?
    }
    let files: [File]
}

/// The result of an import, in the words of the vectors.
private func outcome(_ body: () throws(CryptoError) -> KeyFile.Parsed) -> String {
    do throws(CryptoError) { return name(try body()) } catch { return "\(error)" }
}

private func name(_ parsed: KeyFile.Parsed) -> String {
    switch parsed {
    case .publicKey(.asymmetric(let key)), .privateKey(.asymmetric(let key)):
        let isPrivate = if case .privateKey = parsed { true } else { false }
        guard isPrivate == key.isPrivate else { return "in the case of the other kind" }
        let side = isPrivate ? "private" : "public"
        switch key.kind {
        case .rsa: return "rsa \(side)"
        case .ec(let curve): return "\(curve) \(side)"
        case .raw(let kind): return "\(kind) \(side)"
        }
    case .publicKey(.ed25519): return "ed25519 public"
    case .privateKey(.ed25519): return "ed25519 private"
    case .publicKey(.x25519): return "x25519 public"
    case .privateKey(.x25519): return "x25519 private"
    }
}

private func der(_ pem: String) -> [UInt8] {
    let blocks = pem.split(separator: "-----BEGIN")
    let lines = (blocks.last ?? "").split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("-----") }
    return Data(base64Encoded: lines.joined()).map { Array($0) } ?? []
}

@Suite("Key files") struct KeyFileTests {
    @Test("each PEM file is accepted or rejected as listed, within bounded time (RFC 7468; T29, X13)")
    func imports() throws {
        let data: KeyFiles = try ownVectors("keyfiles")
        for file in data.files {
            let time = cpuSeconds {
                let seen = outcome { () throws(CryptoError) in
                    try KeyFile.importPEM(file.pem, passphrase: file.passphrase)
                }
                #expect(seen == file.outcome, "\(file.what)")
            }
            #expect(time < 5, "\(file.what)")
        }
    }

    @Test("the DER of each valid file gives the same key, and one with a byte more or less is rejected")
    func derOfEach() throws {
        let data: KeyFiles = try ownVectors("keyfiles")
        for file in data.files where file.outcome.contains(" ") && file.passphrase == nil && !file.pem.contains("\r") {
            let whole = der(file.pem)
            let seen = outcome { () throws(CryptoError) in try KeyFile.importDER(whole) }
            #expect(seen == file.outcome, "\(file.what)")
            for wrong in [whole + [0], Array(whole.dropLast()), Array(whole.dropFirst()), [0] + whole] {
                #expect(throws: CryptoError.keyInvalid, "\(file.what)") { try KeyFile.importDER(wrong) }
            }
        }
        let nothing: [UInt8] = []
        #expect(throws: CryptoError.keyInvalid) { try KeyFile.importDER(nothing) }
    }

    @Test("a written key is read back as the same key, in PEM and DER") func exports() throws {
        let data: KeyFiles = try ownVectors("keyfiles")
        let forms: [KeyFile.Form] = [.spki, .pkcs8, .pkcs1Public, .pkcs1Private, .sec1]
        for file in data.files where file.outcome.contains(" ") && file.passphrase == nil {
            let key = try KeyFile.importPEM(file.pem)
            for form in forms {
                let isRSA = file.outcome.hasPrefix("rsa")
                let isEC = file.outcome.hasPrefix("p") || file.outcome.hasPrefix("secp")
                let isPrivate = file.outcome.hasSuffix("private")
                let fits =
                    switch form {
                    case .spki: true
                    case .pkcs8: isPrivate
                    case .pkcs1Public: isRSA
                    case .pkcs1Private: isRSA && isPrivate
                    case .sec1: isEC && isPrivate
                    }
                guard fits else {
                    #expect(throws: CryptoError.keyInvalid) { try KeyFile.export(key, form, pem: true) }
                    continue
                }
                let pem = try KeyFile.export(key, form, pem: true)
                let binary = try KeyFile.export(key, form, pem: false)
                #expect(der(String(decoding: pem, as: UTF8.self)) == binary)
                let again = try KeyFile.importPEM(String(decoding: pem, as: UTF8.self))
                let secondTime = try KeyFile.importDER(binary)
                let kept = form == .spki || form == .pkcs1Public ? "public" : "private"
                #expect(name(again).hasSuffix(kept), "\(file.what) \(form)")
                let sameForm = try KeyFile.export(secondTime, form, pem: true)
                #expect(sameForm == pem, "\(file.what) \(form)")
                let half = try KeyFile.export(again, .spki, pem: false)
                let wholeHalf = try KeyFile.export(key, .spki, pem: false)
                #expect(half == wholeHalf, "\(file.what) \(form)")
            }
        }
    }

    @Test("PEM labels are the registered ones (RFC 7468, 10 and 13; RFC 5915, 4)") func labels() throws {
        let rsa = KeyFile.Parsed.privateKey(.asymmetric(try someRSAKey()))
        let ec = KeyFile.Parsed.privateKey(.asymmetric(try .generateEC(.p256)))
        let seen = try [(rsa, .spki), (rsa, .pkcs8), (rsa, .pkcs1Public), (rsa, .pkcs1Private), (ec, .sec1)].map {
            (key: KeyFile.Parsed, form: KeyFile.Form) in
            let pem = try KeyFile.export(key, form, pem: true)
            return String(decoding: pem.prefix { $0 != 10 }, as: UTF8.self)
        }
        #expect(
            seen == [
                "-----BEGIN PUBLIC KEY-----", "-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PUBLIC KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN EC PRIVATE KEY-----",
            ])
    }
}
