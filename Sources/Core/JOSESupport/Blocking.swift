/// A way for a thread of the package to wait until a task has ended.
package enum Blocking {
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let result = Monitor<Value?>(nil)
        Task.detached {
            let value = await body()
            result.change { $0 = value }
        }
        return result.wait { $0 }
    }
}
