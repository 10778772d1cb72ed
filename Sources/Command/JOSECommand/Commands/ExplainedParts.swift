import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

/// Explains each signature or recipient of a token in the JSON serialization, verified as if it were the only one.
struct ExplainedParts {
    private let token: [UInt8]
    private let members: [JSONMember]
    private let check: TokenCheck

    /// Creates the explanation, or returns nil if the token is not a JSON object; the check of the whole token reports
    /// that.
    init?(_ token: [UInt8], limits: ParsingLimits, check: TokenCheck) {
        guard token.count <= limits.tokenBytes, let object = try? JSONObject(parsing: token.span) else { return nil }
        self.token = token
        members = object.members
        self.check = check
    }

    func text() -> String {
        let isEncrypted = members.first("ciphertext", in: token.span) != nil
        let name = isEncrypted ? "recipient" : "signature"
        guard let list = members.first(isEncrypted ? "recipients" : "signatures", in: token.span)?.array(in: token.span)
        else { return entry("the \(name)", members) }
        var text = ""
        for (index, value) in list.enumerated() {
            text += entry("\(name) \(index + 1)", value.object(in: token.span) ?? [])
        }
        return text
    }

    private func entry(_ title: String, _ own: [JSONMember]) -> String {
        var text = title + "\n"
        if let protected = own.first("protected", in: token.span) ?? members.first("protected", in: token.span),
            let encoded = protected.stringBytes(in: token.span), let json = Base64URL.decode(encoded.span)
        {
            text += "  protected, unverified: \(ExplainRun.line(ofJSON: json))\n"
        }
        for (name, value) in [
            ("unprotected", members.first("unprotected", in: token.span)),
            ("header", own.first("header", in: token.span)),
        ] {
            if let value { text += "  \(name), unprotected: \(ExplainRun.line(ofJSON: value.slice(in: token.span)))\n" }
        }
        let alone = flattened(own)
        do throws(TokenError) {
            _ = try check.run(alone.span)
            return text + "  ok    valid\n"
        } catch {
            return text + "  FAIL  \(Output.printable("\(error)"))\n"
        }
    }

    /// Returns the token with this one entry, as flattened JSON serialization.
    private func flattened(_ own: [JSONMember]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        let lists: [StaticString] = ["signatures", "recipients"]
        for member in members where !lists.contains(where: { member.nameEquals($0, in: token.span) }) {
            write(member, &writer)
        }
        if members.contains(where: { member in lists.contains { member.nameEquals($0, in: token.span) } }) {
            for member in own { write(member, &writer) }
        }
        writer.endObject()
        return writer.bytes
    }

    private func write(_ member: JSONMember, _ writer: inout JSONWriter) {
        let value = member.value.slice(in: token.span)
        writer.name(member.name(in: token.span))
        writer.raw(value.span)
    }
}

/// Describes the disclosures of an SD-JWT, unverified.
enum ExplainedDisclosures {
    static func text(_ token: SDJWT, showsClaims: Bool) -> String {
        var text = ""
        for disclosure in token.disclosures {
            let name = disclosure.name.map { "claim " + Output.printable($0) } ?? "an array element"
            text += "disclosed, unverified: " + name
            text += showsClaims ? " \(ExplainRun.line(ofJSON: disclosure.json))\n" : "\n"
        }
        text += token.disclosures.isEmpty ? "no disclosures\n" : ""
        return text + (token.isBound ? "with key binding\n" : "without key binding\n")
    }
}
