import Foundation
import OBDCore
import Testing

@testable import Adapters

/// The list "Who may send what" in `docs/threat-model.md` is made from the lists that judge
/// requests.
@Suite struct `docs/threat-model.md` {
    private static let path = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/threat-model.md")
    private static let begin = "<!-- Made from the code by ThreatModelTests: do not edit. -->\n"
    private static let end = "<!-- End of what is made from the code. -->\n"

    @Test func `the document lists which transports may send which requests`() throws {
        let text = try String(contentsOf: Self.path, encoding: .utf8)
        let start = try #require(text.range(of: Self.begin))
        let stop = try #require(text.range(of: Self.end))
        let rendered = Self.render()
        guard text[start.upperBound..<stop.lowerBound] != rendered else { return }
        if ProcessInfo.processInfo.environment["OBDSCAN_SNAPSHOTS"] == "write" {
            let new =
                String(text[..<start.upperBound]) + rendered + String(text[stop.lowerBound...])
            try new.write(to: Self.path, atomically: true, encoding: .utf8)
            Issue.record("the table has been written anew: look at the change and run again")
        } else {
            Issue.record("the table is out of date; OBDSCAN_SNAPSHOTS=write writes it anew")
        }
    }

    /// Requests that the lists must never contain, from the standards and data sheets.
    @Test func `no list of harmless requests has a request that clears, resets or stores`() {
        let services = Self.readingServices.map(\.service.rawValue)
        for writing: UInt8 in [0x04, 0x08, 0x11, 0x14, 0x27, 0x28, 0x2E, 0x2F, 0x31, 0x34, 0x85] {
            #expect(!services.contains(writing))
        }
        // SAE J1939-73: DM3, DM11, DM22, and DM13, which stops broadcasts. SAE J1939-71: reset.
        for group: UInt16 in [0xFECC, 0xFED3, 0xC300, 0xDF00, 0xDE00, 0x0000, 0xEA00] {
            #expect(!VehicleRequest.readableParameterGroups.contains(group))
        }
        let names = HarmlessCommands.elm327.map(\.name)
        for writing in ["@3", "SD", "CV", "PP", "LP", "BRD", "RTR", "PB", "FI", "SI", "BI"] {
            #expect(!names.contains(writing))
        }
    }

    private static let readingServices = ServiceShape.all.filter { $0.reading != .never }

    private static func render() -> String {
        let services = readingServices.map { service in
            var bytes = [service.service.rawValue]
            if case .onlyWith(let byte) = service.reading { bytes.append(byte) }
            return "`\(Hex.string(bytes))` \(service.name)"
        }
        let groups = VehicleRequest.readableParameterGroups.sorted()
            .map { Hex.string(UInt32($0), digits: 4) }
        var text = """

            | who | may send | to | consent |
            |---|---|---|---|
            | every command, tables and packs, polling, monitors, alarms, `serve` | the services below | all ECUs, or one of the addresses below | not needed |
            | the same, on SAE J1939 | requests for the parameter groups below | all ECUs, or one | not needed |
            | the same | the adapter commands below | the adapter | not needed |
            | `send` | anything | any address | typed, or `--yes`; once, with proof that the vehicle stands still or `--force` |
            | `dtc clear` | `04`, `14FFFF33` (SAE J1979-2), `00FED3` (SAE J1939 DM11) | all ECUs, or one | the same |

            Services: \(services.joined(separator: ", ")).

            Parameter groups: \(groups.map { "`\($0)`" }.joined(separator: ", ")).

            | addresses on CAN | why |
            |---|---|

            """
        for rule in DiagnosticAddressRule.all {
            text += "| \(rule.identifiers) | \(rule.reason) |\n"
        }
        text += """

            Adapter commands, without blanks; `AT` before those of the ELM327, `ST` before those of an
            OBDLink:

            | what follows the name | ELM327 | OBDLink |
            |---|---|---|

            """
        var arguments: [HarmlessCommands.Argument] = []
        for entry in HarmlessCommands.elm327 + HarmlessCommands.stn
        where !arguments.contains(entry.argument) {
            arguments.append(entry.argument)
        }
        for argument in arguments {
            text += "| \(words(argument)) | \(list(HarmlessCommands.elm327, argument)) "
            text += "| \(list(HarmlessCommands.stn, argument)) |\n"
        }
        return text + "\n"
    }

    private static func list(
        _ commands: [(name: String, argument: HarmlessCommands.Argument)],
        _ argument: HarmlessCommands.Argument
    ) -> String {
        commands.filter { $0.argument == argument }.map { "`\($0.name)`" }
            .joined(separator: " ")
    }

    private static func words(_ argument: HarmlessCommands.Argument) -> String {
        switch argument {
        case .none: "nothing"
        case .flag: "0 or 1"
        case .hexadecimal(let count): "at most \(count) hexadecimal digits"
        case .pattern(let count): "at most \(count) hexadecimal digits or X"
        case .decimal: "decimal numbers and commas"
        case .wakeUp: "header and a request that reads"
        case .diagnosticAddress: "an address for diagnostics"
        case .flowControl: "30, 31 or 32 and two more bytes"
        case .flowControlMode: "0, 1 or 2"
        case .transmission: "`d:` a request that reads, at most one each of `h:` `t:` `r:`"
        }
    }
}
