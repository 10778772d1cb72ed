import JOSE
import JOSEBytes
import JOSEKeySets

/// Writes an event as members of a JSON object.
enum EventLine {
    static func write(_ event: KeySetEvent, to writer: inout JSONWriter) {
        writer.member("event", event.name)
        for (name, value) in event.fields {
            switch value {
            case .count(let number): writer.member(name, Int64(number))
            case .text(let text): writer.member(name, text)
            case .seconds(let duration):
                writer.name(name)
                writer.number(duration.inSeconds)
            case .names(let names):
                writer.name(name)
                writer.beginArray()
                for name in names { if let keyID = name.keyID { writer.string(keyID) } else { writer.null() } }
                writer.endArray()
            }
        }
        if case .metadata(let inner) = event {
            writer.name("metadata")
            writer.beginObject()
            write(inner, to: &writer)
            writer.endObject()
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
