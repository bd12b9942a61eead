import Glibc

/// The fuzzer's main loop; it calls `body` with each input.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The targets: each reads bytes from outside and checks rules that must hold for all of them.
enum FuzzTarget: String, CaseIterable {
    case lexer, decode, links, services, transcripts, tables, simulator, machine, codes, positions,
        requests, golink, can, csv, json, imports, doip, bus, foreign, faults

    /// Reads one input; a broken rule ends the process.
    func read(_ input: [UInt8]) {
        switch self {
        case .lexer: readLexer(input)
        case .decode: readConversation(input)
        case .links: readFrames(input)
        case .services: readMessages(input)
        case .transcripts: readTranscript(input)
        case .tables: readTable(input)
        case .simulator: readCommands(input)
        case .machine: readEvents(input)
        case .codes: readCodes(input)
        case .positions: readPositions(input)
        case .requests: readRequest(input)
        case .golink: readGoLink(input)
        case .can: readCAN(input)
        case .csv: readCSV(input)
        case .json: readJSON(input)
        case .imports: readImport(input)
        case .doip: readDoIP(input)
        case .bus: readBus(input)
        case .foreign: readForeignTable(input)
        case .faults: readFaults(input)
        }
    }

    /// The target of this process: `OBDSCAN_FUZZ_TARGET`.
    static let chosen: FuzzTarget = {
        guard let name = getenv("OBDSCAN_FUZZ_TARGET"),
            let target = FuzzTarget(rawValue: String(cString: name))
        else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            fatalError("OBDSCAN_FUZZ_TARGET must be one of \(names)")
        }
        return target
    }()
}

/// The greatest time for any input; unit: µs.
private let longestTime = 2_000_000

@main
struct FuzzMain {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        _ = FuzzTarget.chosen
        exit(
            runFuzzer(&count, &arguments) { bytes, count in
                let input = Array(UnsafeBufferPointer(start: bytes, count: count))
                let start = clock()
                FuzzTarget.chosen.read(input)
                // Measure processor time, because a busy machine is not a finding.
                require(clock() - start < longestTime, "\(clock() - start) µs for \(count) bytes")
                return 0
            })
    }
}
