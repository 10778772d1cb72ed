import JOSE
import JOSEKeySets
import JOSESupport
import JOSETokens

extension KeySetEvent {
    /// The members of the event in JSON.
    var members: ClaimsBuilder {
        var members: ClaimsBuilder = ["event": .string(name)]
        for (name, value) in fields {
            let json: ClaimValue =
                switch value {
                case .count(let number): .integer(Int64(number))
                case .text(let text): .string(text)
                case .seconds(let duration): .number(duration.inSeconds)
                case .names(let names): .array(names.map { $0.keyID.map { .string($0) } ?? .null })
                }
            members[name] = json
        }
        if case .metadata(let inner) = self { members["metadata"] = inner.members.value }
        if isAlarm { members["alarm"] = true }
        return members
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
