import Diagnostics
import OBDCore

/// Messages of ECUs with their requests: decoded items must be part of the messages and not exceed
/// their size.
func readMessages(_ input: [UInt8]) {
    var cutter = Cutter(input)
    var decoder = ResponseDecoder(table: Tables.standard, monitors: Tables.monitors)
    var items: [DiagnosticItem] = []
    var exchange = Exchange()
    var said: [UInt8] = []
    var bytes = 0
    var messages = 0
    while !cutter.isAtEnd {
        let head = cutter.byte()
        if head & 0xC0 == 0 {
            // Before a new request, report the rest of the last exchange.
            decoder.endExchange(exchange, &items)
            let families = VehicleProtocol.Family.allCases
            let place = Int(head >> 3 & 7)
            let request = cutter.bytes(Int(head & 7))
            exchange = Exchange(
                request: request.isEmpty ? nil : request,
                family: place < families.count ? families[place] : nil)
            continue
        }
        let ecu: ECUAddress? =
            switch head >> 6 {
            case 1: ECUAddress(0x7E8 + UInt32(head & 1), .can11)
            case 2: ECUAddress(0x10 + UInt32(head & 1), .byte)
            default: nil
            }
        let payload = cutter.bytes(Int(cutter.byte()))
        messages += 1
        bytes += payload.count
        said += payload
        decoder.decode(
            ECUMessage(
                ecu: ecu, payload: payload, line: messages,
                parameterGroup: head & 0x3E == 0x3E ? 0xFECA : nil), in: exchange, &items)
    }
    decoder.endExchange(exchange, &items)
    for item in items {
        check(item, in: Tables.standard)
        if let raw = raw(of: item) {
            require(isSubsequence(raw, of: said), "\(item) was never said")
        }
    }
    require(items.count <= messages + bytes * 16, "\(items.count) items of \(bytes) bytes")
    var again: [DiagnosticItem] = []
    decoder.endExchange(exchange, &again)
    require(again.isEmpty, "something is open behind the end")
}
