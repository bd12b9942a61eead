import Publishing
import Testing

@Suite("Sink addresses")
struct SinkAddressTests {
    @Test(
        "Lines are written to the URL of the address",
        arguments: [
            ("influx+http://pi:8428", "http://pi:8428/write?precision=ns"),
            ("influx+http://pi", "http://pi:8086/write?precision=ns"),
            (
                "influx+https://m.example/?db=cars",
                "https://m.example:443/write?db=cars&precision=ns"
            ),
            (
                "influx+http://pi:8086/?org=home&bucket=car",
                "http://pi:8086/api/v2/write?org=home&bucket=car&precision=ns"
            ),
            (
                "influx+http://pi:8181?db=car&api=3",
                "http://pi:8181/api/v3/write_lp?db=car&precision=nanosecond"
            ),
            (
                "influx+http://vm:8480/insert/0/influx/",
                "http://vm:8480/insert/0/influx/write?precision=ns"
            ),
            ("webhook+http://home/hook", "http://home:80/hook"),
            ("webhook+https://m.example/a/b?who=fleet", "https://m.example:443/a/b?who=fleet"),
            ("webhook+https://m.example:8443", "https://m.example:8443"),
            ("abrp+https://api.iternio.com", "https://api.iternio.com:443/1/tlm/send"),
            ("abrp+http://pi:8080/own", "http://pi:8080/own"),
            ("influx+http://me@[::1]:1", "http://[::1]:1/write?precision=ns"),
            ("INFLUX+HTTP://pi?precision=s", "http://pi:8086/write?precision=ns"),
        ])
    func writeURL(text: String, url: String) throws {
        #expect(try SinkAddress(text).writeURL == url)
    }

    @Test(
        "An address that is not valid gives a reason",
        arguments: [
            ("http://pi", SinkAddress.Fault.unknownScheme), ("pi:8086", .unknownScheme),
            ("mqtt://", .noHost), ("mqtt://:1883", .noHost), ("mqtt://pi:0", .badPort("0")),
            ("mqtt://pi:65536", .badPort("65536")), ("mqtt://pi:x", .badPort("x")),
            ("mqtt://pi:", .badPort("")), ("mqtt://[::1", .badPort(":1")),
            ("mqtt://me:secret@pi", .secret), ("influx+http://pi?u=a&p=b", .secret),
            ("influx+http://pi?token=b", .secret),
            ("webhook+http://pi/hook?api_key=b", .secret), ("influx+http://p i", .badCharacter),
            ("influx+http://pi\u{7F}", .badCharacter), ("mqtt://pi/topic", .path),
        ])
    func faults(text: String, fault: SinkAddress.Fault) {
        #expect(throws: fault) { _ = try SinkAddress(text) }
    }

    @Test(
        "An address is printed as the user wrote it",
        arguments: [
            "mqtts://obdscan@homeassistant.local:8883", "mqtt://[fe80::1]",
            "influx+http://pi?db=a&rp=b",
        ])
    func text(text: String) throws {
        #expect(try SinkAddress(text).text == text)
    }

    @Test("A token is sent in the form that each server version expects")
    func token() throws {
        #expect(try SinkAddress("influx+http://a?bucket=b").dialect == .v2)
        #expect(LineDialect.v2.authorization(token: "x") == "Authorization: Token x")
        #expect(LineDialect.v3.authorization(token: "x") == "Authorization: Bearer x")
    }
}
