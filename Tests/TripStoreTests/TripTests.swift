import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripStore

@Suite struct TripTests {
    private func records(_ store: TripStore, trip: Int64) throws -> [(UTC, TripRecord)] {
        var found: [(UTC, TripRecord)] = []
        try store.readings(ofTrip: trip).forEachRecord { found.append(($0, $1)) }
        return found
    }

    /// One item of each kind that can be read back, in the order in which they are offered.
    static var items: [DiagnosticItem] {
        let ecu = Fixtures.ecu
        var freeze = Fixtures.reading(Fixtures.rpm, 0x0C, .number(1726), [0x1A, 0xF8])
        freeze.dataID = DataID(.freezeFrame, 0x0C)
        freeze.frame = 0
        freeze.dtc = DTC("P0301")
        var vin = Fixtures.reading(
            Fixtures.vin, 0, .text(Fixtures.vinText), InlineBytes(Fixtures.vinText.utf8))
        vin.dataID = DataID(.vehicleInformation, 0x02)
        vin.checkDigit = true
        var uds = CodeReport(
            ecu: ecu, kind: .pending, code: .dtc(DTC(0x0301, failureType: 0x11)), line: 0)
        uds.statusByte = 0x2F
        uds.severity = 0x40
        var heavy = CodeReport(
            ecu: ECUAddress(0x18FE_CA00, .can29), kind: .stored,
            code: .j1939(
                J1939Code(spn: 609, fmi: 19, occurrenceCount: 127, conversionMethod: true)),
            line: 0)
        heavy.lamps = .init(malfunction: true, redStop: false, amberWarning: nil, protect: false)
        var test = MonitorTestResult(
            ecu: ecu, tid: 0x80, raw: [1, 0x80, 0x0A, 1, 2, 3, 4], line: 0)
        test.mid = 1
        test.monitor = "Oxygen sensor B1S1"
        test.test = "Rich to lean"
        test.uas = 0x0A
        (test.value, test.min, test.max, test.unit) = (0.3652, 0.3, 0.7, "V")
        test.passed = true
        var legacy = MonitorTestResult(ecu: ECUAddress(0x10, .byte), tid: 5, raw: [], line: 0)
        legacy.component = 0x7F
        return [
            Fixtures.rpm(1726.25),
            .reading(Fixtures.reading(Fixtures.lamp, 0x01, .flag(true), [0x81, 7, 0x65, 4])),
            .reading(Fixtures.reading(Fixtures.count, 0x01, .number(1), [0x81, 7, 0x65, 4])),
            .monitor(
                MonitorStatus(
                    ecu: ecu, scope: .thisCycle, monitor: .noxSCR, supported: false,
                    complete: nil, line: 0)),
            .reading(Fixtures.reading(Fixtures.fuel, 0x51, .label(code: 4), [4])),
            .reading(
                Fixtures.reading(Fixtures.fuel, 0x51, .missing(.undefined, code: 200), [200])),
            .reading(
                Fixtures.reading(Fixtures.rpm, 0x0C, .missing(.tooShort, code: nil), [1])),
            .reading(
                Fixtures.reading(
                    Fixtures.map, 0x00, .supportMap(raw: 0xBE3E_B811), [0xBE, 0x3E, 0xB8, 0x11],
                    ecu: nil)),
            .reading(vin), .reading(freeze), .code(uds), .code(heavy), .monitorTest(test),
            .monitorTest(legacy),
            .message(ECUMessage(ecu: ecu, payload: [0x62, 0xF1, 0x90])),
            .message(ECUMessage(ecu: nil, payload: [1], parameterGroup: 0xFECA)),
        ]
    }

    /// A record with several signals stores its bytes once.
    ///
    /// Two ECUs must not share them.
    @Test func `equal bytes of two ECUs are stored for each ECU`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let other = ECUAddress(0x7E9, .can11)
        let raw: InlineBytes = [0x81, 7, 0x65, 4]
        let items: [DiagnosticItem] = [
            .reading(Fixtures.reading(Fixtures.lamp, 0x01, .flag(true), raw)),
            .reading(Fixtures.reading(Fixtures.count, 0x01, .number(1), raw, ecu: other)),
        ]
        #expect(writer.offer(items, at: Fixtures.after(1)))
        try writer.end(.stopped, at: Fixtures.after(2))
        // The bytes are there for either ECU.
        for ecu in [Fixtures.ecu, other] {
            var selection = TripReadings.Selection()
            selection.ecu = ecu
            var bytes: [InlineBytes] = []
            try store.readings(ofTrip: writer.trip, selection).forEach { bytes.append($1.raw) }
            #expect(bytes == [raw])
        }
    }

    /// FF means that the ECU has no value.
    ///
    /// It must not count in the mean or the maximum.
    @Test func `missing values of an ECU are in no sum`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        for (second, value) in [
            Reading.Value.number(10), .missing(.notAvailable, code: 255), .number(20),
        ].enumerated() {
            #expect(
                writer.offer(
                    [.reading(Fixtures.reading(Fixtures.speed, 0x0D, value, [0]))],
                    at: Fixtures.after(Double(second))))
        }
        try writer.end(.stopped, at: Fixtures.after(3))
        let signal = try #require(try store.readings(ofTrip: writer.trip).signals.first)
        #expect(signal.readings == 3)
        #expect((signal.minimum, signal.mean, signal.maximum) == (10, 15, 20))
    }

    /// Frozen values have a frame and a code.
    ///
    /// They are not part of a signal's course.
    @Test func `frozen values and live values are added up separately`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        func frozen(_ value: Double, _ frame: UInt8, _ code: String?) -> DiagnosticItem {
            var reading = Fixtures.reading(Fixtures.rpm, 0x0C, .number(value), [0])
            (reading.frame, reading.dtc) = (frame, code.flatMap { DTC($0) })
            return .reading(reading)
        }
        #expect(
            writer.offer(
                [
                    Fixtures.rpm(800), frozen(4000, 0, nil), frozen(5000, 1, nil),
                    frozen(6000, 0, "P0301"), frozen(7000, 0, "P0420"), Fixtures.rpm(900),
                ], at: Fixtures.after(1)))
        try writer.end(.stopped, at: Fixtures.after(2))
        let signals = try store.readings(ofTrip: writer.trip).signals
        #expect(signals.map(\.readings).sorted() == [1, 1, 1, 1, 2])
        let live = try #require(signals.first { $0.frame == nil })
        #expect((live.minimum, live.maximum) == (800, 900))
        #expect(
            signals.filter { $0.frame != nil }.compactMap(\.mean).sorted()
                == [4000, 5000, 6000, 7000])
    }

    @Test func `all items are read back unchanged and in order`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        #expect(writer.offer(Self.items, at: Fixtures.after(1.5)))
        #expect(writer.offer(Self.items, at: Fixtures.after(2)))
        try writer.end(.stopped, at: Fixtures.after(3))
        let found = try records(store, trip: writer.trip)
        let times = found.map(\.0.microseconds).map { $0 - Fixtures.start.microseconds }
        #expect(
            times == Array(repeating: 1_500_000, count: 16) + Array(repeating: 2_000_000, count: 16)
        )
        let items = found.map { record -> DiagnosticItem? in
            guard case .item(let item) = record.1 else { return nil }
            return item
        }
        // The signal's index refers to the trip's own table, not to the table of the decoder.
        let table = try store.readings(ofTrip: writer.trip).table
        for (item, expected) in zip(items, Self.items + Self.items) {
            guard case .reading(var reading) = item, case .reading(let original) = expected else {
                #expect(item == expected)
                continue
            }
            #expect(table[reading.signal].id == Fixtures.table[original.signal].id)
            #expect(
                table[reading.signal].labels.map(\.label)
                    == Fixtures.table[original.signal].labels.map(\.label))
            reading.signal = original.signal
            #expect(reading == original)
        }
    }

    @Test func `refusals, faults, events, notes and the voltage are kept`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let refusal = NegativeResponse(service: .permanentCodes, nrc: NRC(0x11))
        let error = DecodeError(.empty, ecu: Fixtures.ecu, line: 0)
        #expect(
            writer.offer(
                [.negativeResponse(refusal, ecu: Fixtures.ecu, line: 0), .error(error)],
                at: Fixtures.after(1)))
        let lost = TripEvent(
            .reconnected, text: "after 3 attempts", duration: .milliseconds(2500))
        #expect(writer.offer(.event(lost), at: Fixtures.after(2)))
        #expect(writer.offer(.voltage(12.3), at: Fixtures.after(3)))
        #expect(writer.offer(.note("tunnel"), at: Fixtures.after(4)))
        try writer.end(.stopped, at: Fixtures.after(5))
        let found = try records(store, trip: writer.trip).map(\.1)
        #expect(found.count == 5)
        #expect(
            found[0]
                == .event(
                    TripEvent(
                        .negativeResponse, text: "serviceNotSupported", ecu: Fixtures.ecu,
                        service: .permanentCodes, code: "11")))
        #expect(
            found[1] == .event(TripEvent(.decodeError, text: "empty message", ecu: Fixtures.ecu)))
        #expect(found[2] == .event(lost))
        guard case .item(.reading(let voltage)) = found[3] else {
            Issue.record("\(found[3])")
            return
        }
        #expect(voltage.value == .number(12.3) && voltage.dataID == nil && voltage.raw.isEmpty)
        #expect(found[4] == .note("tunnel"))
        #expect(
            try store.notes(ofTrip: writer.trip).map(\.time?.microseconds)
                == [Fixtures.start.microseconds + 4_000_000])
    }

    @Test func `the raw bytes of a record are stored once`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let raw: InlineBytes = [0x81, 7, 0x65, 4]
        let lamp = DiagnosticItem.reading(
            Fixtures.reading(Fixtures.lamp, 0x01, .flag(true), raw))
        let count = DiagnosticItem.reading(
            Fixtures.reading(Fixtures.count, 0x01, .number(1), raw))
        // The same record of an unnamed ECU twice, then one that differs only in its ECU.
        var other = Fixtures.reading(Fixtures.count, 0x01, .number(1), raw)
        other.ecu = nil
        #expect(
            writer.offer(
                [lamp, count, lamp, count, .reading(other)], at: Fixtures.after(1)))
        try writer.end(.stopped, at: Fixtures.after(1))
        let stored = try scratch.sql {
            try $0.values([UInt8]?.self, "SELECT raw FROM reading ORDER BY sequence")
        }
        #expect(
            stored.map { $0.map { Array($0) } } == [Array(raw), nil, Array(raw), nil, Array(raw)])
        var selection = TripReadings.Selection()
        selection.signals = ["dtc_cnt"]
        var found: [InlineBytes] = []
        try store.readings(ofTrip: writer.trip, selection).forEach { _, reading in
            found.append(reading.raw)
        }
        #expect(found == [raw, raw, raw])
        let view = try scratch.sql {
            try $0.values(String.self, "SELECT raw FROM readings WHERE signal = 'DTC_CNT'")
        }
        #expect(view == ["81076504", "81076504", "81076504"])
    }

    @Test func `items that arrive late or at the same time are kept, too`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        for (seconds, value) in [(1.0, 1.0), (1, 2), (3, 3), (1, 4), (1, 5), (3, 6), (2, 7)] {
            #expect(writer.offer([Fixtures.rpm(value)], at: Fixtures.after(seconds)))
        }
        #expect(writer.offer([Fixtures.rpm(0)], at: Fixtures.after(-0.5)))
        try writer.end(.stopped, at: Fixtures.after(4))
        var found: [Double] = []
        try store.readings(ofTrip: writer.trip).forEach { _, reading in
            if case .number(let value) = reading.value { found.append(value) }
        }
        #expect(found == [0, 1, 2, 4, 5, 7, 3, 6])
        #expect(try store.trip(writer.trip).readings == 8)
    }

    @Test func `readings can be selected by signal, ECU, time and freeze frame`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let other = ECUAddress(0x7E9, .can11)
        for second in 0..<10 {
            let items: [DiagnosticItem] = [
                Fixtures.rpm(Double(second)), Fixtures.rpm(Double(second), ecu: other),
                .reading(
                    Fixtures.reading(Fixtures.speed, 0x0D, .number(50), [50])),
            ]
            #expect(writer.offer(items, at: Fixtures.after(Double(second))))
        }
        #expect(writer.offer([Self.items[9]], at: Fixtures.after(20)))
        try writer.end(.stopped, at: Fixtures.after(20))
        func count(_ change: (inout TripReadings.Selection) -> Void) throws -> Int {
            var selection = TripReadings.Selection()
            change(&selection)
            var count = 0
            try store.readings(ofTrip: writer.trip, selection).forEach { _, _ in count += 1 }
            return count
        }
        func at(_ seconds: Int64) -> UTC {
            UTC(microseconds: Fixtures.start.microseconds + seconds * 1_000_000)
        }
        #expect(try count { _ in } == 31)
        #expect(try count { $0.signals = ["rpm"] } == 21)
        #expect(try count { $0.signals = ["Engine speed", "VSS"] } == 31)
        #expect(try count { $0.signals = ["ECT"] } == 0)
        #expect(try count { $0.ecu = other } == 10)
        #expect(try count { $0.includesFreezeFrames = false } == 30)
        #expect(try count { ($0.from, $0.to) = (at(2), at(4)) } == 6)
        #expect(try count { $0.to = at(0) } == 0)
        #expect(try count { ($0.from, $0.to) = (at(4), at(2)) } == 0)
        #expect(try count { $0.from = UTC(microseconds: .min) } == 31)
        #expect(try count { $0.to = UTC(microseconds: .max) } == 31)
        #expect(try count { $0.from = UTC(microseconds: .max) } == 0)
    }

    @Test func `a trip knows its readings, time, distance and signals`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        for second in 0...60 {
            let speed = Fixtures.reading(Fixtures.speed, 0x0D, .number(60), [60])
            #expect(
                writer.offer(
                    [.reading(speed), Fixtures.rpm(Double(1000 + second))],
                    at: Fixtures.after(Double(second))))
        }
        #expect(
            writer.offer(
                [
                    .reading(
                        Fixtures.reading(
                            Fixtures.rpm, 0x0C, .missing(.notAvailable, code: nil), [0xFF, 0xFF]))
                ], at: Fixtures.after(61)))
        try writer.flush()
        let open = try store.trip(writer.trip)
        #expect(open.endReason == nil && open.readings == 123 && open.seconds == 61)
        #expect(throws: StoreError.tripIsOpen(writer.trip, path: store.path)) {
            try store.deleteTrip(writer.trip)
        }
        #expect(writer.offer(.vehicle(try #require(VIN(Fixtures.vinText))), at: Fixtures.after(62)))
        try writer.end(.duration, at: Fixtures.after(70))
        let trip = try store.trip(writer.trip)
        #expect(trip.vin == Fixtures.vinText)
        #expect(trip.endReason == .duration && trip.seconds == 70)
        #expect(trip.end.text == "2026-11-21T08:16:12.000000Z")
        // 60 km/h for 60 s = 1 km.
        #expect(abs(try #require(trip.distance) - 1) < 1e-9)
        let signals = try store.readings(ofTrip: writer.trip).signals
        #expect(signals.map(\.readings) == [61, 62])
        #expect(signals.map(\.minimum) == [60, 1000])
        #expect(signals.map(\.maximum) == [60, 1060])
        #expect(signals.map(\.mean) == [60, 1030])
        let lastSeen = try scratch.sql {
            try $0.value(Int64.self, "SELECT last_seen FROM vehicle")
        }
        #expect(lastSeen == trip.end.microseconds)
    }

    @Test func `trips can be listed by vehicle, name, time, tag, text and number`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let vin = try #require(VIN(Fixtures.vinText))
        for hour in Int64(0)..<4 {
            let utc = UTC(microseconds: Fixtures.start.microseconds + hour * 3_600_000_000)
            var start = TripStart(
                purpose: hour == 3 ? .scan : .log,
                anchor: TimeAnchor(monotonic: .zero, utc: utc), vin: hour == 1 ? vin : nil,
                accessory: "tcp:10.0.0.1:35000", tags: hour == 2 ? ["home", "a b", ""] : [])
            start.tags.append(contentsOf: start.tags)
            let writer = try store.startTrip(start, table: Fixtures.table)
            try writer.end(.stopped, at: Instant(nanoseconds: 60_000_000_000))
        }
        func ids(_ change: (inout TripStore.TripFilter) -> Void) throws -> [Int64] {
            var filter = TripStore.TripFilter()
            change(&filter)
            return try store.trips(filter).map(\.id)
        }
        #expect(try ids { _ in } == [1, 2, 3])
        #expect(try ids { $0.withScans = true } == [1, 2, 3, -1])
        #expect(try ids { $0.latest = 2 } == [2, 3])
        #expect(try ids { $0.vehicle = vin.text } == [2])
        #expect(try ids { $0.tag = "a b" } == [3])
        #expect(try ids { $0.search = "HOM" } == [3])
        #expect(try ids { $0.search = "%" } == [])
        #expect(try ids { $0.from = UTC("2026-11-21T09:15Z") } == [2, 3])
        #expect(try ids { $0.to = UTC("2026-11-21T09:15Z") } == [1])
        #expect(try store.trip(3).tags == ["a b", "home"])
        #expect(try store.trip(1).accessory == "tcp:10.0.0.1:35000")
        try store.setTags(["work"], ofTrip: 3)
        try store.addNote("rain", toTrip: 3)
        #expect(try store.trip(3).tags == ["work"])
        #expect(try store.notes(ofTrip: 3).map(\.text) == ["rain"])
        try store.deleteTrip(3)
        #expect(throws: StoreError.unknownTrip(3, path: store.path)) { try store.trip(3) }
        #expect(throws: StoreError.unknownTrip(9, path: store.path)) {
            try store.addNote("x", toTrip: 9)
        }
        let next = try Fixtures.begin(store)
        #expect(next.trip == 4)
        try next.end(.stopped, at: Fixtures.after(0))
    }

    @Test func `drives have consecutive numbers, whatever scans are between them`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        var numbers: [Int64] = []
        for purpose in [TripStart.Purpose.scan, .log, .scan, .scan, .log] {
            let writer = try Fixtures.begin(store, purpose: purpose)
            numbers.append(writer.trip)
            try writer.end(.stopped, at: Fixtures.after(1))
        }
        #expect(numbers == [-1, 1, -2, -3, 2])
        #expect(try store.trips(.init(withScans: false)).map(\.number) == ["1", "2"])
        let all = try store.trips(.init(withScans: true)).map(\.number)
        #expect(Set(all) == ["1", "2", "scan1", "scan2", "scan3"])
        #expect(
            ["7", "scan3", "scan0", "scan-1", "scan", "x"].map(TripSummary.number) == [
                7, -3, nil, nil, nil, nil,
            ])
        // A number is not used twice: deliveries know what was delivered by it.
        try store.deleteTrip(-3)
        _ = try store.purge()
        let next = try Fixtures.begin(store, purpose: .scan)
        #expect(next.trip == -4)
        try next.end(.stopped, at: Fixtures.after(1))
    }

    @Test func `the history of codes spans trips and stays when trips are deleted`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let vin = try #require(VIN(Fixtures.vinText))
        for day in Int64(0)..<3 {
            let utc = UTC(microseconds: Fixtures.start.microseconds + day * 86_400_000_000)
            let writer = try Fixtures.begin(
                store, purpose: .scan,
                anchor: TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: utc))
            let stored = CodeReport(
                ecu: Fixtures.ecu, kind: .stored, code: .dtc(DTC(0x0301)), line: 0)
            var pending = stored
            pending.kind = .pending
            #expect(writer.offer([.code(stored), .code(stored)], at: Fixtures.after(1)))
            if day == 1 { #expect(writer.offer([.code(pending)], at: Fixtures.after(2))) }
            // The VIN may come after the codes.
            #expect(writer.offer(.vehicle(vin), at: Fixtures.after(3)))
            try writer.end(.stopped, at: Fixtures.after(4))
        }
        try store.deleteTrip(-1)
        let history = try store.codeHistory(vehicle: vin.text)
        #expect(history.map(\.kind) == [.stored, .pending])
        #expect(history.map(\.reports) == [6, 1])
        #expect(history[0].firstSeen.text == "2026-11-21T08:15:03.000000Z")
        #expect(history[0].lastSeen.text == "2026-11-23T08:15:03.000000Z")
        #expect(history[0].code == .dtc(DTC(0x0301)) && history[0].ecu == Fixtures.ecu)
        #expect(try store.codeHistory(vehicle: "nobody").isEmpty)
    }

    @Test func `two writers in one database do not disturb each other`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writers = try (0..<2).map { _ in try Fixtures.begin(store, waiting: 20) }
        for number in 0..<100 {
            for (index, writer) in writers.enumerated() {
                let item = Fixtures.rpm(Double(index))
                if !writer.offer([item], at: Fixtures.after(Double(number))) {
                    try writer.flush()
                    #expect(writer.offer([item], at: Fixtures.after(Double(number))))
                }
            }
        }
        for writer in writers { try writer.end(.stopped, at: Fixtures.after(100)) }
        for (index, trip) in try store.trips().enumerated() {
            let selected = try store.readings(ofTrip: trip.id)
            #expect(selected.signals.map(\.readings) == [100])
            #expect(selected.signals.map(\.maximum) == [Double(index)])
        }
    }

    @Test func `a signal with a new description is another channel`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        for unit in ["rpm", "1/min", "rpm"] {
            var table = PIDTable()
            table.add(
                DataID(.currentData, 0x0C), name: "Engine speed", length: 2...2,
                signals: [
                    Signal(
                        id: "RPM", name: "Engine speed", bitOffset: 0, bitLength: 16,
                        kind: .number, unit: unit)
                ])
            let writer = try store.startTrip(TripStart(anchor: Fixtures.anchor), table: table)
            #expect(writer.offer([Fixtures.rpm(800)], at: Fixtures.after(0)))
            try writer.end(.stopped, at: Fixtures.after(1))
        }
        let units = try (Int64(1)...3).map { trip in
            try store.readings(ofTrip: trip).table.signals.map(\.unit)
        }
        #expect(units == [["rpm"], ["1/min"], ["rpm"]])
        let channels = try store.read { try $0.value(Int.self, "SELECT count(*) FROM channel") }
        #expect(channels == 2)
    }
}
