import OBDCore

/// The table that `dtc --batch` writes; its columns are a promise.
public enum CodeBatchCSV {
    /// One line: a code, an ECU without codes, or an accessory that failed.
    public struct Line: Hashable, Sendable {
        /// When it was read.
        public var time: UTC?
        /// The accessory or transcript, as it stands in the list.
        public var accessory: String
        /// What the list calls it.
        public var label: String?
        /// The vehicle.
        public var vin: String?
        /// Who answered.
        public var ecu: String?
        /// `stored`, `pending`, `permanent`, or `none` for an ECU without codes.
        public var kind: String?
        /// The code.
        public var code: String?
        /// Failure type byte of a UDS code.
        public var failureType: UInt8?
        /// Status byte of a UDS code.
        public var statusByte: UInt8?
        /// What the code says.
        public var description: String?
        /// Why the accessory failed.
        public var error: String?

        /// A line of which only the accessory is known.
        public init(accessory: String) { self.accessory = accessory }
    }

    /// Appends the line of column names.
    public static func appendHeader(to output: inout [UInt8]) {
        JSONText.append(
            raw: """
                time,accessory,label,vin,ecu,kind,code,failure_type,status_byte,description,error
                """, to: &output)
        CSVText.endLine(&output)
    }

    /// Appends one line.
    public static func append(_ line: Line, to output: inout [UInt8]) {
        line.time?.append(to: &output)
        let cells: [String?] = [
            line.accessory, line.label, line.vin, line.ecu, line.kind, line.code,
            line.failureType.map { Hex.string([$0]) }, line.statusByte.map { Hex.string([$0]) },
            line.description, line.error,
        ]
        for cell in cells {
            output.append(0x2C)
            CSVText.append(cell, to: &output)
        }
        CSVText.endLine(&output)
    }
}
