internal import JOSE
internal import JOSESupport

/// The value of a member of an event.
package enum KeySetEventField: Sendable {
    /// A number of keys or of bytes.
    case count(Int)
    /// A length of time, in seconds.
    case seconds(Duration)
    /// Text of one line.
    case text(String)
    /// The names of keys.
    case names([KeyName])
}

extension KeySetEvent {
    /// The name of the event, such as `not_modified`. It is the first member of ``description``, and of the JSON lines
    /// of `bulla keys watch`.
    public var name: String { parts.name }

    /// The members of the event beside its name. Those of an event of the metadata document are in that event.
    package var fields: [(name: String, value: KeySetEventField)] { parts.fields }

    private var parts: (name: String, fields: [(name: String, value: KeySetEventField)]) {
        switch self {
        case .fetched(let fetch):
            (
                "fetched",
                [
                    ("keys", .count(fetch.keys)), ("skipped", .count(fetch.skipped)), ("bytes", .count(fetch.bytes)),
                    ("fresh_for", .seconds(fetch.freshFor)), ("seconds", .seconds(fetch.duration)),
                ]
            )
        case .notModified(let freshFor): ("not_modified", [("fresh_for", .seconds(freshFor))])
        case .rotated(let rotation):
            (
                "rotated",
                [
                    ("added", .count(rotation.added)), ("removed", .count(rotation.removed)),
                    ("replaced", .count(rotation.replaced)), ("keys", .count(rotation.keys)),
                ]
            )
        case .added(let keys): ("added", [("kids", .names(keys))])
        case .removed(let keys): ("removed", [("kids", .names(keys))])
        case .replaced(let keys): ("replaced", [("kids", .names(keys))])
        case .kept(let keys, let limit): ("kept", [("kids", .names(keys)), ("up_to", .seconds(limit))])
        case .keySkipped(let key, let index, let error):
            ("key_skipped", [("kids", .names([key])), ("index", .count(index)), ("reason", .text("\(error)"))])
        case .tooManyKeys(let total, let used): ("too_many_keys", [("total", .count(total)), ("used", .count(used))])
        case .contentTypeOdd: ("content_type_odd", [])
        case .refused(let refusal): ("refused", [("reason", .text("\(refusal)"))])
        case .failed(let error, let delay):
            ("failed", [("error", .text(error.code)), ("reason", .text("\(error)")), ("retry_in", .seconds(delay))])
        case .unreached(let error): ("unreached", [("error", .text(error.code)), ("reason", .text("\(error)"))])
        case .secondSource(let error): ("second_source", [("reason", .text("\(error)"))])
        case .throttled: ("throttled", [])
        case .bypassed(let key): ("bypassed", [("kids", .names([key]))])
        case .signatureFailed(let key): ("signature_failed", [("kids", .names([key]))])
        case .stale(let limit): ("stale", [("served_for", .seconds(limit))])
        case .expired: ("expired", [])
        case .recovered: ("recovered", [])
        case .purged: ("purged", [])
        case .restored(let age): ("restored", [("age", .seconds(age))])
        case .snapshotRefused(let fault): ("snapshot_refused", [("reason", .text("\(fault)"))])
        case .snapshotNotSaved(let fault): ("snapshot_not_saved", [("reason", .text("\(fault)"))])
        case .metadata: ("metadata", [])
        case .moved: ("moved", [])
        case .closed: ("closed", [])
        }
    }
}

extension KeySetEvent: CustomStringConvertible {
    /// The event as one line of `key=value`, such as `event=failed error=connect_failed reason="…" retry_in=35
    /// alarm=true`. Durations are in seconds, and text is in quotation marks. An event of the metadata document has
    /// `event=metadata metadata=…`.
    public var description: String {
        var line = "event=\(name)"
        var event = self
        while case .metadata(let inner) = event {
            line += " metadata=\(inner.name)"
            event = inner
        }
        for (name, value) in event.fields { line += " \(name)=\(value.text)" }
        return isAlarm ? line + " alarm=true" : line
    }
}

extension KeySetEventField {
    fileprivate var text: String {
        switch self {
        case .count(let number): "\(number)"
        case .seconds(let duration): Self.number(duration.inSeconds)
        case .text(let text): Self.quoted(text)
        case .names(let names): names.map { $0.keyID.map { "\"\($0)\"" } ?? "none" }.joined(separator: ",")
        }
    }

    private static func number(_ seconds: Double) -> String {
        let milliseconds = (seconds * 1_000).rounded()
        guard abs(milliseconds) < 1e15, milliseconds.truncatingRemainder(dividingBy: 1_000) == 0 else {
            return "\(abs(milliseconds) < 1e15 ? milliseconds / 1_000 : seconds)"
        }
        return "\(Int64(milliseconds / 1_000))"
    }

    /// Text without spaces or quotation marks is written as it is; any other text is quoted, on one line.
    private static func quoted(_ text: String) -> String {
        func isPlain(_ byte: UInt8) -> Bool {
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
        }
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
