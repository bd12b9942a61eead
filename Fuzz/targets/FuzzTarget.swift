import Glibc

/// The targets: each reads bytes from outside and checks rules that must hold for all of them.
enum FuzzTarget: String, CaseIterable {
    case lexer, decode, links, services, transcripts, tables, simulator, machine, codes, positions,
        requests, golink, can, csv, json, imports, doip, bus, foreign, faults

    /// The input that is being read, which a broken rule prints.
    @TaskLocal static var input: [UInt8] = []

    /// The greatest time for any input; unit: µs.
    private static let longestTime = 2_000_000

    /// Reads one input; a broken rule ends the process.
    func read(_ input: [UInt8]) {
        Self.$input.withValue(input) {
            let start = clock()
            dispatch(input)
            // Measure processor time, because a busy machine is not a finding.
            require(
                clock() - start < Self.longestTime, "\(clock() - start) µs for \(input.count) bytes"
            )
        }
    }

    private func dispatch(_ input: [UInt8]) {
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
}
