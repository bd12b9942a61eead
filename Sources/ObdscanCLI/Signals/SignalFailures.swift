import Diagnostics
import Formats
import OBDCore
import VehicleScan

extension Failure {
    /// The typed name is not a signal.
    init(_ error: SignalError) {
        switch error {
        case .unknownID(let id):
            self.init(
                "no PID table knows \(id)",
                hint: Self.remedy(for: id.service)
                    ?? (VehicleRequest.isReadOnly([id.service.rawValue])
                        ? "raw data of any PID: \"obdscan send \(id.service)\(id.idText)\""
                        : "service \(id.service) may change something in the vehicle"),
                status: .usage)
        case .severalRecords(let id, let owners):
            self.init(
                "\(id) is \(owners.count) records, of "
                    + owners.map(\.description).joined(separator: ", "),
                hint: "name a signal: \"obdscan pids list \(id)\"", status: .usage)
        case .unknownName(let name, let near):
            let hint: String
            if let end = name.lastIndex(of: "@"), end != name.startIndex {
                hint = "only live and log take a pace: \(name[..<end])"
            } else if name.contains(",") {
                hint = "separate signals with blanks: rpm speed"
            } else if let unit = ["seconds", "minutes", "min", "hours"].first(where: { $0 == name })
            {
                hint = "a time is written without a space: 5\(unit.prefix(1))"
            } else if near.isEmpty {
                let isWords = name.utf8.count > 2 && name.allSatisfy { $0.isLetter || $0 == " " }
                hint =
                    Self.service(name).flatMap(Self.remedy)
                    ?? (isWords
                        ? "\"obdscan pids list \(name)\" looks for it in all names"
                        : "\"obdscan pids list\" shows all names")
            } else {
                hint = "did you mean \(near.joined(separator: ", "))?"
            }
            self.init("no signal is called \"\(name)\"", hint: hint, status: .usage)
        case .replaced(let name, let signal):
            self.init(
                "\"\(name)\" is \(signal), whose record your own table replaces",
                hint: "name a signal of that table; \"obdscan pids lint FILE\" says what it hides",
                status: .usage)
        case .unknownPace(let text):
            self.init(
                "\"\(printable(text))\" is not an interval or a rate",
                hint: "rpm@10Hz, ect@5s, ect@200ms, maf@fast for as often as the link allows, or "
                    + "ect@slow for once in 10 s",
                status: .usage)
        }
    }

    /// The service for a text of two digits.
    private static func service(_ text: String) -> Service? {
        text.utf8.count == 2 ? Hex.bytes(text).flatMap(\.first).map { Service($0) } : nil
    }

    /// The command for a service without measured values; nil for other services.
    private static func remedy(for service: Service) -> String? {
        switch service {
        case .freezeFrame: "\"obdscan freeze\" shows freeze frames"
        case .storedCodes, .pendingCodes, .permanentCodes, .readCodeInformation:
            "\"obdscan dtc\" shows trouble codes"
        case .clearCodes, .clearDiagnosticInformation: "\"obdscan dtc clear\" clears trouble codes"
        case .oxygenSensorTests, .monitorTests: "\"obdscan monitors\" shows test results"
        default: nil
        }
    }
}

/// Runs `body` and says in our words why a name means no signal.
func mapped<Value>(_ body: () throws(SignalError) -> Value) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        throw Failure(error)
    }
}
