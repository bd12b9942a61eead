import Diagnostics
import OBDCore
import Testing

@testable import TripStore

@Suite struct CodeHistoryTests {
    /// Stores one scan of the codes, `hour` hours after the start.
    private func look(
        _ store: TripStore, hour: Int64, _ lists: [CodeReport.Kind: [String]],
        vin: String? = Fixtures.vinText
    ) throws {
        let utc = UTC(microseconds: Fixtures.start.microseconds + hour * 3_600_000_000)
        let writer = try store.startTrip(
            TripStart(
                purpose: .scan,
                anchor: TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: utc),
                vin: vin.flatMap { VIN($0) }), table: Fixtures.table)
        for (offset, kind) in [CodeReport.Kind.stored, .pending, .permanent].enumerated() {
            guard let codes = lists[kind] else { continue }
            let time = Fixtures.after(Double(offset))
            let items = try codes.map { text in
                DiagnosticItem.code(
                    CodeReport(
                        ecu: Fixtures.ecu, kind: kind, code: .dtc(try #require(DTC(text))), line: 0
                    ))
            }
            #expect(writer.offer(items, at: time))
            #expect(writer.offer(.codeList(Fixtures.ecu, kind, codes: codes.count), at: time))
        }
        // A trip that is being recorded counts as if it had ended.
        try writer.flush()
        let open = Set(try store.codeHistory())
        try writer.end(.stopped, at: Fixtures.after(3))
        #expect(open == Set(try store.codeHistory()))
    }

    private func history(_ store: TripStore) throws -> [String] {
        try store.codeHistory().flatMap { entry in
            entry.changes.map { change in
                let seconds = (change.time.microseconds - Fixtures.start.microseconds) / 1_000_000
                let what = change.isPresent ? "came" : "gone"
                return "\(seconds / 3600) \(entry.code.text) \(entry.kind) \(what)"
            }
        }.sorted()
    }

    @Test func `a vehicle is known by its VIN and its name`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        try look(store, hour: 1, [.stored: []])
        #expect(try store.setName("van", ofVehicle: Fixtures.vinText) == .named)
        #expect(try store.knows(vehicle: Fixtures.vinText) && store.knows(vehicle: "van"))
        #expect(try !store.knows(vehicle: "nobody"))
    }

    @Test func `a code is pending, stored, permanent and gone`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        try look(store, hour: 1, [.stored: [], .pending: ["P0301"], .permanent: []])
        try look(store, hour: 2, [.stored: [], .pending: ["P0301"], .permanent: []])
        try look(store, hour: 3, [.stored: ["P0301"], .pending: [], .permanent: ["P0301"]])
        // A list that was not read changes nothing.
        try look(store, hour: 4, [.pending: []])
        try look(store, hour: 5, [.stored: [], .pending: [], .permanent: ["P0301"]])
        try look(store, hour: 6, [.stored: [], .pending: [], .permanent: []])
        try look(store, hour: 7, [.stored: ["P0301"], .pending: ["P0420"], .permanent: []])
        #expect(
            try history(store) == [
                "1 P0301 pending came", "3 P0301 pending gone", "3 P0301 permanent came",
                "3 P0301 stored came", "5 P0301 stored gone", "6 P0301 permanent gone",
                "7 P0301 stored came", "7 P0420 pending came",
            ])
        let stored = try #require(
            try store.codeHistory().first { $0.kind == .stored && $0.code.text == "P0301" })
        #expect(stored.isPresent && stored.reports == 2 && stored.vin == Fixtures.vinText)
    }

    /// The list of an ECU concerns only its own codes, even if another ECU has the same ones.
    @Test func `an empty list of one ECU removes no code of another ECU`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let other = ECUAddress(0x7E9, .can11)
        for (hour, lists) in [
            (1, [(Fixtures.ecu, ["P0301", "P0420"]), (other, ["P0301"])]),
            (2, [(other, [])]), (3, [(Fixtures.ecu, ["P0301"])]),
        ] as [(Int64, [(ECUAddress, [String])])] {
            let utc = UTC(microseconds: Fixtures.start.microseconds + hour * 3_600_000_000)
            let writer = try store.startTrip(
                TripStart(
                    purpose: .scan,
                    anchor: TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: utc),
                    vin: VIN(Fixtures.vinText)), table: Fixtures.table)
            for (ecu, names) in lists {
                let items = try names.map { text in
                    DiagnosticItem.code(
                        CodeReport(
                            ecu: ecu, kind: .stored, code: .dtc(try #require(DTC(text))), line: 0))
                }
                #expect(writer.offer(items, at: Fixtures.after(1)))
                #expect(
                    writer.offer(.codeList(ecu, .stored, codes: items.count), at: Fixtures.after(1))
                )
            }
            try writer.end(.stopped, at: Fixtures.after(2))
        }
        let present = try store.codeHistory().map {
            "\($0.ecu?.description ?? "-") \($0.code.text) \($0.isPresent)"
        }
        #expect(present.sorted() == ["7E8 P0301 true", "7E8 P0420 false", "7E9 P0301 false"])
        #expect(
            try history(store) == [
                "1 P0301 stored came", "1 P0301 stored came", "1 P0420 stored came",
                "2 P0301 stored gone", "3 P0420 stored gone",
            ])
    }

    /// DM1 has the active codes, DM2 the others.
    ///
    /// The codes of one list do not disappear because the other list lacks them.
    @Test func `two lists of the same reading count as one list`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        func look(hour: Int64, _ lists: [[UInt32]]) throws {
            let utc = UTC(microseconds: Fixtures.start.microseconds + hour * 3_600_000_000)
            let writer = try store.startTrip(
                TripStart(
                    purpose: .scan,
                    anchor: TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: utc),
                    vin: VIN(Fixtures.vinText)), table: Fixtures.table)
            for (offset, list) in lists.enumerated() {
                let time = Fixtures.after(Double(offset) * 2)
                let items = list.map { number in
                    DiagnosticItem.code(
                        CodeReport(
                            ecu: Fixtures.ecu, kind: .stored,
                            code: .j1939(
                                J1939Code(
                                    spn: number, fmi: 3, occurrenceCount: 1, conversionMethod: false
                                )), line: 0))
                }
                #expect(writer.offer(items, at: time))
                #expect(writer.offer(.codeList(Fixtures.ecu, .stored, codes: list.count), at: time))
            }
            try writer.flush()
            let open = Set(try store.codeHistory())
            try writer.end(.stopped, at: Fixtures.after(9))
            #expect(open == Set(try store.codeHistory()))
        }
        try look(hour: 1, [[110, 190], [94]])
        try look(hour: 2, [[110], [94, 190]])
        try look(hour: 3, [[], [94]])
        // A scan, a clear, and another scan right after it.
        try look(hour: 4, [[100], [94], [], []])
        #expect(
            try history(store) == [
                "1 SPN110/FMI3 stored came", "1 SPN190/FMI3 stored came",
                "1 SPN94/FMI3 stored came",
                "3 SPN110/FMI3 stored gone", "3 SPN190/FMI3 stored gone",
                "4 SPN100/FMI3 stored came", "4 SPN100/FMI3 stored gone",
                "4 SPN94/FMI3 stored gone",
            ])
    }

    @Test func `the list of another vehicle or ECU changes no code`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        try look(store, hour: 1, [.stored: ["P0301"]])
        try look(store, hour: 2, [.stored: []], vin: "WVWZZZ1JZXW000001")
        try look(store, hour: 3, [.stored: []], vin: nil)
        #expect(try history(store) == ["1 P0301 stored came"])
    }
}
