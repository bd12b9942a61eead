import Foundation
import Testing

/// One verdict, one order and one count of codes, whatever shows them.
@Suite(.serialized, .ownThreads) struct `One verdict in text, objects and page` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test(arguments: [
        "petrol", "diesel", "hybrid", "electric", "motorcycle", "onuds", "truck",
    ])
    func `text, objects and page give the same verdict`(vehicle: String) async throws {
        let device = ["-d", "sim:\(vehicle)?frozen=true&latency=0"]
        func objects(_ command: [String]) async throws -> [[String: Any]] {
            let outcome = try await workplace.run(command + ["--json"] + device)
            #expect(outcome.status == 0, "\(outcome)")
            return try outcome.objects()
        }
        func of(_ kind: String, _ key: String, _ objects: [[String: Any]]) -> [String] {
            objects.filter { $0["kind"] as? String == kind }.map { "\($0[key] ?? "-")" }
        }
        let first = try await objects(["dtc"])
        let verdict = try #require(first.first { $0["kind"] as? String == "verdict" })
        let text = try #require(verdict["text"] as? String)
        let order = try #require(verdict["order"] as? [String])
        #expect(verdict["codes"] as? Int == order.count)
        #expect(of("proof", "code", first).count == order.count)
        // The ECUs count the same codes.
        let counts = first.filter { $0["kind"] as? String == "ecu" }.compactMap {
            $0["codes"] as? Int
        }
        #expect(counts.reduce(0, +) == order.count)
        for command in [["monitors", "--readiness"], ["dtc", "report"], ["dtc", "explain"]] {
            let other = try await objects(command)
            for (kind, key) in [
                ("verdict", "text"), ("verdict", "order"), ("verdict", "cleared"),
                ("verdict", "inspection"), ("together", "text"), ("proof", "text"),
            ] {
                #expect(of(kind, key, other) == of(kind, key, first), "\(command) \(kind) \(key)")
            }
        }
        let names = try await objects(["dtc", "explain"]).filter {
            $0["kind"] as? String == "explanation"
        }.compactMap { $0["code"] as? String }
        #expect(names == order.map { String($0.prefix { $0 != "-" }) })
        let inspection = try #require(verdict["inspection"] as? String)
        for command in [["dtc"], ["monitors", "--readiness"], ["dtc", "report"]] {
            let shown = try await workplace.run(command + device).output
            #expect(shown.hasPrefix(text + "\n"), "\(shown)")
            #expect(shown.contains(inspection), "\(shown)")
            let places = order.compactMap { shown.range(of: "\n\($0)  ")?.lowerBound }
            #expect(places == places.sorted())
            #expect(places.count == order.count || command[0] == "monitors")
        }
        let page = try await workplace.run(["dtc", "report", "--to", "-"] + device).output
        #expect(page.contains(text) && page.contains(inspection))
        let places = order.compactMap { page.range(of: ">\($0)</td>")?.lowerBound }
        #expect(places.count == order.count && places == places.sorted(), "\(page)")
    }
}
