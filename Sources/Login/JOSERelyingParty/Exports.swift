// A login verifies tokens with remote keys, so that `import JOSERelyingParty` imports JOSETokens and JOSEKeySets, and
// JOSE.
@_exported public import JOSEKeySets
@_exported public import JOSETokens
