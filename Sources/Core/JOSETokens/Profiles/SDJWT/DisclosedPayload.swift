internal import JOSE
internal import JOSESupport

/// The issuer's payload with the disclosures in place of their digests (RFC 9901, 7.1, step 3).
struct DisclosedPayload {
    private var writer = JSONWriter()
    private let disclosures: [Disclosure]
    /// The digest of each disclosure, in their order.
    private let digests: DistinctTexts
    private var seen = DistinctTexts()
    private var used = 0
    private let depth: Int

    /// Returns the claims without `_sd`, `_sd_alg` and hidden ones. Every disclosure must be referenced, and no digest
    /// may be repeated (RFC 9901, 7.1, steps 4 and 5).
    static func claims(of payload: Claims, _ disclosures: [Disclosure], limits: ParsingLimits) throws(TokenError)
        -> Claims
    {
        let hash = try HashAlgorithm.read(payload)
        var digests = DistinctTexts()
        var room = payload.payload.count
        for disclosure in disclosures {
            let digest = try disclosure.digest(hash)
            guard digests.add(digest.span) else { throw .disclosure(.repeatedDisclosure) }
            room += disclosure.bytes.count
        }
        var run = DisclosedPayload(disclosures: disclosures, digests: digests, depth: limits.jsonDepth)
        run.writer.bytes.reserveCapacity(room)
        try run.object(payload.object.members, in: payload.payload, level: 1)
        guard run.used == disclosures.count else { throw .disclosure(.unreferenced) }
        return try Claims(payload: run.writer.bytes, limits: limits, layer: .signature)
    }

    private init(disclosures: [Disclosure], digests: DistinctTexts, depth: Int) {
        self.disclosures = disclosures
        self.digests = digests
        self.depth = depth
    }

    private mutating func value(_ value: JSONValue, in bytes: [UInt8], level: Int) throws(TokenError) {
        if let members = value.object(in: bytes.span) {
            try object(members, in: bytes, level: level)
        } else if let values = value.array(in: bytes.span) {
            try array(values, in: bytes, level: level)
        } else {
            writer.value(value, in: bytes.span)
        }
    }

    private mutating func object(_ members: [JSONMember], in bytes: [UInt8], level: Int) throws(TokenError) {
        guard level <= depth else { throw .jose(.limitExceeded(.jsonDepth), layer: .signature) }
        var digests: [JSONValue] = []
        writer.beginObject()
        for member in members {
            if member.nameEquals("_sd", in: bytes.span) {
                guard let list = member.value.array(in: bytes.span) else { throw .disclosure(.digests) }
                digests = list
            } else if member.nameEquals("_sd_alg", in: bytes.span) {
                guard level == 1 else { throw .disclosure(.reservedName) }
            } else {
                guard !member.nameEquals("...", in: bytes.span) else { throw .disclosure(.reservedName) }
                writer.name(of: member, in: bytes.span)
                try value(member.value, in: bytes, level: level + 1)
            }
        }
        if !digests.isEmpty { try disclose(digests, beside: members, in: bytes, level: level) }
        writer.endObject()
    }

    /// Adds the disclosed members of an object whose other members were written.
    private mutating func disclose(
        _ digests: [JSONValue], beside members: [JSONMember], in bytes: [UInt8], level: Int
    ) throws(TokenError) {
        var names = DistinctTexts(namesOf: members, in: bytes.span)
        for digest in digests {
            guard let found = try disclosure(digest, in: bytes) else { continue }
            guard let name = found.name else { throw .disclosure(.wrongPlace) }
            guard names.add(name.utf8.span) else { throw .disclosure(.nameTaken) }
            writer.name(name)
            try value(found.value, in: found.bytes, level: level + 1)
        }
    }

    private mutating func array(_ values: [JSONValue], in bytes: [UInt8], level: Int) throws(TokenError) {
        guard level <= depth else { throw .jose(.limitExceeded(.jsonDepth), layer: .signature) }
        writer.beginArray()
        for element in values {
            let members = element.object(in: bytes.span)
            guard let members, let digest = members.first("...", in: bytes.span) else {
                try value(element, in: bytes, level: level + 1)
                continue
            }
            // The object has no other member (RFC 9901, 4.2.4.2).
            guard members.count == 1 else { throw .disclosure(.digests) }
            guard let found = try disclosure(digest, in: bytes) else { continue }
            guard found.name == nil else { throw .disclosure(.wrongPlace) }
            try value(found.value, in: found.bytes, level: level + 1)
        }
        writer.endArray()
    }

    /// Returns the disclosure of a digest; nil if the digest is that of a hidden claim or a decoy.
    private mutating func disclosure(_ digest: JSONValue, in bytes: [UInt8]) throws(TokenError) -> Disclosure? {
        let index: Int?
        if let text = digest.plainText {
            index = try self.index(of: bytes.span.extracting(text))
        } else if let text = digest.stringBytes(in: bytes.span) {
            index = try self.index(of: text.span)
        } else {
            throw .disclosure(.digests)
        }
        guard let index else { return nil }
        used += 1
        return disclosures[index]
    }

    /// Returns the index of the disclosure with this digest, which must not have been met before.
    private mutating func index(of digest: Span<UInt8>) throws(TokenError) -> Int? {
        guard seen.add(digest) else { throw .disclosure(.repeatedDigest) }
        return digests.index(of: digest)
    }
}
