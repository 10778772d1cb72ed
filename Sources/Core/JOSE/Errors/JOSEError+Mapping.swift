package import JOSEBytes
package import JOSECrypto

extension JOSEError {
    /// What a JSON fault in `part` comes to: bounds are limits, all else is malformed.
    package init(_ fault: JSONFault, in part: ParseFailure.Part) {
        switch fault.reason {
        case .tooDeep: self = .limitExceeded(.jsonDepth)
        case .tooManyMembers: self = .limitExceeded(.objectMembers)
        case .duplicateName: self = .malformed(ParseFailure(part, .duplicateName, at: fault.offset))
        default: self = .malformed(ParseFailure(part, .json, at: fault.offset))
        }
    }

    /// What a fault below comes to where a key is read.
    package init(importing fault: CryptoError) {
        switch fault {
        case .keyTooSmall: self = .keyUnsuitable(.tooSmall)
        case .needsPassphrase: self = .keyInvalid(.passphrase)
        case .unsupported: self = .keyInvalid(.unsupportedKind)
        case .backend: self = .backend
        case .invalid, .keyInvalid: self = .keyInvalid(.numbers)
        }
    }

    /// What a fault below comes to where a signature is verified.
    package init(verifying fault: CryptoError) {
        switch fault {
        case .backend: self = .backend
        case .keyInvalid, .keyTooSmall, .unsupported, .needsPassphrase: self = .keyUnsuitable(.kind)
        case .invalid: self = .signatureInvalid
        }
    }
}
