import JOSEBytes
import JOSETokens

/// What is written for one line of a stream of tokens.
struct LineAnswer: Sendable {
    let mode: OutputMode
    let showsClaims: Bool
    /// Whether payloads are JSON.
    let givesClaims: Bool

    /// False where the payload cannot stand in one line; the line is then empty.
    @discardableResult
    func valid(_ payload: [UInt8], line: Int, to output: inout [UInt8]) -> Bool {
        switch mode {
        case .none: return true
        case .payload: return self.line(payload, to: &output)
        case .json:
            begin(line, to: &output)
            output.append(contentsOf: #""valid""#.utf8)
            if showsClaims {
                output.append(contentsOf: (givesClaims ? #","claims":"# : #","payload_b64url":""#).utf8)
                if givesClaims {
                    appendOneLine(payload, to: &output)
                } else {
                    Base64URL.append(payload.span, to: &output)
                    output.append(UInt8(ascii: "\""))
                }
            }
            output.append(contentsOf: "}\n".utf8)
            return true
        }
    }

    func invalid(_ error: ErrorWord, line: Int, to output: inout [UInt8]) {
        switch mode {
        case .none: break
        case .payload: output.append(0x0A)
        case .json:
            begin(line, to: &output)
            output.append(contentsOf: #""invalid","error":""#.utf8)
            output.append(contentsOf: error.rawValue.utf8)
            output.append(contentsOf: "\"}\n".utf8)
        }
    }

    private func begin(_ line: Int, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"n":"#.utf8)
        output.append(contentsOf: String(line).utf8)
        output.append(contentsOf: #","result":"#.utf8)
    }

    private func line(_ payload: [UInt8], to output: inout [UInt8]) -> Bool {
        defer { output.append(0x0A) }
        guard givesClaims || !payload.contains(0x0A) else { return false }
        appendOneLine(payload, to: &output)
        return true
    }

    /// In verified JSON text a line feed can only be white space.
    private func appendOneLine(_ payload: [UInt8], to output: inout [UInt8]) {
        guard givesClaims, payload.contains(0x0A) || payload.contains(0x0D) else {
            output.append(contentsOf: payload)
            return
        }
        var end = payload.count
        while end > 0, payload[end - 1] == 0x0A || payload[end - 1] == 0x0D { end -= 1 }
        output.append(contentsOf: payload[..<end].lazy.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
    }
}
