internal import JOSE
internal import JOSESupport

/// The exported state of a rotation, `{"v":1,"use":…,"keys":[{"jwk":{…},…}]}`, which contains only public keys.
enum RotationState {
    struct Record {
        let keyID: String
        let publicKey: PublicKey
        /// The times, in the order of the requested names; nil for one that is absent.
        let times: [Double?]

        func privateKey(_ keys: [PrivateKey]) throws(KeyRotationError) -> PrivateKey {
            let key = keys.first { bytesEqual($0.keyID ?? "", keyID) }
            guard let key else { throw .privateKeyMissing(keyID: keyID) }
            guard key.publicKey == publicKey else { throw .privateKeyOther(keyID: keyID) }
            return key
        }
    }

    static func write<Entry>(
        _ use: String, _ entries: [Entry], _ members: (Entry, inout JSONWriter) -> PublicKey
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("v", 1)
        writer.member("use", use)
        writer.name("keys")
        writer.beginArray()
        for entry in entries {
            writer.beginObject()
            let jwk = members(entry, &writer).jwk()
            writer.name("jwk")
            writer.raw(jwk.utf8.span)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    static func read(_ use: StaticString, _ text: [UInt8], times: [StaticString]) throws(KeyRotationError) -> [Record] {
        let bytes = text.span
        guard let object = try? JSONObject(parsing: bytes), object.first("v", in: bytes)?.integer(in: bytes) == 1,
            object.first("use", in: bytes)?.equals(use, in: bytes) == true,
            let values = object.first("keys", in: bytes)?.array(in: bytes)
        else { throw .stateInvalid }
        var records: [Record] = []
        for value in values {
            guard let members = value.object(in: bytes), let member = members.first("jwk", in: bytes) else {
                throw .stateInvalid
            }
            let jwk = member.slice(in: bytes)
            guard let key = try? PublicKey(jwk: jwk.span), let keyID = key.keyID else {
                throw .stateInvalid
            }
            var found: [Double?] = []
            for name in times {
                let time = members.first(name, in: bytes).map { $0.integer(in: bytes).map(Double.init) ?? .nan }
                guard time.map(RotationTime.isOne) ?? true else { throw .stateInvalid }
                found.append(time)
            }
            records.append(Record(keyID: keyID, publicKey: key, times: found))
        }
        return records
    }
}
