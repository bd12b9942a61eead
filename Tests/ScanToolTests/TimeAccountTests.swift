import OBDCore
import Testing

@testable import ScanTool

private func at(_ milliseconds: Double) -> Instant {
    Instant(nanoseconds: Int64(milliseconds * 1e6))
}
private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
private func ms(_ time: Duration) -> Double { (time.seconds * 1e7).rounded() / 1e4 }

@Suite struct `The time of an exchange` {
    @Test func `the time of an exchange without a pause before the prompt is the vehicle's`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("010C1\r"), at: at(0))
        timing.received(bytes("7E804410C1AF8\r\r>"), at: at(25))
        let split = timing.split(at: at(25), rate: nil, isSilent: false)
        #expect(ms(split.bus) == 25 && split.adapterWait == .zero && split.link == .zero)
    }

    @Test func `the time between the last line and a late prompt is the adapter's waiting`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("010C\r"), at: at(0))
        timing.received(bytes("7E804410C1AF8\r"), at: at(25))
        timing.received(bytes("7E904410C1AF8\r"), at: at(30))
        timing.received(bytes("\r>"), at: at(130))
        let split = timing.split(at: at(130), rate: nil, isSilent: false)
        #expect(ms(split.bus) == 30 && ms(split.adapterWait) == 100)
    }

    @Test func `the pauses within a slow line do not count as waiting`() {
        // 38400 bit/s: 0.26 ms per byte; 5 + 16 bytes take 5.47 ms.
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("010C\r"), at: at(0))
        timing.received(bytes("7E8044"), at: at(20))
        timing.received(bytes("10C1AF8\r"), at: at(22))
        timing.received(bytes("\r"), at: at(122.3))
        timing.received(bytes(">"), at: at(122.6))
        let split = timing.split(at: at(122.6), rate: 38_400, isSilent: false)
        #expect(abs(ms(split.link) - 21 * 10_000 / 38_400.0) < 0.01)
        #expect(abs(ms(split.adapterWait) - (100.6 - 0.52)) < 0.01)
        #expect(abs(ms(split.total) - 122.6) < 0.001)
    }

    @Test func `a line that the driver delivers in two parts does not count as waiting`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("010C\r"), at: at(0))
        timing.received(bytes("7E804410C1A"), at: at(20))
        timing.received(bytes("F8\r\r>"), at: at(36))
        let split = timing.split(at: at(36), rate: nil, isSilent: false)
        #expect(split.adapterWait == .zero && ms(split.bus) == 36)
    }

    @Test func `all the time of an exchange without an answer counts as waiting`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("012F\r"), at: at(0))
        timing.received(bytes("NO DATA\r\r>"), at: at(205))
        let split = timing.split(at: at(205), rate: nil, isSilent: true)
        #expect(ms(split.adapterWait) == 205 && split.bus == .zero)
    }

    @Test func `the time of settings before a request is the adapter's own`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("ATSH7E0\r"), at: at(0))
        timing.received(bytes("OK\r\r>"), at: at(5))
        timing.wrote(bytes("22F190\r"), at: at(5.5))
        timing.received(bytes("7E80462F1900\r\r>"), at: at(35.5))
        let split = timing.split(at: at(35.5), rate: nil, isSilent: false)
        #expect(ms(split.commands) == 5 && ms(split.pauses) == 0.5 && ms(split.bus) == 30)
    }

    @Test func `a blank that stops the adapter belongs to the stopped request`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("ATMA\r"), at: at(0))
        timing.wrote(bytes(" "), at: at(100))
        timing.received(bytes("STOPPED\r\r>"), at: at(110))
        // 16 bytes of ten bits each at 10,000 bit/s.
        let split = timing.split(at: at(110), rate: 10_000, isSilent: false)
        #expect(ms(split.link) == 16 && ms(split.commands) == 94)
        #expect(split.bus == .zero && split.adapterWait == .zero && split.pauses == .zero)
    }

    @Test func `the bytes of settings use time on the line, too`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("ATSH7E0\r"), at: at(0))
        timing.received(bytes("OK\r\r>"), at: at(20))
        timing.wrote(bytes("22F190\r"), at: at(20))
        timing.received(bytes("7E8\r\r>"), at: at(60))
        // Twice 13 bytes of ten bits each at 10,000 bit/s.
        let split = timing.split(at: at(60), rate: 10_000, isSilent: false)
        #expect(ms(split.link) == 26 && ms(split.commands) == 7 && ms(split.bus) == 27)
        #expect(ms(split.total) == 60)
    }

    @Test func `the time of a repeated request includes both attempts and the pause`() {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("010C\r"), at: at(0))
        timing.received(bytes("?\r\r>"), at: at(10))
        timing.wrote(bytes("010C\r"), at: at(60))
        timing.received(bytes("7E804410C1AF8\r\r>"), at: at(85))
        let split = timing.split(at: at(85), rate: nil, isSilent: false)
        #expect(ms(split.bus) == 35 && ms(split.pauses) == 50 && split.commands == .zero)
    }

    /// `AT` and `ST` commands are the adapter's own (ELM327 data sheet, OBDLink reference manual),
    /// in upper or lower case.
    ///
    /// A single carriage return repeats the last line, which is a request.
    @Test(arguments: [
        ("ATRV\r", true), ("atrv\r", true), ("STVR\r", true), ("A\r", false), ("\r", false),
        ("010C\r", false), ("CT\r", false),
    ])
    func `commands and requests are separated`(text: String, isCommand: Bool) {
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes(text), at: at(0))
        timing.received(bytes("12.5V\r\r>"), at: at(10))
        let split = timing.split(at: at(10), rate: 0, isSilent: false)
        #expect(split.commands == (isCommand ? .milliseconds(10) : .zero))
        #expect(split.bus == (isCommand ? .zero : .milliseconds(10)))
        // A rate of 0 means that the rate is unknown.
        #expect(split.link == .zero)
    }

    /// Ten bits per byte.
    ///
    /// The bytes of days of listening must not overflow the calculation.
    @Test(arguments: [
        (922_337_204, 115_200, 80_064.0), (2_000_000_000, 9_600, 2_083_333.0),
        (Int(Int32.max) * 1_000, 2_000_000, 10_737_418.0),
    ])
    func `large numbers of bytes give a correct time`(count: Int, rate: Int, seconds: Double) {
        #expect((ExchangeTiming.time(count, rate).seconds - seconds).magnitude < 1)
    }

    @Test func `without an exchange no time is counted`() {
        #expect(TimeAccount().parts.total == .zero)
        #expect(
            ms(ExchangeTiming(at: at(3)).split(at: at(9), rate: nil, isSilent: false).total) == 0)
    }

    @Test func `a line rate that fits the measured times is used`() {
        var account = TimeAccount()
        var timing = ExchangeTiming(at: at(0))
        timing.wrote(bytes("010C\r"), at: at(0))
        timing.received(bytes("7E804410C1AF8\r\r>"), at: at(25))
        account.take(timing, at: at(25), rate: 10_000, isSilent: false)
        #expect(!account.rateIsFiction)
        #expect(ms(account.parts.link) == 21 && ms(account.parts.bus) == 4)
        #expect(ms(account.parts.total) == 25)
    }

    @Test func `a line rate that the measured times contradict is ignored`() {
        var account = TimeAccount()
        for round in 0..<100 {
            let start = Double(round) * 10
            var timing = ExchangeTiming(at: at(start))
            timing.wrote(bytes("010C0D05041110\r"), at: at(start))
            timing.received(bytes("7E8037F0112\r\r>"), at: at(start + 2))
            account.take(timing, at: at(start + 2), rate: 38_400, isSilent: false)
        }
        #expect(account.rateIsFiction)
        #expect(account.parts.link == .zero && ms(account.parts.bus) == 200)
    }

    @Test func `the time between exchanges has parts: own work, no due records, rests, outages`() {
        var account = TimeAccount()
        account.takeGap(from: at(0), freeSince: at(2), until: at(100), isOutage: false)
        account.takeGap(from: at(200), freeSince: nil, until: at(203), isOutage: false)
        account.takeGap(from: at(300), freeSince: nil, until: at(1300), isOutage: true)
        account.takeGap(
            from: at(2000), freeSince: at(2000), restsSince: at(2500), until: at(5000),
            isOutage: false)
        account.takeFailure(.milliseconds(60))
        #expect(ms(account.parts.own) == 5)
        #expect(ms(account.parts.idle) == 598)
        #expect(ms(account.parts.rests) == 2500)
        #expect(ms(account.parts.lost) == 1060)
    }
}
