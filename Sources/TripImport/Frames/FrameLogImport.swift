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
    /// The answers that no table decodes.
    package var undecoded: Int

    /// The number of diagnostic frames, in words.
    package var text: String {
        if all == 0 { return "no line could be read as a frame" }
        var text =
            "\(diagnostic) of \(counted(all, "frame")) \(diagnostic == 1 ? "is" : "are") diagnostic"
        if let heard { text += ", and the tables have the identifiers of \(heard)" }
        if undecoded > 0 {
            text +=
                "; \(counted(undecoded, "answer")) that no table decodes "
                + "\(undecoded == 1 ? "is" : "are") kept for \"obdscan db redecode\""
        }
        return text
    }

    package init(all: Int = 0, diagnostic: Int = 0, heard: Int? = nil, undecoded: Int = 0) {
        self.all = all
        self.diagnostic = diagnostic
        self.heard = heard
        self.undecoded = undecoded
    }
}

/// Decodes a log of a CAN bus in the way of a live link: see ``BusDecoder``.
///
/// ``HeardFilter`` chooses the values of frames that ECUs send by themselves for the trip.
struct FrameLogImport: ImportReader {
    private(set) var skipped = SkippedLines()
    private(set) var pendingLine = 0
    private var rest: [UInt8] = []
    private var reader: FrameLogReader
    private var time: LogClock
    private let standard: PIDTable
    private let channel: [UInt8]?
    private var decoder: BusDecoder
    private var events: [BusDecoder.Event] = []
    private var places: [Int32: SignalIndex] = [:]
    private var vin: VIN?
    private var hasBegun = false
    private var frames = 0
    private var undecoded = 0
    private var filter = HeardFilter()

    init(_ form: FrameLogForm, _ clock: LogClock, _ table: ImportTable, _ source: ImportSource) {
        reader = FrameLogReader(form)
        time = clock
        standard = table.standard
        decoder = BusDecoder(table.standard, source.monitors)
        reader.watched = decoder.known.identifiers
        reader.skipsOthers = !decoder.known.hasFrames
        channel = source.channel.map { Array($0.utf8) }
    }

    var pending: Int { rest.count }
    var endsInQuote: Bool { false }
    var clock: LogClock? { time }

    var count: FrameCount {
        FrameCount(
            all: frames, diagnostic: decoder.diagnosticFrames,
            heard: decoder.known.hasFrames ? decoder.heardFrames : nil, undecoded: undecoded)
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
        decoder.finish(&events)
        try takeEvents(&table, emit)
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
            let members = decoder.members.count
            decoder.take(frame, line: pendingLine, &events, for: filter)
            // A frame that waits may prove that others are diagnostic.
            reader.skipsOthers = !decoder.known.hasFrames && !decoder.isWaiting
            if decoder.members.count != members {
                reader.watched = decoder.known.identifiers.union(decoder.members)
            }
            try takeEvents(&table, emit)
        }
    }

    private mutating func takeEvents(
        _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard !events.isEmpty else { return }
        var taken: [BusDecoder.Event] = []
        swap(&taken, &events)
        for event in taken {
            switch event {
            case .found(let found): try take(found, &table, emit)
            case .fault(let error, let line): leaveOut(error.ecu, error.reason, line)
            }
        }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &events)
    }

    /// Counts an answer that cannot be used.
    private mutating func leaveOut(_ ecu: ECUAddress?, _ reason: String, _ line: Int) {
        let ecu = ecu.map { "\($0): " } ?? ""
        skipped.add(ImportFault(line: line, reason: ecu + reason))
    }

    /// Stores what a trip keeps of decoded frames.
    private mutating func take(
        _ found: BusDecoder.Found, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        var items: [DiagnosticItem] = []
        var said: VIN?
        for item in filter.kept(of: found, standard) {
            switch item {
            case .reading(var reading):
                let signal = standard[reading.signal]
                if signal.id == "VIN", case .text(let text) = reading.value { said = VIN(text) }
                reading.signal = place(reading, signal, &table)
                reading.line = 0
                items.append(.reading(reading))
            case .error(let error): leaveOut(error.ecu, error.reason, found.line)
            case .message:
                undecoded += 1
                items.append(item)
            case .code, .monitor, .monitorTest, .negativeResponse: items.append(item)
            }
        }
        guard !items.isEmpty || said != nil else { return }
        let moment = try moment(found)
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
        if let label = signal.label(of: reading.value), let code = reading.value.whole {
            table.label(code, label, of: found)
        }
        return found
    }

    private mutating func moment(_ found: BusDecoder.Found) throws -> UTC {
        let passed = found.time
        guard reader.isRelative == true else { return UTC(microseconds: passed) }
        if let beginning = reader.beginning { time.begins(at: beginning) }
        guard time.beginning != nil else { throw ImportFault.noDay(line: found.line) }
        if reader.countsFromMidnight { time.countFromMidnight() }
        guard let moment = time.afterBeginning(Double(passed) / 1e6, line: found.line) else {
            throw ImportFault(line: found.line, reason: "\(passed) µs is not a time")
        }
        return moment
    }
}
