import JOSE
import JOSEBytes

extension JSONWriter {
    /// Writes a list of unusable keys, each with its index, its `kid` and the reason.
    mutating func array(of keys: [UnusableKey]) {
        beginArray()
        for key in keys {
            beginObject()
            member("index", Int64(key.index))
            if let keyID = key.keyID { member("kid", keyID) }
            member("reason", "\(key.reason)")
            endObject()
        }
        endArray()
    }
}
