import JOSE
import JOSEKeySets
import JOSESettings
import JOSESupport
import JOSETokens

extension Command {
    static let keysWatch = Command(
        "keys watch", operands: "[URL]", maximumOperands: 1,
        summary: "follow a remote JWKS like a service, and print each event as a line of JSON",
        details: """
            Refreshes the set before it expires. The server's Cache-Control sets the lifetime, between a minute and a
            day; --every fetches more often.
            Each line has "time", in seconds since 1970, "event" and the event's members; "alarm" is true if the event needs
            attention. A failed fetch has "error", a stable code, and "reason", a text.
            Ends when it is interrupted, after --for SECONDS, or after --count events. Exit status 1: no key set was
            ever available.
            """,
        options: [
            Options.issuerURL.spec, Options.every.spec, Options.watchTime.spec, Options.eventCount.spec,
            Options.maximumKeys.spec,
        ] + KeySetSource.options, blocked: .ends
    ) { (arguments) throws(CommandFailure) in
        let maximumCount = try arguments.value(Options.eventCount) ?? .max
        let end = try arguments.value(Options.watchTime)
        let every = try arguments.value(Options.every)
        let printed = Monitor(0)
        let observer = EventList { event in
            printed.change { count in
                guard count < maximumCount else { return }
                count += 1
                var line: ClaimsBuilder = ["time": .number(Double(Int64(SystemClock.now() * 1000)) / 1000)]
                for (name, value) in event.members.object { line[name] = value }
                Output.json(line.json() + [0x0A])
            }
        }
        let source = try KeySetSource(try arguments.keySetLocation(), arguments, observer: observer)
        let keys = source.keys
        let start = ContinuousClock.now
        var wasServed = source.warmUp() == nil
        var asked = ContinuousClock.now
        while !Signals.isEndWanted, printed.change({ $0 }) < maximumCount {
            let now = ContinuousClock.now
            if let end, now - start >= end { break }
            // A service would ask for the keys with each token.
            if (try? keys.current()) != nil { wasServed = true }
            if let every, now - asked >= every {
                asked = now
                Task.detached { try? await keys.refresh() }
            }
            Process.sleep(milliseconds: 20)
        }
        Blocking.run { await keys.shutdown() }
        // The last event is delivered by a separate task.
        for _ in 0..<100 where !observer.events.contains(.closed) { Process.sleep(milliseconds: 2) }
        return wasServed ? .valid : .invalid
    }
}

extension Options {
    static let every = Option("every", "SECONDS", "time between two fetches, fresh or not", time(0.1...31_536_000))
    static let watchTime = Option("for", "SECONDS", "end after this time", time(0.1...31_536_000))
    static let eventCount = Option("count", "NUMBER", "end after this number of events", integer(1...Int.max))
}
