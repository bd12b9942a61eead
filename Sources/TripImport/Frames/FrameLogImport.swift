import Diagnostics
import Formats
import OBDCore
import VehicleLink

/// The number of frames in a log of a bus.
package struct FrameCount: Hashable, Sendable {
    package var all = 0
    /// The frames of OBD and UDS.
    package var diagnostic = 0
    /// The frames with an identifier of a user's table; nil if no table has any.
    package var heard: Int?

    /// The number of diagnostic frames, in words.
    package var text: String {
        if all == 0 { return "no line could be read as a frame" }
        let text =
            "\(diagnostic) of \(counted(all, "frame")) \(diagnostic == 1 ? "is" : "are") diagnostic"
        guard let heard else { return text }
        return text + ", and the tables have the identifiers of \(heard)"
    }

    package init(all: Int = 0, diagnostic: Int = 0, heard: Int? = nil) {
        self.all = all
        self.diagnostic = diagnostic
        self.heard = heard
    }
}

/// Decodes requests and answers in a log of a CAN bus in the way of a live link, and the frames that ECUs send by
/// themselves, of which ``HeardFilter`` chooses the readings.
struct FrameLogImport: ImportReader {
    private struct GroupKey: Hashable {
        var group: UInt32
        var sender: ECUAddress?
    }

    /// After this time, a list of codes that did not change is stored again; unit: microseconds.
    private static let listInterval: Int64 = 60_000_000

    private(set) var skipped = SkippedLines()
    private(set) var pendingLine = 0
    private var rest: [UInt8] = []
    private var reader: FrameLogReader
    private var time: LogClock
    private let standard: PIDTable
    private let known: TableAddresses
    private let channel: [UInt8]?
    private var decoder: ResponseDecoder
    /// The traffic of each bus, and its place by the name in the log.
    private var buses: [DiagnosticTraffic] = []
    private var channels: [ArraySlice<UInt8>: Int] = [:]
    private var last: (channel: ArraySlice<UInt8>, bus: Int)?
    private var places: [Int32: SignalIndex] = [:]
    private var vin: VIN?
    private var hasBegun = false
    private var frames = 0
    private var heardFrames = 0
    private var waiting: WaitingFrames
    private var filter = HeardFilter()
    /// The last list of codes of each group and sender.
    private var lists: [GroupKey: (payload: [UInt8], time: Int64)] = [:]

    init(_ form: FrameLogForm, _ clock: LogClock, _ table: ImportTable, _ source: ImportSource) {
        reader = FrameLogReader(form)
        time = clock
        standard = table.standard
        known = TableAddresses(table.standard)
        waiting = WaitingFrames(table.standard)
        reader.watched = known.identifiers
        reader.skipsOthers = !known.hasFrames
        channel = source.channel.map { Array($0.utf8) }
        decoder = ResponseDecoder(table: table.standard, monitors: source.monitors)
    }

    var pending: Int { rest.count }
    var endsInQuote: Bool { false }
    var clock: LogClock? { time }

    var count: FrameCount {
        FrameCount(
            all: frames, diagnostic: buses.reduce(0) { $0 + $1.diagnosticFrames },
            heard: known.hasFrames ? heardFrames : nil)
    }

    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        var start = piece.startIndex
        while let end = piece[start...].firstIndex(of: 0x0A) {
            if rest.isEmpty {
                try read(line: piece[start..<end], &table, emit)
            } else {
                rest += piece[start..<end]
                let line = rest
                rest = []
                try read(line: line[...], &table, emit)
            }
            start = end + 1
        }
        rest += piece[start...]
        if isLast, !rest.isEmpty {
            let line = rest
            rest = []
            try read(line: line[...], &table, emit)
        }
        guard isLast else { return }
        for last in waiting.finish() { try take(last.frame, last.line, &table, emit) }
        for bus in buses.indices {
            for error in buses[bus].finish() { leaveOut(error, line: error.line) }
        }
    }

    /// Counts an answer that cannot be used.
    private mutating func leaveOut(_ error: LinkError, line: Int) {
        let ecu = error.ecu.map { "\($0): " } ?? ""
        skipped.add(ImportFault(line: line, reason: ecu + error.reason))
    }

    private mutating func read(
        line: ArraySlice<UInt8>, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        pendingLine += 1
        var line = line
        if pendingLine == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        switch reader.read(line) {
        case .other, .remote: break
        case .unreadable(let reason):
            // The log of a terminal begins with its day: `PuTTY log 2025.05.22 14:51:50`.
            if frames == 0, pendingLine <= 5,
                let found = LogClock.beginning(in: line.string, isMonthFirst: nil)
            {
                return time.begins(at: found)
            }
            skipped.add(ImportFault(line: pendingLine, reason: reason))
        case .frame(let frame):
            if let channel, !frame.channel.elementsEqual(channel) { return }
            frames += 1
            switch waiting.take(frame, line: pendingLine) {
            case .passed: try take(frame, pendingLine, &table, emit)
            // A frame that waits may prove that others are diagnostic.
            case .waits: reader.skipsOthers = false
            case .released(let frames):
                reader.skipsOthers = !known.hasFrames
                for waited in frames { try take(waited.frame, waited.line, &table, emit) }
            }
        }
    }

    private mutating func take(
        _ frame: LoggedFrame, _ line: Int, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard !frame.data.isEmpty else { return }
        let bus = bus(of: frame.channel)
        let members = buses[bus].members.count
        if waiting.isShown(frame) == true { buses[bus].isShownAsJ1939() }
        let event = buses[bus].receive(frame, line: line)
        if buses[bus].members.count != members {
            // Diagnostics needs fewer; a file of random data may have more.
            if reader.watched.count > 4096 { reader.watched = known.identifiers }
            reader.watched.formUnion(buses[bus].members)
        }
        switch event {
        case .answer(let answer): try take(answer, &table, emit)
        case .foreign, .question:
            var found: [DiagnosticItem] = []
            guard known.hasFrames,
                decoder.decodeFrame(frame.address, Array(frame.data), line: line, &found)
            else { return }
            heardFrames += 1
            try take(found, at: frame.time, isHeard: true, &table, emit)
        case .fault(let error): leaveOut(error, line: line)
        case .request, .part: break
        }
    }

    /// The place of a bus in the traffic.
    private mutating func bus(of channel: ArraySlice<UInt8>) -> Int {
        if let last, last.channel == channel { return last.bus }
        // A file of random data may have as many buses as lines; the rest of them share one.
        let place = channels[channel] ?? min(buses.count, 64)
        if place == buses.count { buses.append(DiagnosticTraffic(known)) }
        let name = ArraySlice(Array(channel))
        if channels.count < 64 { channels[name] = place }
        last = (name, place)
        return place
    }

    private mutating func take(
        _ answer: DiagnosticTraffic.Answer, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        let exchange = answer.exchange
        var found: [DiagnosticItem] = []
        decoder.decode(answer.message, in: exchange, &found)
        decoder.endExchange(exchange, &found)
        let group = answer.message.parameterGroup
        if let group {
            if known.namedGroups.contains(group) { heardFrames += answer.message.frames }
            // ECUs repeat their active codes every second.
            let key = GroupKey(group: group, sender: answer.message.ecu)
            if let last = lists[key], last.payload == answer.message.payload,
                (0..<Self.listInterval).contains(answer.time - last.time)
            {
                found.removeAll { if case .code = $0 { true } else { false } }
            } else if found.contains(where: { if case .code = $0 { true } else { false } }) {
                lists[key] = (answer.message.payload, answer.time)
            }
        }
        try take(found, at: answer.time, isHeard: group != nil, &table, emit)
    }

    /// Stores the items of an answer, or the readings of a broadcast message that the filter keeps.
    private mutating func take(
        _ found: [DiagnosticItem], at time: Int64, isHeard: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        var items: [DiagnosticItem] = []
        var said: VIN?
        for item in found {
            switch item {
            case .reading(var reading):
                let signal = standard[reading.signal]
                if isHeard, !filter.keeps(reading, of: signal, at: time) { continue }
                if signal.id == "VIN", case .text(let text) = reading.value { said = VIN(text) }
                reading.signal = place(reading, signal, &table)
                reading.line = 0
                items.append(.reading(reading))
            case .code, .monitor, .monitorTest: items.append(item)
            case .error(let error) where !isHeard:
                let ecu = error.ecu.map { "\($0): " } ?? ""
                skipped.add(ImportFault(line: pendingLine, reason: ecu + error.reason))
            case .negativeResponse, .message, .error: continue
            }
        }
        guard !items.isEmpty || said != nil else { return }
        let moment = try moment(time)
        if !hasBegun || self.time.hasRestarted {
            hasBegun = true
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        }
        if let said, said != vin {
            if vin != nil { try emit(.trip(name: nil, tags: [], vin: nil, start: nil)) }
            vin = said
            try emit(.entry(.vehicle(said), at: moment))
        }
        if !items.isEmpty { try emit(.entry(.items(items), at: moment)) }
    }

    /// Copies a signal of the built-in table to the table of the file's signals.
    private mutating func place(
        _ reading: Reading, _ signal: Signal, _ table: inout ImportTable
    ) -> SignalIndex {
        let index = reading.signal.rawValue
        let found = places[index] ?? table.place(signal.id, signal.name, signal.unit, signal.kind)
        places[index] = found
        if case .label(let code) = reading.value,
            let label = signal.labels.first(where: { $0.code == code })
        {
            table.label(code, label.label, of: found)
        }
        return found
    }

    private mutating func moment(_ passed: Int64) throws -> UTC {
        guard reader.isRelative == true else { return UTC(microseconds: passed) }
        if let beginning = reader.beginning { time.begins(at: beginning) }
        guard time.beginning != nil else { throw ImportFault.noDay(line: pendingLine) }
        if reader.countsFromMidnight { time.countFromMidnight() }
        guard let moment = time.afterBeginning(Double(passed) / 1e6, line: pendingLine) else {
            throw ImportFault(line: pendingLine, reason: "\(passed) µs is not a time")
        }
        return moment
    }
}
