import JOSE
import JOSESettings
import JOSESupport
import JOSETokens

/// One line of the driver's input.
struct CheckRequest {
    enum Operation: String {
        case jwsVerify = "jws-verify"
        case jweDecrypt = "jwe-decrypt"
        case jwtVerify = "jwt-verify"
        case nestedVerify = "nested-verify"
        case jwkParse = "jwk-parse"
    }
    let operation: Operation
    let token: [UInt8]
    let plan: CheckPlan
    var keys: CheckKeys { plan.keys }
    var options: CheckOptions { plan.options }

    init(
        _ request: JSONObject, in line: Span<UInt8>, _ unknown: UnknownOptions, _ plans: CheckPlans
    ) throws(CheckFailure) {
        guard let name = request.first("op", in: line)?.string(in: line), let operation = Operation(rawValue: name)
        else { throw .malformed }
        self.operation = operation
        guard let token = request.first("token", in: line)?.stringBytes(in: line) else { throw .malformed }
        self.token = token
        plan = try plans.plan(
            operation, keys: request.first("keys", in: line), options: request.first("options", in: line), in: line
        ) { () throws(CheckFailure) in
            let options = try Self.options(request, line, unknown)
            // A JWT is compact and carries its claims (RFC 7519, 1).
            if options.serializationIsJSON, operation == .jwtVerify || operation == .nestedVerify { throw .malformed }
            if options.detachedPayload != nil, operation != .jwsVerify { throw .malformed }
            return options
        }
    }

    private static func options(
        _ request: JSONObject, _ line: Span<UInt8>, _ unknown: UnknownOptions
    ) throws(CheckFailure) -> CheckOptions {
        guard let value = request.first("options", in: line), value.kind != .null else { return CheckOptions() }
        guard let members = value.object(in: line) else { throw .malformed }
        return try CheckOptions(members, in: line, unknown)
    }
}

/// The member `keys` of a request: a key set, or one key, which becomes a set of one. An unusable key is therefore
/// reported where the verification needs it.
struct CheckKeys {
    let set: KeySet
    /// Whether the set has a key of a type that is registered and not built into this command.
    let hasUnbuilt: Bool

    init(_ value: JSONValue?, in line: Span<UInt8>, limits: ParsingLimits) throws(CheckFailure) {
        guard let value, value.kind != .null else {
            set = .empty
            hasUnbuilt = false
            return
        }
        guard let members = value.object(in: line) else { throw .malformed }
        var text = value.slice(in: line)
        if members.first("keys", in: line) == nil {
            text = Array(#"{"keys":["#.utf8) + text + Array("]}".utf8)
        }
        defer { wipe(&text) }
        do throws(JOSEError) { set = try KeySet(parsing: text.span, limits: limits) } catch { throw .key(error) }
        hasUnbuilt = Self.lists(members, in: line).contains { Self.isUnbuilt($0, in: line) }
    }

    static func lists(_ members: [JSONMember], in line: Span<UInt8>) -> [[JSONMember]] {
        guard let keys = members.first("keys", in: line) else { return [members] }
        return keys.array(in: line)?.compactMap { $0.object(in: line) } ?? []
    }

    static func isUnbuilt(_ key: [JSONMember], in text: Span<UInt8>) -> Bool {
        let type = key.first("kty", in: text)?.string(in: text)
        return type.map(AlgorithmNames.unbuiltKeyTypes.contains) ?? false
    }
}
