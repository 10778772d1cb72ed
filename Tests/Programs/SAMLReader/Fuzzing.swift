#if SAML
    import Foundation
    import JOSERelyingParty
    import JOSEDigiD

    /// A fuzzer that changes responses and checks that none becomes the login of another user or an internal fault.
    struct Fuzzing {
        private let answers: Answers
        private var mutator: Mutator
        private var counts: [String: Int] = [:]
        private var findings: [String] = []
        /// The outcomes of the valid responses of both generations.
        private var expected: [Answers.Outcome] = []

        init(_ answers: Answers, seed: UInt64) {
            self.answers = answers
            mutator = Mutator(seed: seed)
        }

        /// Returns whether there were no findings.
        mutating func run(_ count: Int) throws -> Bool {
            var honest: [[UInt8]] = []
            var texts: [[UInt8]] = []
            for generation in [SAMLGeneration.saml3, .saml4] {
                let message = try answers.message(generation, actsForOther: true)
                honest.append(try message.envelope(signedWith: answers.key))
                texts.append(try message.text(signedWith: answers.key))
                expected.append(answers.outcome(honest[honest.count - 1], generation))
            }
            guard expected.allSatisfy({ if case .login = $0 { true } else { false } }) else { return false }
            for index in 0..<count where findings.count < 20 {
                let place = mutator.below(2)
                let generation: SAMLGeneration = place == 0 ? .saml3 : .saml4
                if mutator.below(4) == 0 {
                    try signLater(texts[place], generation)
                } else {
                    signBefore(honest[place], generation, index)
                }
            }
            for (name, count) in counts.sorted(by: { $0.value > $1.value }) { print("  \(name) \(count)") }
            for finding in findings { print("FINDING \(finding)") }
            return findings.isEmpty
        }

        /// Changes a response after it was signed: it must be rejected, or the login must be the same.
        private mutating func signBefore(_ honest: [UInt8], _ generation: SAMLGeneration, _ index: Int) {
            let changed = mutator.changed(honest)
            let outcome = answers.outcome(changed, generation)
            count("after: ", outcome)
            if case .login = outcome, outcome != expected[generation == .saml3 ? 0 : 1] {
                findings.append("message \(index): the login of another user")
            }
        }

        /// Changes a response before it is signed: it must end in a login or a rejection.
        private mutating func signLater(_ text: [UInt8], _ generation: SAMLGeneration) throws {
            let changed = mutator.changed(text)
            let message = try answers.message(generation, actsForOther: true)
            do throws(RelyingPartyError.Reason) {
                let body = try message.finished(changed, with: answers.key)
                count("before: ", answers.outcome(body, generation))
            } catch {
                // Signing requires more of the libraries than reading: they may be unable to fill a template.
                counts["not signed", default: 0] += 1
            }
        }

        private mutating func count(_ prefix: String, _ outcome: Answers.Outcome) {
            counts[prefix + outcome.text, default: 0] += 1
            if outcome == .refused(.internalFault) { findings.append(prefix + "an internal fault") }
        }
    }
#endif
