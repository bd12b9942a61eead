import Adapters
import OBDCore

/// Raw CAN links: slcan text and records of SocketCAN in arbitrary pieces, with timers and requests
/// at any time.
///
/// The lexers must not lose or invent bytes, each exchange must end once, and messages must consist
/// of received bytes.
func readCAN(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let choice = cutter.byte()
    let cut = Int(cutter.byte())
    let link: CANDialect.Link =
        choice & 1 == 0 ? .slcan : .interface(name: "can0", rate: nil)
    if choice & 2 != 0 {
        let clear = CANFrame(ECUAddress(0x7DF, .can11), [1, 4, 0, 0, 0, 0, 0, 0])
        let wire: CANWire =
            link == .slcan ? .slcan(SLCANLexer()) : .records(CANRecordLexer())
        return readEvents(
            &cutter, CANDialect(.init(link, vehicle: .unused)), clearing: wire.bytes(of: clear))
    }
    let bytes = cutter.rest()
    require(
        events(link, [bytes[...]]) == events(link, [bytes.prefix(cut), bytes.dropFirst(cut)]),
        "a split changes what a CAN link said")
    for event in events(.slcan, [bytes[...]]) {
        guard case .frame(let frame) = event else { continue }
        require(
            events(.slcan, [SLCAN.line(of: frame)[...]]) == [.frame(frame)],
            "a frame is not read as it is written")
    }
    var exchange = CANExchange()
    var out: [CANExchange.Output] = []
    let request = VehicleRequest(
        id: RequestID(rawValue: 1),
        target: choice & 4 == 0 ? nil : ECUAddress(0x7E0, .can11), payload: [0x22, 0xF1, 0x90])
    let isJ1939 = choice & 8 != 0 && choice & 4 == 0
    require(
        exchange.begin(
            isJ1939
                ? VehicleRequest(id: RequestID(rawValue: 1), payload: [0x00, 0xFE, 0xEC]) : request,
            on: isJ1939 ? .j1939 : .can11At500, &out), "a request is not sent")
    for event in events(link, [bytes[...]]) {
        if case .frame(let frame) = event { exchange.receive(frame, &out) }
    }
    for timer in [DialectTimer.reply, .nextFrame, .pause, .reply, .pause] {
        exchange.expired(timer, &out)
    }
    require(!exchange.isUnderWay, "an exchange has no end")
    require(out.count { $0 == .ended } == 1, "an exchange has several ends")
}

private func events(_ link: CANDialect.Link, _ pieces: [ArraySlice<UInt8>]) -> [CANEvent] {
    var wire: CANWire = link == .slcan ? .slcan(SLCANLexer()) : .records(CANRecordLexer())
    var events: [CANEvent] = []
    for piece in pieces { wire.receive(Array(piece).span, &events) }
    return events
}
