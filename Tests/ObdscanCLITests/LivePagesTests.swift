import Diagnostics
import Formats
import OBDCore
import PIDTables
import TerminalView
import TestSupport
import Testing

/// The table is read only once, because a debug build needs much time for it.
private let standard = Result { try PIDTables.standard() }

private func ecu(_ address: UInt32) -> ECUAddress { ECUAddress(address, .can11) }

/// A drive with signals of the standard table and one reading per second.
private struct Drive {
    let table: PIDTable
    var model: LiveModel
    let signals: [SignalIndex]

    init(_ ids: [String], seconds: Int = 90) throws {
        let table = try standard.get()
        self.table = table
        signals = try ids.map { id in
            let place = try #require(table.signals.firstIndex { $0.id == id })
            return SignalIndex(rawValue: Int32(place))
        }
        model = LiveModel(units: .metric, start: .zero, order: signals)
        model.levels = try PIDTables.signalLevels()
        for signal in signals { model.expect(signal, table[signal]) }
        for second in 0..<seconds {
            for place in signals.indices {
                say(place, Double(20 + second % 50), at: Double(second))
            }
        }
    }

    mutating func say(_ place: Int, _ value: Double, at time: Double, by address: UInt32 = 0x7E8) {
        let signal = signals[place]
        let reading = Reading(
            ecu: ecu(address), dataID: DataID(.currentData, 0x05), signal: signal,
            value: .number(value), raw: [0x5F], line: 0)
        model.apply(reading, table[signal], at: at(time))
    }

    func lines(
        _ columns: Int = 80, _ rows: Int = 24, at time: Double = 90, ascii: Bool = false
    ) -> [String] {
        LiveView(palette: Palette(isOn: false), isASCII: ascii)
            .render(model, at: at(time), size: .init(columns: columns, rows: rows))
    }
}

private let sizes: [(Int, Int)] = [
    (20, 4), (24, 7), (40, 10), (60, 15), (80, 24), (120, 40), (156, 12), (200, 60), (300, 9),
]

@Suite struct `Every form of the live view` {
    @Test(arguments: [LiveModel.Mode.list, .gauges, .signal], sizes)
    func `every screen fits, and its ASCII form has the same width`(
        _ mode: LiveModel.Mode, _ size: (Int, Int)
    ) throws {
        var drive = try Drive([
            "RPM", "VSS", "ECT", "LOAD_PCT", "SPARKADV", "SHRTFT1", "MAF", "FLI", "VPWR", "IAT",
            "EOT", "DTC_CNT", "O2S12", "RUNTM",
        ])
        drive.model.mode = mode
        drive.model.takeLight(true, of: nil, at: at(20))
        drive.model.takeCodes(12, of: nil)
        for cursor in [nil, 0, 4, 13] {
            drive.model.cursor = cursor
            let lines = drive.lines(size.0, size.1)
            #expect(lines.count <= size.1)
            #expect(lines.allSatisfy { displayWidth($0) <= size.0 })
            let ascii = drive.lines(size.0, size.1, ascii: true)
            #expect(ascii.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
            #expect(ascii.allSatisfy { displayWidth($0) <= size.0 })
            #expect(ascii.allSatisfy { !$0.contains("??") })
        }
    }
}

@Suite struct `The heading of the live view` {
    @Test func `the heading has the check engine light and the codes of all ECUs`() throws {
        var drive = try Drive(["RPM"], seconds: 1)
        #expect(!drive.lines()[1].contains("light"))
        drive.model.takeLight(false, of: ecu(0x7E8), at: at(80))
        #expect(drive.lines()[1].hasSuffix("○ light off"))
        drive.model.takeCodes(0, of: ecu(0x7E8))
        #expect(drive.lines()[1].hasSuffix("○ light off · no stored codes"))
        drive.model.takeLight(true, of: ecu(0x7E9), at: at(80))
        drive.model.takeCodes(1, of: ecu(0x7E9))
        #expect(drive.lines()[1].hasSuffix("● check engine light on · 1 stored code"))
        #expect(drive.lines(60)[1].hasSuffix("● light on · 1 code"))
        drive.model.takeCodes(2, of: ecu(0x7E8))
        drive.model.takeLight(false, of: ecu(0x7E9), at: at(80))
        #expect(drive.lines()[1].hasSuffix("○ light off · 3 stored codes"))
    }

    @Test func `the heading has the other lamps of SAE J1939`() throws {
        var drive = try Drive(["RPM"], seconds: 1)
        let amber = CodeReport.Lamps(
            malfunction: true, redStop: false, amberWarning: true, protect: nil)
        drive.model.takeLamps(amber, of: ECUAddress(0x0B, .byte), at: at(80))
        #expect(drive.lines(80)[1].hasSuffix("● amber warning lamp on"))
        drive.model.takeLight(true, of: ECUAddress(0x00, .byte), at: at(80))
        drive.model.takeCodes(4, of: ECUAddress(0x00, .byte))
        #expect(
            drive.lines(120)[1]
                .hasSuffix("● check engine light, amber warning lamp on · 4 stored codes"))
        #expect(drive.lines(80)[1].hasSuffix("● check engine light, amber warning lamp on"))
        #expect(drive.lines(60)[1].hasSuffix("● 2 lights on"))
        let off = CodeReport.Lamps(
            malfunction: false, redStop: false, amberWarning: false, protect: false)
        drive.model.takeLamps(off, of: ECUAddress(0x0B, .byte), at: at(80))
        #expect(drive.lines(120)[1].hasSuffix("● check engine light on · 4 stored codes"))
    }
}

@Suite struct `An unusual value` {
    /// A coolant temperature, and the word and the shape next to it.
    @Test(arguments: [
        (50.0, "• cold", "•"), (60, nil, nil), (90, nil, nil), (111, "▲ high", "▲"),
    ])
    func `an unusual value has a shape, and a word if there is room`(
        _ value: Double, _ word: String?, _ shape: String?
    ) throws {
        var drive = try Drive(["ECT", "RPM"], seconds: 1)
        drive.say(1, 800, at: 90)
        drive.say(0, value, at: 90)
        let narrow = drive.lines()[5], wide = drive.lines(200)[5]
        for all in ["•", "▲", "▲▲"] where all.count > (shape?.count ?? 0) {
            #expect(!narrow.contains(all))
        }
        #expect(shape.map(narrow.contains) ?? true)
        #expect(word.map(wide.contains) ?? !wide.contains("high"))
        // The limits are converted together with the value.
        drive.model.show(in: .us)
        #expect(word.map(drive.lines(200)[5].contains) ?? !drive.lines(200)[5].contains("high"))
    }

    /// A signal, its value, the engine speed or nil if it is not read, the age in seconds, and the word.
    ///
    /// A starter turns the engine with less than 450 rpm. A catalyst at 75 °C is not fine, only cool.
    @Test(
        arguments: [
            ("ECT", 50.0, 0.0, 0.0, nil), ("ECT", 50, nil, 0, nil), ("ECT", 50, 800, 0, "cold"),
            ("ECT", 50, 800, 11, nil), ("ECT", 115, 0, 0, nil), ("VPWR", 11.9, 0, 0, nil),
            ("VPWR", 9.5, 200, 0, nil), ("VPWR", 11.9, nil, 0, nil), ("VPWR", 11.9, 800, 0, "low"),
            ("VPWR", 12.3, 800, 0, nil), ("VPWR", 15.4, 800, 0, nil),
            ("VPWR", 15.6, 800, 0, "high"),
            ("VPWR", 16.5, 800, 0, "too high"), ("VPWR", 27.6, 800, 0, nil),
            ("CATEMP11", 75, 800, 0, nil), ("CATEMP11", 900, 800, 0, nil), ("EOT", 20, 800, 0, nil),
            ("RPM", 6900, nil, 0, nil),
        ] as [(String, Double, Double?, Double, String?)])
    func `an unusual value has a word only while the engine runs and if its limit has a source`(
        _ id: String, _ value: Double, _ speed: Double?, _ age: Double, _ word: String?
    ) throws {
        var drive = try Drive(id == "RPM" ? [id] : [id, "RPM"], seconds: 0)
        if let speed { drive.say(1, speed, at: 90 - age) }
        drive.say(0, value, at: 90)
        let row = try #require(drive.model.rows.first { $0.id == id })
        #expect(row.level?.word == word)
        // Nothing is called good.
        let line = LiveView(palette: Palette(isOn: true)).render(
            drive.model, at: at(90), size: .init(columns: 80, rows: 8)
        ).first { $0.contains(row.name.prefix(12)) }
        #expect(line?.contains("\u{1B}[32m") == false)
    }

    @Test func `an unusual value is coloured, and an old one is dim`() throws {
        var drive = try Drive(["ECT", "RPM"], seconds: 1)
        let view = LiveView(palette: Palette(isOn: true))
        func line(_ value: Double, at time: Double) -> String {
            drive.say(1, 800, at: 90)
            drive.say(0, value, at: 90)
            return view.render(drive.model, at: at(time), size: .init(columns: 80, rows: 8))[5]
        }
        #expect(line(90, at: 90).contains("\u{1B}[1m      90"))
        #expect(line(111, at: 90).contains("\u{1B}[33m     111"))
        #expect(line(120, at: 99).contains("\u{1B}[2m     120"))
        #expect(line(120, at: 99).contains("\u{1B}[2mEngine coolant temperature"))
    }

    /// A value is old by the pace of its signal: an odometer is asked for every 10 s.
    @Test(arguments: [
        ([0.0], 14.0, false), ([0], 16, true), ([0, 10], 39, false), ([0, 10], 41, true),
        ([0, 1], 5.9, false), ([0, 1], 6.1, true), ([0, 50], 111, true),
    ])
    func `a value counts as old if the next value is later than usual`(
        _ times: [Double], _ now: Double, _ isOld: Bool
    ) throws {
        var drive = try Drive(["ECT"], seconds: 0)
        for time in times { drive.say(0, 90, at: time) }
        let line = LiveView(palette: Palette(isOn: true)).render(
            drive.model, at: at(now), size: .init(columns: 80, rows: 8))[5]
        #expect(line.contains("\u{1B}[2mEngine") == isOld, "\(line)")
    }
}

@Suite struct `The detailed view of a signal` {
    @Test func `the view has digits, statistics, its source and a graph with round marks`() throws {
        var drive = try Drive(["ECT", "RPM"])
        drive.model.cursor = 0
        drive.model.mode = .signal
        #expect(drive.lines(100, 40).contains { $0.contains("service 01, PID 05, ECU 7E8") })
        let engine = try #require(ECUAddress("7E8"))
        drive.model.names = ECUNames(own: [engine: "ECM-EngineControl"])
        let text = drive.lines(100, 40).joined(separator: "\n")
        #expect(text.contains("Engine coolant temperature"))
        #expect(text.contains("ECT  Engine (7E8)"))
        #expect(text.contains("Range     20 to 69, mean 42"))
        #expect(text.contains("Readings  90 in 01:30, 1.0 per second"))
        #expect(text.contains("Source    service 01, PID 05, Engine (7E8)"))
        #expect(text.contains("Bytes     5F; 8 bits − 40 °C"))
        #expect(text.contains("-2 min"))
        #expect(text.contains("-1:30"))
        #expect(text.contains("now"))
        // The large digits of 59 °C; a dot is two cells wide.
        #expect(text.contains("██████  ██████"))
        drive.model.zoom(by: -1, at: at(90))
        #expect(!drive.lines(100, 40).joined().contains("-2 min"))
        drive.model.resetExtremes()
        #expect(!drive.lines(100, 40).joined().contains("Range"))
    }

    @Test
    func `up to three signals share a graph, other signals show their extremes`()
        throws
    {
        var drive = try Drive(["ECT", "RPM", "IAT", "VSS"])
        for place in 0..<4 {
            drive.model.cursor = place
            let plotting = drive.model.togglePlotted()
            #expect(plotting == (place < 3 ? .added : .full))
        }
        drive.model.cursor = 0
        drive.model.mode = .signal
        let legend = try #require(
            drive.lines(120, 40).first { $0.contains("* Engine coolant temperature") })
        #expect(legend.contains("+ Engine speed, rpm (20 to 70)"))
        // The signal has the same unit, and so the same axis.
        #expect(legend.contains("o Intake air temperature, °C"))
        #expect(!legend.contains("Intake air temperature, °C ("))
        #expect(!legend.contains("Vehicle speed"))
        // At 80 columns the names do not fit.
        let short = try #require(drive.lines(80, 24).first { $0.contains("* ECT, °C") })
        #expect(short.contains("+ RPM, rpm (20 to 80)   o IAT, °C"))
        let plotting = drive.model.togglePlotted()
        #expect(plotting == .removed)
        #expect(drive.model.plotted.count == 2)
    }
}

@Suite struct `The order of the live view` {
    @Test func `rows are in the requested order, by name, or with unusual values first`() throws {
        var drive = try Drive(["VSS", "ECT", "RPM"], seconds: 1)
        // Levels count while the engine runs.
        drive.say(2, 800, at: 1)
        drive.say(1, 120, at: 1)
        func names() -> [String] { drive.model.shown.map { drive.model.rows[$0].id } }
        #expect(names() == ["VSS", "ECT", "RPM"])
        drive.model.changeOrder()
        #expect(names() == ["ECT", "RPM", "VSS"])
        drive.model.changeOrder()
        #expect(names() == ["ECT", "VSS", "RPM"])
        let speed = drive.signals[2]
        drive.model.mark { signal, _ in signal == speed }
        #expect(names() == ["RPM", "ECT", "VSS"])
        drive.model.changeOrder()
        #expect(names() == ["VSS", "ECT", "RPM"])
    }
}

@Suite struct `A large screen` {
    @Test func `dials grow until they just fill the terminal, with large digits and limits`() throws
    {
        var drive = try Drive(["RPM", "VSS", "ECT", "LOAD_PCT", "TP", "MAF", "FLI"])
        drive.model.mode = .gauges
        let lines = drive.lines(200, 50)
        let names = lines.indices.filter { lines[$0].contains("Engine speed") }
        #expect(names.count == 1)
        // The last row of dials reaches the end of the screen.
        #expect(lines.lastIndex { $0.contains("Fuel tank level") } ?? 0 > 30)
        #expect(lines.contains { $0.contains("▀▀█") || $0.contains("█▀█") })
        // A small screen keeps the small dials, so that as many as possible are seen.
        #expect(drive.lines(80, 24).filter { $0.contains("█▀█") }.isEmpty)
    }

    @Test func `below a short list the view has several graphs over one time axis`() throws {
        var drive = try Drive(["RPM", "VSS", "ECT", "LOAD_PCT"])
        let graphs = { (lines: [String]) in lines.filter { $0.hasPrefix("* ") }.count }
        let times = { (lines: [String]) in lines.filter { $0.hasSuffix(" now") }.count }
        #expect(graphs(drive.lines(200, 50)) == 4)
        #expect(times(drive.lines(200, 50)) == 1)
        #expect(graphs(drive.lines(80, 24)) == 1)
        // What the user puts into a graph is alone, and signals of one unit share a graph.
        drive.model.cursor = 0
        _ = drive.model.togglePlotted()
        drive.model.cursor = 2
        _ = drive.model.togglePlotted()
        #expect(graphs(drive.lines(200, 50)) == 2)
    }
}

@Suite struct `The mouse` {
    @Test func `a click finds the row under the mouse`() throws {
        var drive = try Drive(["RPM", "VSS", "ECT", "LOAD_PCT"], seconds: 1)
        let view = LiveView(palette: Palette(isOn: false))
        let size = LiveView.Size(columns: 80, rows: 24)
        func row(_ line: Int, _ column: Int = 3) -> Int? {
            view.row(drive.model, at: line, column: column, size: size)
        }
        #expect([4, 5, 6, 8, 9, 23].map { row($0) } == [nil, 0, 1, 3, nil, nil])
        drive.model.mode = .gauges
        // Two dials beside each other and two below them fill this screen.
        #expect(row(4, 0) == 0)
        #expect(row(5, 39) == 0)
        #expect(row(5, 40) == 1)
        #expect(row(13, 10) == 2)
        #expect(row(21, 79) == 3)
        #expect(row(22, 10) == nil)
        drive.model.mode = .signal
        #expect(row(5) == nil)
        // More signals than rows: a wide screen shows them in two columns.
        var many = try Drive(
            ["RPM", "VSS", "ECT", "LOAD_PCT", "TP", "MAF", "MAP", "IAT"], seconds: 1)
        let wide = LiveView.Size(columns: 200, rows: 10)
        #expect(view.row(many.model, at: 5, column: 3, size: wide) == 0)
        #expect(view.row(many.model, at: 5, column: 150, size: wide) == 4)
        let lines = view.render(many.model, at: at(1), size: wide)
        #expect(lines[5].contains("Engine speed") && lines[5].contains("Absolute throttle"))
        many.model.scroll(by: 99, page: 4)
        #expect(many.model.scroll == 4)
    }
}
