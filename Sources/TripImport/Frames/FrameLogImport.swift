import Diagnostics
import Formats
import OBDCore
import VehicleLink

/// The number of frames in a log of a bus.
public struct FrameCount: Hashable, Sendable {
    /// All data frames.
    public var all = 0
    /// The frames of OBD and UDS.
    public var diagnostic = 0

    /// Counts with these values.
    public init(all: Int = 0, diagnostic: Int = 0) {
        self.all = all
        self.diagnostic = diagnostic
    }
}

/// Decodes requests and answers in a log of a CAN bus like those of a live link.
struct FrameLogImport: ImportReader {
    private(set) var skipped = SkippedLines()
    private(set) var pendingLine = 0
    private var rest: [UInt8] = []
    private var reader: FrameLogReader
    private var clock: LogClock
    private let standard: PIDTable
    private let channel: [UInt8]?
    private var decoder: ResponseDecoder
    /// The traffic of each bus.
    private var traffic: [ArraySlice<UInt8>: DiagnosticTraffic] = [:]
    private var places: [Int32: SignalIndex] = [:]
    private var vin: VIN?
    private var hasBegun = false
    private var frames = 0

    init(_ form: FrameLogForm, _ clock: LogClock, _ table: ImportTable, _ source: ImportSource) {
        reader = FrameLogReader(form)
        self.clock = clock
        standard = table.standard
        channel = source.channel.map { Array($0.utf8) }
        decoder = ResponseDecoder(table: table.standard, monitors: source.monitors)
    }

    var pending: Int { rest.count }
    var endsInQuote: Bool { false }
    var assumesBeginning: Bool { clock.assumesBeginning }

    /// The number of frames.
    var count: FrameCount {
        FrameCount(
            all: frames, diagnostic: traffic.values.reduce(0) { $0 + $1.diagnosticFrames })
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
        while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 {
            line.removeLast()
        }
        guard !line.isEmpty else { return }
        switch reader.read(line) {
        case .other: break
        case .unreadable(let reason):
            skipped.add(ImportFault(line: pendingLine, reason: reason))
        case .frame(let frame):
            if let channel, !frame.channel.elementsEqual(channel) { return }
            frames += 1
            guard frame.mayBeDiagnostic else { return }
            var bus = traffic.removeValue(forKey: frame.channel) ?? DiagnosticTraffic()
            if traffic.count > 64 { traffic.removeAll() }
            defer { traffic[frame.channel] = bus }
            try bus.receive(frame, line: pendingLine) { try take($0, &table, emit) }
        }
    }

    private mutating func take(
        _ answer: DiagnosticTraffic.Answer, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        var exchange = Exchange(request: answer.request, family: .can)
        exchange.header = answer.message.ecu?.physicalRequest.value
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
        clock.form = .sinceStart(second: 0.000_001)
        let text = String(time)
        if clock.needsDay(text) { throw ImportFault.noDay(line: pendingLine) }
        guard let moment = clock.utc(text) else {
            throw ImportFault(line: pendingLine, reason: "\(text) µs is not a time")
        }
        return moment
    }
}
