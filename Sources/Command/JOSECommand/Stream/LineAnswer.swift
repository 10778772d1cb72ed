import JOSE
import JOSESupport
import JOSETokens

/// Writes the answer to one line of a stream of tokens.
struct LineAnswer: Sendable {
    /// The first member of an answer in JSON.
    enum Name {
        case line(Int)
        /// The JSON text of a row's id, or nil if the row has no valid id: the id of the answer is then null.
        case id(ArraySlice<UInt8>?)
    }
    let mode: OutputMode
    /// Whether answers in JSON contain payloads.
    let showsPayloads: Bool
    /// Whether payloads are JSON.
    let givesClaims: Bool

    /// Appends the answer to a valid token.
    ///
    /// - Returns: False if the payload was to be written and has a line feed. An empty line is then its answer.
    @discardableResult
    func valid(_ payload: [UInt8], _ name: Name, to output: inout [UInt8]) -> Bool {
        switch mode {
        case .none: return true
        case .payload: return self.line(payload, to: &output)
        case .json:
            begin(name, to: &output)
            output.append(contentsOf: #""valid""#.utf8)
            if showsPayloads { append(payload, isRow: name.isRow, to: &output) }
            output.append(contentsOf: "}\n".utf8)
            return true
        }
    }

    /// Appends the answer to a token that is not valid.
    ///
    /// - Parameter keys: The unusable keys that the token may have needed, which an answer in JSON names.
    func failed(_ fault: Fault, _ name: Name, unusable keys: [UnusableKey] = [], to output: inout [UInt8]) {
        switch mode {
        case .none: break
        case .payload: output.append(0x0A)
        case .json:
            begin(name, to: &output)
            output.append(contentsOf: "\"\(fault.result)\",\"error\":\"\(fault.code)\"".utf8)
            if !keys.isEmpty {
                var writer = JSONWriter()
                ClaimValue.list(of: keys).write(to: &writer)
                output.append(contentsOf: #","unusable":"#.utf8)
                output.append(contentsOf: writer.bytes)
            }
            output.append(contentsOf: "}\n".utf8)
        }
    }

    private func begin(_ name: Name, to output: inout [UInt8]) {
        switch name {
        case .line(let number): output.append(contentsOf: "{\"n\":\(number)".utf8)
        case .id(let text):
            output.append(contentsOf: #"{"id":"#.utf8)
            if let text { output.append(contentsOf: text) } else { output.append(contentsOf: "null".utf8) }
        }
        output.append(contentsOf: #","result":"#.utf8)
    }

    private func append(_ payload: [UInt8], isRow: Bool, to output: inout [UInt8]) {
        if givesClaims {
            output.append(contentsOf: #","claims":"#.utf8)
            appendOneLine(payload, to: &output)
        } else if isRow, isUTF8(payload.span) {
            output.append(contentsOf: #","payload":"#.utf8)
            var writer = JSONWriter()
            writer.string(payload.span)
            output.append(contentsOf: writer.bytes)
        } else {
            output.append(contentsOf: #","payload_b64url":""#.utf8)
            Base64URL.append(payload.span, to: &output)
            output.append(UInt8(ascii: "\""))
        }
    }

    private func line(_ payload: [UInt8], to output: inout [UInt8]) -> Bool {
        defer { output.append(0x0A) }
        guard givesClaims || !payload.contains(0x0A) else { return false }
        appendOneLine(payload, to: &output)
        return true
    }

    /// Appends a payload in one line. In verified JSON text a line feed can only be white space, and becomes a space.
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

extension LineAnswer.Name {
    fileprivate var isRow: Bool {
        if case .id = self { true } else { false }
    }
}
