#if Server
    import Foundation
    import JOSE
    import TestSupport
    import Testing

    @Suite("The command serve gives the answers of the library's drivers") struct DriverMatrixGatewayTests {
        /// A way to configure a policy of the service.
        enum Setting: String, CaseIterable {
            case plain, several, vectorized
            /// Proofs are accepted, so that tokens have threads of their own.
            case proofs
            /// The public keys are fetched from a server.
            case remote

            func applies(to form: MatrixForm) -> Bool {
                switch self {
                case .plain, .several, .proofs: return true
                case .vectorized: return form.isEncrypted
                case .remote:
                    #if HTTP
                        return form == .signed || form == .nested
                    #else
                        return false
                    #endif
                }
            }

            func answer(to row: MatrixRow) -> MatrixAnswer {
                switch self {
                case .plain, .proofs, .vectorized: return row.answer
                // The issuers share their decryption keys, because they name the same file.
                case .several: return row.answer([.severalIssuers])
                // A secret is never published.
                case .remote:
                    return row.keyID == "h1" && row.stage > .signatureKey ? .rejected("key_not_found") : row.answer
                }
            }
        }

        /// A row for a policy.
        private struct Question {
            let row: MatrixRow
            let path: String
            let answer: MatrixAnswer
        }

        @Test(
            "T77 serve gives the answer of the table to a service and to a gateway, one after the other and together",
            arguments: [false, true])
        func answers(isCached: Bool) throws {
            let place = try MatrixWorkplace()
            let remote = try Self.remoteKeys(place)
            try place.write("gateway.json", Self.configuration(place, remote, isCached: isCached))
            let process = try Tethered(
                "/bin/sh", ["-c", "exec \"$0\" serve \"$1\" 2>&1", place.tool, place.path + "/gateway.json"])
            defer { process.kill() }
            while try !process.line().contains("listening on unix:") {}
            let questions = MatrixForm.allCases.flatMap { form in
                Setting.allCases.filter { $0.applies(to: form) }.flatMap { setting in
                    place.matrix.rows(of: form).map { row in
                        Question(row: row, path: Self.path(form, setting), answer: setting.answer(to: row))
                    }
                }
            }
            // With a cache, the second answer to a token is that of the first.
            for callers in [1, 8] {
                let replies = try Self.ask(questions, callers, place)
                try #require(replies.count == questions.count)
                var differences: [String] = []
                for (question, reply) in zip(questions, replies) {
                    differences += Self.differences(question, reply).map { "\(question.path): \($0)" }
                }
                #expect(differences.isEmpty, "\(callers) at a time: \(differences)")
            }
        }

        private static func differences(_ question: Question, _ reply: JSON) -> [String] {
            let row = question.row
            guard row.isSendable else {
                // The body of such a call is malformed.
                return reply["call"]?["error"] == .string("request_malformed") ? [] : ["\(row): \(reply.text)"]
            }
            let answer = question.answer
            var differences = [row.difference(reply["call"] ?? .null, from: answer)].compactMap { $0 }
            let (status, code): (JSON, JSON) =
                answer.code.map { (.number(401), .string($0)) } ?? (.number(204), .null)
            if reply["status"] != status || reply["code"] != code {
                differences.append("\(row) for a gateway: \(reply.text), not \(answer)")
            }
            return differences
        }

        private static func path(_ form: MatrixForm, _ setting: Setting) -> String {
            "/\(form.rawValue)-\(setting.rawValue)"
        }

        /// Returns the configuration: one policy for each form and setting, whose issuers have the policy of the form.
        private static func configuration(
            _ place: MatrixWorkplace, _ remote: [String: JSON], isCached: Bool
        ) -> String {
            var (issuers, policies): ([String: JSON], [JSON]) = ([:], [])
            for form in MatrixForm.allCases {
                let own = issuer(form, MatrixPolicy.issuer, "keys.json")
                issuers[form.rawValue] = own
                issuers["other-\(form.rawValue)"] = issuer(form, MatrixPolicy.otherIssuer, "other.json")
                if form.isEncrypted {
                    issuers["vectorized-\(form.rawValue)"] = own.with("vectorized-private-keys", .bool(true))
                }
                if Setting.remote.applies(to: form) {
                    issuers["remote-\(form.rawValue)"] = remote.reduce(own) { $0.with($1.key, $1.value) }
                }
                for setting in Setting.allCases where setting.applies(to: form) {
                    let names: [String] =
                        switch setting {
                        case .plain, .proofs: [form.rawValue]
                        case .several: [form.rawValue, "other-\(form.rawValue)"]
                        case .vectorized, .remote: ["\(setting.rawValue)-\(form.rawValue)"]
                        }
                    var policy: [String: JSON] = [
                        "path": .string(path(form, setting)), "issuers": .array(names.map { .string($0) }),
                    ]
                    if setting == .proofs {
                        policy["dpop"] = .object([
                            "alg": .string("ES256"), "origin": .string("https://api.example.com"),
                            "required": .bool(false),
                        ])
                    }
                    policies.append(.object(policy))
                }
            }
            var members: [String: JSON] = [
                "listen": .array([.string("unix:" + place.path + "/socket")]), "log": .string("none"),
                // A busy machine may take its time for what waits in the queue.
                "limiter": .object(["timeout": .number(10), "queued": .number(1_000)]),
                "limits": .object(["head-bytes": .number(65_536)]), "issuers": .object(issuers),
                "policies": .array(policies),
            ]
            if isCached { members["cache"] = .object([:]) }
            return JSON.object(members).text
        }

        /// Has a server publish the public keys. Returns the members of an issuer whose keys are there.
        private static func remoteKeys(_ place: MatrixWorkplace) throws -> [String: JSON] {
            #if HTTP
                let server = try FaultServer.shared.get()
                let path = "/matrix/" + URL(filePath: place.path).lastPathComponent
                try server.answer(
                    path,
                    FaultServer.Answer(
                        KeySet(place.matrix.keys.verification).jwks(), headers: ["Content-Type": "application/json"]))
                return ["keys": .string(server.url(path)), "ca": .string(server.place.ca)]
            #else
                return [:]
            #endif
        }

        private static func issuer(_ form: MatrixForm, _ issuer: String, _ keys: String) -> JSON {
            func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
            var members: [String: JSON] = [
                "iss": .string(issuer), "aud": .string(MatrixPolicy.audience), "typ": .string(MatrixPolicy.type),
                "crit": .string(MatrixPolicy.critical), "claim": .string("role=\(MatrixPolicy.role)"),
                "require": list(MatrixPolicy.required), "forbid": .string(MatrixPolicy.forbidden),
                "max-lifetime": .string("\(MatrixPolicy.maximumLifetime)"),
                "max-token-bytes": .string("\(MatrixPolicy.tokenBytes)"),
                "max-plaintext-bytes": .string("\(MatrixPolicy.plaintextBytes)"),
                "max-signature-bytes": .string("\(MatrixPolicy.signatureBytes)"),
            ]
            if form.isSigned {
                members["keys"] = .string(keys)
                members["alg"] = list(MatrixPolicy.signatures)
            }
            if form.isEncrypted {
                members["decrypt-keys"] = .string("decryption.json")
                members["key-alg"] = list(MatrixPolicy.keyManagement)
                members["enc"] = list(MatrixPolicy.contentEncryption)
            }
            if form == .nested { members["nested"] = .bool(true) }
            if form == .certified { members["trust"] = .string("root.pem") }
            return .object(members)
        }

        /// Sends each token by POST and in the field `Authorization`, over as many connections as there are callers.
        ///
        /// - Returns: For each question the body of the first response, and the status and the code of the second one.
        private static func ask(_ questions: [Question], _ callers: Int, _ place: MatrixWorkplace) throws -> [JSON] {
            let lines = questions.map { question in
                JSON.object([
                    "token": .string(question.row.token), "path": .string(question.path),
                    "field": .bool(question.row.isSendable),
                ]).text + "\n"
            }
            let done = try run(
                "/usr/bin/env", ["python3", "-c", script, place.path + "/socket", "\(callers)"], stdin: lines.joined())
            guard done.status == 0 else { throw Script.Complaint(description: done.stderr) }
            return try done.stdout.split(separator: "\n").map { try JSON($0.utf8) }
        }

        /// A response 503 says that the machine is busy, and the request is sent again.
        private static let script = """
            import concurrent.futures, http.client, json, re, socket, sys, time
            class Connection(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX)
                    self.sock.settimeout(300)
                    self.sock.connect(sys.argv[1])
            def send(connection, *words, **fields):
                end = time.monotonic() + 300
                while True:
                    connection.request(*words, **fields)
                    response = connection.getresponse()
                    body = response.read()
                    if response.status != 503 or time.monotonic() > end: return response, body
                    time.sleep(0.02)
            def ask(questions):
                connection, replies = Connection("gateway"), []
                for one in questions:
                    body = json.dumps({"token": one["token"], "path": one["path"]})
                    reply = {"call": json.loads(send(connection, "POST", "/verify", body)[1])}
                    if one["field"]:
                        fields = {"X-Bulla-Path": one["path"], "Authorization": "Bearer " + one["token"]}
                        response, _ = send(connection, "GET", "/auth", headers=fields)
                        found = re.search('error_description="([^"]*)"', response.getheader("WWW-Authenticate") or "")
                        reply.update(status=response.status, code=found and found.group(1))
                    replies.append(reply)
                return replies
            questions, count = [json.loads(line) for line in sys.stdin], int(sys.argv[2])
            with concurrent.futures.ThreadPoolExecutor(count) as pool:
                parts = list(pool.map(ask, [questions[part::count] for part in range(count)]))
            for number in range(len(questions)): print(json.dumps(parts[number % count][number // count]))
            """
    }

    extension MatrixRow {
        /// Whether the token can be sent in a field and in a call: it has visible ASCII alone, and is not empty.
        fileprivate var isSendable: Bool { !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
    }
#endif
