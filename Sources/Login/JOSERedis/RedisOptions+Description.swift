#if Redis
    // The options contain passwords and private keys. Every description shows the host and port alone.
    extension RedisOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        public var description: String { "\(host):\(port)" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: ["location": description]) }
    }

    extension RedisOptions.ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        public var description: String { "a client certificate" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
