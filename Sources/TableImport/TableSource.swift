/// Detects the format of a table and reads it.
package enum TableSource {
    /// Why a file is not a table of another program.
    package enum Fault: Error, Hashable, Sendable {
        case unknownForm
        /// The JSON is not valid at this line.
        case json(line: Int)
        /// The file has another format than the caller expects.
        case otherForm(TableFormat)
        /// The file is too large for a table.
        case tooLong
    }

    /// The greatest size of a file; the collection of all WiCAN profiles has one megabyte.
    package static let longest = 64 << 20

    /// Reads the rows of a file; `expected` is the required format.
    package static func read(
        _ bytes: [UInt8], _ file: String, as expected: TableFormat? = nil,
        _ options: ImportOptions = ImportOptions()
    ) throws(Fault) -> ImportedSource {
        guard bytes.count <= longest else { throw .tooLong }
        let name = Text.line(file)
        if isJSON(bytes) {
            let root: JSONNode
            do {
                root = try JSONDocument.read(bytes)
            } catch {
                throw .json(line: error.line)
            }
            let format: TableFormat
            if root["commands"]?.isArray == true {
                format = .obdb
            } else if WiCANReader.isProfile(root) {
                format = .wican
            } else if ABRPReader.isList(root) {
                format = .abrp
            } else {
                throw .unknownForm
            }
            if let expected, expected != format { throw .otherForm(format) }
            switch format {
            case .wican: return WiCANReader.read(root, name, options)
            case .abrp: return ABRPReader.read(root, name, options)
            default: return OBDbReader.read(root, name, options)
            }
        }
        let lines = SourceLines(bytes).lines
        if DBCFile.isDatabase(lines) {
            if let expected, expected != .dbc { throw .otherForm(.dbc) }
            return DBCReader.read(lines, name, options)
        }
        // If the user says that a table is Torque's, it is read as such even without recognisable
        // rows.
        guard
            expected == .torque
                || lines.contains(where: { TorqueReader.isRow(SourceLines.cells($0)) })
        else { throw .unknownForm }
        if let expected, expected != .torque { throw .otherForm(.torque) }
        return TorqueReader.read(lines, name, options)
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        var body = bytes[...]
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { body = body.dropFirst(3) }
        let first = body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == 0x7B || first == 0x5B
    }
}
