import Diagnostics
import OBDCore
import VehicleLink

/// Decodes the frames of CAN buses, from a log or from a live link: answers to the requests of any tester, and
/// what ECUs send by themselves.
///
/// A bus that may speak SAE J1939 shows that first; until then its frames wait: see ``WaitingFrames``.
package struct BusDecoder: Sendable {
    /// The results of decoding frames.
    package struct Found: Sendable {
        /// The readings and codes, and errors of the message.
        package var items: [DiagnosticItem]
        /// The time of the last frame; unit: microseconds.
        package var time: Int64
        /// The line of the last frame.
        package var line: Int
        /// Whether no tester asked.
        package var isBroadcast: Bool
        /// The message; nil for a frame of a table.
        package var message: ECUMessage?
    }

    /// The result of one frame.
    package enum Event: Sendable {
        case found(Found)
        /// A message that cannot be used.
        case fault(LinkError, line: Int)
    }

    /// The most buses of which each has its own state; the others share one.
    ///
    /// A file of random data may have as many buses as lines.
    private static let mostBuses = 64
    /// Diagnostics needs fewer identifiers; a file of random data may have more.
    private static let mostMembers = 4_096

    /// The addresses in the tables.
    package let known: TableAddresses
    private let isJ1939: Bool?
    private var decoder: ResponseDecoder
    private var waiting: WaitingFrames
    /// The traffic of each bus, and its place by the name of the bus.
    private var buses: [DiagnosticTraffic] = []
    private var channels: [ArraySlice<UInt8>: Int] = [:]
    private var last: (channel: ArraySlice<UInt8>, bus: Int)?
    /// The bytes of the frame that is decoded.
    private var bytes: [UInt8] = []
    /// The identifiers of requests and answers that the frames have shown.
    package private(set) var members: Set<UInt32> = []
    /// The number of frames that tables of the user know.
    package private(set) var heardFrames = 0

    /// A decoder that has seen no frame; `isJ1939` is nil if the frames have to show the protocol.
    package init(_ table: PIDTable, _ monitors: MonitorTables, isJ1939: Bool? = nil) {
        known = TableAddresses(table)
        self.isJ1939 = isJ1939
        decoder = ResponseDecoder(table: table, monitors: monitors)
        waiting = WaitingFrames(table)
    }

    /// The number of frames of OBD and UDS, and of diagnostic messages of SAE J1939.
    package var diagnosticFrames: Int { buses.reduce(0) { $0 + $1.diagnosticFrames } }

    /// Whether frames wait for their protocol, so that any frame may become a part of a message.
    package var isWaiting: Bool { waiting.isWaiting }

    /// Takes the next frame.
    ///
    /// Values of tables' frames that `filter` cannot keep may be left out.
    package mutating func take(
        _ frame: LoggedFrame, line: Int, _ out: inout [Event], for filter: HeardFilter? = nil
    ) {
        guard isJ1939 == nil else { return decode(frame, line, &out, filter) }
        switch waiting.take(frame, line: line) {
        case .passed: decode(frame, line, &out, filter)
        case .waits: break
        case .released(let frames):
            for waited in frames { decode(waited.frame, waited.line, &out, nil) }
        }
    }

    /// Ends the traffic; reports messages that are not complete.
    package mutating func finish(_ out: inout [Event]) {
        for last in waiting.finish() { decode(last.frame, last.line, &out, nil) }
        for bus in buses.indices {
            for error in buses[bus].finish() { out.append(.fault(error, line: error.line)) }
        }
    }

    private mutating func decode(
        _ frame: LoggedFrame, _ line: Int, _ out: inout [Event], _ filter: HeardFilter?
    ) {
        guard !frame.data.isEmpty else { return }
        let bus = bus(of: frame.channel)
        let before = buses[bus].members.count
        if frame.isExtended, waiting.isShown(frame) == true { buses[bus].isShownAsJ1939() }
        let event = buses[bus].receive(frame, line: line)
        for error in buses[bus].takeFaults() { out.append(.fault(error, line: error.line)) }
        if buses[bus].members.count != before {
            if members.count > Self.mostMembers { members.removeAll() }
            members.formUnion(buses[bus].members)
        }
        switch event {
        case .answer(let answer): decode(answer, line, &out)
        case .foreign, .question:
            var items: [DiagnosticItem] = []
            guard known.hasFrames else { return }
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: frame.data)
            let sender = frame.address
            let isKnown =
                if let filter {
                    decoder.decodeFrame(sender, bytes, line: line, &items) {
                        filter.mayKeep($0, $1, from: sender, at: frame.time)
                    }
                } else {
                    decoder.decodeFrame(sender, bytes, line: line, &items)
                }
            guard isKnown else { return }
            heardFrames += 1
            out.append(
                .found(Found(items: items, time: frame.time, line: line, isBroadcast: true)))
        case .fault(let error): out.append(.fault(error, line: line))
        case .request, .part, .headless: break
        }
    }

    private mutating func decode(
        _ answer: DiagnosticTraffic.Answer, _ line: Int, _ out: inout [Event]
    ) {
        let exchange = answer.exchange
        let group = answer.message.parameterGroup
        var items: [DiagnosticItem] = []
        decoder.decode(answer.message, in: exchange, &items)
        decoder.endExchange(exchange, &items)
        if let group, known.namedGroups.contains(group) { heardFrames += answer.message.frames }
        out.append(
            .found(
                Found(
                    items: items, time: answer.time, line: line, isBroadcast: group != nil,
                    message: answer.message)))
    }

    /// The place of a bus in the traffic.
    private mutating func bus(of channel: ArraySlice<UInt8>) -> Int {
        if let last, last.channel == channel { return last.bus }
        let place = channels[channel] ?? min(buses.count, Self.mostBuses)
        if place == buses.count { buses.append(DiagnosticTraffic(known, isJ1939: isJ1939)) }
        let name = ArraySlice(Array(channel))
        if channels.count < Self.mostBuses { channels[name] = place }
        last = (name, place)
        return place
    }
}
