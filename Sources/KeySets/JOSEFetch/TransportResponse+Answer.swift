#if HTTP
    internal import CJOSEFetch
    package import JOSEKeySets

    extension TransportResponse {
        /// Copies the response of the C library.
        @unsafe static func result(of answer: cjose_fetch_answer) -> CurlTransport.Answer {
            if let error = TransportError(unsafe answer.status) { return .failure(error) }
            let lines = unsafe UnsafeRawBufferPointer(start: answer.headers, count: answer.headers_len)
            guard let fields = TransportHeaderField.fields(unsafe [UInt8](lines)), unsafe answer.code >= 100 else {
                return .failure(.responseInvalid)
            }
            let body = unsafe UnsafeRawBufferPointer(start: answer.body, count: answer.body_len)
            return .success(
                TransportResponse(status: Int(unsafe answer.code), headers: fields, body: unsafe [UInt8](body)))
        }
    }

    extension TransportHeaderField {
        /// Returns the header fields, or nil if a line is not a field (RFC 9112, 5). A folded line is joined with one
        /// space (RFC 9112, 5.2).
        package static func fields(_ lines: [UInt8]) -> [TransportHeaderField]? {
            var fields: [TransportHeaderField] = []
            for line in lines.split(separator: 0x0A) {
                if isBlank(line[line.startIndex]) {
                    guard var last = fields.popLast() else { return nil }
                    last.value += " " + String(decoding: trimmed(line), as: UTF8.self)
                    fields.append(last)
                    continue
                }
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HTTPToken.isToken(line[..<colon]) else {
                    return nil
                }
                fields.append(
                    TransportHeaderField(
                        String(decoding: line[..<colon], as: UTF8.self),
                        String(decoding: trimmed(line[(colon + 1)...]), as: UTF8.self)))
            }
            return fields
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            var line = line.drop(while: isBlank)
            while let last = line.last, isBlank(last) { line.removeLast() }
            return line
        }
    }
#endif
