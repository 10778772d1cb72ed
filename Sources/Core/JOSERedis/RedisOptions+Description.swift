#if Redis
    package import JOSE

    // The options contain passwords and private keys. The description shows the host and the port alone, and a dump nothing.
    extension RedisOptions: Redacted {
        public var description: String { "\(host):\(port)" }
    }
#endif
