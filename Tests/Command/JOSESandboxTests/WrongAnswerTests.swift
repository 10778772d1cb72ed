import JOSESandbox
import Testing

@Suite("Sandbox: tables of wrong answers") struct WrongAnswerTests {
    @Test("each wrong answer of a form has a name of its own") func names() {
        func check<Answer: WrongAnswer>(_: Answer.Type) {
            #expect(Set(Answer.allCases.map(\.name)).count == Answer.allCases.count, "\(Answer.self)")
        }
        check(Misbehaviour.self)
        check(SearchFault.self)
        check(ZenKeyAppFault.self)
        check(DigiDFault.self)
        check(DigiDLogoutFault.self)
        check(DigiDLogoutRequestFault.self)
        check(DigiDWebFault.self)
        check(DigiDSituations.self)
    }
}
