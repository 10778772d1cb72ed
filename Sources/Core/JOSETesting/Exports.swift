// The issuers for tests sign under the policies of JOSETokens, so that `import JOSETesting` imports both, and JOSE.
@_exported public import JOSETokens
