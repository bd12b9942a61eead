import Foundation
import Testing

/// The Python of the peers' virtual environment, which `scripts/test` creates; nil without it.
private let python = ProcessInfo.processInfo.environment["OBDSCAN_PEERS"].map { $0 + "/python" }

@Suite struct `A second decoder` {
    /// Compares recorded conversations and a sweep of all records, answer by answer.
    ///
    /// `disagreements.tsv` lists the known faults of python-OBD, with the reasons.
    @Test(.enabled(if: python != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"))
    func `python-OBD agrees about every answer that it can read`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python ?? "")
        process.arguments = [
            folder.appendingPathComponent("second_decoder.py").path,
            ServedVehicle.program.path,
            folder.deletingLastPathComponent().appendingPathComponent("Transcripts").path,
            folder.appendingPathComponent("disagreements.tsv").path,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        // The comparison would also succeed if there were nothing to compare.
        let words = text.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
        let place = words.firstIndex(of: "values")
        #expect(place.flatMap { Int(words[$0 - 1]) } ?? 0 > 2000, "\(text)")
    }
}
