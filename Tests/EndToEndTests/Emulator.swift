import Foundation
import Testing

/// ELM327-emulator, another project's simulator of an adapter in a Toyota Auris Hybrid.
///
/// The scenario `car` answers from lists that were recorded in that car.
final class Emulator: Sendable {
    /// The folder of other projects' programs, created by `scripts/test`; nil without it.
    static let folder = ProcessInfo.processInfo.environment["OBDSCAN_PEERS"]

    /// The emulator of the suite.
    @TaskLocal static var current: Emulator?

    /// The kind of port.
    enum Place: Sendable {
        case pty, tcp
    }

    /// The address for `-d`.
    let address: String
    /// The car's recorded answers.
    let recorded: RecordedAnswers
    private let workplace: Workplace
    private let process: RunningProgram

    /// Starts it and waits until it listens.
    init(_ place: Place) async throws {
        let folder = Self.folder ?? ""
        workplace = try Workplace()
        recorded = try await RecordedAnswers(python: folder + "/python", in: workplace)
        let port = place == .tcp ? try LoopbackPort.free() : nil
        process = try RunningProgram(
            folder + "/elm",
            ["-s", "car"] + (port.map { ["-n", "\($0)"] } ?? []) + ["-b", "/dev/stdout"],
            environment: workplace.environment.merging([
                // Without this, it writes everything to elm.log and is half as fast.
                "ELM_LOG_CFG": try workplace.file("log.yaml", Self.quietLog),
                "PYTHONUNBUFFERED": "1",
            ]) { _, new in new })
        try await process.lines(with: "End of batch commands", within: 30)
        // On a terminal, the first line of output is the terminal's name.
        address =
            port.map { "tcp:127.0.0.1:\($0)" }
            ?? String(process.text(.output).prefix { $0 != "\n" })
    }

    private static let quietLog = """
        version: 1
        handlers:
          nowhere: {class: logging.NullHandler}
        root: {level: CRITICAL, handlers: [nowhere]}

        """
}

/// Starts an emulator for a whole suite.
struct EmulatorTrait: SuiteTrait, TestScoping {
    let place: Emulator.Place

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let emulator = try await Emulator(place)
        try await Emulator.$current.withValue(emulator) { try await body() }
    }
}

extension Trait where Self == EmulatorTrait {
    /// Starts an emulator for the suite's tests, in ``Emulator/current``.
    static func emulator(_ place: Emulator.Place) -> Self { EmulatorTrait(place: place) }
}

/// The recorded answers of the scenario, decoded with SAE J1979's formulas and without obdscan.
struct RecordedAnswers: Sendable {
    /// A signal of service 01 and its formula; A and B are the first two data bytes.
    struct Formula: Sendable {
        var pid: String
        var signal: String
        var value: @Sendable (_ a: Double, _ b: Double) -> Double
    }

    /// SAE J1979, table of PIDs.
    static let formulas = [
        Formula(pid: "04", signal: "LOAD_PCT") { a, _ in a * 100 / 255 },
        Formula(pid: "05", signal: "ECT") { a, _ in a - 40 },
        Formula(pid: "0C", signal: "RPM") { a, b in (a * 256 + b) / 4 },
        Formula(pid: "0D", signal: "VSS") { a, _ in a },
        Formula(pid: "0F", signal: "IAT") { a, _ in a - 40 },
        Formula(pid: "10", signal: "MAF") { a, b in (a * 256 + b) / 100 },
        Formula(pid: "11", signal: "TP") { a, _ in a * 100 / 255 },
    ]

    /// One recorded answer.
    struct Answer: Sendable {
        var ecu: String
        var raw: String
        var value: Double
    }

    /// The answers by signal.
    let answers: [String: [Answer]]
    /// The car's VINs, one of which it reports at a time.
    let vins: [String]

    /// Reads the tables of the installed package.
    init(python: String, in workplace: Workplace) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("recorded_answers.py").path
        let outcome = try await RunningProgram(
            python, [script] + Self.formulas.map(\.pid), environment: workplace.environment
        ).finish()
        guard let object = try Outcome.objects(outcome.output).first,
            let vins = object["VIN"] as? [String]
        else { throw RunningProgram.Overdue(description: "no tables:\n\(outcome)") }
        self.vins = vins
        var answers: [String: [Answer]] = [:]
        for formula in Self.formulas {
            for (ecu, texts) in object[formula.pid] as? [String: [String]] ?? [:] {
                answers[formula.signal, default: []] += texts.map { raw in
                    let bytes = stride(from: 0, to: raw.count, by: 2).map { place in
                        Double(UInt8(raw.dropFirst(place).prefix(2), radix: 16) ?? 0)
                    }
                    let value = formula.value(bytes[0], bytes.count > 1 ? bytes[1] : 0)
                    return Answer(ecu: ecu, raw: raw, value: value)
                }
            }
        }
        self.answers = answers
    }

    /// Whether an ECU recorded this value with these raw bytes.
    func have(_ signal: String, ecu: String, raw: String, value: Double) -> Bool {
        answers[signal, default: []].contains {
            $0.ecu == ecu && $0.raw == raw && abs($0.value - value) < 1e-6
        }
    }

    /// Whether any ECU recorded this value.
    func have(_ signal: String, value: Double) -> Bool {
        answers[signal, default: []].contains { abs($0.value - value) < 1e-6 }
    }
}
