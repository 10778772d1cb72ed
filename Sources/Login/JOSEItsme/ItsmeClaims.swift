internal import JOSERelyingParty
internal import JOSESupport
internal import JOSETokens

/// A tolerant reader of itsme's claims: a claim of another type counts as absent.
struct ItsmeClaims: Sendable {
    let sources: [Claims]

    /// All prefixes of claim names that tokens are known to have.
    static let prefixes = [
        "http://itsme.services/v2/claim/", "http://itsme.services/V2/claim/", "tag:itsmetag:sixdots.be,2016-06:",
        "tag:sixdots.be,2016-06:", "tag:sixdots.be,2017-05:", "tag:sixdots.be,2017-05:2017-05:",
        "tag:sixdots.be,2020-03:",
    ]

    /// Returns each name with every prefix, and then without one: the claims of a scope have no prefix.
    static func names(_ endings: [String]) -> [String] {
        endings.flatMap { ending in prefixes.map { $0 + ending } + [ending] }
    }

    func text(_ name: String) -> String? { sources.lazy.compactMap { $0.string(name) }.first }

    func text(_ names: [String]) -> String? { names.lazy.compactMap { text($0) }.first }

    /// Returns the first claim that is a Boolean, or a string that spells one.
    func flag(_ name: String) -> Bool? {
        sources.lazy.compactMap { source in
            source.value(name).flatMap { StandardClaims.flag($0, in: source.payload) }
        }.first
    }

    /// Returns the claims of a name that are objects, of which each source may have one.
    private func objects(_ name: String) -> [Object] {
        sources.compactMap { source in
            source.value(name)?.object(in: source.payload.span).map { Object(bytes: source.payload, members: $0) }
        }
    }

    func objects(_ names: [String]) -> [Object] { names.flatMap { objects($0) } }

    func object(_ names: [String]) -> Object? { names.lazy.compactMap { objects($0).first }.first }

    /// A claim that is an object.
    struct Object: Sendable {
        let bytes: [UInt8]
        let members: [JSONMember]

        private func value(_ name: String) -> JSONValue? { members.first(name.utf8.span, in: bytes.span) }

        func text(_ name: String) -> String? { value(name)?.string(in: bytes.span) }
        func integer(_ name: String) -> Int? { value(name)?.integer(in: bytes.span).flatMap { Int(exactly: $0) } }

        func flag(_ name: String) -> Bool? { value(name).flatMap { StandardClaims.flag($0, in: bytes) } }
    }

    /// The largest number of bytes of a decoded picture.
    static let photoLimit = 256 * 1024

    /// Decodes base64 of a JPEG image, whose first three bytes are fixed (ITU-T T.81, B.1.1.3: SOI, then a marker).
    static func jpeg(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= photoLimit / 3 * 4 + 4, let bytes = Base64.decode(Array(text.utf8)),
            bytes.count <= photoLimit, bytes.starts(with: [0xFF, 0xD8, 0xFF])
        else { return nil }
        return bytes
    }

    static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 10
            && bytes.indices.allSatisfy { at in
                at == 4 || at == 7 ? bytes[at] == UInt8(ascii: "-") : (0x30...0x39).contains(bytes[at])
            }
    }
}
