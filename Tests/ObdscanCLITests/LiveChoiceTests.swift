import Adapters
import Diagnostics
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import TestSupport
import Testing
import VehicleScan

@testable import TerminalView

@Suite struct `The readings of the live view` {
    private func reading(
        _ id: DataID?, _ value: Reading.Value = .number(1), signal: Int32 = 0, ecu: UInt32 = 0x7E8
    ) -> Reading {
        TestSupport.reading(value, id, signal: Int(signal), ecu: ECUAddress(ecu, .can11))
    }

    private func setup(_ ids: [DataID], named: [Int32] = []) -> PollSetup {
        var setup = PollSetup([], table: PIDTable(), every: nil, ecu: nil)
        setup.wants = ids.map { PollPlan.Want($0, length: 2) }
        setup.named = named.map { SignalIndex(rawValue: $0) }
        return setup
    }

    /// A PID, a data identifier of SAE J1979-2, and a parameter group of SAE J1939.
    private static let asked = [
        DataID(.currentData, 0x0C), DataID(.readData, 0xF40C),
        DataID(DataID.parameterGroups, 0xF004),
    ]

    @Test(arguments: asked)
    func `requested readings of every service are shown`(_ id: DataID) {
        let setup = setup(Self.asked)
        let shows = { (reading: Reading, hasRow: Bool) in
            setup.shows(reading, asked: Set(Self.asked), hasRow: hasRow)
        }
        #expect(shows(reading(id), false))
        #expect(shows(reading(id, .label(code: 1)), false))
        #expect(!shows(reading(id, .flag(true)), false))
        #expect(!shows(reading(id, .supportMap(raw: 1)), false))
        #expect(!shows(reading(id, .missing(.notAvailable, code: nil)), false))
        #expect(shows(reading(id, .missing(.notAvailable, code: nil)), true))
        // Answers to requests between two readings are not shown: the VIN, or the requests of a page of
        // codes.
        #expect(!shows(reading(DataID(.vehicleInformation, 0x02), .text("1")), false))
        #expect(!shows(reading(DataID(.readData, 0xF802), .text("1")), false))
        #expect(!shows(reading(DataID(.currentData, 0x01)), false))
        // The voltage at the adapter has no data identifier. It is shown.
        #expect(shows(reading(nil), false))
    }

    @Test func `named readings of the chosen ECU are shown, of any kind`() {
        var setup = setup(Self.asked, named: [3])
        let id = Self.asked[0]
        let shows = { (setup: PollSetup, reading: Reading) in
            setup.shows(reading, asked: Set(Self.asked), hasRow: false)
        }
        #expect(shows(setup, reading(id, .flag(true), signal: 3)))
        #expect(!shows(setup, reading(id, .number(1), signal: 2)))
        setup.onlyECU = ECUAddress(0x7E9, .can11)
        #expect(!shows(setup, reading(id, .flag(true), signal: 3)))
        #expect(shows(setup, reading(id, .flag(true), signal: 3, ecu: 0x7E9)))
    }

    @Test func `a signal is missing if no ECU answers or another signal is answered`() throws {
        let table = try PIDTables.standard()
        let (speed, level) = (DataID(.currentData, 0x0D), DataID(.readData, 0xF42F))
        let throttle = DataID(DataID.parameterGroups, 0xFEF2)
        let setup = setup([speed, level, throttle])
        let missed = { (request: [UInt8], items: [DiagnosticItem], statuses: [AdapterStatus]) in
            var batch = ReadingBatch(
                id: RequestID(rawValue: 1), exchange: Exchange(request: request), asked: .zero,
                answered: .zero, messages: [], items: items)
            batch.statuses = statuses
            return setup.missed(in: batch, table).map { table[$0].id }
        }
        #expect(missed([0x01, 0x0D], [], [.noData]) == ["VSS"])
        #expect(missed([0x22, 0xF4, 0x2F], [], [.noData]) == ["FLI"])
        #expect(missed([0x00, 0xFE, 0xF2], [], [.noData]).contains("SPN51"))
        #expect(
            missed([0x01, 0x0C, 0x0D], [.reading(reading(DataID(.currentData, 0x0C)))], []) == [
                "VSS"
            ])
        #expect(missed([0x01, 0x0D], [.reading(reading(speed))], []).isEmpty)
        #expect(missed([0x01, 0x0C], [], [.noData]).isEmpty)
        // A failed bus proves nothing about the vehicle.
        #expect(missed([0x01, 0x0D], [], [.busError]).isEmpty)
        #expect(missed([0x01, 0x0D], [], [.canError, .noData]).isEmpty)
        // A damaged answer is still an answer, and an ECU that is busy may answer later.
        let damaged = DecodeError(.malformed("too long"), ecu: nil, line: 0)
        #expect(missed([0x01, 0x0D], [.error(damaged)], []).isEmpty)
        for (nrc, isMissed) in [(NRC.busyRepeatRequest, false), (NRC(0x31), true)] {
            let refusal = NegativeResponse(service: .currentData, nrc: nrc)
            let item = DiagnosticItem.negativeResponse(refusal, ecu: nil, line: 0)
            #expect(missed([0x01, 0x0D], [item], []).isEmpty != isMissed)
        }
        #expect(missed([0x09, 0x0D], [], [.noData]).isEmpty)
        #expect(missed([], [], [.noData]).isEmpty)
    }
}

@Suite struct `Active alarms` {
    private func news(_ text: String, _ ecu: UInt32? = 0x7E8, begins: Bool = true) throws
        -> AlarmNews
    {
        let address = ecu.map { ECUAddress($0, .can11) }
        return AlarmNews(
            alarm: try #require(Alarm(text)), ecu: address, signal: SignalIndex(rawValue: 0),
            reading: Reading(
                ecu: address, dataID: nil, signal: SignalIndex(rawValue: 0), value: .number(1),
                raw: [], line: 0),
            isRaised: begins)
    }

    @Test func `the newest alarm is shown with its time and the number of other alarms`() throws {
        var raised = RaisedAlarms()
        #expect(raised.text == nil)
        let time = UTC(microseconds: 1_000_000_000_000)
        let clock = localTime(time).suffix(8)
        raised.take(try news("ECT>10"), unit: "°C", at: time)
        #expect(raised.text == "ECT>10 °C since \(clock) (7E8)")
        raised.take(try news("RPM>10", 0x7E9), unit: "rpm", at: time)
        raised.take(try news("MIL=on", nil), unit: "", at: time)
        #expect(raised.text == "MIL=on since \(clock), and 2 more")
        raised.take(try news("MIL=on", nil, begins: false), unit: "", at: time)
        #expect(raised.text == "RPM>10 rpm since \(clock) (7E9), and 1 more")
        raised.take(try news("RPM>10", 0x7E9, begins: false), unit: "rpm", at: time)
        raised.take(try news("ECT>10", begins: false), unit: "°C", at: time)
        #expect(raised.text == nil)
    }
}

@Suite struct `Named signals that the vehicle does not support` {
    private let table: PIDTable
    private let names: SignalNames

    init() throws {
        table = try PIDTables.standard()
        names = SignalNames(table)
    }

    /// A sink that watches the named signals, of which each record is requested by its number.
    private func sink(_ names: String...) throws -> UnsupportedSignals {
        let sink = try UnsupportedSignals(table)
        let selected = try names.map { try self.names.find($0) }
        sink.begin(PollSetup(selected, table: table, every: nil, ecu: nil))
        return sink
    }

    /// The answer to a request: a number for each of `answered`, NO DATA without any.
    private func offer(
        _ request: [UInt8], _ answered: [String] = [], to sink: UnsupportedSignals
    ) throws {
        let items = try answered.map { name -> DiagnosticItem in
            let found = try names.find(name)
            let signal = try #require(found.signal)
            return .reading(
                TestSupport.reading(.number(1), found.dataID, signal: Int(signal.rawValue)))
        }
        var batch = ReadingBatch(
            id: RequestID(rawValue: 1), exchange: Exchange(request: request), asked: .zero,
            answered: .zero, messages: [], items: items)
        if items.isEmpty { batch.statuses = [.noData] }
        #expect(sink.offer(batch))
    }

    @Test func `silent signals are reported after the vehicle answered another signal`() throws {
        let sink = try sink("rpm", "oil-temp", "ambient-temp")
        try offer([0x01, 0x5C], to: sink)
        // The vehicle may be off.
        #expect(sink.note(table, isRecorded: false) == nil)
        try offer([0x01, 0x0C], ["rpm"], to: sink)
        // One answer may be lost.
        #expect(sink.note(table, isRecorded: false) == nil)
        try offer([0x01, 0x5C], to: sink)
        #expect(sink.note(table, isRecorded: false)?.hasPrefix("No ECU reports EOT: ") == true)
        #expect(sink.records == [DataID(.currentData, 0x5C)])
        try offer([0x01, 0x5C], to: sink)
        #expect(sink.note(table, isRecorded: false) == nil)
        for _ in 0..<2 { try offer([0x01, 0x46], to: sink) }
        #expect(sink.note(table, isRecorded: false)?.hasPrefix("No ECU reports AAT: ") == true)
    }

    @Test func `a recording without an answer says nothing about the vehicle`() throws {
        let sink = try sink("rpm", "oil-temp")
        try offer([0x01, 0x0C], ["rpm"], to: sink)
        for _ in 0..<2 { try offer([0x01, 0x5C], to: sink) }
        let note = try #require(sink.note(table, isRecorded: true))
        #expect(note.contains("recording") && note.contains("EOT") && !note.contains("No ECU"))
    }

    @Test func `signals that the vehicle reported before are not listed`() throws {
        let sink = try sink("rpm", "oil-temp")
        try offer([0x01, 0x0C, 0x5C], ["rpm", "oil-temp"], to: sink)
        try offer([0x01, 0x5C], to: sink)
        #expect(sink.note(table, isRecorded: false) == nil)
    }

    @Test func `one of two signals in the same request can be missing`() throws {
        let sink = try sink("rpm", "oil-temp")
        for _ in 0..<2 { try offer([0x01, 0x0C, 0x5C], ["rpm"], to: sink) }
        #expect(sink.note(table, isRecorded: false)?.hasPrefix("No ECU reports EOT: ") == true)
    }

    @Test func `without names no signal is listed`() throws {
        let sink = try sink()
        try offer([0x01, 0x5C], to: sink)
        try offer([0x01, 0x0C], ["rpm"], to: sink)
        #expect(sink.note(table, isRecorded: false) == nil)
    }
}

@Suite struct `The lights of SAE J1939` {
    /// SAE J1939-73, DM1: two bits per lamp, then SPN 110 with FMI 0; FF FF is reserved.
    @Test(
        arguments: [
            (0x40, true, "check engine light"), (0x14, false, "red stop lamp, amber warning lamp"),
            (0x01, false, "protect lamp"), (0x00, false, ""),
            (0x55, true, "red stop lamp, check engine light, amber warning lamp, protect lamp"),
        ] as [(UInt8, Bool, String)])
    func `the lights are those of DM1`(byte: UInt8, isOn: Bool, lit: String) throws {
        let table = try PIDTables.standard()
        let engine = ECUAddress(0x00, .byte)
        let message = ECUMessage(
            ecu: engine, payload: [byte, 0xFF, 110, 0, 0, 1], parameterGroup: 0xFECA)
        #expect(message.lamps?.lit.joined(separator: ", ") == lit)
        var batch = ReadingBatch(
            id: RequestID(rawValue: 1), exchange: Exchange(request: [0x00, 0xFE, 0xCA]),
            asked: .zero, answered: .zero, messages: [message], items: [])
        let code = J1939Code(spn: 110, fmi: 0, occurrenceCount: 1, conversionMethod: false)
        batch.items = [
            .code(CodeReport(ecu: engine, kind: .stored, code: .j1939(code), line: 0))
        ]
        let signals = LightSignals(table)
        let readings = signals.readings(ofDM1In: batch)
        #expect(readings.map(\.ecu) == [engine, engine])
        #expect(readings.map(\.signal) == [signals.light, signals.codes])
        #expect(readings.map(\.value) == [.flag(isOn), .number(1)])
    }

    @Test func `a light that is not available is not shown as off`() throws {
        let message = ECUMessage(
            ecu: ECUAddress(0x00, .byte), payload: [0xFF, 0xFF, 0, 0, 0, 0],
            parameterGroup: 0xFECA)
        #expect(message.lamps?.malfunction == nil)
        let batch = ReadingBatch(
            id: RequestID(rawValue: 1), exchange: Exchange(request: [0x00, 0xFE, 0xCA]),
            asked: .zero, answered: .zero, messages: [message], items: [])
        let signals = LightSignals(try PIDTables.standard())
        #expect(signals.readings(ofDM1In: batch).map(\.signal) == [signals.codes])
    }
}
