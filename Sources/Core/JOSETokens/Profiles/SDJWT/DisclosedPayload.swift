internal import JOSE
internal import JOSEBytes

/// The issuer's payload with the disclosures in place of their digests (RFC 9901, 7.1, step 3).
struct DisclosedPayload {
    private var writer = JSONWriter()
    private let disclosures: [Disclosure]
    private let places: [[UInt8]: Int]
    private var seen: Set<[UInt8]> = []
    private var used = 0
    private let depth: Int

    /// Returns the claims without `_sd`, `_sd_alg` and hidden ones. Every disclosure must be referenced, and no digest may be
    /// repeated (RFC 9901, 7.1, steps 4 and 5).
    static func claims(of payload: Claims, _ disclosures: [Disclosure], limits: ParsingLimits) throws(TokenError)
        -> Claims
    {
        let hash = try DisclosureHash.read(payload)
        var places = [[UInt8]: Int](minimumCapacity: disclosures.count)
        for (index, disclosure) in disclosures.enumerated() {
            let digest = try hash.digest(disclosure.text)
            guard places.updateValue(index, forKey: digest) == nil else { throw .disclosure(.repeatedDisclosure) }
        }
        var run = DisclosedPayload(disclosures: disclosures, places: places, depth: limits.jsonDepth)
        try run.object(payload.object.members, in: payload.payload, level: 1)
        guard run.used == disclosures.count else { throw .disclosure(.unreferenced) }
        return try Claims(payload: run.writer.bytes, limits: limits, layer: .signature)
    }

    private init(disclosures: [Disclosure], places: [[UInt8]: Int], depth: Int) {
        self.disclosures = disclosures
        self.places = places
        self.depth = depth
    }

    private mutating func value(_ value: JSONValue, in bytes: [UInt8], level: Int) throws(TokenError) {
        if let members = value.object(in: bytes.span) {
            try object(members, in: bytes, level: level)
        } else if let values = value.array(in: bytes.span) {
            try array(values, in: bytes, level: level)
        } else {
            let text = value.slice(in: bytes.span)
            writer.raw(text.span)
        }
    }

    private mutating func object(_ members: [JSONMember], in bytes: [UInt8], level: Int) throws(TokenError) {
        guard level <= depth else { throw .jose(.limitExceeded(.jsonDepth), layer: .signature) }
        var names: Set<[UInt8]> = []
        var digests: [JSONValue] = []
        writer.beginObject()
        for member in members {
            let name = member.name(in: bytes.span)
            if member.nameEquals("_sd", in: bytes.span) {
                guard let list = member.value.array(in: bytes.span) else { throw .disclosure(.digests) }
                digests = list
            } else if member.nameEquals("_sd_alg", in: bytes.span) {
                guard level == 1 else { throw .disclosure(.reservedName) }
            } else {
                guard !member.nameEquals("...", in: bytes.span) else { throw .disclosure(.reservedName) }
                names.insert(Array(name.utf8))
                writer.name(name)
                try value(member.value, in: bytes, level: level + 1)
            }
        }
        for digest in digests {
            guard let found = try disclosure(digest, in: bytes) else { continue }
            guard let name = found.name else { throw .disclosure(.wrongPlace) }
            guard names.insert(Array(name.utf8)).inserted else { throw .disclosure(.nameTaken) }
            writer.name(name)
            try value(found.value, in: found.bytes, level: level + 1)
        }
        writer.endObject()
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
        guard let text = digest.stringBytes(in: bytes.span) else { throw .disclosure(.digests) }
        guard seen.insert(text).inserted else { throw .disclosure(.repeatedDigest) }
        guard let place = places[text] else { return nil }
        used += 1
        return disclosures[place]
    }
}
