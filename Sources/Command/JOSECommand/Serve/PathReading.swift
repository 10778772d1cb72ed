/// A way in which services read a path differently from the bytes that the client sent.
///
/// The normal form of a path is the result of all readings of the table together. It is made segment by segment, and
/// two paths that any services take for equal, by any of these readings in any order, have equal normal forms. Readings
/// only make more paths equal. So a path is under the same policy in every reading if it is under the same policy as it
/// was sent and in its normal form.
struct PathReading: Sendable {
    enum Effect: Sendable, Equatable {
        /// The characters are removed.
        case removes
        /// The characters are removed at the end of a segment.
        case removesAtEnd
        /// The characters and what follows them in the segment are removed.
        case endsSegment
        /// The characters separate segments.
        case separates
        /// A segment without characters is removed.
        case removesEmptySegments
        /// Upper and lower case are equal.
        case folds
        /// Compatible characters are equal.
        case replaces
        /// A segment of dots selects another folder. Such a path has no normal form: it is ambiguous, whatever the
        /// policies are.
        case climbs
        /// The path is decoded once more. Such a path has no normal form either.
        case decodes
        /// Characters that need no percent-encoding, and are percent-encoded, stay so.
        case keepsEncoded
    }

    /// The name in the article on gateways.
    let name: String
    let effect: Effect
    /// The ASCII characters that the reading is about.
    let characters: String
    /// A path that is read as `/admin`, or is below it, by this reading, and is another one as it was sent.
    let example: String

    static let table: [PathReading] = [
        Self("upper and lower case", .folds, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "/ADMIN"),
        Self("compatible characters", .replaces, "", "/%EF%BD%81dmin"),
        Self("blanks and plus signs", .removes, " +", "/admin%20"),
        Self("trailing dots", .removesAtEnd, ".", "/admin."),
        Self("path parameters", .endsSegment, ";", "/admin;v=1"),
        Self("compatible question marks and number signs", .endsSegment, "?#", "/admin%EF%BC%9Fx"),
        Self("compatible slashes and backslashes", .separates, "/\\", "/admin%EF%BC%8Fx"),
        Self("repeated slashes", .removesEmptySegments, "", "/%20/admin"),
        Self("dot segments", .climbs, ".", "/x/.%20./admin"),
        Self("a second decoding", .decodes, "%", "/%25%2061dmin"),
        Self("no decoding", .keepsEncoded, "", "/%61dmin"),
    ]

    private init(_ name: String, _ effect: Effect, _ characters: String, _ example: String) {
        self.name = name
        self.effect = effect
        self.characters = characters
        self.example = example
    }

    /// The effect on each ASCII character; nil for one that stays. A character that several readings are about has the
    /// effect of the first of them, and the others are found when the segment ends.
    static let effects: [Effect?] = {
        var effects = [Effect?](repeating: nil, count: 128)
        for reading in table {
            for byte in reading.characters.utf8 where effects[Int(byte)] == nil { effects[Int(byte)] = reading.effect }
        }
        return effects
    }()
}
