extension DBusMessage {
    /// The bytes of the answer to a call.
    static func reply(
        to call: DBusMessage, serial: UInt32, _ arguments: [Argument] = []
    ) -> [UInt8] {
        answer(.reply, to: call, serial: serial, error: nil, arguments)
    }

    /// The bytes that refuse a call; `error` is the error's name.
    static func refusal(of call: DBusMessage, serial: UInt32, _ error: String) -> [UInt8] {
        answer(.error, to: call, serial: serial, error: error, [])
    }

    private static func answer(
        _ kind: Kind, to call: DBusMessage, serial: UInt32, error: String?,
        _ arguments: [Argument]
    ) -> [UInt8] {
        var body = DBusWriter()
        for argument in arguments { argument.write(to: &body) }
        var fields = DBusWriter()
        if let error { fields.field(4, "s", error) }
        fields.align(to: 8)
        fields.bytes.append(5)
        fields.signature("u")
        fields.word(call.serial)
        if let sender = call.sender { fields.field(6, "s", sender) }
        let signature = arguments.map(\.signature).joined()
        if !signature.isEmpty { fields.field(8, "g", signature) }
        var message = DBusWriter()
        message.bytes = [UInt8(ascii: "l"), kind.rawValue, 0, 1]
        message.word(UInt32(body.bytes.count))
        message.word(serial)
        message.word(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body.bytes
    }
}
