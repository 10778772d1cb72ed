import TestSupport

@testable import JOSETokens

extension MatrixRow {
    /// Returns the answer that a way to verify must give under a setting.
    func answer(_ setting: MatrixSetting, _ driver: MatrixDriver) -> MatrixAnswer {
        // Claims are not checked.
        if driver.readsLayersAlone, stage >= .claims { return arrival(setting, driver) ?? .valid }
        var circumstances = setting.circumstances
        // A report marks no token as used.
        if driver.explains { circumstances.remove(.replayStore) }
        let answer = answer(circumstances)
        if setting.isExternal, driver.patience == .nothing { return withoutExternalKeys(setting, answer) }
        if let arrival = arrival(setting, driver) { return arrival }
        // A call that does not wait cannot ask the store, and the profile is asked after the claims were checked.
        if setting.awaitsReplays, driver.patience == .nothing, !driver.explains, passesClaims(circumstances) {
            return .rejected("await_required")
        }
        return answer
    }

    /// Returns the answer where the token's key has not arrived, and the call does not wait for it; nil otherwise.
    private func arrival(_ setting: MatrixSetting, _ driver: MatrixDriver) -> MatrixAnswer? {
        guard let needed = setting.arrivesAt, stage >= needed, driver.patience != .everything else { return nil }
        return .rejected("keys_unavailable")
    }

    /// Returns the answer of a call that does not wait, although the keys are outside the process. Of the token nothing
    /// is read, except what names the issuer where there are several.
    private func withoutExternalKeys(_ setting: MatrixSetting, _ answer: MatrixAnswer) -> MatrixAnswer {
        guard setting.hasSeveralIssuers else { return .rejected("await_required") }
        let isUnreadable = stage == .parts && partCount != 3
        let isUnknown = namesIssuer && answer == .rejected("issuer_unknown")
        return isUnreadable || isUnknown ? answer : .rejected("await_required")
    }

    /// Whether the layers and the claims are valid, so that the profile is asked.
    private func passesClaims(_ circumstances: Set<MatrixCircumstance>) -> Bool {
        answer(circumstances.subtracting([.profile, .replayStore])) == .valid
    }
}
