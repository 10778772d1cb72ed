internal import JOSE
internal import JOSERelyingParty

/// The number of a person or a card, with the result of checking its form and its check digits. The description does
/// not contain the number.
public struct ItsmeNumber: Sendable, Equatable {
    /// The number, byte for byte as itsme returned it.
    public let value: String
    /// Whether the number has its documented form and valid check digits. Only the form is checked for the cards of EU
    /// citizens, whose check digits are not documented.
    public let isValid: Bool

    /// Checks the number of a card (`BEeidSn`): `xxx-xxxxxxx-yy`, where the last two digits are the first ten modulo
    /// 97, with 97 in place of 0; the cards of EU citizens have `B xxxxxxx xx`. Hyphens and spaces between the groups
    /// may be missing.
    init(belgianCard text: String) {
        value = text
        let groups = text.utf8.split(omittingEmptySubsequences: false) { [UInt8(ascii: "-"), 0x20].contains($0) }
        let compact = groups.flatMap { $0 }
        isValid =
            switch groups.map(\.count) {
            case [12], [3, 7, 2]: Self.isCard(compact)
            case [10], [1, 7, 2]: compact.first == UInt8(ascii: "B") && compact.dropFirst().allSatisfy(Self.isDigit)
            default: false
            }
    }

    /// Checks a national number (`BENationalNumber`): eleven digits, also written `YY.MM.DD-xxx.cd`. The last two are
    /// 97 minus the remainder of the first nine modulo 97; for births since 2000, a 2 is put before the nine digits.
    init(belgianNational text: String) {
        value = text
        let groups = text.utf8.split(omittingEmptySubsequences: false) { ".-".utf8.contains($0) }
        let separators = text.utf8.filter { ".-".utf8.contains($0) }
        let isForm =
            groups.count == 1 || (groups.map(\.count) == [2, 2, 2, 3, 2] && separators.elementsEqual("..-.".utf8))
        guard isForm, let number = Self.number(groups.flatMap { $0 }, digits: 11) else {
            isValid = false
            return
        }
        let body = number / 100
        isValid = [body, 2_000_000_000 + body].contains { 97 - $0 % 97 == number % 100 }
    }

    private static func isCard(_ text: [UInt8]) -> Bool {
        guard let number = number(text, digits: 12) else { return false }
        let remainder = number / 100 % 97
        return number % 100 == (remainder == 0 ? 97 : remainder)
    }

    private static func number(_ text: [UInt8], digits: Int) -> Int64? {
        guard text.count == digits, text.allSatisfy(isDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension ItsmeNumber: Redacted {}
