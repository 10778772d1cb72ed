// The keys of a store are those of JOSE, so that `import JOSEStore` imports both.
@_exported public import JOSE
