#if Redis
    import JOSERedis
    import JOSETokens

    func key(_ value: String, kind: String = "state") throws -> StoreKey { try StoreKey(kind: kind, value: value) }

    /// The outcome of one call.
    enum Outcome: Equatable {
        case inserted(Bool)
        case took([UInt8]?)
        case failed(StoreError)
    }

    func insert(
        _ store: any LoginStore, _ name: String, _ value: [UInt8] = [1], lifetime: Duration = .seconds(600)
    ) async -> Outcome {
        do throws(StoreError) {
            return .inserted(
                try await store.insert(value, for: StoreKey(kind: "state", value: name), lifetime: lifetime))
        } catch { return .failed(error) }
    }

    func take(_ store: any LoginStore, _ name: String) async -> Outcome {
        do throws(StoreError) {
            return .took(try await store.take(StoreKey(kind: "state", value: name)))
        } catch { return .failed(error) }
    }

    extension RedisOptions {
        /// Sets short deadlines, for servers that do not respond.
        mutating func isImpatient(_ milliseconds: Int = 1_500) {
            connectDeadline = .milliseconds(milliseconds)
            deadline = .milliseconds(milliseconds)
        }
    }
#endif
