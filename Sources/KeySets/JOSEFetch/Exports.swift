// The transport is one of JOSEKeySets, so that `import JOSEFetch` imports both, and JOSE.
@_exported public import JOSEKeySets
