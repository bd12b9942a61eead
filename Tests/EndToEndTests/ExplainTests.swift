import Foundation
import Testing

/// The explanation of the codes that a vehicle reports.
@Suite(.ownThreads) struct `Explained codes of a vehicle` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Freeze frames are in service 02, with each code (OBDonUDS), or all in one message (SAE J1939).
    @Test(arguments: [
        ("petrol", "P0301", "At 100 km/h, engine warm (91 °C), 45 % load"),
        ("onuds", "P0301", "engine warm (91 °C), 45 % load"),
        ("truck", "SPN110/FMI0", "At 81 km/h, engine warm (86 °C), 50 % load"),
    ])
    func `the explanation describes the moment of the fault`(
        vehicle: String, code: String, words: String
    ) async throws {
        let outcome = try await workplace.run([
            "dtc", "explain", "--json", "-d", "sim:\(vehicle)?frozen=true&latency=0",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let happened = try outcome.objects().filter { $0["code"] as? String == code }
            .compactMap { $0["happened"] as? String }
        #expect(happened.contains { $0.contains(words) }, "\(happened)")
    }
}
