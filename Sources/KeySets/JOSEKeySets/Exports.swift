// A remote key set is a source of keys of JOSE, so that `import JOSEKeySets` imports both.
@_exported public import JOSE
