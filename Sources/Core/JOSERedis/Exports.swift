// The stores are those of JOSETokens, so that `import JOSERedis` imports both, and all that the latter exports.
@_exported public import JOSETokens
