import CSystem
import Diagnostics
import Formats
import Glibc
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import TripRecorder
import VehicleScan

/// The effect of keys in the view.
extension LiveScreen {
    /// Handles keys; true = the user wants to quit.
    mutating func takeKeys() throws -> Bool {
        guard let descriptor = terminal.keys else { return false }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBytes { sys_read(descriptor, $0.baseAddress, $0.count) }
        // If the terminal has disappeared, the view cannot be drawn either, so quit.
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

    /// The number of rows that fit on the screen.
    private var room: Int { LiveView.room(terminal.size, model) }

    /// Handles a key in the list of signals; true = the user wants to quit.
    private mutating func press(_ key: Key) throws -> Bool {
        let line = model.mode == .gauges ? LiveView.grid(terminal.size, model).columns : 1
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
            switch model.togglePlotted() {
            case .added: say("the signal is in the graph; Enter shows the graph")
            case .full: say("a graph shows \(LiveModel.mostPlotted) signals: x takes one out")
            case .removed, nil: break
            }
        case .character("+"), .character("="): model.zoom(by: -1, at: SystemClock.now())
        case .character("-"): model.zoom(by: 1, at: SystemClock.now())
        case .character("v"): model.mode = model.mode == .gauges ? .list : .gauges
        case .character("s"):
            model.changeOrder()
            say("sorted: \(model.order.words)")
        case .character("f"):
            model.toggleFolding()
            say(
                "equal values of ECUs and constant signals: "
                    + (model.foldsECUs ? "folded" : "shown"))
        case .character("K"), .character("<"): model.moveRow(by: -1)
        case .character("J"), .character(">"): model.moveRow(by: 1)
        case .delete, .character("d"): try remove()
        case .character("a"): look(for: "")
        case .character("u"): changeUnits()
        case .character("p"): model.togglePause(at: SystemClock.now())
        case .character("r"): model.resetExtremes()
        case .character("l"): try record()
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

    /// A click selects a signal; a click on the selected signal opens it.
    private mutating func click(column: Int, row: Int) {
        guard let place = view.row(model, at: row, column: column, size: terminal.size) else {
            return
        }
        if model.cursor == place { model.mode = .signal }
        model.cursor = place
    }

    /// Handles a key in a text page.
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

    /// Handles a key in the search for a signal.
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

    /// Shows the signals that match `text`.
    private mutating func look(for text: String) {
        let matches = SignalNames(connection.table).matches(
            text, without: text.isEmpty ? Set(model.rows.map(\.signal)) : [],
            packs: Set(packs.map(\.name)),
            prefersGroups: connection.scan.link?.capabilities.vehicleProtocol?.family == .j1939)
        var choice = model.adding ?? SignalChoice([])
        choice.type(text, matches)
        model.adding = choice
    }

    private mutating func say(_ words: String) { model.say(words, at: SystemClock.now()) }

    // MARK: Keys that affect polling

    private mutating func add(_ choice: SignalChoice) throws {
        if choice.text.isEmpty && choice.place == nil { return }
        do {
            if setup.listens {
                for signal in try BusSignals.find([choice.text], in: connection.table) ?? [] {
                    model.allow(signal)
                    model.expect(signal, connection.table[signal])
                    extra.insert(signal)
                }
                return
            }
            guard let selected = try settled(SignalNames(connection.table).find(choice)) else {
                return
            }
            let link = connection.scan.link?.capabilities
            let names = SignalNames(connection.table)
            let isFrame = names.isHeard(selected, asking: connection.ecu)
            if link?.hearsOthers ?? false,
                isFrame && (link?.hearsFrames == false || !setup.named.isEmpty)
                    || link?.hearsGroups ?? false && names.isHeardGroup(selected)
                        && !setup.named.isEmpty
            {
                say("ECUs send \(choice.text) by themselves: name it when live starts to hear it")
                return
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
            if more.readsVoltage {
                (setup.readsVoltage, setup.voltagePeriod) = (true, more.voltagePeriod)
            }
            let known = Set(setup.wants.map(\.dataID))
            setup.wants += more.wants.filter { !known.contains($0.dataID) }
            setup.begin(on: connection.scan)
        } catch VehicleError.session(.interrupted) {
            // The signal is still there, and ends the view in order.
        } catch {
            guard let fault = Explanation(of: error, at: connection.accessory) else { throw error }
            // A lost link comes back by itself; the view stays, and a hint would be wrong by then.
            let hint: String? = if case VehicleError.session = error { nil } else { fault.hint }
            say([fault.message, hint].compactMap(\.self).joined(separator: "; "))
        }
    }

    /// The signal as this vehicle has it; nil if it is of a pack and the vehicle does not answer it.
    private mutating func settled(_ selected: SelectedSignal) throws -> SelectedSignal? {
        var selected = selected
        // Several packs of a make have a signal of that name; the vehicle answers only one of them.
        if let record = selected.record, !record.packs.isEmpty, selected.candidates.isEmpty,
            let signal = selected.signal
        {
            selected = try SignalNames(connection.table).find(connection.table[signal].id)
        }
        guard !selected.candidates.isEmpty else { return selected }
        let chosen = try ChosenPacks(packs, connection, isWanted: false, only: [selected])
        let (signals, missing) = chosen.settle([selected], connection.table)
        if let name = missing.first { say("no pack of this vehicle has \(name)") }
        return signals.first
    }

    /// Removes the chosen row, so that its signal is no longer polled.
    private mutating func remove() throws {
        guard let signal = model.removeRow() else { return }
        setup.named.removeAll { $0 == signal }
        extra.remove(signal)
        if setup.listens { return }
        let table = connection.table
        let shown = Set(model.rows.map(\.signal))
        setup.wants.removeAll { want in
            let signals = PollSetup.signals(of: want, table)
            return signals.contains(signal) && !signals.contains { shown.contains($0) }
        }
        if setup.asksForSignals {
            connection.scan.poll(setup.plan)
        } else {
            connection.scan.cancelPoll()
        }
    }

    /// Begins a trip, or ends the one that is being recorded.
    private mutating func record() throws {
        do {
            guard trip.trips.isRecording else {
                try trip.trips.begin()
                if trip.trips.isRecording {
                    sayRecording()
                } else {
                    say("the trip begins when it is known which vehicle is connected")
                }
                return
            }
            guard let ended = try trip.trips.end() else { return }
            self.ended.append(ended)
            model.header.storing = nil
            say(
                "trip \(ended.number) is stored"
                    + (ended.trip.map { ": " + $0.words(model.units) } ?? ""))
        } catch {
            // A trip that could not store its last rows has ended, too.
            if !trip.trips.isRecording { model.header.storing = nil }
            guard let fault = Explanation(of: error, at: connection.accessory) else { throw error }
            say([fault.message, fault.hint].compactMap(\.self).joined(separator: "; "))
        }
    }

    private mutating func sayRecording() {
        guard let number = trip.trips.progress?.trip else { return }
        say("trip \(number) is being recorded; l ends it, m marks a moment")
    }

    /// Begins the trip that waited for its vehicle.
    mutating func recordLater() throws {
        do {
            if try trip.trips.tryAgain() { sayRecording() }
        } catch {
            guard let fault = Explanation(of: error, at: connection.accessory) else { throw error }
            say([fault.message, fault.hint].compactMap(\.self).joined(separator: "; "))
        }
    }

    /// Sets a mark in the trip, or says how to record one.
    private mutating func mark() {
        say(
            trip.trips.isRecording
                ? TripRecording.Mark.words(trip.trips.mark())
                : "no trip is being recorded: l begins one")
    }

    private mutating func changeUnits() {
        let all: [UnitSystem] = [.metric, .uk, .imperial, .us]
        let place = all.firstIndex(of: model.units) ?? 0
        model.show(in: all[(place + 1) % all.count])
        say("units: \(model.units.rawValue)")
    }

    /// Reads codes and readiness between two polls and shows them.
    private mutating func showCodes() throws {
        var page = LiveModel.Page(title: "Codes and readiness", lines: [""], isBeingRead: true)
        model.page = page
        try draw()
        page.isBeingRead = false
        defer {
            model.page = page
            // Discard keys that the user pressed while nothing was visible.
            terminal.dropKeys()
        }
        var plain = form
        plain.palette.isOn = false
        plain.columns = terminalColumns(STDOUT_FILENO)
        do {
            let services = try connection.services()
            let scan = try CodeScan(connection, in: services)
            let cycle = try connection.readinessThisCycle(in: services, known: scan.status)
            let items = (scan.status + cycle).flatMap(\.answer.items)
            let known = try codeWords()
            let condition = try ConditionScan(
                scan, connection, services, .codes, known)
            let findings = condition.findings(form.units)
            let pages = CodePage(
                table: connection.table, texts: known.texts, explanations: known.explanations,
                form: plain, units: form.units,
                isMissing: scan.codes.isEmpty
                    ? { _ in false } : try connection.missingSignals(in: services))
            var lines = pages.lines(scan, findings)
            if let lack = scan.problem(connection) {
                lines.append(.init(lack.explanation(at: connection.accessory).message))
            }
            lines += pages.lines(readiness: items, findings, scan.names)
            model.names = scan.names
            page.lines = lines
        } catch {
            guard let fault = Explanation(of: error, at: connection.accessory) else { throw error }
            page.lines = [.init(fault.message)]
        }
    }
}
