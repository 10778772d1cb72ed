#if HTTP
    import Foundation
    import JOSE
    import JOSEFetch
    import JOSEKeySets
    import TestSupport
    import Testing

    /// Runs every fault at the same time, each at an issuer of its own, while 32 tasks verify tokens of all of them.
    @Suite("Key sets under every fault") struct FaultMatrixTests {
        private static func transport(_ server: FaultServer) throws -> CurlTransport {
            var options = CurlTransport.Options()
            options.trust = .file(server.place.ca)
            options.allowsLoopback = true
            return try CurlTransport(options)
        }

        @Test(
            "under every fault 32 tasks verify with known keys, get no wrong result, and send few requests"
        )
        func matrix() async throws {
            let server = try FaultServer()
            let transport = try Self.transport(server)
            let faults = Fault.all
            let sites = try faults.map { try Site($0.name, server, transport, $0.options) }
            for site in sites { try await patiently { try await site.source.warmUp(timeout: .seconds(5)) } }
            // A failed signature may cause one fetch, which ends before the faults.
            for site in sites { #expect(site.outcome(of: site.forged) == .signatureInvalid) }
            for site in sites {
                #expect(site.source.counters.signatureFetches == 1)
                try await until { !site.source.health.isFetching }
            }

            // Without faults each source fetches once.
            let calm = try await Watch(sites).run {
                for site in sites { site.clock.move(by: 600) }
                try await Task.sleep(for: .seconds(1))
            }
            #expect(calm.wrong.isEmpty, "\(calm.wrong.prefix(5))")

            // Fetches that began before the faults are not counted.
            for site in sites {
                try await until { !site.source.health.isFetching }
            }
            let before = try sites.map { try Count($0) }
            for site in sites { site.events.forget() }
            // Each fault is active before its source fetches.
            for (fault, site) in zip(faults, sites) { try fault.inflict(site) }
            for site in sites { site.clock.move(by: 600) }
            let begun = ContinuousClock.now
            // How often the clock of each site was set forward once more: on a busy machine a fetch may miss the deadline of the
            // connection before it meets the fault.
            var repeated = [Int](repeating: 0, count: sites.count)
            let stormy = try await Watch(sites).run {
                try await Task.sleep(for: .milliseconds(1500))
                for step in 1..<1200 {
                    let missing = sites.indices.filter { !sites[$0].events.all.contains(where: faults[$0].shows) }
                    if missing.isEmpty { break }
                    try await Task.sleep(for: .milliseconds(50))
                    guard step.isMultiple(of: 200) else { continue }
                    for place in missing {
                        sites[place].clock.move(by: 90)
                        repeated[place] += 1
                    }
                }
            }
            #expect(stormy.wrong.isEmpty, "\(stormy.wrong.prefix(5).map { "\(faults[$0.site].name): \($0)" })")
            #expect(stormy.waits.count > 1000 && stormy.unknown > 1000)
            print(
                "Fault matrix: \(faults.count) faults, \(Watch.tasks) tasks, \(stormy.waits.count) verifications: longest wait",
                "\(stormy.longest) ms, 99 % within \(stormy.wait(atPart: 0.99)) ms; without faults \(calm.waits.count):",
                "\(calm.longest) ms, \(calm.wait(atPart: 0.99)) ms")

            // On a very slow machine each pause that passed allows one more fetch. The first after a failure has four seconds, each further
            // one twice as many.
            let pauses = Int(log2(1 + (ContinuousClock.now - begun) / .seconds(4)))
            for (place, fault) in faults.enumerated() {
                let site = sites[place]
                try check(
                    fault, site, before[place], Count(site), pauses + (repeated[place] > 0 ? repeated[place] + 2 : 0))
            }
            for (fault, site) in zip(faults, sites) { try await mend(fault, site) }
            for site in sites { site.transport.watch(nil) }
        }

        private func check(_ fault: Fault, _ site: Site, _ old: Count, _ new: Count, _ more: Int) throws {
            let events = site.events.all
            let didShow = events.contains(where: fault.shows)
            #expect(didShow, "\(fault.name): \(events)")
            #expect(site.transport.count > 0)
            // There is one fetch before expiry, and two for the repeated name.
            let fetches = new.fetches - old.fetches
            #expect((1...3 + fault.moreFetches + more).contains(fetches), "\(fault.name): \(fetches) fetches")
            let requests = new.requests - old.requests
            #expect(requests <= 2 * fetches, "\(fault.name): \(requests) requests in \(fetches) fetches")
            // The server counts requests. A request that an idle connection lost is sent once more.
            #expect(
                new.seen - old.seen <= 2 * requests * fault.requestsEach, "\(fault.name): \(new.seen - old.seen) seen")
            // Each request may need a connection of its own, because the server may close one that is idle.
            #expect(new.connections - old.connections <= 2 * requests * fault.requestsEach, "\(fault.name)")
            // The rest of the 20 MB is not read. The buffers of both sockets hold some megabytes of what the server sent.
            #expect(new.bytes - old.bytes < requests * 10 << 20, "\(fault.name): \(new.bytes - old.bytes) bytes")
            #expect(try site.server.seen(site.path + "/elsewhere").requests == 0, "\(fault.name)")
            #expect(site.outcome(of: site.known) == .accepted, "\(fault.name)")
        }

        /// Checks that after the fault a refresh brings the new key, and that the old one still verifies.
        private func mend(_ fault: Fault, _ site: Site) async throws {
            try site.server.listen(.https, port: site.port)
            try site.server.answer(site.path, site.keys(site.key, site.next))
            try await patiently { try await site.source.refresh() }
            #expect(site.outcome(of: site.rotated) == .accepted, "\(fault.name)")
            #expect(site.outcome(of: site.known) == .accepted, "\(fault.name)")
            #expect(site.outcome(of: site.forged) == .signatureInvalid, "\(fault.name)")
            #expect(site.source.health.status == .fresh, "\(fault.name)")
        }

        /// Retries, because a busy machine may miss a deadline, but not three times.
        private func patiently(_ body: () async throws -> Void) async throws {
            for _ in 0..<2 {
                if (try? await body()) != nil { return }
            }
            try await body()
        }

        private struct Count {
            let fetches, requests, seen, bytes, connections: Int

            init(_ site: Site) throws {
                let counters = site.source.counters
                (fetches, requests) = (counters.fetches, counters.requests)
                let seen = try site.server.seen(site.path)
                (self.seen, bytes) = (seen.requests, seen.bytes)
                connections = try site.server.traffic(port: site.port).connections
            }
        }
    }
#endif
