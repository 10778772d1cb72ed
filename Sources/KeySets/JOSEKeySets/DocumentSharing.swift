/// A component that lets one of several processes fetch a document for all of them.
package protocol DocumentSharing: Sendable {
    /// Waits until no other process fetches the document, for a bounded time, and keeps other processes waiting.
    func takeTurn() async -> DocumentTurn

    /// Returns what another process has saved since this one last fetched or adopted the document, or nil.
    func copy() -> SharedCopy?

    /// Records that the document uses the copy.
    func adopt(_ copy: SharedCopy)

    /// Ends the turn after what was fetched is saved.
    func end(_ turn: DocumentTurn)
}

/// The turn of this process to fetch a document.
package struct DocumentTurn: Sendable {
    /// The lock, or nil if another process kept it for too long or the file cannot be locked.
    let lock: LockedFile?
}

/// A document that another process has saved.
package struct SharedCopy: Sendable {
    package var document: KeptDocument
    /// The seconds since it was fetched.
    package var age: Double
    /// The time of the fetch, in seconds since 1970.
    package var fetchedAt: Double
}
