import Foundation
import JOSERedis

// A value that a server on loopback holds, taken once with the public interface alone.
var options = RedisOptions(host: "127.0.0.1", security: .plain)
options.port = UInt16(ProcessInfo.processInfo.environment["BULLA_REDIS_PORT"] ?? "") ?? 0
let store = try RedisLoginStore(options)
let key = try StoreKey(kind: "consumer", value: "state")
let isKept = try await store.insert(Array("transaction".utf8), for: key, lifetime: .seconds(60))
precondition(isKept, "the key was held before")
let first = try await store.take(key)
let second = try await store.take(key)
precondition(first == Array("transaction".utf8), "another value")
precondition(second == nil, "taken twice")
store.shutdown()
print("A consumer with the trait Redis had its value back once.")
