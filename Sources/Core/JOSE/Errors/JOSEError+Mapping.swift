package import JOSECrypto
package import JOSESupport

extension JOSEError {
    /// Creates the error for a JSON fault in `part`: an exceeded bound is `limitExceeded`, every other fault is
    /// `malformed`.
    package init(_ fault: JSONFault, in part: ParseFailure.Part) {
        switch fault.reason {
        case .tooDeep: self = .limitExceeded(.jsonDepth)
        case .tooManyMembers: self = .limitExceeded(.objectMembers)
        case .duplicateName: self = .malformed(ParseFailure(part, .duplicateName, at: fault.offset))
        default: self = .malformed(ParseFailure(part, .json, at: fault.offset))
        }
    }

    /// Creates the error for a fault of the cryptographic layer while a key is read.
    package init(importing fault: CryptoError) {
        switch fault {
        case .keyTooSmall: self = .keyUnsuitable(.tooSmall)
        case .needsPassphrase: self = .keyInvalid(.passphrase)
        case .unsupported: self = .keyInvalid(.unsupportedKind)
        case .backend: self = .backend
        case .invalid, .keyInvalid: self = .keyInvalid(.numbers)
        }
    }

    /// Creates the error for a fault of the cryptographic layer while a signature is verified.
    package init(verifying fault: CryptoError) {
        switch fault {
        case .backend: self = .backend
        case .keyInvalid, .keyTooSmall, .unsupported, .needsPassphrase: self = .keyUnsuitable(.kind)
        case .invalid: self = .signatureInvalid
        }
    }
}

/// Returns the result of a step that reads a key.
@inline(__always)
package func importing<Value: ~Copyable>(
    _ step: @autoclosure () throws(CryptoError) -> Value
) throws(JOSEError) -> Value {
    do throws(CryptoError) { return try step() } catch { throw JOSEError(importing: error) }
}

/// Returns the result of a step in which any error is a failure of the cryptographic library, such as one for lack of
/// memory.
@inline(__always)
package func calling<Value>(_ step: @autoclosure () throws(CryptoError) -> Value) throws(JOSEError) -> Value {
    do throws(CryptoError) { return try step() } catch { throw .backend }
}
