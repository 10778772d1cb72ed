internal import JOSE
internal import JOSETokens

extension BullaPeer {
    /// Returns the work of a batch, on the one core to which all harnesses are bound. It counts in tokens.
    func batch(_ operation: PeerOperation) throws -> PeerWork {
        let batch = BatchVerifier(try verifier(operation))
        let tokens = try fixtures.lines(operation.name + ".token").map { Array($0.utf8) }
        return PeerWork(
            { count in
                var good = 0
                while good < count {
                    let held = batch.verifySynchronously(tokens).count { (try? $0.get()) != nil }
                    guard held == tokens.count else { break }
                    good += held
                }
                return good
            },
            refuses: { broken in
                let place = tokens.count / 2
                var mixed = tokens
                mixed[place] = broken.token
                let results = batch.verifySynchronously(mixed)
                return results.indices.filter { (try? results[$0].get()) == nil } == [place]
            })
    }
}
