import ArgumentParser
import Diagnostics
import OBDCore
import SystemIO
import TripExport

/// `obdscan dtc explain`.
struct DTCExplainCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what codes mean, offline.",
        discussion: """
            Every code that a vehicle can send is explained: by its text where one is known, always \
            by its system and by who defines it. Texts of one's own, for a maker's codes for \
            instance, stand in $XDG_DATA_HOME/obdscan/dtc, in files that end in .tsv: a code, a tab \
            and the text in each line.

            EXAMPLES
              obdscan dtc explain P0301
              obdscan dtc explain P0301 U0100-11 SPN100/FMI1 --format json
            """)

    @Argument(
        help: ArgumentHelp(
            "Codes such as P0301, U0100-11 or SPN100/FMI1.", valueName: "code"))
    var codes: [String]

    @OptionGroup var output: OutputOptions

    func run() throws {
        let parsed = try codes.map { text throws(Failure) in try CodeReport.Code(typed: text) }
        let texts = try loadCodeTexts()
        var writer = TextOutput.standard
        var rows = TextTable(
            [("CODE", .left), ("MEANING", .left), ("WHERE", .left)], flexible: [1, 2])
        for (place, code) in parsed.enumerated() {
            let explained = ExplainedCode(code, texts)
            switch output.format {
            case .text:
                rows.add([
                    .init(explained.name, .bold), .init(explained.meaning),
                    .init(explained.place),
                ])
            case .json:
                let object = explained.object
                try writer.append { object.append(to: &$0) }
            case .csv:
                try writer.append { bytes in
                    if place == 0 { CSVRow.append(ExplainedCode.columns, to: &bytes) }
                    CSVRow.append(explained.cells, to: &bytes)
                }
            }
        }
        if output.format == .text {
            let palette = output.palette()
            try writer.write(rows.text(palette, columns: output.columns))
        }
        try writer.flush()
    }
}

extension CodeReport.Code {
    /// The code that somebody typed; a ``Failure`` for what is none.
    init(typed text: String) throws(Failure) {
        if let code = DTC(text) {
            self = .dtc(code)
        } else if let code = J1939Code(text) {
            self = .j1939(code)
        } else {
            throw Failure(
                "\"\(text)\" is no trouble code",
                hint:
                    "a code is a letter P, C, B or U and four digits: P0301; on trucks SPN100/FMI1",
                status: .usage)
        }
    }
}

/// A code and all that can be said of it.
private struct ExplainedCode {
    /// With its failure type: `P0301-11`.
    let name: String
    /// Without it.
    let code: String
    let description: String?
    let failureType: UInt8?
    /// What the failure type or failure mode says, else what its category does.
    let failureText: String?
    let system: String
    let area: String?
    let definedBy: String
    let parameter: J1939Code?

    init(_ code: CodeReport.Code, _ texts: CodeTexts) {
        description = texts.text(of: code)
        switch code {
        case .dtc(let code):
            let structure = CodeStructure(code)
            name = code.description
            self.code = code.text
            failureType = code.failureType
            failureText = code.failureType.flatMap {
                texts.text(ofFailureType: $0) ?? texts.text(ofFailureCategory: $0)
            }
            system = structure.system.name.lowercased()
            area = structure.area
            switch structure.owner {
            case .standard: definedBy = "SAE J2012"
            case .manufacturer: definedBy = "the manufacturer"
            case .reserved: definedBy = "nobody yet"
            }
            parameter = nil
        case .j1939(let code):
            name = code.text
            self.code = code.text
            failureType = nil
            failureText = texts.text(ofFailureMode: code.fmi)
            system = "commercial vehicle"
            area = nil
            // SAE J1939-73 leaves the last four thousand to the makers.
            definedBy = code.spn >= 520_192 ? "the manufacturer" : "SAE J1939"
            parameter = code
        }
    }

    /// The text, and how it failed.
    var meaning: String {
        let unknown =
            parameter.map { "no name for parameter \($0.spn) is known" }
            ?? "no text for this code is known"
        let said = description ?? unknown
        guard let failureText, parameter == nil || description == nil else { return said }
        return said + "; " + Self.small(failureText)
    }

    var place: String {
        ([system] + [area.map(Self.small)].compactMap(\.self) + [definedBy])
            .joined(separator: ", ")
    }

    var object: JSONObject {
        var object = JSONObject()
        object.add("code", code)
        object.add("description", description)
        if let failureType { object.add("failureType", Hex.string([failureType])) }
        if let failureText { object.add("failureText", failureText) }
        if let parameter {
            object.add("spn", Int(parameter.spn))
            object.add("fmi", Int(parameter.fmi))
        }
        object.add("system", system)
        object.add("area", area)
        object.add("definedBy", definedBy)
        return object
    }

    /// The columns of CSV: the keys of the object.
    static let columns = [
        "code", "description", "failureType", "failureText", "spn", "fmi", "system", "area",
        "definedBy",
    ]

    var cells: [String] {
        [
            code, description ?? "", failureType.map { Hex.string([$0]) } ?? "",
            failureText ?? "", parameter.map { String($0.spn) } ?? "",
            parameter.map { String($0.fmi) } ?? "", system, area ?? "", definedBy,
        ]
    }

    /// Without a capital at the beginning, unless it is an abbreviation.
    private static func small(_ text: String) -> String {
        let second = text.dropFirst().first
        return second?.isUppercase ?? false ? text : text.prefix(1).lowercased() + text.dropFirst()
    }
}
