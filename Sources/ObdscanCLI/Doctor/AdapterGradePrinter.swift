import Adapters
import TripExport
import VehicleScan

// How a grade is told.
extension AdapterGrade {
    /// Whether it speaks something else than an ELM327.
    private var isForeign: Bool { dialect != ELM327Dialect.protocolString }

    /// The claim and the answers in one sentence.
    var summary: String {
        let claim = verdict.claimed.map { "v\($0 / 10).\($0 % 10)" }
        let like = verdict.behavesLike.map { "it answers like v\($0 / 10).\($0 % 10)" }
        switch verdict.kind {
        case .genuine: return "answers everything that \(claim ?? "its firmware") has"
        case .stn: return "an STN chip: the ELM327 set and its own"
        case .clone:
            let count = verdict.missing.count
            let lacks = count == 0 ? nil : "lacks \(count) command\(count == 1 ? "" : "s")"
            let never = verdict.claimed == 15 ? "v1.5 was never made by Elm: a clone" : nil
            return [never ?? "claims \(claim ?? "?")", lacks, like]
                .compactMap(\.self).joined(separator: "; ")
        case .unknown where isForeign: return "speaks \(dialect), no AT commands"
        case .unknown:
            return ["does not say what it is", like].compactMap(\.self).joined(separator: "; ")
        }
    }

    var object: JSONObject {
        var object = JSONObject()
        object.add("kind", "adapterGrade")
        object.add("dialect", dialect)
        object.add("banner", banner)
        object.add("grade", verdict.kind.rawValue)
        object.add("summary", summary)
        object.add("commandsAnswered", answered)
        object.add("commandsProbed", isForeign ? 0 : AdapterProbe.all.count)
        object.add("missing", isForeign ? [] : verdict.missing)
        if let trips = commandTrips { object.add("commandRoundTrip", Self.object(trips)) }
        if let trips = plainTrips { object.add("roundTrip", Self.object(trips)) }
        if let trips = countedTrips { object.add("roundTripWithCount", Self.object(trips)) }
        object.add("headers", abilities.headers)
        object.add("countDigit", abilities.countDigit)
        object.add("batches", abilities.batches)
        object.add("longMessages", abilities.longMessages)
        object.add("longestAnswer", longestAnswer)
        return object
    }

    private static func object(_ trips: RoundTrips) -> JSONObject {
        var object = JSONObject()
        object.add("p50", trips.p50)
        object.add("p95", trips.p95)
        return object
    }

    func text(_ palette: Palette, columns: Int? = nil) -> String {
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
        if let longestAnswer { rows.add(["Longest answer", .init("\(longestAnswer) bytes")]) }
        for (name, ability) in [
            ("Headers", abilities.headers), ("Count digit", abilities.countDigit),
            ("Several PIDs a request", abilities.batches),
            ("Messages of several frames", abilities.longMessages),
        ] {
            rows.add([.init(name), .init(ability.map { $0 ? "yes" : "no" } ?? "not tried")])
        }
        return rows.text(palette, columns: columns)
    }
}
