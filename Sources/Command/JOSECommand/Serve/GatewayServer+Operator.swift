#if Server
    import JOSESettings

    /// The responses for the operator: the probes and the metrics.
    extension GatewayServer {
        func operatorResponse(_ path: String, _ configuration: GatewayConfiguration) -> GatewayResponse {
            switch path {
            case "/healthz": return GatewayResponse(200, "ok\n")
            case "/readyz": return readiness(configuration)
            case "/metrics":
                let text = metrics.text(
                    configuration, logDrops: log.dropped, closed: closed,
                    isReplayStoreUsable: configuration.sharesReplays ? replays.isUsable : nil,
                    clockRejections: replays.clockRejections)
                return GatewayResponse(200, text, type: "text/plain; version=0.0.4")
            default: return GatewayResponse(404, "not found\n")
            }
        }

        /// Returns the response of the readiness probe. What is used may differ from what the files say: then the
        /// service is ready all the same, because all processes that read the same files would stop at once, and the
        /// text says so.
        private func readiness(_ configuration: GatewayConfiguration) -> GatewayResponse {
            let sources = configuration.router.policies.flatMap(\.sources)
            guard sources.isEmpty || sources.contains(where: { $0.hasKeys }) else {
                return GatewayResponse(503, "no keys\n")
            }
            let faults = Set(sources.filter { $0.fault != nil }.map(\.name)).sorted()
            let isCurrent = metrics.isConfigurationCurrent
            var text = faults.isEmpty && isCurrent ? "ok\n" : "ok, but not as the files say\n"
            if !isCurrent { text += "the configuration file was not adopted\n" }
            for name in faults { text += "issuer \(Output.printable(name)): its files were not adopted\n" }
            return GatewayResponse(200, text)
        }
    }
#endif
