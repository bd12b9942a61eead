import CSystem
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import TerminalView
import TripRecorder
import TripReports
import VehicleReports
import VehicleScan

/// What keys do while the view is shown.
extension LiveScreen {
    /// Keys; true = the user wants to quit.
    mutating func takeKeys() throws -> Bool {
        guard let descriptor = terminal.keys else { return false }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes { sys_read(descriptor, $0.baseAddress, $0.count) }
        // A terminal that has gone cannot be drawn on either.
        guard count > 0 else { return count == 0 || errno != EAGAIN }
        for key in Key.read(buffer[..<count]) {
            if key == .close { return true }
            if model.adding != nil {
                try type(key)
            } else if model.page != nil {
                turn(key)
            } else if try press(key) {
                return true
            }
        }
        return false
    }

    /// Rows of signals that there is room for.
    private var room: Int { LiveView.room(terminal.size, model) }

    /// A key over the signals; true = the user wants to quit.
    private mutating func press(_ key: Key) throws -> Bool {
        let line = model.mode == .gauges ? LiveView.gaugeColumns(terminal.size.columns) : 1
        switch key {
        case .up, .character("k"): model.moveCursor(by: -line, page: room)
        case .down, .character("j"): model.moveCursor(by: line, page: room)
        case .left: model.moveCursor(by: -1, page: room)
        case .right: model.moveCursor(by: 1, page: room)
        case .pageUp: model.moveCursor(by: -room, page: room)
        case .pageDown, .character(" "): model.moveCursor(by: room, page: room)
        case .home, .character("g"): model.moveCursor(by: -model.rows.count, page: room)
        case .end, .character("G"): model.moveCursor(by: model.rows.count, page: room)
        case .wheelUp: turnWheel(-1)
        case .wheelDown: turnWheel(1)
        case .press(let column, let row): click(column: column, row: row)
        case .enter: model.mode = model.mode == .signal ? .list : .signal
        case .character("x"):
            if !model.togglePlotted() { say("a graph shows \(LiveModel.mostPlotted) signals") }
        case .character("+"), .character("="): model.zoom(by: -1, at: SystemClock.now())
        case .character("-"): model.zoom(by: 1, at: SystemClock.now())
        case .character("v"): model.mode = model.mode == .gauges ? .list : .gauges
        case .character("s"):
            model.changeOrder()
            say("sorted: \(model.order.words)")
        case .character("f"): model.toggleFolding()
        case .character("K"), .character("<"): model.moveRow(by: -1)
        case .character("J"), .character(">"): model.moveRow(by: 1)
        case .delete, .character("d"): try remove()
        case .character("a"): look(for: "")
        case .character("u"): changeUnits()
        case .character("p"): model.togglePause(at: SystemClock.now())
        case .character("r"): model.resetExtremes()
        case .character("m"): mark()
        case .character("c"): try showCodes()
        case .character("?"), .character("h"): model.page = .help
        case .escape, .backspace:
            if model.mode == .list { model.cursor = nil } else { model.mode = .list }
        case .character("q"), .character("Q"): return true
        case .tab, .close, .character: break
        }
        return false
    }

    private mutating func turnWheel(_ step: Int) {
        if model.mode == .signal {
            model.zoom(by: step, at: SystemClock.now())
        } else {
            model.scroll(by: step * 3, page: room)
        }
    }

    /// A click chooses a signal; one on the chosen signal opens it.
    private mutating func click(column: Int, row: Int) {
        guard let place = view.row(model, at: row, column: column, size: terminal.size) else {
            return
        }
        if model.cursor == place { model.mode = .signal }
        model.cursor = place
    }

    /// A key over a page of text.
    private mutating func turn(_ key: Key) {
        guard var page = model.page else { return }
        let count = view.folded(page, columns: terminal.size.columns).count
        let room = max(1, terminal.size.rows - 6)
        let last = max(0, count - room)
        switch key {
        case .up, .character("k"): page.scroll = max(0, page.scroll - 1)
        case .down, .character("j"): page.scroll = min(last, page.scroll + 1)
        case .wheelUp: page.scroll = max(0, page.scroll - 3)
        case .wheelDown: page.scroll = min(last, page.scroll + 3)
        case .pageUp: page.scroll = max(0, page.scroll - room)
        case .pageDown, .character(" "): page.scroll = min(last, page.scroll + room)
        case .home: page.scroll = 0
        case .end: page.scroll = last
        case .character("m"): mark()
        default:
            model.page = nil
            return
        }
        model.page = page
    }

    /// A key while a signal is being looked for.
    private mutating func type(_ key: Key) throws {
        guard let choice = model.adding else { return }
        let page = LiveView.choices(max(1, terminal.size.rows - 6))
        switch key {
        case .enter:
            model.adding = nil
            try add(choice)
        case .escape: model.adding = nil
        case .backspace: look(for: String(choice.text.dropLast()))
        case .up, .wheelUp: model.adding?.move(by: -1)
        case .down, .tab, .wheelDown: model.adding?.move(by: 1)
        case .pageUp: model.adding?.move(by: -page)
        case .pageDown: model.adding?.move(by: page)
        case .character(let character):
            if choice.text.count < 40 { look(for: choice.text + String(character)) }
        case .home, .end, .left, .right, .delete, .close, .press: break
        }
    }

    /// Shows what `text` finds.
    private mutating func look(for text: String) {
        let matches = SignalNames(connection.table).matches(
            text, without: text.isEmpty ? Set(model.rows.map(\.signal)) : [],
            prefersGroups: connection.scan.link?.capabilities.vehicleProtocol?.family == .j1939)
        var choice = model.adding ?? SignalChoice([])
        choice.type(text, matches)
        model.adding = choice
    }

    private mutating func say(_ words: String) { model.say(words, at: SystemClock.now()) }

    // MARK: What keys do to the vehicle's side

    /// Asks for one more signal.
    private mutating func add(_ choice: SignalChoice) throws {
        if choice.text.isEmpty && choice.place == nil { return }
        do {
            let selected = try mapped { () throws(SignalError) in
                try SignalNames(connection.table).find(choice)
            }
            let more = try PollSetup.make(
                [selected], [], connection, every: period, unknown: { say($0.text) })
            for signal in more.named {
                model.allow(signal)
                model.expect(signal, connection.table[signal])
                if !setup.named.isEmpty, !setup.named.contains(signal) {
                    setup.named.append(signal)
                }
                extra.insert(signal)
            }
            setup.readsVoltage = setup.readsVoltage || more.readsVoltage
            let known = Set(setup.wants.map(\.dataID))
            setup.wants += more.wants.filter { !known.contains($0.dataID) }
            connection.scan.poll(setup.plan)
        } catch VehicleError.session(.interrupted) {
            // The signal is still there, and ends the view in order.
        } catch let error as VehicleError {
            // A lost link comes back by itself; the view stays, and a hint would be wrong by then.
            let failure = Failure(error, accessory: connection.accessory)
            if case .session = error { say(failure.message) } else { say(failure) }
        } catch let failure as Failure {
            say(failure)
        }
    }

    private mutating func say(_ failure: Failure) {
        say(([failure.message] + [failure.hint].compactMap(\.self)).joined(separator: "; "))
    }

    /// Takes the chosen row away; what nobody looks at any more is not asked for either.
    private mutating func remove() throws {
        guard let signal = model.removeRow() else { return }
        setup.named.removeAll { $0 == signal }
        extra.remove(signal)
        let table = connection.table
        let shown = Set(model.rows.map(\.signal))
        setup.wants.removeAll { want in
            let signals = PollSetup.signals(of: want, table)
            return signals.contains(signal) && !signals.contains { shown.contains($0) }
        }
        if setup.wants.isEmpty && !setup.readsVoltage {
            connection.scan.cancelPoll()
        } else {
            connection.scan.poll(setup.plan)
        }
    }

    /// Marks the moment in the trip; says how to get one where none is recorded.
    private mutating func mark() {
        let words =
            recording.map { TripRecording.Mark.words($0.mark()) }
            ?? "nothing is recorded, so there is nothing to mark: \"obdscan live --log\""
        say(words)
    }

    private mutating func changeUnits() {
        let all: [UnitSystem] = [.metric, .uk, .imperial, .us]
        let place = all.firstIndex(of: model.units) ?? 0
        model.show(in: all[(place + 1) % all.count])
        say("units: \(model.units.rawValue)")
    }

    /// Reads codes and readiness between two readings and shows them.
    private mutating func showCodes() throws {
        model.page = LiveModel.Page(title: "Codes and readiness", lines: [""], isBeingRead: true)
        try draw()
        defer {
            model.page?.isBeingRead = false
            // Keys that were pressed meanwhile were for nothing that could be seen.
            terminal.dropKeys()
        }
        var plain = output
        plain.noColor = true
        plain.format = .text
        do {
            let services = try connection.services()
            let scan = try CodeScan(connection, in: services)
            let cycle = try connection.readinessThisCycle(in: services, known: scan.status)
            let items = (scan.status + cycle).flatMap(\.answer.items)
            let pages = try CodePage(
                table: connection.table, texts: loadCodeTexts(),
                explanations: loadCodeExplanations(), form: plain.form, units: output.units)
            var lines = pages.lines(scan)
            if let failure = scan.failure(connection) { lines.append(.init(failure.message)) }
            lines += pages.lines(readiness: items)
            model.page?.lines = lines
        } catch let error as VehicleError {
            let failure = Failure(error, accessory: connection.accessory)
            model.page?.lines = [.init(failure.message)]
        } catch let failure as Failure {
            model.page?.lines = [.init(failure.message)]
        }
    }
}
