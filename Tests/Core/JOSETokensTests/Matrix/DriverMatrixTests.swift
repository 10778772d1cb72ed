import TestSupport
import Testing

@testable import JOSETokens

/// Tests that a token has one answer, whatever way it is verified in and whatever is configured.
@Suite("One answer for a token, in every way to verify and with every option", .serialized) struct DriverMatrixTests {
    /// A part of the matrix: all tokens of a form, in all ways, under one setting.
    struct Part: Sendable, CustomTestStringConvertible {
        let setting: MatrixSetting
        let form: MatrixForm

        var testDescription: String { "\(setting), \(form.rawValue)" }

        static let all = MatrixSetting.allCases.flatMap { setting in
            MatrixForm.allCases.filter { setting.applies(to: $0) }.map { Part(setting: setting, form: $0) }
        }
    }

    @Test(
        "each hostile token of the table has a control of its form, and the table has many kinds of tokens and errors")
    func table() throws {
        let matrix = try TokenMatrix.shared.get()
        let rows = Dictionary(grouping: matrix.rows, by: \.name)
        #expect(rows.values.allSatisfy { $0.count == 1 }, "\(rows.filter { $0.value.count > 1 }.keys)")
        let equal = Dictionary(grouping: matrix.rows, by: \.token).values.filter { $0.count > 1 }
        #expect(equal.isEmpty, "\(equal)")
        for row in matrix.rows {
            guard let control = row.control else {
                #expect(row.answer == .valid && row.stage == .passed && row.exceptions.isEmpty, "\(row)")
                continue
            }
            let honest = try #require(rows[control]?.first, "\(row)")
            #expect(honest.control == nil && honest.form == row.form, "\(row)")
            #expect(row.answer != .valid || !row.exceptions.isEmpty, "\(row)")
            #expect(row.stage != .passed, "\(row)")
        }
        #expect(matrix.rows.count { $0.control != nil } >= 100 && matrix.rows.count { $0.control == nil } >= 20)
        let codes = Set(matrix.rows.flatMap { [$0.answer] + $0.exceptions.values }.compactMap(\.code))
        #expect(codes.count >= 28, "\(codes.sorted())")
    }

    @Test(
        "T77 every way to verify gives the answer of the table, and tells the observer of it once (RFC 7519, 7.2)",
        arguments: Part.all)
    func answers(_ part: Part) async throws {
        let matrix = try TokenMatrix.shared.get()
        let rows = matrix.rows(of: part.form)
        // A token with a used jti comes after the others, which may be verified at the same time.
        let waves = [rows.filter { $0.stage != .replay }, rows.filter { $0.stage == .replay }]
        let makers = MatrixVerifiers(
            matrix: matrix, form: part.form, setting: part.setting, recorder: MatrixRecorder())
        let reference = try await MatrixDriver.waiting.outcomes(of: waves, makers.party(), makers)
        _ = makers.recorder.take()
        for driver in MatrixDriver.allCases where driver.applies(to: part.setting, part.form) {
            let party = try makers.party()
            for time in 1...(part.setting == .cacheAskedTwice ? 2 : 1) {
                let outcomes = try await driver.outcomes(of: waves, party, makers)
                try #require(outcomes.count == rows.count, "\(driver)")
                let differences = zip(waves.joined(), zip(outcomes, reference)).flatMap { row, found in
                    Self.differences(row, found.0, found.1, part.setting, driver)
                }
                #expect(differences.isEmpty, "\(driver): \(differences.joined(separator: "; "))")
                check(makers.recorder.take(), outcomes, part, driver, time: time)
            }
            if let limiter = party.limiter { #expect(limiter.running == 0 && limiter.rejected == 0, "\(driver)") }
        }
    }

    /// Returns what differs from the table, and from the outcome of the method that waits.
    private static func differences(
        _ row: MatrixRow, _ outcome: MatrixOutcome, _ reference: MatrixOutcome, _ setting: MatrixSetting,
        _ driver: MatrixDriver
    ) -> [String] {
        let answer = row.answer(setting, driver)
        guard outcome.answer == answer else { return ["\(row) is \(outcome.answer), not \(answer)"] }
        var differences: [String] = []
        if answer == .valid, outcome.payload != row.payload { differences.append("\(row) has other claims") }
        if answer == .valid, !driver.explains, outcome.keyID != row.keyID {
            differences.append("\(row) has the key \(outcome.keyID ?? "without kid")")
        }
        // Where two ways have one code, they have one error: the layer and the reason are the same.
        if answer == row.answer(setting, .waiting), outcome.error != reference.error {
            differences.append("\(row) has another error of its code")
        }
        return differences
    }

    /// Checks what the observer was told of one call or several.
    private func check(
        _ told: [Verification], _ outcomes: [MatrixOutcome], _ part: Part, _ driver: MatrixDriver, time: Int
    ) {
        guard part.setting.isObserved, !driver.explains, !driver.readsLayersAlone else {
            #expect(told.isEmpty, "\(driver)")
            return
        }
        let (heard, given) = (told.map { MatrixAnswer(code: $0.error?.code) }, outcomes.map(\.answer))
        if driver.isConcurrent {
            #expect(
                Dictionary(grouping: heard) { $0 }.mapValues(\.count)
                    == Dictionary(grouping: given) { $0 }.mapValues(\.count), "\(driver)")
        } else {
            #expect(heard == given, "\(driver)")
        }
        // A token that was accepted is in the cache the second time, except under a certificate, which may end before it.
        guard part.setting == .cacheAskedTwice, part.form != .certified else { return }
        let accepted = told.filter(\.isAccepted)
        #expect(!accepted.isEmpty && accepted.allSatisfy { $0.isFromCache == (time == 2) }, "\(driver), \(time)")
    }
}
