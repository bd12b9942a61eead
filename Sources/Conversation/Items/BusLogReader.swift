import Adapters
import Diagnostics
import OBDCore
import TripImport
import VehicleLink

/// Assembles the messages of ECUs from the frames in a log of a bus, and assigns them to their requests.
///
/// `import` finds them in the same way: ``DiagnosticTraffic``. Other frames are passed on unchanged.
struct BusLogReader {
    /// A frame that may be a request, or an item after such a frame.
    private struct Held {
        var item: ConversationItem
        var isQuestion: Bool
    }

    /// The most items that wait for an answer that shows whether the first of them is a request.
    private static let mostHeld = 64
    /// More buses than any log has; the others share the last one.
    private static let mostBuses = 64

    private var lines: FrameLogReader
    /// The number of the line that showed the format.
    ///
    /// The lines before that line are not frames.
    private let firstLine: Int
    /// Whether a line of the log was read; before a table there may be lines that are not.
    private var hasBegun: Bool
    private let known: TableAddresses
    private let isJ1939: Bool?
    private var buses: [ArraySlice<UInt8>: DiagnosticTraffic] = [:]
    private var held: [Held] = []
    private var waiting: WaitingFrames
    private var exchange: Exchange?
    /// The time of the newest frame; unit: microseconds.
    private var newest: Int64 = 0
    /// The time of the last frame, as the log shows it.
    private var time: RecordedTime?

    /// A reader at the beginning of a log of a bus that speaks `vehicleProtocol`, if that is known.
    init(
        _ form: FrameLogForm, from firstLine: Int, _ table: PIDTable,
        _ vehicleProtocol: VehicleProtocol?
    ) {
        lines = FrameLogReader(form, needsTimes: false, skipsOthers: false)
        self.firstLine = firstLine
        if case .table = form { hasBegun = false } else { hasBegun = true }
        known = TableAddresses(table)
        waiting = WaitingFrames(table)
        isJ1939 = vehicleProtocol.map { $0 == .j1939 }
    }

    // MARK: Formats

    /// The form of an input, as its beginning shows it.
    enum Beginning {
        /// More of the input is needed.
        case undecided
        case text
        /// A log, whose format this line shows.
        case log(FrameLogForm, line: Int)
    }

    /// The bytes of a table that show its format.
    private static let mostOfTable = 64 << 10
    /// Lines that may be before the first line of a log.
    private static let mostLines = 40

    /// Whether an input begins as a log; `isWhole` if nothing follows.
    ///
    /// A line shows most formats. A table shows the units of its columns in its rows.
    static func beginning(_ start: [UInt8], isWhole: Bool) -> Beginning {
        let isEnough = isWhole || start.count >= mostOfTable
        var table: Int?
        var number = 0
        var seen = 0
        var place = start.startIndex
        while place < start.endIndex, seen < mostLines {
            let end = start[place...].firstIndex { $0 == 0x0A || $0 == 0x0D }
            guard let line = end.map({ start[place..<$0] }) ?? (isEnough ? start[place...] : nil)
            else { break }
            number += 1
            place = (end ?? line.endIndex - 1) + 1
            if end.map({ start[$0...].starts(with: [0x0D, 0x0A]) }) == true { place += 1 }
            if line.allSatisfy({ $0 == 0x20 }) { continue }
            seen += 1
            if let form = FrameLogForm(line: line) { return .log(form, line: number) }
            if isOfAdapter(line) { return .text }
            if table == nil, mayBeTable(line) { table = number }
        }
        if start[place...].first == UInt8(ascii: ">") { return .text }
        guard let table else { return isEnough || seen == mostLines ? .text : .undecided }
        guard isEnough else { return .undecided }
        return FrameLogForm(beginning: start).map { .log($0, line: table) } ?? .text
    }

    /// Whether a line is from the conversation with an adapter: a request, or digits of an answer.
    private static func isOfAdapter(_ line: ArraySlice<UInt8>) -> Bool {
        if line.first == UInt8(ascii: ">") { return true }
        let start = line.prefix(2).map { $0 & 0xDF }
        if start.elementsEqual("AT".utf8) || start.elementsEqual("ST".utf8), !mayBeTable(line) {
            return true
        }
        return line.allSatisfy { Hex.value($0) != nil || $0 == 0x20 || $0 == UInt8(ascii: ":") }
    }

    private static func mayBeTable(_ line: ArraySlice<UInt8>) -> Bool {
        line.contains { $0 == 0x2C || $0 == 0x3B || $0 == 0x09 }
    }

    // MARK: Lines

    /// Reads a line without its line end.
    mutating func read(_ line: [UInt8], number: Int, _ items: inout [ConversationItem]) {
        switch lines.read(line[...]) {
        case .frame(let frame):
            hasBegun = true
            take(frame, number, &items)
        case .remote(let frame):
            time = lines.shown(frame)
            show(frame.address, [], number, isQuestion: false, &items)
        case .other: hasBegun = hasBegun || !line.isEmpty
        case .unreadable: if hasBegun, number >= firstLine { foreign(line, number, &items) }
        }
    }

    /// Ends the log and reports open messages as incomplete.
    mutating func finish(_ items: inout [ConversationItem]) {
        for last in waiting.finish() { takeNow(last.frame, last.line, &items) }
        release(&items)
        for name in buses.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            for error in buses[name]?.finish() ?? [] { append(error, error.line, &items) }
        }
        time = nil
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
                ), line: number, exchange: exchange ?? Exchange(), time: time))
    }

    /// Takes a frame; the first frames of a bus that may speak SAE J1939 wait until it shows that.
    private mutating func take(
        _ frame: LoggedFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        guard isJ1939 == nil else { return takeNow(frame, number, &items) }
        switch waiting.take(frame, line: number) {
        case .passed: takeNow(frame, number, &items)
        case .waits: break
        case .released(let frames):
            for waited in frames { takeNow(waited.frame, waited.line, &items) }
        }
    }

    private mutating func takeNow(
        _ frame: LoggedFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        time = lines.shown(frame)
        var frame = frame
        // `candump -t d` prints differences; a step back over more than the time for an answer begins a new log.
        if frame.time < newest, newest - frame.time < 5_000_000 { frame.time = newest }
        newest = frame.time
        let bus = buses[frame.channel] == nil && buses.count >= Self.mostBuses ? [] : frame.channel
        let isShown = isJ1939 ?? waiting.isShown(frame)
        if isShown == true { buses[bus]?.isShownAsJ1939() }
        let event = buses[bus, default: DiagnosticTraffic(known, isJ1939: isShown)]
            .receive(frame, line: number)
        for error in buses[bus]?.takeFaults() ?? [] {
            release(&items)
            append(error, error.line, &items)
        }
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
                    .message(answer.message), line: answer.message.line, exchange: answer.exchange,
                    time: time),
                isQuestion: false, &items)
        case .fault(let error), .headless(let error):
            release(&items)
            append(error, number, &items, frame)
        }
        takePacket(frame, number, &items)
    }

    /// Passes on a frame of the transport protocol as a message of its own, if a table that the user named
    /// describes such frames.
    private mutating func takePacket(
        _ frame: LoggedFrame, _ number: Int, _ items: inout [ConversationItem]
    ) {
        guard frame.isExtended, !known.namedGroups.isEmpty, !J1939.isReserved(frame.id) else {
            return
        }
        let id = J1939.Identifier(frame.id)
        let group = id.parameterGroup
        guard group == J1939.connectionManagement || group == J1939.dataTransfer,
            known.namedGroups.contains(group)
        else { return }
        let message = ECUMessage(
            ecu: ECUAddress(UInt32(id.source), .byte), payload: Array(frame.data), line: number,
            parameterGroup: group)
        let exchange = Exchange(vehicleProtocol: .j1939)
        let item = ConversationItem(
            .message(message), line: number, exchange: exchange, time: time)
        hand(item, isQuestion: false, &items)
    }

    private mutating func show(
        _ id: ECUAddress, _ data: [UInt8], _ number: Int, isQuestion: Bool,
        _ items: inout [ConversationItem]
    ) {
        let item = ConversationItem(
            .frame(id: id, data: data), line: number, exchange: exchange ?? Exchange(), time: time)
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

    /// Adds an error with the frame that shows it, as candump writes frames; a message that is not complete has none.
    private func append(
        _ error: LinkError, _ number: Int, _ items: inout [ConversationItem],
        _ frame: LoggedFrame? = nil
    ) {
        let text = frame.map { "\($0.address)#\(Hex.string(Array($0.data)))" } ?? ""
        items.append(
            ConversationItem(
                .linkError(error, text: text), line: number, exchange: exchange ?? Exchange(),
                time: time))
    }

    private mutating func endExchange(_ number: Int, _ items: inout [ConversationItem]) {
        release(&items)
        guard let ended = exchange else { return }
        exchange = nil
        items.append(ConversationItem(.endOfExchange, line: number, exchange: ended, time: time))
    }
}
