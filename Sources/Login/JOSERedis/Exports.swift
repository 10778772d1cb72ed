// The store is one of JOSERelyingParty, so that `import JOSERedis` imports both, and all that the latter exports.
@_exported public import JOSERelyingParty
