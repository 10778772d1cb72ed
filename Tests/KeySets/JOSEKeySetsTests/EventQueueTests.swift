import Testing

@testable import JOSEKeySets

@Suite("Queue of events") struct EventQueueTests {
    @Test("closed is the last event: those of a fetch that was cancelled by it are neither delivered nor counted")
    func closed() async throws {
        for (first, delivered) in [(KeySetEvent.purged, [KeySetEvent.purged, .throttled]), (.closed, [.closed])] {
            let recorder = Recorder()
            var queue: EventQueue? = EventQueue(Issuer.url, recorder)
            queue?.send([first])
            queue?.send([.throttled])
            #expect(queue?.dropped == 0)
            weak let observed = queue
            queue = nil
            // The last owner of the queue is the task that delivers its events.
            #expect(await eventually { observed == nil })
            #expect(recorder.events == delivered)
        }
    }
}
