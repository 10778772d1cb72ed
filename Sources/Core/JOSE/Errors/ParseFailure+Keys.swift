internal import JOSESupport

extension JOSEError {
    /// Creates the error for a JSON fault in a text that keys are read from, and names what the text is instead of JSON
    /// where its beginning shows that.
    init(_ fault: JSONFault, in part: ParseFailure.Part, of text: Span<UInt8>) {
        self.init(fault, in: part)
        guard case .malformed(let failure) = self, failure.reason == .json else { return }
        if let reason = ParseFailure.Reason(beginningOf: text) { self = .malformed(ParseFailure(part, reason)) }
    }
}

extension ParseFailure.Reason {
    /// The reason that the first bytes of a text show, which is not JSON; nil where they show none.
    init?(beginningOf text: Span<UInt8>) {
        if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
            self = .byteOrderMark
            return
        }
        var index = 0
        while index < text.count, text[index].isWhiteSpace { index += 1 }
        guard index < text.count, text[index] == UInt8(ascii: "<") else { return nil }
        self = .markup
    }
}

extension JSONObject {
    /// Whether each member is a PEM text, as in the documents of certificates by name that some providers publish
    /// beside their JWK Set.
    func isMapOfPEM(in text: Span<UInt8>) -> Bool {
        !members.isEmpty
            && members.allSatisfy { member in
                member.value.stringBytes(in: text)?.starts(with: PEMText.begin.utf8) ?? false
            }
    }
}

extension ParseFailure {
    /// Creates the failure of a part that is not PEM, with what the text is instead where that is evident.
    package init(_ part: Part, pem text: Span<UInt8>) {
        self.init(part, Reason(beginningOf: text) ?? PEMText.fault(of: text))
    }
}
