internal import JOSE

/// A person to log in as. All of them are fictitious.
package struct Person: Sendable {
    package let id: String
    package let givenName: String
    package let familyName: String
    package let gender: String
    package let birthdate: String
    /// Whether the person can show the highest level.
    package let isHigh: Bool
    /// The tenant of the person's account at a provider with many tenants.
    let tenant: String
    /// The two digits from which the numbers below are made.
    let number: String

    package var name: String { givenName + " " + familyName }
    var email: String { id + "@person.test" }
    var phone: String { "+32 4220100" + number }

    /// The Belgian national number: eleven digits, of which the last two are 97 minus the first nine modulo 97.
    var belgianNumber: String {
        let body = "850730" + "0" + number
        let check = 97 - (Int(body) ?? 0) % 97
        return body + (check < 10 ? "0" : "") + String(check)
    }

    /// The number of the Belgian identity card: twelve digits, of which the last two are the first ten modulo 97, or 97
    /// for 0.
    var belgianCard: String {
        let body = "59112345" + number
        let remainder = (Int(body) ?? 0) % 97
        let check = remainder == 0 ? 97 : remainder
        return body + (check < 10 ? "0" : "") + String(check)
    }

    /// The Dutch citizen service number: nine digits whose sum, with the weights 9 to 2, and -1 for the last, is a
    /// multiple of 11 (elfproef).
    var dutchNumber: String {
        for filler in 0...9 {
            let body = "99900\(filler)" + number
            let sum = zip(body.utf8, [9, 8, 7, 6, 5, 4, 3, 2]).reduce(0) { $0 + (Int($1.0) - 48) * $1.1 }
            if sum % 11 < 10 { return body + String(sum % 11) }
        }
        return ""
    }

    /// Returns the age in years at a time, in seconds since 1970.
    func age(at now: Double) -> Int {
        let birth = birthdate.split(separator: "-").compactMap { Int($0) }
        let today = CivilDate(now)
        return today.year - birth[0] - ((today.month, today.day) < (birth[1], birth[2]) ? 1 : 0)
    }

    var danishNumber: String { "30078599" + number }
    var uuid: String { "00000000-0000-4000-8000-0000000000" + number }

    package static let all = [
        Person(
            id: "anna", givenName: "Anna", familyName: "Peeters", gender: "female", birthdate: "1985-07-30",
            isHigh: true, tenant: Tenants.first, number: "33"),
        Person(
            id: "bo", givenName: "Bo", familyName: "O'Hara <b>", gender: "male", birthdate: "1999-12-31",
            isHigh: true, tenant: Tenants.second, number: "47"),
        Person(
            id: "low", givenName: "Low", familyName: "Level", gender: "female", birthdate: "2000-02-29",
            isHigh: false, tenant: Tenants.personal, number: "58"),
    ]
}
