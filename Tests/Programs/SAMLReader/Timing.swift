#if SAML
    import JOSE
    import JOSERelyingParty
    import JOSEDigiD
    import SAMLRaw

    /// A comparison of the library with xmlsec alone, whose own C calls parse, verify, decrypt and sign the same texts.
    @safe struct Timing {
        private static let rounds = 20
        private let answers: Answers
        private let key: PrivateKey
        private let raw: OpaquePointer

        init(_ answers: Answers, key: PrivateKey) throws {
            self.answers = answers
            self.key = key
            let der = try key.exportPrivateDER(.pkcs8)
            guard let raw = unsafe saml_raw_new(der, der.count) else { fatalError("xmlsec does not accept the key") }
            unsafe self.raw = raw
        }

        /// Prints a line for each of three comparisons, of `count` calls each.
        func run(_ count: Int) async throws {
            print("microseconds per call: this library, xmlsec alone, and the ratio")
            let number = try answers.honest(.saml4)
            for (name, body, generation, numbers) in [
                ("saml3, a response with two signatures read", try answers.honest(.saml3), SAMLGeneration.saml3, 0),
                ("saml4, a response with two signatures and an encrypted number read", number, .saml4, 1),
            ] {
                try await compare(name, count) { count in
                    measure(count) {
                        guard case .login = answers.outcome(body, generation) else { fatalError("no login") }
                    }
                } raw: { count in
                    measure(count) { read(body, numbers) }
                }
            }
            let body = try answers.honest(.saml3)
            let resolve = try ArtifactResolve(
                "AAQAAA==", issuer: Answers.service, now: answers.now
            ).draft(for: answers.key.certificate).signed(with: answers.key)
            try await compare("saml3, a login completed: a request signed, a response read", count) { count in
                try await answers.timeCompletions(count, key: key)
            } raw: { count in
                measure(count) {
                    guard unsafe saml_raw_sign(raw, resolve, resolve.count) else { fatalError("not signed") }
                    read(body, 0)
                }
            }
        }

        private func read(_ body: [UInt8], _ numbers: Int) {
            guard unsafe saml_raw_read(raw, body, body.count, 2, Int32(numbers)) else { fatalError("not verified") }
        }

        private func measure(_ count: Int, _ body: () -> Void) -> Duration {
            ContinuousClock().measure { for _ in 0..<count { body() } }
        }

        /// Prints the medians of rounds in which both run in turn, so that other load affects both equally.
        private func compare(
            _ name: String, _ count: Int, ours: (Int) async throws -> Duration, raw: (Int) -> Duration
        ) async throws {
            let each = max(1, count / Self.rounds)
            var times: [(ours: Double, raw: Double)] = []
            for _ in 0..<Self.rounds {
                times.append((Self.microseconds(try await ours(each), each), Self.microseconds(raw(each), each)))
            }
            func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
            let ratio = median(times.map { $0.ours / $0.raw })
            let (mine, theirs) = (median(times.map(\.ours)), median(times.map(\.raw)))
            print("\(name): \(Int(mine)), \(Int(theirs)), \(Int(ratio * 100)) %")
        }

        private static func microseconds(_ taken: Duration, _ count: Int) -> Double {
            let (seconds, parts) = taken.components
            return (Double(seconds) * 1e6 + Double(parts) / 1e12) / Double(count)
        }
    }
#endif
