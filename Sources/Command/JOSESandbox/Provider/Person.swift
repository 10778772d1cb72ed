/// Somebody to log in as. None of them exists.
package struct Person: Sendable {
    package let id: String
    package let givenName: String
    package let familyName: String
    package let gender: String
    package let birthdate: String
    /// The highest level that this person can show.
    package let isHigh: Bool
    /// What makes the numbers below: two digits.
    let number: String

    package var name: String { givenName + " " + familyName }
    var email: String { id + "@person.test" }
    var phone: String { "+32 4220100" + number }

    /// Eleven digits; the last two are 97 less the rest of the first nine by 97.
    var belgianNumber: String {
        let body = "850730" + "0" + number
        let check = 97 - (Int(body) ?? 0) % 97
        return body + (check < 10 ? "0" : "") + String(check)
    }

    /// Twelve digits; the last two are the first ten by 97, and 97 for 0.
    var belgianCard: String {
        let body = "59112345" + number
        let rest = (Int(body) ?? 0) % 97
        let check = rest == 0 ? 97 : rest
        return body + (check < 10 ? "0" : "") + String(check)
    }

    /// Nine digits by the eleven-test: weights 9 to 2, and -1 of the last.
    var dutchNumber: String {
        for filler in 0...9 {
            let body = "99900\(filler)" + number
            let sum = zip(body.utf8, [9, 8, 7, 6, 5, 4, 3, 2]).reduce(0) { $0 + (Int($1.0) - 48) * $1.1 }
            if sum % 11 < 10 { return body + String(sum % 11) }
        }
        return ""
    }

    var danishNumber: String { "30078599" + number }
    var uuid: String { "00000000-0000-4000-8000-0000000000" + number }

    package static let all = [
        Person(
            id: "anna", givenName: "Anna", familyName: "Peeters", gender: "female", birthdate: "1985-07-30",
            isHigh: true, number: "33"),
        Person(
            id: "bo", givenName: "Bo", familyName: "O'Hara <b>", gender: "male", birthdate: "1999-12-31",
            isHigh: true, number: "47"),
        Person(
            id: "low", givenName: "Low", familyName: "Level", gender: "female", birthdate: "2000-02-29",
            isHigh: false, number: "58"),
    ]
}
