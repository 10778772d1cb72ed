import JOSESettings
import JOSESupport

/// The access log: JSON lines on standard output, written by a thread of its own, so that a reader that is slow delays
/// no request. It contains nothing of a token, and no query.
final class GatewayLog: Sendable {
    private struct State: Sendable {
        var lines: [UInt8] = []
        var dropped = 0
        var isEnding = false
        var hasEnded = false
    }
    private static let maximumBytes = 1 << 20
    private let state = Monitor(State())

    var dropped: Int { state.change { $0.dropped } }

    func start() {
        let hasStarted = DetachedThread.start { [self] in
            while true {
                let (lines, isOver) = state.wait { state -> ([UInt8], Bool)? in
                    guard !state.lines.isEmpty || state.isEnding else { return nil }
                    defer { state.lines = [] }
                    return (state.lines, state.isEnding)
                }
                if !lines.isEmpty, !Descriptor.output.tryWrite(Output.escaped(json: lines).span) {
                    state.change { $0.dropped += 1 }
                }
                if isOver { break }
            }
            state.change { $0.hasEnded = true }
        }
        if !hasStarted { state.change { $0.hasEnded = true } }
    }

    func write(_ response: GatewayResponse, path: [UInt8]?, policy: GatewayPolicy?, seconds: Double) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("time")
        writer.number((SystemClock.now() * 1000).rounded() / 1000)
        writer.member("status", Int64(response.status))
        if let code = response.code { writer.member("error", code) }
        if let path {
            let text = path.prefix(256).prefix { $0 != UInt8(ascii: "?") }
            writer.member("path", String(decoding: text, as: UTF8.self))
        }
        if let policy { writer.member("policy", policy.name) }
        writer.member("us", Int64(seconds * 1_000_000))
        writer.endObject()
        add(writer.bytes + [0x0A])
    }

    private func add(_ line: [UInt8]) {
        state.change { state in
            if state.lines.count + line.count > Self.maximumBytes {
                state.dropped += 1
            } else {
                state.lines += line
            }
        }
    }

    /// Writes what is left, and ends. A reader of standard output that has stopped is given a second.
    func end() {
        state.change { $0.isEnding = true }
        for _ in 0..<50 where !state.change({ $0.hasEnded }) { Process.sleep(milliseconds: 20) }
    }
}
