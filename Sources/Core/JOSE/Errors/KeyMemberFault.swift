internal import JOSESupport

/// The reason why a member of a JWK cannot be used; `KeyFault.member` names the member.
package enum KeyMemberFault: Equatable, Sendable {
    /// A type of JSON values (RFC 8259, 3).
    package enum ValueType: Equatable, Sendable {
        /// The type of a JSON value.
        case string, number, object, array, boolean, null
    }

    /// The member is absent or null, and this kind of key requires it.
    case missing
    /// The value has another JSON type than the member requires.
    case type(found: ValueType, required: ValueType)
    /// An element of the list has another JSON type than a string.
    case elementType(found: ValueType)
    /// The value is base64url with padding, which RFC 7515, 2 excludes.
    case padding
    /// The value has white space or a line break in its base64url.
    case whiteSpace
    /// The value is base64, with `+` or `/`, and not base64url.
    case base64
    /// The value is not canonical base64url in another way: another character, or bits after the last octet that are
    /// not zero (RFC 4648, 3.5).
    case base64URL
    /// The value is empty.
    case empty
    /// The number begins with a zero octet, and must have the fewest octets (RFC 7518, 2).
    case leadingZero
    /// The value has another number of octets than the kind of key requires.
    case length(Int, required: Int)
    /// The value has more octets than the kind of key allows.
    case tooLong(Int, maximum: Int)
    /// `n` has more than 8192 bits, or `e` is even or not between 3 and 2^33.
    case outOfBounds
    /// The value is a registered one, given here, in another letter case.
    case letterCase(String)
    /// The library does not support the value.
    case unsupported
    /// `x5c` is not a list of certificates in base64, each followed by that of its issuer (RFC 7517, 4.7).
    case certificates
    /// The first certificate of `x5c` is one of another key.
    case otherKey
    /// The thumbprint is not that of the first certificate of `x5c`.
    case otherCertificate
}

extension KeyMemberFault {
    /// Creates the reason why a public text is not canonical base64url.
    init(notBase64URL text: Span<UInt8>) {
        var (hasSpace, hasSlash, hasOther) = (false, false, false)
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        for index in 0..<end {
            switch text[index] {
            case 0x20, 0x09, 0x0A, 0x0D: hasSpace = true
            case UInt8(ascii: "+"), UInt8(ascii: "/"): hasSlash = true
            case UInt8(ascii: "-"), UInt8(ascii: "_"): break
            case let byte: hasOther = hasOther || !byte.isASCIIAlphanumeric
            }
        }
        if hasOther {
            self = .base64URL
        } else if hasSpace {
            self = .whiteSpace
        } else if hasSlash {
            self = .base64
        } else {
            self = end < text.count ? .padding : .base64URL
        }
    }

    /// Creates the reason why a secret text is not canonical base64url. Its characters are not examined, except for
    /// padding at its end.
    init(notSecretBase64URL text: Span<UInt8>) {
        self = text.count > 0 && text[text.count - 1] == UInt8(ascii: "=") ? .padding : .base64URL
    }

    /// Creates the fault of a value of another type.
    init(_ value: JSONValue, required: ValueType) {
        self = .type(found: ValueType(value.kind), required: required)
    }

    /// Returns what `row` selects of the row of this fault of a member.
    func row(_ row: ErrorRow, of member: String) -> ErrorRow.Cell {
        switch self {
        case .missing: row("\(member) is missing", remedy: "write the key with all members of its kind")
        case .type(let found, let required):
            row(
                "\(member) is \(found.text), and \(required.text) is required",
                remedy: "write \(member) as the RFC of this kind of key specifies")
        case .elementType(let found):
            row(
                "\(member) has an element that is \(found.text), and strings are required",
                remedy: "write \(member) as the RFC of this kind of key specifies")
        case .padding:
            row(
                "\(member) has padding (=), which its base64url must not have",
                remedy: "encode \(member) with the URL-safe alphabet, without padding")
        case .whiteSpace:
            row(
                "\(member) has white space or a line break in its base64url",
                remedy: "encode \(member) with the URL-safe alphabet, without padding")
        case .base64:
            row(
                "\(member) is base64 with + or /, and base64url is required",
                remedy: "encode \(member) with the URL-safe alphabet, without padding")
        case .base64URL:
            row(
                "\(member) is not canonical base64url",
                remedy: "encode \(member) with the URL-safe alphabet, without padding")
        case .empty: row("\(member) is empty", remedy: "write \(member) as the RFC of this kind of key specifies")
        case .leadingZero:
            row(
                "\(member) begins with a zero octet",
                remedy: "write \(member) as an unsigned number, without zero octets before it (RFC 7518, 2)")
        case .length(let found, let required):
            row(
                "\(member) has \(Self.octets(found)), \(required) \(required == 1 ? "is" : "are") required",
                remedy: "write \(member) as the RFC of this kind of key specifies")
        case .tooLong(let found, let maximum):
            row(
                "\(member) has \(Self.octets(found)), at most \(maximum) are allowed",
                remedy: "write \(member) as the RFC of this kind of key specifies")
        case .outOfBounds:
            row(
                member == "e" ? "e is even, or not between 3 and 2^33" : "\(member) has more than 8192 bits",
                remedy: "generate a key within these bounds")
        case .letterCase(let registered): row("\(member) must be written \(registered)", remedy: "write \(registered)")
        case .unsupported:
            row("\(member) has a value that is not supported", remedy: "use a key of a supported kind and curve")
        case .certificates:
            row(
                "\(member) is not a list of certificates in base64, each followed by that of its issuer",
                remedy: "give the key the certificates that were issued for it, that of the key first, or none")
        case .otherKey:
            row(
                "the first certificate of \(member) is one of another key",
                remedy: "give the key the certificates that were issued for it, that of the key first, or none")
        case .otherCertificate:
            row(
                "\(member) is not the thumbprint of the first certificate of x5c",
                remedy: "give the key the certificates that were issued for it, that of the key first, or none")
        }
    }

    private static func octets(_ count: Int) -> String { count == 1 ? "1 octet" : "\(count) octets" }
}

extension KeyMemberFault.ValueType {
    init(_ kind: JSONKind) {
        switch kind {
        case .string: self = .string
        case .number: self = .number
        case .object: self = .object
        case .array: self = .array
        case .true, .false: self = .boolean
        case .null: self = .null
        }
    }

    fileprivate var text: String {
        switch self {
        case .string: "a string"
        case .number: "a number"
        case .object: "an object"
        case .array: "an array"
        case .boolean: "true or false"
        case .null: "null"
        }
    }
}
