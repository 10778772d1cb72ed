import JOSE

extension Shapes {
    /// The shapes of PEM (RFC 7468) and DER. Those of the command are in Tests/Scripts/linear.py.
    static var files: [Shape] {
        [
            pem("certificates", 8) { times($0, Certificates.pem) },
            pem("certificates without line ends", 8) {
                times($0, Certificates.pem.replacing("\n", with: #"\n"#))
            },
            pem("text before a block", 512) { times($0, "- a line\n") + Certificates.pem },
            pem("dashes before a block", 512) { times($0, "----------\n") + Certificates.pem },
            pem("text without line feeds", 1_024) { times($0, "text ") + "\n" + Certificates.pem },
            pem("blocks that do not end", 128, isAccepted: false) { times($0, "-----BEGIN CERTIFICATE-----\nAAAA\n") },
            pem("blocks of another label", 128, isAccepted: false) {
                times($0, "-----BEGIN A-----\nAAAA\n-----END A-----\n")
            },
            pem("lines of one block", 128, isAccepted: false) {
                "-----BEGIN CERTIFICATE-----\n" + times($0, times(64, "A") + "\n") + "-----END CERTIFICATE-----\n"
            },
            key("lines of one block", 128) {
                "-----BEGIN PUBLIC KEY-----\n" + times($0, times(64, "A") + "\n") + "-----END PUBLIC KEY-----\n"
            },
            key("lines of one block without line ends", 128) {
                "-----BEGIN PUBLIC KEY-----" + times($0, times(64, "A") + #"\n"#) + "-----END PUBLIC KEY-----"
            },
            key("beginnings without line ends", 512) { times($0, "-----BEGIN A") },
            key("header lines", 128) {
                "-----BEGIN RSA PRIVATE KEY-----\n" + times($0, "A: b\n") + "\nAAAA\n-----END RSA PRIVATE KEY-----\n"
            },
            key("blocks of parameters", 128) {
                times($0, "-----BEGIN EC PARAMETERS-----\nAAAA\n-----END EC PARAMETERS-----\n")
            },
            der("nested sequences", 512) { bytes([], $0, [0x30, 0x80]) },
            der("elements of a sequence", 4_096) { count in
                let size = 3 * count
                let start: [UInt8] = [0x30, 0x83, UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255)]
                return bytes(start, count, [0x02, 0x01, 0x00])
            },
            Shape("certificate.elements of a sequence", 512, isAccepted: false) { count in
                let bytes = bytes([0x30, 0x80], count, [0x30, 0x00])
                return { accepts { _ = try Certificate(der: bytes) } }
            },
            Shape("pkcs12.nested sequences", 512, isAccepted: false) { count in
                let bytes = bytes([0x30, 0x80, 0x02, 0x01, 0x03], count, [0x30, 0x80])
                return { accepts { _ = try PrivateKey(pkcs12: bytes, passphrase: []) } }
            },
        ]
    }

    private static func bytes(_ start: [UInt8], _ count: Int, _ element: [UInt8]) -> [UInt8] {
        var bytes = start
        for _ in 0..<count { bytes += element }
        return bytes
    }

    private static func pem(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ text: @escaping (Int) -> String
    ) -> Shape {
        Shape("certificate pem." + name, count, isAccepted: isAccepted) { count in
            let text = text(count)
            return { accepts { _ = try Certificate.parseAll(pem: text) } }
        }
    }

    private static func key(_ name: String, _ count: Int, _ text: @escaping (Int) -> String) -> Shape {
        Shape("key pem." + name, count, isAccepted: false) { count in
            let text = Array(text(count).utf8)
            return { accepts { _ = try JWK(pem: text.span) } }
        }
    }

    private static func der(_ name: String, _ count: Int, _ bytes: @escaping (Int) -> [UInt8]) -> Shape {
        Shape("key der." + name, count, isAccepted: false) { count in
            let bytes = bytes(count)
            return { accepts { _ = try JWK(der: bytes.span) } }
        }
    }
}
