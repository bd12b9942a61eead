import Adapters
import Diagnostics
import OBDCore
import TripImport
import VehicleLink

/// Assembles the messages of ECUs from the frames in a log of a bus, and assigns them to their requests.
///
/// `import` finds them in the same way: ``DiagnosticTraffic``. Other frames are passed on unchanged.
struct BusLogReader {
    enum Form {
        case candump
        case other(FrameLogForm)
    }

    private enum Lines {
        case candump
        case other(FrameLogReader)
    }

    /// A frame that may be a request, or an item after such a frame.
    private struct Held {
        var item: ConversationItem
        var isQuestion: Bool
    }

    /// A frame that waits until its bus shows its protocol.
    private struct WaitingFrame {
        var frame: LoggedFrame
        var line: Int
    }

    /// The most frames that wait for their protocol, and the time in the log for which they wait; unit:
    /// microseconds.
    private static let mostWaiting = 2048
    private static let longestWait: Int64 = 1_000_000

    /// The most items that wait for an answer that shows whether the first of them is a request.
    private static let mostHeld = 64
    /// More buses than any log has; the others share the last one.
    private static let mostBuses = 64

    private var lines: Lines
    private let known: TableAddresses
    private let isJ1939: Bool?
    private var buses: [ArraySlice<UInt8>: DiagnosticTraffic] = [:]
    private var held: [Held] = []
    private let table: PIDTable
    private var evidence: [ArraySlice<UInt8>: J1939Evidence] = [:]
    /// The frames from the first one on that may be of SAE J1939; nil if no frame waits any more.
    private var waiting: [WaitingFrame]? = []
    private var exchange: Exchange?
    /// The time of the newest frame; unit: microseconds.
    private var newest: Int64 = 0

    /// A reader at the beginning of a log of a bus that speaks `vehicleProtocol`, if that is known.
    init(_ form: Form, _ table: PIDTable, _ vehicleProtocol: VehicleProtocol?) {
        switch form {
        case .candump: lines = .candump
        case .other(let form): lines = .other(FrameLogReader(form, needsTimes: false))
        }
        known = TableAddresses(table)
        self.table = table
        isJ1939 = vehicleProtocol.map { $0 == .j1939 }
    }

    // MARK: Formats

    /// The bytes of a table that show its format.
    private static let mostOfTable = 64 << 10

    /// Whether an input with this beginning may be a log, and more of it shows that.
    ///
    /// The first line shows most formats; a table shows the units of its columns in its rows.
    static func needsMore(than start: [UInt8]) -> Bool {
        let text = start.drop { $0 == 0x0A || $0 == 0x0D }
        guard let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
            return text.count < TextLines.longestLine
        }
        return mayBeTable(text[..<end]) && start.count < mostOfTable
    }

    /// The format of a log with this beginning; nil for other texts.
    static func form(of start: [UInt8]) -> Form? {
        let line = start.drop { $0 == 0x0A || $0 == 0x0D }.prefix { $0 != 0x0A && $0 != 0x0D }
        if CandumpLine.read(Array(line)) != .foreign { return .candump }
        return FrameLogForm(beginning: mayBeTable(line) ? start : Array(line)).map { .other($0) }
    }

    private static func mayBeTable(_ line: ArraySlice<UInt8>) -> Bool {
        line.contains { $0 == 0x2C || $0 == 0x3B || $0 == 0x09 }
    }

    // MARK: Lines

    /// Reads a line without its line end.
    mutating func read(_ line: [UInt8], number: Int, _ items: inout [ConversationItem]) {
        switch lines {
        case .candump:
            switch CandumpLine.read(line) {
            case .other: break
            case .line(let line): take(line, number, &items)
            case .foreign:
                // The details of an error (`-e`) are below it.
                let isDetail = line.first == 0x09 || line.allSatisfy { $0 == 0x20 }
                if !isDetail { foreign(line, number, &items) }
            }
        case .other(var reader):
            let found = reader.read(line[...])
            lines = .other(reader)
            switch found {
            case .frame(let frame): take(frame, number, &items)
            case .other: break
            case .unreadable:
                if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { foreign(line, number, &items) }
            }
        }
    }

    /// Ends the log and reports open messages as incomplete.
    mutating func finish(_ items: inout [ConversationItem]) {
        for name in evidence.keys { evidence[name]?.finish() }
        stopWaiting(&items)
        release(&items)
        for name in buses.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            for error in buses[name]?.finish() ?? [] { append(error, error.line, &items) }
        }
        endExchange(0, &items)
    }

    private mutating func foreign(
        _ line: [UInt8], _ number: Int, _ items: inout [ConversationItem]
    ) {
        release(&items)
        items.append(
            ConversationItem(
                .linkError(
                    LinkError(.notAFrame, line: number), text: String(decoding: line, as: UTF8.self)
                ), line: number, exchange: exchange ?? Exchange()))
    }

    private mutating func take(
        _ line: CandumpLine, _ number: Int, _ items: inout [ConversationItem]
    ) {
        let frame = line.frame
        guard !frame.isRemote else {
            show(frame.id, [], number, isQuestion: false, &items)
            return
        }
        take(
            LoggedFrame(
                time: line.time?.microseconds ?? 0, id: frame.id.value,
                isExtended: frame.id.form == .can29, data: frame.data,
                channel: Array(line.interface.utf8)[...]), number, &items)
    }

    /// Takes a frame; the first frames of a bus that may speak SAE J1939 wait until it shows that.
    private mutating func take(
        _ frame: LoggedFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        guard isJ1939 == nil else { return takeNow(frame, number, &items) }
        let bus = bus(of: frame)
        if evidence[bus]?.isShown != true {
            let mayBe = evidence[bus, default: J1939Evidence(table)].note(frame)
            if waiting != nil, mayBe || waiting?.isEmpty == false {
                waiting?.append(WaitingFrame(frame: frame, line: number))
                let begun = waiting?.first?.frame.time ?? frame.time
                if evidence[bus]?.isShown == true || waiting?.count ?? 0 >= Self.mostWaiting
                    || frame.time - begun > Self.longestWait
                {
                    stopWaiting(&items)
                }
                return
            }
        } else if waiting?.isEmpty == false {
            waiting?.append(WaitingFrame(frame: frame, line: number))
            return
        }
        takeNow(frame, number, &items)
    }

    /// Takes the frames that wait.
    private mutating func stopWaiting(_ items: inout [ConversationItem]) {
        let frames = waiting ?? []
        waiting = nil
        for waiting in frames { takeNow(waiting.frame, waiting.line, &items) }
    }

    private func bus(of frame: LoggedFrame) -> ArraySlice<UInt8> {
        evidence[frame.channel] == nil && evidence.count >= Self.mostBuses ? [] : frame.channel
    }

    private mutating func takeNow(
        _ frame: LoggedFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        var frame = frame
        // `candump -t d` prints differences; a step back over more than the time for an answer begins a new log.
        if frame.time < newest, newest - frame.time < 5_000_000 { frame.time = newest }
        newest = frame.time
        let bus = buses[frame.channel] == nil && buses.count >= Self.mostBuses ? [] : frame.channel
        let isShown = isJ1939 ?? (evidence[bus]?.isShown == true ? true : nil)
        if isShown == true { buses[bus]?.isShownAsJ1939() }
        let event = buses[bus, default: DiagnosticTraffic(known, isJ1939: isShown)]
            .receive(frame, line: number)
        switch event {
        case .foreign: show(frame.address, Array(frame.data), number, isQuestion: false, &items)
        case .question: show(frame.address, Array(frame.data), number, isQuestion: true, &items)
        case .part(let asked): if let asked { settle(asked, &items) }
        case .request(let payload, let address):
            endExchange(number, &items)
            var begun = Exchange(request: payload, family: .can)
            begun.vehicleProtocol = address.form == .can11 ? .can11At500 : .can29At500
            exchange = begun
        case .answer(let answer):
            if let asked = answer.asked { settle(asked, &items) }
            hand(
                ConversationItem(
                    .message(answer.message), line: answer.message.line, exchange: answer.exchange),
                isQuestion: false, &items)
        case .fault(let error):
            release(&items)
            append(error, number, &items)
        }
    }

    private mutating func show(
        _ id: ECUAddress, _ data: [UInt8], _ number: Int, isQuestion: Bool,
        _ items: inout [ConversationItem]
    ) {
        let item = ConversationItem(
            .frame(id: id, data: data), line: number, exchange: exchange ?? Exchange())
        hand(item, isQuestion: isQuestion, &items)
    }

    /// Passes an item on; a frame that may be a request, and items after it, wait for its answer.
    private mutating func hand(
        _ item: ConversationItem, isQuestion: Bool, _ items: inout [ConversationItem]
    ) {
        guard isQuestion || !held.isEmpty else {
            items.append(item)
            return
        }
        held.append(Held(item: item, isQuestion: isQuestion))
        if held.count >= Self.mostHeld { release(&items) }
    }

    /// Drops the request that was answered, and passes on the items before the next possible request.
    private mutating func settle(_ asked: ECUAddress, _ items: inout [ConversationItem]) {
        let request = held.lastIndex {
            guard $0.isQuestion, case .frame(let id?, let data) = $0.item.content else {
                return false
            }
            return id.value == asked.value && id.form == asked.form
                && (asked.extended == nil || data.first == asked.extended)
        }
        if let request { held.remove(at: request) }
        let next = held.firstIndex(where: \.isQuestion) ?? held.endIndex
        items += held[..<next].map(\.item)
        held.removeFirst(next)
    }

    /// Passes on all items that wait.
    private mutating func release(_ items: inout [ConversationItem]) {
        items += held.map(\.item)
        held = []
    }

    private func append(_ error: LinkError, _ number: Int, _ items: inout [ConversationItem]) {
        items.append(
            ConversationItem(
                .linkError(error, text: ""), line: number, exchange: exchange ?? Exchange()))
    }

    private mutating func endExchange(_ number: Int, _ items: inout [ConversationItem]) {
        release(&items)
        guard let ended = exchange else { return }
        exchange = nil
        items.append(ConversationItem(.endOfExchange, line: number, exchange: ended))
    }
}
