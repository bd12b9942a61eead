import Diagnostics
import Formats
import OBDCore
import VehicleLink

/// The number of frames in a log of a bus.
package struct FrameCount: Hashable, Sendable {
    package var all = 0
    /// The frames of OBD and UDS.
    package var diagnostic = 0

    /// The number of diagnostic frames, in words.
    package var text: String {
        if all == 0 { return "no line could be read as a frame" }
        return
            "\(diagnostic) of \(counted(all, "frame")) \(diagnostic == 1 ? "is" : "are") diagnostic"
    }

    package init(all: Int = 0, diagnostic: Int = 0) {
        self.all = all
        self.diagnostic = diagnostic
    }
}

/// Decodes requests and answers in a log of a CAN bus in the way of a live link.
struct FrameLogImport: ImportReader {
    private(set) var skipped = SkippedLines()
    private(set) var pendingLine = 0
    private var rest: [UInt8] = []
    private var reader: FrameLogReader
    private var clock: LogClock
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

    init(_ form: FrameLogForm, _ clock: LogClock, _ table: ImportTable, _ source: ImportSource) {
        reader = FrameLogReader(form)
        self.clock = clock
        standard = table.standard
        known = TableAddresses(table.standard)
        reader.watched = known.identifiers
        channel = source.channel.map { Array($0.utf8) }
        decoder = ResponseDecoder(table: table.standard, monitors: source.monitors)
    }

    var pending: Int { rest.count }
    var endsInQuote: Bool { false }
    var assumesBeginning: Bool { clock.assumesBeginning }

    var count: FrameCount {
        FrameCount(
            all: frames, diagnostic: buses.reduce(0) { $0 + $1.diagnosticFrames })
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
                return clock.begins(at: found)
            }
            skipped.add(ImportFault(line: pendingLine, reason: reason))
        case .frame(let frame):
            if let channel, !frame.channel.elementsEqual(channel) { return }
            frames += 1
            guard !frame.data.isEmpty else { return }
            let bus = bus(of: frame.channel)
            let members = buses[bus].members.count
            let event = buses[bus].receive(frame, line: pendingLine)
            if buses[bus].members.count != members {
                // Diagnostics needs fewer; a file of random data may have more.
                if reader.watched.count > 4096 { reader.watched = known.identifiers }
                reader.watched.formUnion(buses[bus].members)
            }
            if case .answer(let answer) = event { try take(answer, &table, emit) }
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
        var items: [DiagnosticItem] = []
        var said: VIN?
        for item in found {
            switch item {
            case .reading(var reading):
                let signal = standard[reading.signal]
                if signal.id == "VIN", case .text(let text) = reading.value { said = VIN(text) }
                reading.signal = place(reading, signal, &table)
                reading.line = 0
                items.append(.reading(reading))
            case .code, .monitor, .monitorTest: items.append(item)
            case .negativeResponse, .message, .error: continue
            }
        }
        guard !items.isEmpty || said != nil else { return }
        let moment = try moment(answer.time)
        if !hasBegun {
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

    private mutating func moment(_ time: Int64) throws -> UTC {
        guard reader.isRelative == true else { return UTC(microseconds: time) }
        if let beginning = reader.beginning { clock.begins(at: beginning) }
        guard clock.beginning != nil else { throw ImportFault.noDay(line: pendingLine) }
        if reader.countsFromMidnight { clock.countFromMidnight() }
        guard let moment = clock.afterBeginning(Double(time) / 1e6) else {
            throw ImportFault(line: pendingLine, reason: "\(time) µs is not a time")
        }
        return moment
    }
}
