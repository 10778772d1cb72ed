import JOSE
import Synchronization
import TestSupport

@testable import JOSETokens

/// The comparable part of what a way to verify returned for a token.
struct MatrixOutcome: Equatable {
    let error: TokenError?
    var payload: [UInt8]?
    /// The `kid` of the key of the signature; nil where a report does not have it.
    var keyID: String?

    var answer: MatrixAnswer { MatrixAnswer(code: error?.code) }

    init(_ result: Result<VerifiedToken, TokenError>) {
        switch result {
        case .failure(let failure): error = failure
        case .success(let token):
            error = nil
            payload = token.claims.payload
            keyID = token.key?.keyID
        }
    }

    init(_ verify: () throws(TokenError) -> VerifiedToken) {
        do throws(TokenError) { self.init(.success(try verify())) } catch { self.init(.failure(error)) }
    }

    static func awaited(_ verify: () async throws(TokenError) -> VerifiedToken) async -> Self {
        do throws(TokenError) { return Self(.success(try await verify())) } catch { return Self(.failure(error)) }
    }

    /// Creates the outcome of a report.
    init(_ report: VerificationReport) {
        error = report.error
        if report.isValid { payload = report.claims?.payload }
    }
}

/// An observer that records what it is told.
final class MatrixRecorder: VerificationObserver {
    private let told = Mutex<[Verification]>([])

    func didVerify(_ verification: Verification) { told.withLock { $0.append(verification) } }

    /// Returns what was recorded since the last call.
    func take() -> [Verification] {
        told.withLock { told in
            defer { told = [] }
            return told
        }
    }
}
