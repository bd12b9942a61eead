import Diagnostics
import OBDCore
import PIDTables

/// A user's table: it must be refused with a message, or decode arbitrary data.
func readTable(_ input: [UInt8]) {
    // Decode the text itself, so that lengths and formulas meet many patterns.
    let file = TableFile(path: "own.pids", contents: input)
    // Most inputs are refused. Do not load the embedded tables for those, because that takes
    // longer.
    let isRefused = PIDTables.lint([file]).contains { finding in
        if case .text = finding.kind { return true }
        return false
    }
    if isRefused { return }
    let table: PIDTable
    let records: [TableRecord]
    do {
        table = try PIDTables.load([file])
        records = try PIDTables.records([file])
    } catch {
        require(!"\(error)".isEmpty, "an error without words")
        return
    }
    let own = records.filter { $0.file == file.path }
    for record in own.prefix(64) {
        var decoder = ResponseDecoder(table: table, monitors: Tables.monitors)
        guard var payload = request(for: record.dataID), let service = payload.first else {
            continue
        }
        let exchange = Exchange(request: payload, family: .can)
        payload[0] = service &+ 0x40
        for (fill, length) in [
            (UInt8(0x00), record.length.lowerBound), (0xFF, record.length.upperBound),
            (0x80, record.length.lowerBound), (0x7F, record.length.upperBound + 1),
            (0x55, max(0, record.length.lowerBound - 1)),
        ] {
            var items: [DiagnosticItem] = []
            let data = (0..<min(length, 4096)).map { index in
                input.isEmpty ? fill : fill ^ input[(index * 7) % input.count] & fill >> 1
            }
            decoder.decode(
                ECUMessage(ecu: nil, payload: payload + data, line: 1), in: exchange, &items)
            decoder.endExchange(exchange, &items)
            for item in items { check(item, in: table) }
        }
    }
}

/// The request for a record; nil if it is never requested from a vehicle.
private func request(for dataID: DataID) -> [UInt8]? {
    let id = dataID.id
    guard dataID.service != Service(0x00), dataID.service != DataID.parameterGroups else {
        return nil
    }
    if dataID.digits > 2 {
        return [
            dataID.service.rawValue, UInt8(truncatingIfNeeded: id >> 8),
            UInt8(truncatingIfNeeded: id),
        ]
    }
    return [dataID.service.rawValue, UInt8(truncatingIfNeeded: id)]
}
