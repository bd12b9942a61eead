import OBDCore

/// Reads records and their parts.
///
///     pid 0C RPM 2 scale 1/4 = rpm
///     pid 15
///       signal O2S12 1 scale 1/200 = rear-oxygen
///       bytes FF
extension VehicleReader {
    /// Reads a record; if it has a single part, that may be on the same line.
    mutating func readRecord(
        _ id: UInt32, in place: Place, at path: WritableKeyPath<ECUModel, [DataRecord]>
    ) throws(VehicleFileError) {
        let last = scenario.ecus.count - 1
        guard last >= 0 else { throw fault(.outside("a record", of: "`ecu`")) }
        guard !scenario.ecus[last][keyPath: path].contains(where: { $0.id == id }) else {
            throw fault(.twice("record \(Hex.string(id, digits: 2))"))
        }
        scenario.ecus[last][keyPath: path].append(DataRecord(id: id))
        self.place = place
        try readPartOnLine()
    }

    /// Reads a part after the identifier.
    mutating func readPartOnLine() throws(VehicleFileError) {
        guard let first = words.first else {
            if !prose.isEmpty { throw fault(.unexpected(":")) }
            return
        }
        if first == "bytes" || first == "text" {
            words.removeFirst()
            try readPart(String(first))
        } else {
            try readPart("signal")
        }
    }

    /// `signal`, `bytes`, `text`.
    mutating func readPart(_ keyword: String) throws(VehicleFileError) {
        let part: DataRecord.Part
        switch keyword {
        case "bytes": part = .fixed(try bytes())
        case "text":
            guard !prose.isEmpty else { throw fault(.missing("` : ` and the text")) }
            part = .fixed(Array(prose.utf8))
        default: part = .field(try field())
        }
        let last = scenario.ecus.count - 1
        let longest: Int
        switch place {
        case .broadcast:
            let index = scenario.broadcasts.count - 1
            scenario.broadcasts[index].record.parts.append(part)
            longest = scenario.broadcasts[index].record.length <= 8 ? 0 : 8
        case .group:
            let index = scenario.ecus[last].groups.count - 1
            scenario.ecus[last].groups[index].record.parts.append(part)
            longest = scenario.ecus[last].groups[index].record.length <= 1785 ? 0 : 1785
        case .pid: longest = append(part, at: \.records)
        case .did: longest = append(part, at: \.identifiers)
        case .local: longest = append(part, at: \.localIdentifiers)
        case .identification: longest = append(part, at: \.identification)
        case nil: throw fault(.outside(keyword, of: "record"))
        }
        if longest > 0 {
            throw fault(.impossible("a record of this kind has at most \(longest) bytes"))
        }
    }

    /// Appends a part to the last record of the last ECU; returns 0, or the limit that it exceeds.
    private mutating func append(
        _ part: DataRecord.Part, at path: WritableKeyPath<ECUModel, [DataRecord]>
    ) -> Int {
        let ecu = scenario.ecus.count - 1
        let record = scenario.ecus[ecu][keyPath: path].count - 1
        scenario.ecus[ecu][keyPath: path][record].parts.append(part)
        return scenario.ecus[ecu][keyPath: path][record].length <= 4000 ? 0 : 4000
    }

    /// `RPM 2 scale 1/4 offset 0 signed little = rpm * 2 + 1`; a dash is not a name.
    private mutating func field() throws(VehicleFileError) -> Field {
        let name = try word("a signal's name, or -")
        let bytes = try whole("the number of bytes", 1...8)
        var field = Field(name: name == "-" ? "" : name, bytes: bytes, value: Term())
        var offset = 0.0
        var scale = (1.0, 1.0)
        while let next = words.popFirst(), next != "=" {
            switch next {
            case "scale": scale = try fraction()
            case "offset": offset = try number("the number after `offset`")
            case "signed": field.signed = true
            case "little": field.little = true
            default: throw fault(.unexpected(String(next)))
            }
        }
        field.perUnit = scale.1 / scale.0
        field.zero = -offset * scale.1 / scale.0
        field.value = try term()
        return field
    }

    /// `1/4`, `100/255`, `0.5`.
    private mutating func fraction() throws(VehicleFileError) -> (Double, Double) {
        let text = try word("the number after `scale`")
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }
        guard numbers.count == parts.count, (1...2).contains(parts.count),
            numbers.allSatisfy({ $0 > 0 && $0 < 1e12 })
        else { throw fault(.malformed(text, wanted: "a scale such as 1/4 or 0.5")) }
        return (numbers[0], numbers.count == 2 ? numbers[1] : 1)
    }

    /// `rpm`, `whole runtime`, `pedal * 0.75 + 14`, `7`.
    private mutating func term() throws(VehicleFileError) -> Term {
        var term = Term()
        var name = try word("`=` and a quantity or a number")
        if let constant = Double(name) {
            guard constant.isFinite else { throw fault(.malformed(name, wanted: "a number")) }
            term.addend = constant
            return term
        }
        if name == "whole" {
            term.isWhole = true
            name = try word("a quantity")
        }
        guard let quantity = Quantity(rawValue: name) else {
            let meant = nearestName(to: name, among: Quantity.allCases.map(\.rawValue))
            throw fault(.unknownQuantity(name, meant: meant))
        }
        term.quantity = quantity
        if words.first == "*" {
            words.removeFirst()
            term.factor = try number("the number after `*`")
        }
        if let sign = words.first, sign == "+" || sign == "-" {
            words.removeFirst()
            let addend = try number("the number after `\(sign)`")
            term.addend = sign == "+" ? addend : -addend
        }
        return term
    }
}
