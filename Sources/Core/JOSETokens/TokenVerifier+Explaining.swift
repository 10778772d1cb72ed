public import JOSE
internal import JOSESupport

extension TokenVerifier {
    /// Verifies the token and reports the outcome of each check. It accepts the same tokens as `verify`, and is slower.
    /// The replay store of a profile is not called, so that the token is not marked as used. With external keys the
    /// report's error is `awaitRequired`.
    ///
    /// - Parameter token: The compact serialization, as text or as ASCII bytes.
    public func explain(_ token: borrowing some BorrowedBytes) -> VerificationReport {
        token.withBytes { explain($0) }
    }

    private func explain(_ token: Span<UInt8>) -> VerificationReport {
        do throws(TokenError) {
            if let issuers = additions?.issuers { return try issuers.row(of: token).verifier.explain(token) }
            var process = TokenProcess()
            return explanation(.success(try layers.verify(token, &process)))
        } catch {
            if error == .issuerUnknown { return .unknownIssuer }
            return explanation(.failure(error), mistake: layers.mistake(in: token, error))
        }
    }

    /// Verifies the token and reports the outcome of each check, after waiting as `verify` does.
    ///
    /// - Parameters:
    ///   - token: The compact serialization, as text or as ASCII bytes.
    ///   - limit: The longest time to wait, for the key, the limiter and external keys together.
    /// - Throws: `CancellationError` if the task was cancelled, and no other error.
    public func explain(
        _ token: some ByteSource, timeout limit: Duration
    ) async throws(CancellationError) -> VerificationReport {
        try await explain(token.array, TokenWait(until: ContinuousClock.now + limit))
    }

    private func explain(_ token: [UInt8], _ wait: TokenWait) async throws(CancellationError) -> VerificationReport {
        var report = explain(token)
        guard let error = report.error, mayWait(after: error) else { return report }
        if error != .awaitRequired {
            var process = TokenProcess()
            do throws(TokenError) {
                if additions?.issuers == nil {
                    _ = try await verify(token, &process, after: error, wait)
                } else {
                    // The first attempt finds the issuer of the token, whose keys are awaited.
                    _ = try await verify(token, &process, wait)
                }
            } catch {
                // The report says why any other token was rejected.
                if error == .cancelled { throw CancellationError() }
            }
            report = explain(token)
        }
        return report.error == .awaitRequired ? try await explainExternally(token, wait) : report
    }

    private func explainExternally(
        _ token: [UInt8], _ wait: TokenWait
    ) async throws(CancellationError) -> VerificationReport {
        var process = TokenProcess()
        let row: IssuerTable.Row
        do throws(TokenError) {
            guard let issuers = additions?.issuers else {
                return explanation(.success(try await verifyLayersExternally(token, wait)))
            }
            if try issuers.named(token.span, &process.origin) == nil {
                do throws(TokenError) {
                    _ = try await issuers.verifyExternally(token, &process, wait)
                } catch {
                    // Once the issuer is known, its own report says why.
                    guard process.origin.issuer != nil, error != .cancelled else { throw error }
                }
            }
            guard let issuer = process.origin.issuer else { throw .issuerUnknown }
            row = issuers.rows[issuer]
        } catch {
            if error == .cancelled { throw CancellationError() }
            if error == .issuerUnknown { return .unknownIssuer }
            return explanation(.failure(error), mistake: layers.mistake(in: token.span, error))
        }
        return try await row.verifier.explain(token, wait)
    }

    /// Verifies the layers with the external keys, after waiting as `verify` does.
    private func verifyLayersExternally(
        _ token: [UInt8], _ wait: TokenWait
    ) async throws(TokenError) -> VerifiedToken {
        guard let decrypter = layers.decrypter, decrypter.awaitsKeys else { throw .awaitRequired }
        var plaintext = SecretBytes(capacity: 0)
        let (header, _) = try await decrypter.decrypt(token, into: &plaintext, wait)
        do throws(TokenError) { return try await verifyContent(plaintext, within: header, wait) } catch {
            if error == .cancelled { throw error }
            // The report says why a key of another issuer was rejected.
            return try layers.verifyContent(plaintext, within: header)
        }
    }
}
