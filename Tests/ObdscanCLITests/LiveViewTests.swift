import Diagnostics
import Formats
import OBDCore
import PIDTables
import ScanTool
import TerminalView
import TestSupport
import Testing
import VehicleScan

@testable import ObdscanCLI

/// A signal of one byte or more, in the form of the table.
private func number(
    _ id: String, _ name: String, bits: Int, multiplier: Double = 1, divisor: Double = 1,
    offset: Double = 0, unit: String
) -> Signal {
    Signal(
        id: id, name: name, bitOffset: 0, bitLength: bits, kind: .number, multiplier: multiplier,
        divisor: divisor, offset: offset, unit: unit)
}

private let signals = [
    number("RPM", "Engine speed", bits: 16, divisor: 4, unit: "rpm"),
    number("VSS", "Vehicle speed", bits: 8, unit: "km/h"),
    number("ECT", "Engine coolant temperature", bits: 8, offset: -40, unit: "°C"),
    number("LOAD_PCT", "Calculated load value", bits: 8, multiplier: 100, divisor: 255, unit: "%"),
    Signal(
        id: "FUELSYS1", name: "Fuel system 1 status", bitOffset: 0, bitLength: 8,
        kind: .enumeration, labels: [(code: 2, label: "Closed loop, oxygen sensor feedback")]),
    number("SPARKADV", "Ignition timing advance", bits: 8, divisor: 2, offset: -64, unit: "°"),
]

private func reading(_ index: Int, _ value: Reading.Value, ecu: UInt32 = 0x7E8) -> Reading {
    TestSupport.reading(value, signal: index, ecu: ECUAddress(ecu, .can11))
}

/// Twenty seconds of a drive with four readings per second.
private func drive() -> LiveModel {
    var model = LiveModel(units: .metric, start: .zero)
    model.header.accessory = "sim:"
    model.header.vehicle = "1HGCM82633A004352"
    model.header.adapter = "ELM327 v2.1"
    model.header.vehicleProtocol = "ISO 15765-4 CAN, 11 bit, 500 kbit/s"
    model.header.voltage = 14.2
    model.header.state = .processing
    for (index, signal) in signals.enumerated() {
        model.expect(SignalIndex(rawValue: Int32(index)), signal)
    }
    for step in 0..<80 {
        let time = at(Double(step) / 4)
        let part = Double(step) / 79
        model.apply(reading(0, .number(800 + 2200 * part)), signals[0], at: time)
        model.apply(reading(1, .number(part * 90)), signals[1], at: time)
        model.apply(reading(2, .number(85)), signals[2], at: time)
        model.apply(reading(3, .number(20 + 60 * part)), signals[3], at: time)
        model.apply(reading(4, .label(code: 2)), signals[4], at: time)
        model.apply(reading(5, .number(-10 + 30 * part)), signals[5], at: time)
        model.exchanged(.milliseconds(25), at: time)
    }
    return model
}

private let plain = LiveView(palette: Palette(isOn: false))

@Suite struct `The live view` {
    @Test(arguments: [
        LiveView.Size(columns: 60, rows: 15), .init(columns: 80, rows: 24),
        .init(columns: 200, rows: 60), .init(columns: 20, rows: 4), .init(columns: 1, rows: 1),
        .init(columns: 133, rows: 9), .init(columns: 0, rows: 0),
    ])
    func `no line is wider or higher than the screen`(_ size: LiveView.Size) {
        let lines = plain.render(drive(), at: at(20), size: size)
        #expect(lines.count <= size.rows)
        for line in lines {
            #expect(displayWidth(line) <= size.columns, "\(line)")
        }
    }

    /// Trailing blanks are left out, because a terminal does not show them.
    private func screen(_ model: LiveModel, _ columns: Int, _ rows: Int, at time: Double) -> String
    {
        plain.render(model, at: at(time), size: .init(columns: columns, rows: rows))
            .map { line in
                var text = line
                while text.last == " " { text.removeLast() }
                return text
            }
            .joined(separator: "\n")
    }

    @Test(arguments: [
        LiveView.Size(columns: 60, rows: 15), .init(columns: 100, rows: 30),
        .init(columns: 200, rows: 60), .init(columns: 20, rows: 4), .init(columns: 24, rows: 7),
    ])
    func `a signal to add is chosen from a list over the last rows`(_ size: LiveView.Size)
        throws
    {
        let names = SignalNames(try PIDTables.standard())
        var model = drive()
        for typed in ["", "temp", "coolant-temp", "xyzzy"] {
            var choice = SignalChoice([])
            choice.type(typed, names.matches(typed))
            for step in [0, 1, 5, 1000, -1, -1000] {
                choice.move(by: step)
                model.adding = choice
                let lines = plain.render(model, at: at(20), size: size)
                #expect(lines.count == size.rows)
                #expect(lines.allSatisfy { displayWidth($0) <= size.columns })
                #expect(lines.last?.hasPrefix("add a signal") == true)
                guard size.rows > 6 else { continue }
                let marked = lines.filter { $0.hasPrefix("›") }
                #expect(marked.count == (choice.chosen == nil ? 0 : 1))
                if let chosen = choice.chosen, size.columns >= 60 {
                    #expect(marked[0].hasPrefix("›" + choice.matches[chosen].id.prefix(15)))
                }
                // The rows above the list do not move.
                if size.rows >= 15 { #expect(lines[5].hasPrefix(" Engine speed")) }
            }
        }
    }

    @Test func `a small terminal shows value, bar and extremes`() {
        #expect(
            screen(drive(), 60, 15, at: 20) == """
                obdscan live  sim:                                 ● reading
                1HGCM82633A004352 · ELM327 v2.1 · ISO 15765-4 CAN, 11 bit, …
                14.2 V · 24.0 readings/s · 25 ms a reply · 00:20 running

                 SIGNAL                           VALUE UNIT             AGE
                 Engine speed          RPM       3000.0 rpm  █▉   │8000 0.3s
                 Vehicle speed         VSS           90 km/h ████▌│100  0.3s
                 Engine coolant tempe… ECT           85 °C   ██▉  │150  0.3s
                 Calculated load value LOAD_PCT    80.0 %    ████ │100  0.3s
                 Fuel system 1 status  FUELSYS1 Closed loop, oxygen se… 0.3s
                 Ignition timing adva… SPARKADV    20.0 °      │▊ │±50  0.3s



                q quit   ? keys   Enter open   v dials   c codes   l record
                """)
    }

    @Test func `a larger terminal shows the trend, too`() {
        let lines = screen(drive(), 80, 24, at: 20).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 24)
        #expect(
            lines[4]
                == " SIGNAL                                VALUE UNIT              LAST 20 s   AGE"
        )
        #expect(
            lines[5]
                == " Engine speed               RPM       3000.0 rpm  ██▋    │8000 ▁▂▃▄▅▅▆▇██ 0.3s"
        )
    }

    @Test func `a status fills its row, and a wide terminal explains the status`() {
        var model = LiveModel(units: .metric, start: .zero)
        let words = Signal(
            id: "FUELSYSA", name: "Fuel system A status", bitOffset: 0, bitLength: 8,
            kind: .enumeration,
            labels: [(code: 4, label: "open loop - conditions for closed loop not met")])
        model.expect(SignalIndex(rawValue: 0), signals[0])
        model.apply(reading(4, .label(code: 4)), words, at: .zero)
        // A text that does not fit is cut, with a mark.
        for (columns, words) in [
            (80, " open loop - conditions for closed"),
            (200, " open loop - conditions for closed loop not met "),
        ] {
            let lines = screen(model, columns, 12, at: 0).split(separator: "\n")
            #expect(
                lines.contains {
                    $0.contains("Fuel system A status")
                        && $0.contains(words)
                        && $0.hasSuffix(" 0.0s")
                })
        }
    }

    @Test func `a signal without an answer is shown as not supported`() {
        var model = LiveModel(units: .metric, start: .zero)
        model.expect(SignalIndex(rawValue: 0), signals[0])
        model.expect(SignalIndex(rawValue: 1), signals[1])
        model.missed(SignalIndex(rawValue: 1))
        // No signal has been answered yet. The vehicle may be asleep.
        #expect(screen(model, 60, 9, at: 0).contains("Vehicle speed VSS    no answer"))
        model.apply(reading(0, .number(800)), signals[0], at: .zero)
        #expect(screen(model, 60, 9, at: 0).contains("Vehicle speed VSS    not supported"))
        #expect(model.hasEmptyRows)
        model.apply(reading(1, .number(50)), signals[1], at: .zero)
        #expect(!screen(model, 60, 9, at: 0).contains("not supported"))
        #expect(!model.hasEmptyRows)
        // A signal that was answered before is not unknown. The age of its value shows that it is
        // missing.
        model.missed(SignalIndex(rawValue: 1))
        #expect(!screen(model, 60, 9, at: 0).contains("not supported"))
    }

    @Test func `a bar shows its limit from the first moment, and the columns do not move`() {
        var model = LiveModel(units: .metric, start: .zero)
        model.expect(SignalIndex(rawValue: 0), signals[0])
        let heading = { screen(model, 80, 9, at: 0).split(separator: "\n")[3] }
        let before = heading()
        model.apply(reading(0, .number(800)), signals[0], at: .zero)
        #expect(heading() == before)
        #expect(screen(model, 80, 9, at: 0).contains(" │8000 "))
    }

    @Test func `numbers that do not fit are removed completely, explanations stay`() {
        let model = drive()
        #expect(
            screen(model, 100, 9, at: 20).contains(
                "14.2 V · 24.0 readings/s · 4.0 requests/s · 25 ms a reply · 00:20 running\n"))
        #expect(
            screen(model, 40, 9, at: 20).contains("14.2 V · 24.0 readings/s · 00:20 running\n"))
    }

    @Test func `a lost link is shown with its duration and the next step, without old values`() {
        var model = drive()
        model.header.state = .error
        model.takeLight(true, of: nil, at: at(19))
        model.header.alarm = "ECT>20 °C since 11:02:33"
        model.header.loss = .init(
            .link, since: at(20), reason: "tcp:127.0.0.1:35123 is closed")
        let lines = screen(model, 100, 15, at: 33).split(separator: "\n")
        #expect(lines[0].hasSuffix("● reconnecting"))
        #expect(lines[1].hasSuffix("● check engine light on 14 s ago"))
        #expect(!lines[2].contains("ms"))
        #expect(
            lines[3].hasPrefix("! link lost for 13 s: is the adapter plugged in and in reach? ("))
        let wide = screen(model, 200, 15, at: 33)
        #expect(wide.contains("closed)  ! before that: ECT>20 °C since 11:02:33"))
        // Only the sign has a colour: yellow words are hard to read on white. The old alarm and the old
        // light are not red.
        let coloured = LiveView(palette: Palette(isOn: true))
            .render(model, at: at(33), size: .init(columns: 80, rows: 15))
        #expect(coloured[3].hasPrefix("\u{1B}[33m!\u{1B}[0m\u{1B}[1m link lost for 13 s"))
        #expect(coloured[1].contains("\u{1B}[2m● check engine light on"))
    }

    @Test func `a vehicle that stops answering is reported after a while, until it answers again`()
    {
        var model = drive()
        let news = { (model: LiveModel, seconds: Double) in
            screen(model, 80, 12, at: seconds).split(
                separator: "\n", omittingEmptySubsequences: false)
        }
        for second in 20...40 { model.exchanged(.milliseconds(25), at: at(Double(second))) }
        #expect(news(model, 24)[3].isEmpty)
        #expect(
            news(model, 40)[3] == "! no answer from the vehicle for 20 s: turn the ignition on")
        #expect(news(model, 40)[0].hasSuffix("● no answer"))
        model.apply(reading(0, .number(800)), signals[0], at: at(40))
        #expect(news(model, 40)[3].isEmpty)
        // Without requests there is nothing to answer.
        #expect(news(drive(), 40)[3].isEmpty)
    }

    @Test func `an alarm on an old value is not shown as current`() {
        var model = drive()
        model.mark { signal, _ in signal.rawValue == 2 }
        let coloured = LiveView(palette: Palette(isOn: true))
        let line = { (seconds: Double) in
            coloured.render(model, at: at(seconds), size: .init(columns: 80, rows: 15))
                .first { $0.contains("Engine coolant temperature") } ?? ""
        }
        #expect(line(20).contains("\u{1B}[31m!"))
        #expect(!line(60).contains("\u{1B}[31m") && line(60).contains("!"))
    }

    @Test func `answers without readings are reported after a while`() {
        var model = LiveModel(units: .metric, start: .zero)
        model.expect(SignalIndex(rawValue: 0), signals[0])
        let news = { (model: LiveModel, seconds: Double) in
            screen(model, 80, 9, at: seconds).split(
                separator: "\n", omittingEmptySubsequences: false)[3]
        }
        for second in 1...12 { model.exchanged(.milliseconds(25), at: at(Double(second))) }
        #expect(news(model, 9).isEmpty)
        #expect(news(model, 12).hasPrefix("! no answer can be read as these signals"))
        // Silence is different, and each row shows it.
        var silent = model
        silent.missed(SignalIndex(rawValue: 0))
        #expect(news(silent, 12).isEmpty)
        model.apply(reading(0, .number(800)), signals[0], at: at(12))
        #expect(news(model, 12).isEmpty)
    }

    @Test func `a wide terminal has room for everything`() {
        let lines = screen(drive(), 200, 60, at: 20).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 60)
        #expect(lines[7].hasPrefix(" Engine coolant temperature ECT            85 °C"))
        #expect(lines[9].contains("Closed loop, oxygen sensor feedback"))
        // Below the signals there is a graph of the first one.
        #expect(lines[12] == "* Engine speed, rpm")
        #expect(lines.contains { $0.contains("-1 min") && $0.hasSuffix("now") })
    }

    @Test func `the state is one word, the same for every step of a request`() {
        var model = drive()
        func word() -> Substring? {
            screen(model, 60, 15, at: 20).split(separator: "\n").first?.split(separator: " ").last
        }
        for state in [StateKind.idle, .waiting, .processing] {
            model.header.state = state
            #expect(word() == "reading")
        }
        model.header.asksNothing = true
        #expect(word() == "idle")
        model.header.isResting = true
        #expect(word() == "resting")
        model.header.state = .error
        #expect(word() == "error")
    }

    @Test func `long notes are broken at blanks`() {
        let text = "Trip 1: 20 readings, 3 requests"
        #expect(folded(text, to: 31) == [text])
        #expect(folded(text, to: 30) == ["Trip 1: 20 readings, 3", "  requests"])
        #expect(folded(text, to: 12) == ["Trip 1: 20", "  readings,", "  3 requests"])
        #expect(folded("  a  veryveryverylongword", to: 8) == ["  a ", "    veryveryverylongword"])
        #expect(folded("veryveryverylongword a", to: 8) == ["veryveryverylongword", "  a"])
    }

    @Test func `before the first reading the view shows that obdscan waits`() {
        var model = LiveModel(units: .metric, start: .zero)
        model.header.accessory = "/dev/ttyUSB0"
        model.expect(SignalIndex(rawValue: 0), signals[0])
        let text = screen(model, 80, 8, at: 0)
        #expect(text.contains("connecting …"))
        #expect(text.contains("● connecting"))
        #expect(text.contains(" Engine speed RPM          — rpm"))
    }

    @Test func `each ECU's value has its own row, after the first row of the signal`() {
        var model = LiveModel(units: .metric, start: .zero)
        for index in 0...1 {
            model.expect(SignalIndex(rawValue: Int32(index)), signals[index])
        }
        model.apply(reading(0, .number(800)), signals[0], at: .zero)
        model.apply(reading(0, .number(1801), ecu: 0x7EA), signals[0], at: .zero)
        model.apply(reading(1, .number(50)), signals[1], at: .zero)
        model.apply(reading(0, .number(1802), ecu: 0x7EA), signals[0], at: .zero)
        #expect(model.rows.map(\.id) == ["RPM", "RPM", "VSS"])
        #expect(model.rows.map(\.number) == [800, 1802, 50])
        #expect(screen(model, 80, 10, at: 0).contains("7EA"))
    }

    @Test func `values that describe the vehicle share one line until one of them changes`() throws
    {
        let index = SignalIndex(rawValue: 4)
        var model = LiveModel(units: .metric, start: .zero, constants: [index])
        model.apply(reading(0, .number(800)), signals[0], at: at(1))
        model.apply(reading(4, .label(code: 2)), signals[4], at: at(1))
        model.apply(reading(4, .label(code: 2)), signals[4], at: at(2))
        #expect(model.shown.map { model.rows[$0].id } == ["RPM"])
        #expect(model.folded == 0)
        let text = screen(model, 80, 24, at: 2)
        #expect(text.contains("\n Fuel system 1 status: Closed loop, oxygen sensor feedback\n"))
        // A low screen has no room for it.
        #expect(!screen(model, 80, 10, at: 2).contains("Fuel system"))
        // The key f shows it as a row.
        model.toggleFolding()
        #expect(model.shown.map { model.rows[$0].id } == ["RPM", "FUELSYS1"])
        model.toggleFolding()
        // A value that changes is a row from then on.
        model.apply(reading(4, .label(code: 3)), signals[4], at: at(3))
        #expect(model.shown.map { model.rows[$0].id } == ["RPM", "FUELSYS1"])
        #expect(model.constantRows.isEmpty)
    }

    @Test func `an ECU with the same value as the first is folded until its value differs`() {
        var model = LiveModel(units: .metric, start: .zero)
        let say = { (model: inout LiveModel, first: Double, second: Double) in
            model.apply(reading(0, .number(first)), signals[0], at: .zero)
            model.apply(reading(0, .number(second), ecu: 0x7E9), signals[0], at: .zero)
        }
        say(&model, 2000, 2030)
        #expect(model.shown == [0])
        #expect(model.folded == 1)
        #expect(model.likes(of: model.rows[0]) == [ECUAddress(0x7E9, .can11)])
        #expect(!screen(model, 80, 10, at: 0).contains("7E9"))
        // One difference may come from the time between the two answers. The second one in a row
        // counts.
        say(&model, 2000, 900)
        #expect(model.shown == [0])
        say(&model, 2000, 900)
        #expect(model.shown == [0, 1])
        #expect(screen(model, 80, 10, at: 0).contains("7E9"))
        say(&model, 2000, 2000)
        #expect(model.shown == [0, 1])
        for _ in 0..<12 { say(&model, 2000, 2000) }
        #expect(model.shown == [0])
        // A row with an alarm is always shown.
        model.mark { $1 == ECUAddress(0x7E9, .can11) }
        #expect(model.shown == [0, 1])
        model.mark { _, _ in false }
        model.toggleFolding()
        #expect(model.shown == [0, 1])
        model.toggleFolding()
        model.moveCursor(by: 1, page: 9)
        // Removing a signal also removes its folded rows.
        #expect(model.removeRow() == SignalIndex(rawValue: 0))
        #expect(model.rows.isEmpty)
    }

    @Test func `a row shows the reason for a missing value and keeps the extremes`() {
        var model = LiveModel(units: .metric, start: .zero)
        model.apply(reading(1, .number(50)), signals[1], at: .zero)
        model.apply(reading(1, .missing(.notAvailable, code: nil)), signals[1], at: .zero)
        #expect(screen(model, 80, 8, at: 0).contains("not available"))
        #expect(model.rows.first?.maximum == 50)
    }

    @Test func `values, extremes and limits are converted to other units`() {
        var model = LiveModel(units: .us, start: .zero)
        model.apply(reading(1, .number(100)), signals[1], at: .zero)
        model.apply(reading(2, .number(100)), signals[2], at: .zero)
        let text = screen(model, 80, 10, at: 0)
        // 100 km/h = 62.137 mph; 100 °C = 212 °F.
        #expect(text.contains("62.1 mph"))
        #expect(text.contains("212 °F"))
        #expect(model.rows.last?.bounds == -40.0...419.0)
    }

    @Test func `scrolling stops at the end`() {
        var model = drive()
        model.scroll = 99
        let text = screen(model, 60, 9, at: 20)
        #expect(text.contains("Ignition timing"))
        #expect(!text.contains("Engine speed "))
        #expect(text.contains("4–6 of 6"))
    }

    @Test func `rows have the requested order, then the order of the table, then that of ECUs`() {
        var model = LiveModel(
            units: .metric, start: .zero, order: [2, 0].map { SignalIndex(rawValue: $0) })
        for index in [3, 0, 1, 2] {
            model.apply(reading(index, .number(1), ecu: 0x7EA), signals[index], at: .zero)
            model.apply(reading(index, .number(1)), signals[index], at: .zero)
        }
        #expect(
            model.rows.map { "\($0.id) \($0.ecu?.description ?? "")" } == [
                "ECT 7E8", "ECT 7EA", "RPM 7E8", "RPM 7EA", "VSS 7E8", "VSS 7EA",
                "LOAD_PCT 7E8", "LOAD_PCT 7EA",
            ])
    }
}

@Suite struct `Keys in the live view` {
    private func ids(_ model: LiveModel) -> [String] { model.rows.map(\.id) }

    @Test func `the cursor appears, stays on the rows and scrolls them`() {
        var model = drive()
        #expect(model.cursor == nil)
        model.moveCursor(by: 1, page: 3)
        #expect(model.cursor == 0)
        for _ in 0..<10 { model.moveCursor(by: 1, page: 3) }
        #expect(model.cursor == 5)
        #expect(model.scroll == 3)
        model.moveCursor(by: -99, page: 3)
        #expect(model.cursor == 0 && model.scroll == 0)
        // Home and End work even if no row is selected.
        for (step, place) in [(-6, 0), (6, 5), (-1, 5)] {
            model.cursor = nil
            model.moveCursor(by: step, page: 3)
            #expect(model.cursor == place)
        }
        model.moveCursor(by: -99, page: 3)
        let lines = plain.render(model, at: at(20), size: .init(columns: 60, rows: 15))
        #expect(lines[5].hasPrefix("›Engine speed "))
    }

    @Test func `a removed row does not return, and its signal need not be polled`() {
        var model = drive()
        model.moveCursor(by: 1, page: 9)
        #expect(model.removeRow() == SignalIndex(rawValue: 0))
        model.apply(reading(0, .number(900)), signals[0], at: at(21))
        #expect(ids(model) == ["VSS", "ECT", "LOAD_PCT", "FUELSYS1", "SPARKADV"])
        model.allow(SignalIndex(rawValue: 0))
        model.apply(reading(0, .number(900)), signals[0], at: at(22))
        #expect(ids(model).first == "RPM")
    }

    @Test func `with two ECUs a signal is polled until both rows are removed`() {
        var model = LiveModel(units: .metric, start: .zero)
        model.apply(reading(0, .number(800)), signals[0], at: .zero)
        model.apply(reading(0, .number(3000), ecu: 0x7E9), signals[0], at: .zero)
        model.moveCursor(by: 1, page: 9)
        #expect(model.removeRow() == nil)
        #expect(model.removeRow() == SignalIndex(rawValue: 0))
        #expect(model.cursor == nil)
        #expect(model.removeRow() == nil)
    }

    @Test func `rows can be moved, and new rows do not change their order`() {
        var model = drive()
        model.moveCursor(by: 1, page: 9)
        model.moveRow(by: -1)
        #expect(ids(model).first == "RPM")
        model.moveRow(by: 1)
        #expect(ids(model).prefix(2) == ["VSS", "RPM"])
        #expect(model.cursor == 1)
        model.apply(reading(1, .number(3), ecu: 0x7E9), signals[1], at: at(21))
        #expect(ids(model).prefix(3) == ["VSS", "VSS", "RPM"])
        // The cursor stays on the row that was moved.
        #expect(model.cursor == 2)
        model.apply(reading(1, .number(91)), signals[1], at: at(21))
        #expect(model.rows[0].number == 91)
    }

    @Test func `units change at once and return unchanged`() {
        var model = drive()
        let before = model.rows
        model.show(in: .us)
        #expect(model.rows[2].unit == "°F")
        // 85 °C = 185 °F, 90 km/h = 55.923 mph.
        #expect(model.rows[2].number.map { abs($0 - 185) < 1e-9 } == true)
        #expect(model.rows[1].maximum.map { abs($0 - 55.923) < 1e-3 } == true)
        model.show(in: .metric)
        #expect(model.rows.map(\.unit) == before.map(\.unit))
        #expect(model.rows.map(\.decimals) == before.map(\.decimals))
        for (left, right) in zip(model.rows, before) {
            #expect(abs((left.number ?? 0) - (right.number ?? 0)) < 1e-9)
        }
    }

    @Test func `after a reset of the extremes the limits of bars are computed again`() {
        var model = drive()
        model.apply(reading(1, .number(180)), signals[1], at: at(20))
        model.apply(reading(1, .number(30)), signals[1], at: at(21))
        #expect(model.rows[1].scale?.end == 200)
        model.show(in: .us)
        // 255 km/h is the highest value of the signal.
        #expect(model.rows[1].scale?.label == "158")
        model.show(in: .metric)
        model.resetExtremes()
        #expect(model.rows[1].scale?.end == 100)
        #expect(model.rows[1].minimum == 30)
    }

    @Test func `during a pause the screen stays, and new readings are counted`() {
        var model = drive()
        model.togglePause(at: at(20))
        let count = model.readings
        model.apply(reading(0, .number(1)), signals[0], at: at(21))
        #expect(model.rows[0].number == 3000)
        #expect(model.readings == count + 1)
        let lines = plain.render(model, at: at(21), size: .init(columns: 80, rows: 20))
        #expect(lines[0].hasSuffix("paused"))
    }

    @Test func `the result of a key is shown for some seconds, also over pages of text`() {
        var model = drive()
        let size = LiveView.Size(columns: 40, rows: 15)
        let foot = { (model: LiveModel, seconds: Double) in
            plain.render(model, at: at(seconds), size: size).last?.split(separator: "   ")
                .first
        }
        #expect(foot(model, 20) == "q quit")
        model.say("mark 1 is set, 00:20 into trip 12\u{1B}[2J", at: at(20))
        #expect(foot(model, 20) == foot(model, 23.9))
        #expect(foot(model, 20)?.hasPrefix("mark 1 is set, 00:20 into trip 12") == true)
        #expect(foot(model, 20)?.contains("\u{1B}") == false)
        #expect(foot(model, 24) == "q quit")
        model.page = .help
        #expect(foot(model, 21)?.hasPrefix("mark 1") == true)
        #expect(foot(model, 24) == "any key: back")
        model.say("mark 2", at: at(30))
        #expect(foot(model, 31) == "mark 2")
    }

    @Test func `a failing disk is shown before a lost link and before an alarm`() {
        var model = drive()
        let size = LiveView.Size(columns: 60, rows: 15)
        let line = { (model: LiveModel) in
            plain.render(model, at: at(20), size: size)[3].split(separator: "  ").first
        }
        model.header.notice = "the link was lost"
        #expect(line(model) == "! the link was lost")
        model.header.storing = "the disk is full"
        #expect(line(model) == "! the disk is full")
        model.header.alarm = "ECT>110"
        #expect(line(model) == "! the disk is full")
        let both = plain.render(model, at: at(20), size: size)[3]
        #expect(both.contains("! ECT>110"))
        model.header.storing = nil
        #expect(line(model) == "! ECT>110")
        model.header.recording = .init(trip: 12, since: "14:03", readings: 1234)
        let title = plain.render(model, at: at(20), size: size)[0]
        #expect(title.contains("⏺ trip 12"))
    }

    @Test func `pages of text scroll within the screen`() {
        var model = drive()
        model.page = .help
        for size in [(20, 4), (60, 15), (200, 60)] {
            let lines = plain.render(
                model, at: at(20), size: .init(columns: size.0, rows: size.1))
            #expect(lines.count == size.1)
            #expect(lines.allSatisfy { displayWidth($0) <= size.0 })
        }
    }

    @Test func `a page of text is wrapped and shows which part is visible`() {
        var model = drive()
        model.page = LiveModel.Page(
            title: "Codes",
            lines: [
                "7E8  lamp on",
                "  SPN110/FMI0  stored  Engine coolant temperature: value too high (most severe)",
                "  SPN94/FMI18  stored  Fuel delivery pressure: value too low",
            ])
        let lines = { (rows: Int) in
            plain.render(model, at: at(20), size: .init(columns: 60, rows: rows)).map {
                $0.split(separator: " ", omittingEmptySubsequences: false).reversed()
                    .drop { $0.isEmpty }.reversed().joined(separator: " ")
            }
        }
        #expect(
            Array(lines(12)[5...]) == [
                "7E8  lamp on",
                "  SPN110/FMI0  stored  Engine coolant temperature: value too",
                "                         high (most severe)",
                "  SPN94/FMI18  stored  Fuel delivery pressure: value too low", "", "",
                "any key: back",
            ])
        #expect(lines(8).last == "any key: back   ↑↓ scroll   1–2 of 4")
        model.page?.scroll = 9
        #expect(lines(8).last == "any key: back   ↑↓ scroll   3–4 of 4")
        #expect(lines(8)[6] == "  SPN94/FMI18  stored  Fuel delivery pressure: value too low")
        model.page?.isBeingRead = true
        model.page?.lines = [""]
        #expect(lines(8).last == "reading …   Ctrl-C quit")
    }

    @Test func `a long number loses decimals, never digits before the point`() {
        var model = drive()
        model.apply(reading(1, .number(129_958.44)), signals[1], at: at(20))
        model.apply(reading(0, .number(129_958.44)), signals[0], at: at(20))
        let rows = plain.render(model, at: at(20), size: .init(columns: 100, rows: 20))
        for id in ["RPM", "VSS"] {
            #expect(rows.first { $0.contains(" \(id) ") }?.contains(" 129958 ") == true)
        }
        #expect(!rows.contains { $0.contains("129958.") && $0.contains("…") })
    }

    @Test func `a terminal without UTF-8 gets ASCII of the same width`() {
        let ascii = LiveView(palette: Palette(isOn: false), isASCII: true)
        var model = drive()
        model.moveCursor(by: 1, page: 9)
        let size = LiveView.Size(columns: 100, rows: 20)
        let lines = ascii.render(model, at: at(20), size: size)
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
        #expect(
            lines.map { displayWidth($0) }
                == plain.render(model, at: at(20), size: size).map { displayWidth($0) })
        #expect(lines.contains { $0.hasPrefix(">Engine speed") && $0.contains("###") })
        // A unit becomes a word before its width is measured. An angle's ' is a different unit.
        #expect(lines.contains { $0.hasPrefix(" Engine coolant") && $0.contains(" 85 C  ") })
        #expect(lines.contains { $0.hasPrefix(" Ignition timing") && $0.contains(" 20.0 deg ") })
        #expect(lines.contains { $0.contains("|+-50 ") })
        #expect(!lines.contains { $0.contains("'") || $0.contains("?  ") })
        // Half cells to the left of the middle are ASCII, too.
        for number in stride(from: -49.0, to: 0, by: 3) {
            model.apply(reading(5, .number(number)), signals[5], at: at(20))
            let row = ascii.render(model, at: at(20), size: size).first {
                $0.hasPrefix(" Ignition timing")
            }
            #expect(row?.contains("?") == false)
        }
    }
}

@Suite struct `The painter` {
    @Test func `only changed lines are written`() {
        var painter = ScreenPainter()
        let size = LiveView.Size(columns: 10, rows: 3)
        #expect(painter.paint(["a", "b", "c"], size: size).contains("\u{1B}[2J"))
        #expect(painter.paint(["a", "b", "c"], size: size).isEmpty)
        #expect(painter.paint(["a", "x", "c"], size: size) == "\u{1B}[2;1H\u{1B}[2Kx")
        #expect(painter.paint(["a"], size: size) == "\u{1B}[2;1H\u{1B}[2K\u{1B}[3;1H\u{1B}[2K")
    }

    @Test func `after a resize everything is drawn again`() {
        var painter = ScreenPainter()
        _ = painter.paint(["a"], size: .init(columns: 10, rows: 1))
        #expect(painter.paint(["a"], size: .init(columns: 11, rows: 1)).contains("a"))
    }
}

@Suite struct `Keys` {
    @Test(arguments: [
        ("q", [Key.character("q")]), ("\u{1B}[A\u{1B}[B", [.up, .down]), ("\u{1B}OA", [.up]),
        ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]), ("\u{1B}[1;5C", []),
        ("\u{1B}[", []), ("\u{1B}", [.escape]), ("\u{1B}[1~\u{1B}[4~", [.home, .end]),
        ("\u{1B}[3~\u{7F}\r", [.delete, .backspace, .enter]), ("\u{03}", [.close]),
        ("é\u{01}\t", [.tab]), ("\u{1B}[200~", []), ("\u{1B}[C\u{1B}[D", [.right, .left]),
        ("\u{1B}[<0;5;7M", [.press(column: 4, row: 6)]), ("\u{1B}[<0;5;7m", []),
        ("\u{1B}[<64;1;1M\u{1B}[<65;1;1M", [.wheelUp, .wheelDown]),
        ("\u{1B}[<0;0;7M\u{1B}[<2;3;4M\u{1B}[<;;M\u{1B}[<99999999999999999999;1;1M", []),
    ])
    func `keys are read from the bytes that terminals send`(_ input: String, _ expected: [Key]) {
        #expect(Key.read(Array(input.utf8)) == expected)
    }
}
