import Adapters
import Conversation
import Diagnostics
import Formats
import OBDCore
import PIDTables
import TripImport
import VehicleScan

/// The values in the frames of a live bus, printed as `decode` prints those of a log.
package struct BusValues {
    /// The values that are printed.
    package struct Choice {
        /// The only signals to print; nil = all but counters and checksums.
        var signals: Set<SignalIndex>?
        /// The names of these signals.
        var names: [String] = []
        /// Whether a value is printed for each frame, and not only when it changes.
        var isEach = false
        /// The tables that the user named for this bus.
        var tables: [String] = []

        /// The signals with these names; throws a `SignalError` for a name that no signal has.
        package init(
            signals names: [String], in table: PIDTable, isEach: Bool, tables: [String]
        ) throws(SignalError) {
            self.names = names
            self.isEach = isEach
            self.tables = tables
            signals = try BusSignals.find(names, in: table).map { Set($0) }
        }
    }

    private struct Key: Hashable {
        var sender: ECUAddress?
        var signal: SignalIndex
    }

    private struct List: Hashable {
        var group: UInt32
        var sender: ECUAddress?
    }

    private let table: PIDTable
    private let choice: Choice
    private var decoder: BusDecoder
    private var printer: DecodePrinter
    private var events: [BusDecoder.Event] = []
    private var values: [Key: Reading.Value] = [:]
    private var codes: [List: [UInt8]] = [:]
    private var counters: [SignalIndex: Bool] = [:]
    private var identifiers: Set<ECUAddress> = []
    private var frames = 0
    private var printed = 0
    private var decoded = 0
    private var damaged = 0
    /// Senders and identifiers that are remembered at most.
    private static let most = 100_000

    /// Values that `table` decodes; `isJ1939` is nil if the frames have to show whether the bus speaks SAE J1939.
    package init(
        _ form: OutputForm, _ table: PIDTable, _ monitors: MonitorTables,
        _ knowledge: CodeKnowledge, _ choice: Choice, isJ1939: Bool?
    ) {
        self.table = table
        self.choice = choice
        decoder = BusDecoder(table, monitors, isJ1939: isJ1939)
        printer = DecodePrinter(form, table: table, knowledge: knowledge)
    }

    /// Takes a frame of the bus; `head` returns the text before a line with a value of that time.
    package mutating func take(
        _ frame: CANFrame, at time: UTC, head: (UTC) -> String, _ output: inout [UInt8]
    ) {
        guard !frame.isRemote else { return }
        frames += 1
        if identifiers.count < Self.most { identifiers.insert(frame.id) }
        decoder.take(
            LoggedFrame(
                time: time.microseconds, id: frame.id.value, isExtended: frame.id.form == .can29,
                data: frame.data, channel: []), line: 0, &events)
        printEvents(head, &output)
    }

    /// Ends the listening.
    package mutating func finish(head: (UTC) -> String, _ output: inout [UInt8]) {
        decoder.finish(&events)
        // A message that was cut by the end is not damaged.
        events.removeAll { if case .fault = $0 { true } else { false } }
        printEvents(head, &output)
    }

    private mutating func printEvents(_ head: (UTC) -> String, _ output: inout [UInt8]) {
        var taken: [BusDecoder.Event] = []
        swap(&taken, &events)
        for event in taken {
            switch event {
            case .fault: damaged += 1
            case .found(let found): print(found, head, &output)
            }
        }
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &events)
    }

    private mutating func print(
        _ found: BusDecoder.Found, _ head: (UTC) -> String, _ output: inout [UInt8]
    ) {
        let time = UTC(microseconds: found.time)
        let hasNewCodes = hasNewCodes(found)
        for item in found.items {
            switch item {
            case .reading(let reading):
                decoded += 1
                guard isWanted(reading) else { continue }
            case .code: guard choice.signals == nil, hasNewCodes else { continue }
            case .monitor, .monitorTest, .negativeResponse:
                guard choice.signals == nil else { continue }
            case .error:
                damaged += 1
                continue
            // The table has no meaning for this message.
            case .message: continue
            }
            printed += 1
            output.append(contentsOf: head(time).utf8)
            printer.append(.item(item, text: ""), at: printer.shownTime(time), to: &output)
        }
    }

    /// Whether a value is printed: it is chosen, and it changed or every value is printed.
    private mutating func isWanted(_ reading: Reading) -> Bool {
        if let chosen = choice.signals {
            guard chosen.contains(reading.signal) else { return false }
        } else if !choice.isEach {
            let known = counters[reading.signal]
            let isCounter = known ?? HeardFilter.isCounter(table[reading.signal])
            if known == nil { counters[reading.signal] = isCounter }
            guard !isCounter else { return false }
        }
        guard !choice.isEach else { return true }
        let key = Key(sender: reading.ecu, signal: reading.signal)
        guard values[key] != reading.value else { return false }
        if values.count >= Self.most { values.removeAll() }
        values[key] = reading.value
        return true
    }

    /// Whether a list of codes is another one than the last of its sender.
    private mutating func hasNewCodes(_ found: BusDecoder.Found) -> Bool {
        guard !choice.isEach, let message = found.message, let group = message.parameterGroup else {
            return true
        }
        let key = List(group: group, sender: message.ecu)
        guard codes[key] != message.payload else { return false }
        if codes.count >= Self.most { codes.removeAll() }
        codes[key] = message.payload
        return true
    }

    // MARK: What is missing

    /// Why nothing was printed so far; nil if something was, or if there was no frame.
    package var reasonOfSilence: String? {
        guard frames > 0 else { return nil }
        let seen =
            "on this bus (\(counted(identifiers.count, "identifier")), "
            + "\(counted(frames, "frame")))"
        if !choice.tables.isEmpty, decoder.heardFrames == 0 {
            let tables = choice.tables.joined(separator: ", ")
            let know = choice.tables.count == 1 ? "knows" : "know"
            return "\(tables) \(know) no identifier \(seen)."
        }
        guard printed == 0 else { return nil }
        if decoded > 0, !choice.names.isEmpty {
            return "No frame on this bus has a value of \(choice.names.joined(separator: ", "))."
        }
        return "No table knows an identifier \(seen); --table adds one."
    }

    /// The number of messages that could not be decoded, in words; nil if there was none.
    package var damage: String? {
        damaged == 0
            ? nil
            : "\(counted(damaged, "message")) could not be decoded: frames were missing or too short."
    }
}
