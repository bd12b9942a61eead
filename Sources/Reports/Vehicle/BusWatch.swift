import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import ScanTool
import SystemIO
import VehicleScan

/// The times of frames, as candump -t prints them.
package enum FrameTime: String, CaseIterable, Sendable {
    /// Since 1970.
    case absolute = "a"
    /// Since the frame before.
    case difference = "d"
    /// Since the first frame.
    case fromZero = "z"
}

/// Frames of a bus, printed, logged or counted.
package struct BusWatch {
    /// Why frames are missing.
    package enum Fault: Error {
        /// The adapter cannot listen to the bus.
        case cannotListen
        case adapterStopped([AdapterStatus])
        /// So many frames came faster than they were read.
        case lostFrames(Int)
    }

    /// How many frames an identifier had, and which of their bits have changed.
    private struct Count {
        var id: ECUAddress
        var frames = 0
        var seconds = 0.0
        /// The data of the last frame.
        var data = InlineBytes()
        private var changed: UInt64 = 0
        /// The number of bytes of the longest frame.
        private var length = 0

        init(id: ECUAddress) { self.id = id }

        mutating func take(_ data: InlineBytes) {
            if frames > 0 { changed |= self.data.word ^ data.word }
            frames += 1
            length = max(length, data.count)
            self.data = data
        }

        /// A bit is 1 if it has changed.
        var mask: String {
            Hex.string((0..<length).map { UInt8(truncatingIfNeeded: changed >> (8 * $0)) })
        }
    }

    private let filters: [CANFilter]
    private let form: OutputForm
    private let rates: Bool
    private let times: FrameTime?
    /// The time from which the next one counts; nil before the first frame.
    private var origin: UTC?
    private let interface: String
    private let log: (([String]) throws -> Void)?
    /// The lines for the log that were not passed on yet.
    private var logged: [String] = []
    /// Decodes the frames; nil = the frames themselves are printed.
    private var values: BusValues?
    private let note: (String) -> Void
    /// When a table that knows no frame is named, at the latest; nil once that was said.
    private var silenceDeadline: Instant?
    private var counts: [ECUAddress: Count] = [:]
    private var lost = 0
    /// When frames were last said to be lost.
    private var lossTold: Instant?
    private var frames = 0
    private var rows: RowWriter
    /// Identifiers that are counted at most; a bus has 2,048 of 11 bits.
    private static let mostIdentifiers = 4_096
    /// Longer than any use; unit of the number: seconds (three years).
    private static let endless = Duration.seconds(100_000_000)

    /// A watch over one bus.
    ///
    /// - Parameters:
    ///   - filters: the frames to show; empty = every frame.
    ///   - rates: whether frames are only counted.
    ///   - times: the time before each frame in text; nil = none.
    ///   - interface: the name of the source of frames in a log.
    ///   - log: takes lines in the form of candump -l; frames are not printed then. nil = they are.
    ///   - values: decodes and prints what the frames mean; nil = frames are printed.
    ///   - note: takes remarks.
    package init(
        filters: [CANFilter], form: OutputForm, rates: Bool, times: FrameTime? = nil,
        interface: String, log: (([String]) throws -> Void)?, values: BusValues? = nil,
        note: @escaping (String) -> Void = { _ in }
    ) {
        self.filters = filters
        self.log = log
        self.values = values
        self.note = note
        self.form = form
        self.rates = rates
        self.times = times
        self.interface = interface
        rows = RowWriter(form.format, columns: ["time", "id", "data"])
    }

    /// The request for frames that pass `filters`, all if there are none; nil = without an end.
    package static func request(
        for duration: Duration?, _ filters: [CANFilter]
    ) -> AdapterRequest {
        .monitor(
            id: RequestID(rawValue: 0), text: AdapterCommand.monitorEverything,
            atMost: duration ?? endless, filters: filters)
    }

    /// Watches for `duration`, or until a signal ends it.
    package mutating func run(
        _ connection: Vehicle, duration: Duration?, _ writer: inout TextOutput
    ) throws {
        let request = Self.request(for: duration, filters)
        let begun = SystemClock.now()
        silenceDeadline = begun + Self.patience
        do {
            let answer = try connection.scan.listen(
                request, interruptedBy: connection.interrupt,
                isInterrupted: { _ = connection.inbox?.next() },
                heard: { events in
                    for (time, event) in events {
                        if case .didLoseFrames(let count) = event { lose(count, at: time) }
                        guard case .didProgress(.heardFrame(let frame)) = event,
                            let id = frame.id,
                            filters.isEmpty || filters.contains(where: { $0.passes(id) })
                        else { continue }
                        try take(
                            CANFrame(id, InlineBytes(frame.data)), at: connection.utc(time),
                            &writer)
                        if let deadline = silenceDeadline, time >= deadline { tellSilence() }
                    }
                    try writer.flush()
                    if !logged.isEmpty { try log?(logged) }
                    logged.removeAll(keepingCapacity: true)
                })
            if !answer.reply.statuses.isEmpty {
                throw Fault.adapterStopped(answer.reply.statuses)
            }
        } catch ScanError.requestFailed(.notSent, _) {
            throw Fault.cannotListen
        } catch let error as ScanError where lost > 0 {
            note("\(counted(lost, "frame")) came faster than they were read, and are missing.")
            throw error
        }
        if var values {
            try writer.append { values.finish(head: { shown($0) }, &$0) }
            try writer.flush()
            self.values = values
            tellSilence()
            if let damage = values.damage { note(damage) }
        } else if log == nil, !rates, form.format != .text {
            try writer.append { rows.finish(&$0) }
            try writer.flush()
        }
        if frames == 0, lost == 0 {
            note(
                filters.isEmpty
                    ? "No frame was heard. Is the ignition on? Behind a gateway, the OBD socket shows only "
                        + "answers to requests."
                    : "No frame with an identifier of --id was heard.")
        }
        if rates { try printRates((SystemClock.now() - begun).seconds, &writer) }
        guard lost == 0 else { throw Fault.lostFrames(lost) }
    }

    private mutating func take(
        _ frame: CANFrame, at time: UTC, _ writer: inout TextOutput
    ) throws {
        frames += 1
        if rates {
            if counts[frame.id] != nil || counts.count < Self.mostIdentifiers {
                counts[frame.id, default: Count(id: frame.id)].take(frame.data)
            }
        }
        if log != nil {
            logged.append(CandumpLine(time: time, interface: interface, frame: frame).text)
        }
        if var values {
            self.values = nil
            try writer.append { values.take(frame, at: time, head: { shown($0) }, &$0) }
            self.values = values
        }
        if rates || log != nil || values != nil { return }
        switch form.format {
        case .text:
            let bytes = frame.data.map { Hex.string([$0]) }.joined(separator: " ")
            try writer.writeLine(
                "\(shown(time))\(frame.id.digits)  [\(frame.data.count)]  \(bytes)")
        case .json, .csv:
            try writer.print(
                ItemRows.frame(id: frame.id, data: Array(frame.data), time: time), &rows)
        }
    }

    /// The time after which a bus without a known frame is reported.
    private static let patience = Duration.seconds(10)

    /// Counts lost frames, says so from time to time, and notes the place in the log as candump does.
    private mutating func lose(_ count: Int, at time: Instant) {
        lost += count
        if log != nil {
            logged.append(
                "DROPCOUNT: dropped \(count) CAN frames on '\(interface)' socket "
                    + "(total drops \(lost))")
        }
        if let told = lossTold, time - told < Self.patience { return }
        lossTold = time
        note("\(counted(lost, "frame")) came faster than they were read, and are missing so far.")
    }

    /// Says why no value was printed, once.
    private mutating func tellSilence() {
        if silenceDeadline != nil, let reason = values?.reasonOfSilence { note(reason) }
        silenceDeadline = nil
    }

    /// The time of a frame: `(1436509052.249713)  `; empty if times are not shown.
    mutating func shown(_ time: UTC) -> String {
        guard let times else { return "" }
        let first = origin ?? time
        if origin == nil || times == .difference { origin = time }
        let passed = times == .absolute ? time.microseconds : time.microseconds - first.microseconds
        let digits = String(passed.magnitude % 1_000_000 + 1_000_000).dropFirst()
        let sign = passed < 0 ? "-" : ""
        var seconds = String(passed.magnitude / 1_000_000)
        if times != .absolute, seconds.count < 3 {
            seconds = String(repeating: "0", count: 3 - seconds.count) + seconds
        }
        return "(\(sign)\(seconds).\(digits))  "
    }

    private func printRates(_ seconds: Double, _ writer: inout TextOutput) throws {
        var printer = RowPrinter(Self.shape, form)
        for (_, count) in counts.sorted(by: { $0.key < $1.key }) {
            var count = count
            count.seconds = seconds
            try writer.append { printer.append(count, to: &$0) }
        }
        try writer.append { printer.finish(&$0) }
        try writer.flush()
    }

    /// How often an identifier was on the bus.
    private static let shape = RowShape<Count>(
        "frameRate",
        [
            Field("id", "ID", style: .bold) { .text($0.id.digits) },
            Field("frames", "FRAMES", .right) { .integer($0.frames) },
            Field("perSecond", "PER SECOND", .right) { count in
                .number(
                    count.seconds > 0
                        ? (Double(count.frames) / count.seconds * 10).rounded() / 10 : 0)
            },
            Field("changed", "CHANGED") { .text($0.mask) },
        ])
}

extension BusWatch.Fault: ExplainedAt {
    /// Why frames of a bus are missing.
    package func explanation(at accessory: String) -> Explanation {
        switch self {
        case .cannotListen:
            return Explanation(
                "\(accessory): this adapter cannot listen to the bus",
                hint: "an ELM327, an OBDLink, slcan: and can: can", .unavailable)
        case .adapterStopped(let statuses):
            return Explanation(
                "\(accessory): the adapter stopped: "
                    + statuses.map(\.text).joined(separator: ", "),
                hint: "an adapter on can: or slcan: keeps up with a busy bus",
                .unavailable)
        case .lostFrames(let count):
            return Explanation(
                "\(counted(count, "frame")) came faster than they were read, and are missing",
                hint: "--id shows fewer frames; --to FILE is faster than a terminal",
                .cannotCreate)
        }
    }
}
