import JOSE
import JOSESupport
import JOSETokens

/// One line of the driver's output.
struct CheckAnswer {
    enum Result: Sendable {
        case valid([UInt8])
        /// The token was rejected, or its verification could not be completed.
        case failed(Fault)
        /// The request names an algorithm or a key type that is registered and not built into this command.
        case unsupported
    }
    /// JSON text of the request's `n`.
    let n: [UInt8]
    let result: Result

    init(n: [UInt8], _ result: Result) {
        self.n = n
        self.result = result
    }

    /// Answers one line of input. A line that is not a request is answered as malformed.
    init(request line: Span<UInt8>, _ unknown: UnknownOptions, _ plans: CheckPlans) {
        guard let object = try? JSONObject(parsing: line, limits: JSONLimits(depth: 64, members: 1_000)) else {
            self.init(n: RequestNumber.find(in: line), .failed(.malformed))
            return
        }
        let n = object.first("n", in: line)?.slice(in: line) ?? RequestNumber.none
        do throws(CheckFailure) {
            self.init(n: n, try CheckRequest(object, in: line, unknown, plans).answer())
        } catch {
            self.init(n: n, error.result)
        }
    }

    func write(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"n":"#.utf8)
        output.append(contentsOf: n)
        switch result {
        case .valid(let payload):
            output.append(contentsOf: #","result":"valid","payload_b64url":""#.utf8)
            Base64URL.append(payload.span, to: &output)
            output.append(contentsOf: "\"}\n".utf8)
        case .failed(let fault):
            output.append(contentsOf: ",\"result\":\"\(fault.result)\",\"error\":\"\(fault.code)\"}\n".utf8)
        case .unsupported:
            output.append(contentsOf: ",\"result\":\"unsupported\"}\n".utf8)
        }
    }
}

/// The reason why a request has no token to verify.
struct CheckFailure: Error {
    let result: CheckAnswer.Result

    static let malformed = CheckFailure(result: .failed(.malformed))
    static func key(_ error: JOSEError) -> Self { Self(result: .failed(Fault(.jose(error, layer: .signature)))) }
}
