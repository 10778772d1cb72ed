import JOSE
import JOSEKeySets

extension Shapes {
    static var keys: [Shape] {
        [
            key("members", 100) { "," + list($0) { "\"m\($0)\":0" } },
            key("key_ops", 8) { ",\"key_ops\":[" + list($0) { "\"o\($0)\"" } + "]" }.bounded(),
            key("key_ops beyond the limit", 64, isAccepted: false) {
                ",\"key_ops\":[" + list($0) { "\"o\($0)\"" } + "]"
            },
            key("key_ops that repeat", 64, isAccepted: false) { ",\"key_ops\":[" + list($0) { _ in "\"sign\"" } + "]" },
            key("escapes of kid", 256) { ",\"kid\":\"" + times($0, "\\u00e9") + "\"" },
            key("digits of a member that the kind does not have", 256) { ",\"y\":\"" + times(4 * $0, "A") + "\"" },
            Shape("jwk.x5c", 2) { count in try chained(count) },
            Shape("jwk.x5c beyond the limit", 16, isAccepted: false) { count in
                let element = "\"\(Certificates.root)\""
                let text = try chain(1).replacing(element, with: list(count) { _ in element })
                return { accepts { _ = try JWK(parsing: text) } }
            },
            Shape("jwk.bytes of a modulus", 64, isAccepted: false) { count in
                let text = "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\"" + times(4 * count, "v") + "8\"}"
                return { accepts { _ = try JWK(parsing: text) } }
            },
            set("keys", 12) { list($0) { member("\"kid\":\"k\($0)\"") } },
            set("keys under one kid", 12) { list($0) { _ in member("\"kid\":\"k\"") } },
            set("keys without kid", 12) { list($0) { _ in member("\"a\":0") } },
            set("keys with key_ops", 12) { list($0) { _ in member("\"key_ops\":[\"verify\"]") } },
            set("members that are no keys", 12) { list($0) { _ in "{}" } },
            set("elements that are no objects", 12) { list($0) { _ in "0" } },
            set("keys beyond the limit", 32, limit: 8) { list($0) { member("\"kid\":\"k\($0)\"") } },
            Shape("key set.keys beyond the limit of a file", 128, isAccepted: false) { count in
                let text = "{\"keys\":[" + list(count) { member("\"kid\":\"k\($0)\"") } + "]}"
                return { accepts { _ = try KeySet(parsing: text) } }
            },
            Shape("key set.keys changed under one kid", 10) { count in
                let reader = KeySetReader(KeySetOptions())
                func body(_ operations: String) -> [UInt8] {
                    let members = list(count) { member("\"kid\":\"k\",\"key_ops\":[\"\(operations)\($0)\"]") }
                    return Array("{\"keys\":[\(members)]}".utf8)
                }
                var memory = reader.blank
                let held = try reader.take(body("a"), over: nil, &memory, at: 0).value
                let next = body("b")
                return { accepts { _ = try reader.take(next, over: held, &memory, at: 1) } }
            },
            Shape("key set.keys replaced under one kid", 24) { count in
                let reader = KeySetReader(KeySetOptions())
                let bodies = try (0..<2).map { _ in
                    let keys = try (0..<count).map { _ in
                        var key = try PrivateKey.generate(.ed25519).publicKey
                        key.keyID = "k"
                        return JWK.publicKey(key)
                    }
                    return Array(KeySet(keys).jwks().utf8)
                }
                var memory = reader.blank
                let held = try reader.take(bodies[0], over: nil, &memory, at: 0).value
                return { accepts { _ = try reader.take(bodies[1], over: held, &memory, at: 1) } }
            },
        ]
    }

    /// Returns the public key of RFC 8037, A.2, with more members.
    private static func member(_ members: String) -> String {
        #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",\#(members)}"#
    }

    private static func key(
        _ name: String, _ count: Int, isAccepted: Bool = true, _ members: @escaping (Int) -> String
    ) -> Shape {
        Shape("jwk." + name, count, isAccepted: isAccepted) { count in
            let text = member("\"z\":0" + members(count))
            return { accepts { _ = try JWK(parsing: text) } }
        }
    }

    private static func set(
        _ name: String, _ count: Int, limit: Int = 100, _ elements: @escaping (Int) -> String
    ) -> Shape {
        Shape("key set." + name, count) { count in
            // The set has one usable key, because a set without one is rejected.
            let body = Array("{\"keys\":[\(member("\"kid\":\"first\"")),\(elements(count))]}".utf8)
            var options = KeySetOptions()
            options.keyLimit = limit
            let reader = KeySetReader(options)
            var memory = reader.blank
            return { accepts { _ = try reader.take(body, over: nil, &memory, at: 0) } }
        }
    }

    /// Returns the key of a self-signed certificate, with a chain that repeats the certificate.
    private static func chain(_ count: Int) throws -> String {
        let certificate = try Certificate(base64: Certificates.root)
        let chain = try CertificateChain([Certificate](repeating: certificate, count: count))
        return JWK.publicKey(try chain.publicKey(members: .x5c)).publicJWK
    }

    private static func chained(_ count: Int) throws -> () -> Bool {
        let text = try chain(count)
        return { accepts { _ = try JWK(parsing: text) } }
    }
}

extension JWK {
    fileprivate var publicJWK: String { publicKey?.jwk() ?? "" }
}
