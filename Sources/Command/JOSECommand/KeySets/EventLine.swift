import JOSE
import JOSEBytes
import JOSEKeySets

/// Writes an event as members of a JSON object.
enum EventLine {
    static func write(_ event: KeySetEvent, to writer: inout JSONWriter) {
        func word(_ name: String) { writer.member("event", name) }
        func names(_ names: [KeyName]) {
            writer.name("kids")
            writer.beginArray()
            for name in names { if let keyID = name.keyID { writer.string(keyID) } else { writer.null() } }
            writer.endArray()
        }
        func seconds(_ name: String, _ duration: Duration) {
            writer.name(name)
            writer.number(duration.inSeconds)
        }
        switch event {
        case .fetched(let fetch):
            word("fetched")
            writer.member("keys", Int64(fetch.keys))
            writer.member("skipped", Int64(fetch.skipped))
            writer.member("bytes", Int64(fetch.bytes))
            seconds("fresh_for", fetch.freshFor)
            seconds("seconds", fetch.duration)
        case .notModified(let freshFor):
            word("not_modified")
            seconds("fresh_for", freshFor)
        case .rotated(let rotation):
            word("rotated")
            writer.member("added", Int64(rotation.added))
            writer.member("removed", Int64(rotation.removed))
            writer.member("replaced", Int64(rotation.replaced))
            writer.member("keys", Int64(rotation.keys))
        case .added(let keys):
            word("added")
            names(keys)
        case .removed(let keys):
            word("removed")
            names(keys)
        case .replaced(let keys):
            word("replaced")
            names(keys)
        case .kept(let keys, let limit):
            word("kept")
            names(keys)
            seconds("up_to", limit)
        case .keySkipped(let name, let error):
            word("key_skipped")
            names([name])
            writer.member("reason", "\(error)")
        case .tooManyKeys(let total, let used):
            word("too_many_keys")
            writer.member("total", Int64(total))
            writer.member("used", Int64(used))
        case .contentTypeOdd: word("content_type_odd")
        case .refused(let refusal):
            word("refused")
            writer.member("reason", "\(refusal)")
        case .failed(let error, let delay):
            word("failed")
            writer.member("error", error.code)
            writer.member("reason", "\(error)")
            seconds("retry_in", delay)
        case .secondSource(let error):
            word("second_source")
            writer.member("reason", "\(error)")
        case .throttled: word("throttled")
        case .bypassed(let name):
            word("bypassed")
            names([name])
        case .stale(let limit):
            word("stale")
            seconds("served_for", limit)
        case .expired: word("expired")
        case .recovered: word("recovered")
        case .purged: word("purged")
        case .restored(let age):
            word("restored")
            seconds("age", age)
        case .snapshotRefused(let fault):
            word("snapshot_refused")
            writer.member("reason", "\(fault)")
        case .snapshotNotSaved(let fault):
            word("snapshot_not_saved")
            writer.member("reason", "\(fault)")
        case .metadata(let event):
            word("metadata")
            writer.name("metadata")
            writer.beginObject()
            write(event, to: &writer)
            writer.endObject()
        case .moved: word("moved")
        case .closed: word("closed")
        }
        if event.isAlarm {
            writer.name("alarm")
            writer.bool(true)
        }
    }
}

/// Collects events, and passes each one on to a function.
final class EventList: KeySetObserver {
    private let list = Monitor<[KeySetEvent]>([])
    private let each: (@Sendable (KeySetEvent) -> Void)?

    init(_ each: (@Sendable (KeySetEvent) -> Void)? = nil) { self.each = each }

    var events: [KeySetEvent] { list.change { $0 } }

    func keySet(_ name: String, _ event: KeySetEvent) {
        each?(event)
        list.change { list in if list.count < 1000 { list.append(event) } }
    }
}
