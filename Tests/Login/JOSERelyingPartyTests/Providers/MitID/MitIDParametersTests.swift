import Foundation
import JOSEMitID
import JOSERelyingParty
import Testing

@Suite("MitID: idp_params") struct MitIDParametersTests {
    private static let example =
        "%7B%22mitid%22%3A%20%7B%22enable_app_switch%22%3A%20true%2C%20%22app_switch_os%22%3A%20%22ios%22%2C%20"
        + "%22app_switch_url%22%3A%20%22https%3A%2F%2Fyour.appswitch.url%2F%22%7D%7D"

    private func read(_ text: String) throws -> MitIDParameters { try MitIDParameters(parsing: Array(text.utf8)) }

    private func refusal(_ text: String) -> RelyingPartyError.Reason? {
        do throws(RelyingPartyError) {
            _ = try MitIDParameters(parsing: Array(text.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("MitID case 1: the broker's own example of idp_params is written as it is read")
    func example() throws {
        let decoded = try #require(Self.example.removingPercentEncoding)
        let read = try read(decoded)
        #expect(read.appSwitch == MitIDParameters.AppSwitch(.iOS, url: "https://your.appswitch.url/"))
        var written = MitIDParameters()
        written.appSwitch = .init(.iOS, url: "https://your.appswitch.url/")
        #expect(read == written)
        let sent = written.percentEncoded
        #expect(
            sent.utf8.allSatisfy {
                "ABCDEFabcdefghijklmnopqrstuvwxyz0123456789GHIJKLMNOPQRSTUVWXYZ-._~%".utf8.contains($0)
            })
        let back = try #require(sent.removingPercentEncoding)
        #expect(try self.read(back) == read)
        #expect(
            try JSONSerialization.jsonObject(with: Data(back.utf8)) as? NSDictionary
                == JSONSerialization.jsonObject(with: Data(decoded.utf8)) as? NSDictionary)
    }

    @Test("MitID case 2, MitID case 3: the app switch has three members, each with its own type and spelling")
    func appSwitch() throws {
        let os = #""app_switch_os":"ios""#
        let url = #""app_switch_url":"https://a.test/""#
        #expect(refusal(#"{"mitid":{"enable_app_switch":true,\#(os),\#(url)}}"#) == nil)
        #expect(refusal(#"{"mitid":{"enable_app_switch":true,\#(os)}}"#) == .invalidParameter("app_switch_url"))
        #expect(refusal(#"{"mitid":{"enable_app_switch":true,\#(url)}}"#) == .invalidParameter("app_switch_os"))
        #expect(
            refusal(#"{"mitid":{"enable_app_switch":"true",\#(os),\#(url)}}"#)
                == .invalidParameter("enable_app_switch"))
        for other in ["iOS", "IOS", "Android", "", "windows"] {
            #expect(
                refusal(#"{"mitid":{"enable_app_switch":true,"app_switch_os":"\#(other)",\#(url)}}"#)
                    == .invalidParameter("app_switch_os"))
        }
        #expect(try read(#"{"mitid":{"enable_app_switch":false}}"#).appSwitch == nil)
    }

    @Test("every member of idp_params survives a round trip") func all() throws {
        var parameters = MitIDParameters()
        parameters.appSwitch = .init(.android, url: "https://a.test/\u{E6}?a=\"b\"")
        parameters.referenceText = "K\u{F8}b af b\u{E5}d"
        parameters.level = .high
        parameters.authenticatorLevel = .low
        parameters.stepsUp = true
        parameters.uuidHint = "0b9c6e2e-6d9b-4a3e-8d8c-5a2f3a8b1c4d"
        parameters.cprHint = CPRNumber("010190-1234")
        parameters.requiresPSD2 = true
        parameters.action = .sign
        parameters.transactionText = .init(Array("<p>1 kr</p>".utf8), type: "html")
        #expect(try MitIDParameters(parsing: parameters.json) == parameters)
        #expect(String(decoding: parameters.json, as: UTF8.self).contains(#""cpr_hint":"0101901234""#))
    }

    @Test("idp_params as a JSON string that contains the object is read, one level deep only")
    func textForm() throws {
        let object = #"{"mitid":{"loa_value":"low"}}"#
        func quoted(_ text: String) throws -> String {
            String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        }
        #expect(try read(quoted(object)) == read(object))
        #expect(refusal(try quoted(quoted(object))) == .invalidParameter("idp_params"))
        for other in [#""""#, "\"", "[]", "{}", #"{"mitid":[]}"#, "", object + object, #""{}" "{}""#] {
            #expect(refusal(other) == .invalidParameter("idp_params"), "\(other)")
        }
    }

    @Test("rejects a member of another type or value with its name") func types() {
        for (name, value) in [
            ("loa_value", #""Low""#), ("loa_value", "1"), ("aal_value", #""medium""#), ("enable_step_up", #""true""#),
            ("require_psd2", "1"), ("uuid_hint", "7"), ("cpr_hint", #""123""#), ("cpr_hint", #""010190123x""#),
            ("action_text", #""log_on""#), ("reference_text", #""not base64!""#), ("reference_text", #""_w==""#),
            ("transaction_text", #""x""#),
        ] {
            #expect(refusal(#"{"mitid":{"\#(name)":\#(value)}}"#) == .invalidParameter(ParameterName(name)), "\(name)")
        }
        #expect(
            refusal(#"{"mitid":{"transaction_text":"YQ=="}}"#) == .invalidParameter("transaction_text_type"))
        #expect(refusal(#"{"mitid":{"some_day":{"new":1}}}"#) == nil)
    }

    @Test("no description contains a civil registration number") func secrecy() throws {
        var parameters = MitIDParameters()
        let cpr = try #require(CPRNumber("0101901234"))
        parameters.cprHint = cpr
        for text in [
            "\(cpr)", String(reflecting: cpr), String(describing: [cpr]), "\(parameters)",
            String(reflecting: parameters), String(describing: Optional(parameters)),
        ] {
            #expect(!text.contains("0101"), "\(text)")
        }
        var dumped = ""
        dump(parameters, to: &dumped)
        dump(cpr, to: &dumped)
        #expect(!dumped.contains("0101"))
        #expect(CPRNumber("010190-1234") == cpr)
        #expect(CPRNumber("0101901-234") == nil && CPRNumber("010190123") == nil && CPRNumber("") == nil)
    }
}
