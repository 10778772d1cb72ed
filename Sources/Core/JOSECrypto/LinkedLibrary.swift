internal import CJOSEOpenSSL
internal import CJOSESodium

#if Zip
    internal import CJOSEZip
#endif

/// A C library that this build is linked with, named and versioned by the library that was loaded.
package struct LinkedLibrary: Sendable {
    package let name: StaticString
    package let version: String
    /// The identifier of its license in the SPDX list.
    package let license: StaticString

    /// All libraries of this build, in the order of their names.
    package static var all: [LinkedLibrary] {
        var libraries = [
            LinkedLibrary(name: "libsodium", version: unsafe String(cString: cjose_sodium_version()), license: "ISC"),
            LinkedLibrary(
                name: "openssl", version: unsafe String(cString: cjose_openssl_version()), license: "Apache-2.0"),
        ]
        #if Zip
            libraries.append(
                LinkedLibrary(name: "zlib", version: unsafe String(cString: cjose_zip_version()), license: "Zlib"))
        #endif
        return libraries
    }
}
