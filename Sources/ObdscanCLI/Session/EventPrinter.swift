import CSystem
import Formats
import Glibc
import OBDCore
import ScanSession
import ScanTool
import SystemIO
import TripRecorder

/// Writes the events of a session as lines.
///
/// The lines go to stderr with `-v` and `--trace-states`, and to a file with `--log-file`.
struct EventPrinter: ScanObserver {
    let interests: ScanEvent.Kinds
    /// Nil = standard error.
    private let log: LogFile?
    private let lines = EventLines()
    private let asJSON: Bool
    /// The name of the device; nil = there is only one.
    private let accessory: String?

    /// The printers for the options; `accessory` distinguishes several devices.
    static func observers(
        _ output: OutputOptions, traceStates: Bool, accessory: String? = nil
    ) throws(Failure) -> [any ScanObserver] {
        var printers: [any ScanObserver] = []
        var kinds: ScanEvent.Kinds = []
        if output.verbose { kinds.formUnion([.milestones, .requests, .progress]) }
        if traceStates { kinds.insert(.states) }
        if !kinds.isEmpty {
            printers.append(
                EventPrinter(
                    interests: kinds, log: nil, asJSON: output.format == .json,
                    accessory: accessory))
        }
        if let path = output.logFile {
            printers.append(
                EventPrinter(
                    interests: traceStates ? .all : [.milestones, .requests, .progress],
                    log: try LogFile(path: path), asJSON: false, accessory: accessory))
        }
        return printers
    }

    func scan(_ event: ScanEvent, at time: Instant) {
        // The session defines the kinds; do not print states again among the milestones.
        guard !interests.isDisjoint(with: event.kind) else { return }
        var line: [UInt8] = []
        let utc = SystemClock.utc
        if asJSON, case .didChangeState(let step) = event {
            Row(
                "state",
                [
                    "time": .time(utc), "from": .text(step.from.rawValue),
                    "to": .text(step.to.rawValue), "event": .text(step.event.rawValue),
                    "device": .text(accessory),
                ]
            ).appendJSON(to: &line)
        } else {
            let name = accessory.map { "\($0): " } ?? ""
            let text = "\(utc) \(printable(name + event.text))\n"
            // A log may be read with another locale, so it keeps all characters.
            line = Array((log == nil ? LocaleText.shown(text) : text).utf8)
        }
        if let log { log.append(line) } else { lines.write(line) }
    }
}
