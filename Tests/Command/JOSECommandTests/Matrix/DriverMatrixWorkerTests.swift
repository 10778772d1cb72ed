#if Redis
    import Foundation
    import TestSupport
    import Testing

    @Suite(
        "The command worker gives the answers of the library's drivers",
        .enabled(if: RedisServer.tool != nil, "redis-server is not there"))
    struct DriverMatrixWorkerTests {
        @Test("a worker gives the answers of the table, each row under its id")
        func answers() throws {
            let place = try MatrixWorkplace()
            let redis = try RedisServer()
            // A queue has signed or nested tokens.
            for form in [MatrixForm.signed, .nested, .certified] {
                let rows = place.matrix.rows(of: form)
                let queue = ["--redis", "redis://127.0.0.1:\(redis.port)", "--stream", form.rawValue]
                let added = try run(
                    place.tool, ["enqueue", "--input", "jsonl", "--tokens", "20"] + queue, stdin: place.lines(form))
                #expect(added.status == 0, "\(added.stderr)")
                let done = try run(
                    place.tool,
                    place.words(form, "worker") + ["--until-empty", "--jobs", "2", "--show-claims"] + queue)
                #expect(done.status == 0, "\(done.stderr)")
                let lines = try redis.command("XRANGE", "\(form.rawValue):answers", "-", "+").split(separator: "\n")
                let answers = try lines.filter { $0.hasPrefix("{") }.map { try JSON($0.utf8) }
                try #require(answers.count == rows.count, "\(form)")
                var differences: [String] = []
                for answer in answers {
                    guard case .number(let id)? = answer["id"], rows.indices.contains(Int(id)) else {
                        differences.append("no row: \(answer.text)")
                        continue
                    }
                    if let difference = rows[Int(id)].difference(answer, from: rows[Int(id)].answer) {
                        differences.append(difference)
                    }
                }
                #expect(differences.isEmpty, "\(differences)")
                #expect(Set(answers.map { $0["id"]?.text }).count == rows.count, "\(form)")
            }
        }
    }
#endif
