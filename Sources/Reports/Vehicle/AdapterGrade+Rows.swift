import Adapters
import Formats
import OBDCore
import VehicleScan

// How output shows a grade.
extension AdapterGrade {
    /// Whether the adapter uses another protocol than the ELM327.
    private var isForeign: Bool { dialect != ELM327Dialect.protocolString }

    /// One sentence that compares the version that the adapter claims with its answers.
    package var summary: String {
        let claim = verdict.claimed.map { "v\($0 / 10).\($0 % 10)" }
        let like = verdict.behavesLike.map { "it answers like v\($0 / 10).\($0 % 10)" }
        switch verdict.kind {
        case .genuine: return "answers everything that \(claim ?? "its firmware") has"
        case .stn: return "an STN chip: the ELM327 set and its own"
        case .clone:
            let count = verdict.missing.count
            let lacks = count == 0 ? nil : "lacks \(counted(count, "command"))"
            let never = verdict.claimed == 15 ? ", which Elm never made" : ""
            return ["claims \(claim ?? "?")\(never)", lacks, like]
                .compactMap(\.self).joined(separator: "; ")
        case .unknown where isForeign: return "speaks \(dialect), no AT commands"
        case .unknown:
            return ["does not identify itself", like].compactMap(\.self).joined(separator: "; ")
        }
    }

    package static let keys = [
        "dialect", "banner", "grade", "summary", "commandsAnswered", "commandsProbed", "missing",
        "commandRoundTrip", "roundTrip", "roundTripWithCount", "headers", "countDigit", "batches",
        "longMessages", "longestAnswer", "recordsPerRequest", "readingsPerSecond",
    ]

    /// The grade as one object of the output.
    package var row: Row {
        Row(
            "adapterGrade",
            [
                "dialect": .text(dialect), "banner": .text(banner),
                "grade": .text(verdict.kind.rawValue), "summary": .text(summary),
                "commandsAnswered": .integer(answered),
                "commandsProbed": .integer(isForeign ? 0 : AdapterProbe.all.count),
                "missing": .texts(isForeign ? [] : verdict.missing),
                "commandRoundTrip": Self.value(commandTrips), "roundTrip": Self.value(plainTrips),
                "roundTripWithCount": Self.value(countedTrips),
                "headers": .flag(abilities.headers), "countDigit": .flag(abilities.countDigit),
                "batches": .flag(abilities.batches), "longMessages": .flag(abilities.longMessages),
                "longestAnswer": .integer(longestAnswer),
                "recordsPerRequest": .integer(recordsPerRequest),
                "readingsPerSecond": .number(readingsPerSecond, places: 1),
            ])
    }

    private static func value(_ trips: RoundTrips?) -> FieldValue {
        guard let trips else { return .null }
        return .object(["p50": .number(trips.p50), "p95": .number(trips.p95)])
    }

    package func text(_ palette: Palette, columns: Int? = nil) -> String {
        var rows = TextTable([("", .left), ("", .left)])
        rows.add(["Grade", .init("\(verdict.kind.rawValue): \(summary)", .bold)])
        if !isForeign {
            rows.add([
                "Commands", .init("\(answered) of \(AdapterProbe.all.count) probed are answered"),
            ])
        }
        if !isForeign, !verdict.missing.isEmpty {
            rows.add(["Missing", .init(verdict.missing.joined(separator: ", "))])
        }
        for (name, trips) in [
            ("Adapter command", commandTrips), ("Request", plainTrips),
            ("Request with count digit", countedTrips),
        ] {
            guard let trips else { continue }
            rows.add([
                .init(name),
                .init(
                    "\(fixed(trips.p50 * 1e3, 1)) ms, 95 % within \(fixed(trips.p95 * 1e3, 1)) ms"),
            ])
        }
        if let readingsPerSecond {
            rows.add(["Polling", .init("\(fixed(readingsPerSecond, 1)) readings per second")])
        }
        if let longestAnswer { rows.add(["Longest answer", .init("\(longestAnswer) bytes")]) }
        if let recordsPerRequest { rows.add(["PIDs per request", .init("\(recordsPerRequest)")]) }
        for (name, ability) in [
            ("Headers", abilities.headers), ("Count digit", abilities.countDigit),
            ("Messages of several frames", abilities.longMessages),
        ] {
            rows.add([.init(name), .init(ability.map { $0 ? "yes" : "no" } ?? "not tried")])
        }
        return rows.text(palette, columns: columns)
    }
}
