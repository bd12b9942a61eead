import Glibc
import OBDCore
import SystemIO
import Testing

@testable import Accessory

@Suite struct `CAN transports` {
    @Test(arguments: [
        ("can:can0", "can:can0"), ("slcan:/dev/ttyACM0", "slcan:/dev/ttyACM0"),
        ("slcan:/dev/ttyACM0?baud=1000000", "slcan:/dev/ttyACM0?baud=1000000"),
        ("slcan:192.168.80.1:3333", "slcan:192.168.80.1:3333"),
        ("slcan:[fe80::1]:3333", "slcan:[fe80::1]:3333"),
    ])
    func `a printed address can be read again`(_ text: String, _ printed: String) throws {
        let address = try TransportRegistry.system.address(text)
        #expect("\(address)" == printed)
        #expect(try TransportRegistry.system.address(printed) == address)
    }

    @Test(arguments: ["can:", "can:a/b", "can:sixteencharacters", "slcan:", "slcan:host"])
    func `text that is not a CAN address is refused`(_ text: String) {
        #expect(throws: AddressError.self) { try TransportRegistry.system.address(text) }
    }

    @Test func `the error names an interface that does not exist, or a kernel without CAN`() {
        do {
            _ = try CANTransport(interface: "can77").open(within: .seconds(1), cancelledBy: nil)
            Issue.record("opened")
        } catch {
            let known: [CANInterfaceFault] = [.notFound(interface: "can77"), .noSupport]
            #expect(known.map { AccessoryError($0) }.contains(error))
        }
    }

    @Test func `each fault of a CAN interface says what happened and which command helps`() {
        let faults: [CANInterfaceFault] = [
            .noSupport, .notFound(interface: "can0"), .notCAN(interface: "eth0"),
            .down(interface: "can0", kind: "can"), .listenOnly(interface: "can0"),
            .busOff(interface: "can0", restartsAfter: 0),
            .busOff(interface: "can0", restartsAfter: 100), .wentDown(interface: "can0"),
            .removed(interface: "can0"), .notAcknowledged(interface: "can0"),
        ]
        for fault in faults {
            #expect(!fault.explanation.message.isEmpty && fault.explanation.hint?.isEmpty == false)
        }
        #expect(
            CANInterfaceFault.down(interface: "can0", kind: "can").explanation.hint
                == "sudo ip link set can0 type can bitrate 500000; sudo ip link set can0 up")
        #expect(
            CANInterfaceFault.down(interface: "vcan0", kind: "vcan").explanation.hint
                == "sudo ip link set vcan0 up")
        let left = CANInterfaceFault.busOff(interface: "can0", restartsAfter: 0).words
        #expect(left.explanation.message == "can0 left the bus after too many errors (bus-off)")
        #expect(
            left.explanation.hint
                == "check the bit rate and the wiring, then: sudo ip link set can0 down; "
                + "sudo ip link set can0 up")
        #expect(
            CANInterfaceFault.busOff(interface: "can0", restartsAfter: 100).explanation.hint
                == "check the bit rate and the wiring; the kernel restarts the controller every 100 ms"
        )
    }
}

/// Answers of NETLINK_ROUTE, made by hand from linux/rtnetlink.h, if_link.h and can/netlink.h.
@Suite struct `The kernel's description of an interface` {
    private static func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    private static func attribute(_ type: UInt16, _ content: [UInt8]) -> [UInt8] {
        let length = UInt16(4 + content.count)
        return number(length) + number(type) + content
            + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
    }

    private static func answer(
        type: UInt16 = 16, hardware: UInt16 = 280, flags: UInt32 = 1, _ attributes: [UInt8]
    ) -> [UInt8] {
        let length = UInt32(32 + attributes.count)
        // One list of parts: Swift 6.2 does not find the type of a long sum of arrays.
        let head: [[UInt8]] = [
            number(length), number(type), number(UInt16(0)), number(UInt32(1)), number(UInt32(0)),
            [0, 0],
            number(hardware), number(UInt32(5)), number(flags), number(UInt32(0)),
        ]
        return head.flatMap { $0 } + attributes
    }

    private static let name = attribute(3, Array("can0".utf8) + [0])

    private static func info(
        rate: UInt32 = 500_000, state: UInt32 = 0, flags: UInt32 = 0, restart: UInt32 = 0
    ) -> [UInt8] {
        let timing = number(rate) + [UInt8](repeating: 0, count: 28)
        let data =
            attribute(1, timing) + attribute(4, number(state))
            + attribute(5, number(UInt32(0)) + number(flags)) + attribute(6, number(restart))
        return attribute(18, attribute(1, Array("can".utf8) + [0]) + attribute(2, data))
    }

    @Test func `rate, state and mode of a CAN interface are read`() throws {
        let found = try #require(
            RouteMessage.interface(in: Self.answer(Self.name + Self.info(state: 2))))
        #expect(found.name == "can0" && found.index == 5 && found.isUp && found.kind == "can")
        #expect(found.rate == 500_000 && found.state == .passive && !found.isListenOnly)
        #expect(found.fault == nil)
        #expect(found.text == "can0 (can), 500 kbit/s, up, many errors")
    }

    @Test(arguments: [
        (answer(name + info(flags: 2)), CANInterfaceFault.listenOnly(interface: "can0")),
        (answer(name + info(state: 3)), .busOff(interface: "can0", restartsAfter: 0)),
        (
            answer(name + info(state: 3, restart: 100)),
            .busOff(interface: "can0", restartsAfter: 100)
        ),
        (answer(flags: 0, name + info()), .down(interface: "can0", kind: "can")),
        (answer(hardware: 1, name), .notCAN(interface: "can0")),
    ])
    func `the reason why an interface cannot be used is found`(
        _ answer: [UInt8], _ fault: CANInterfaceFault
    )
        throws
    {
        #expect(try #require(RouteMessage.interface(in: answer)).fault == fault)
    }

    /// struct rtnl_link_stats64: received, sent, their bytes, their errors, then `rx_dropped`; `rx_over_errors` is the
    /// twelfth number, `rx_missed_errors` the sixteenth.
    @Test func `the counters of lost frames of an interface are added up`() throws {
        var numbers = [UInt64](repeating: 1_000, count: 24)
        (numbers[6], numbers[11], numbers[15]) = (5, 20, 300)
        let statistics = Self.attribute(23, numbers.flatMap { Self.number($0) })
        let found = try #require(RouteMessage.interface(in: Self.answer(Self.name + statistics)))
        #expect(found.lostFrames == 325)
    }

    @Test
    func `a description that is cut anywhere does not crash, and an error is not a description`() {
        let whole = Self.answer(Self.name + Self.info())
        for length in 0..<whole.count { _ = RouteMessage.interface(in: Array(whole[..<length])) }
        #expect(RouteMessage.interface(in: Self.answer(type: 2, Self.name)) == nil)
        #expect(RouteMessage.interface(in: []) == nil)
    }

    @Test func `the kernel answers our request for its description`() throws {
        let found = try #require(CANInterface.named("lo"))
        #expect(found.name == "lo" && !found.isCAN)
        #expect(found.fault == .notCAN(interface: "lo"))
        #expect(CANInterface.named("can77") == nil)
    }
}

/// A socket pair of datagrams replaces a CAN socket: one frame per read and per write.
@Suite struct `A session of frames` {
    private func pair() throws -> (ours: Int32, other: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    private func session(_ descriptor: Int32) -> DescriptorSession {
        DescriptorSession(descriptor: descriptor, kind: .frames, name: "can:can0")
    }

    @Test func `frames are written one by one, and all waiting frames are read at once`() throws {
        let (ours, other) = try pair()
        var session = session(ours)
        defer { close(other) }
        let frames = (0..<3).map { [UInt8](repeating: UInt8($0), count: 16) }
        try session.write(Array(frames.joined()))
        var buffer = [UInt8](repeating: 0xFF, count: 64)
        for frame in frames {
            let count = read(other, &buffer, buffer.count)
            #expect(count == 16 && Array(buffer[..<16]) == frame)
        }
        for frame in frames { #expect(write(other, frame, 16) == 16) }
        let first = try session.receive()
        let second = try session.receive()
        #expect(first == Array(frames.joined()) && second.isEmpty)
    }

    /// Two UDP sockets on the loopback: the kernel dates and drops their datagrams as it does CAN frames.
    private func datagrams() throws -> (ours: Int32, other: Int32) {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let (ours, other) = (socket(AF_INET, type, 0), socket(AF_INET, type, 0))
        try #require(ours >= 0 && other >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try #require(bind(ours, $0, length) == 0)
                try #require(getsockname(ours, $0, &length) == 0)
                try #require(connect(other, $0, length) == 0)
            }
        }
        return (ours, other)
    }

    /// The first attempts may fail, because a busy kernel begins to note times a while after the first request.
    ///
    /// If the session only knew the times of reading, each attempt would fail.
    @Test func `each frame has the time at which the kernel received it`() throws {
        let (ours, other) = try datagrams()
        defer { close(other) }
        var session = session(ours)
        session.observeFrames()
        var late: [Duration] = []
        for _ in 0..<50 {
            let before = SystemClock.now()
            for number in 0..<3 {
                #expect(write(other, [UInt8](repeating: UInt8(number), count: 16), 16) == 16)
            }
            let after = SystemClock.now()
            // Reading late does not spoil the times.
            usleep(30_000)
            let bytes = try session.receive()
            #expect(bytes.count == 48 && session.frameTimes.count == 3)
            let times = session.frameTimes
            #expect(times == times.sorted())
            #expect(session.takeDropped() == 0)
            _ = try session.receive()
            #expect(session.frameTimes.isEmpty)
            // The two clocks are not read at the same moment.
            if times.allSatisfy({ $0 > before + .milliseconds(-5) && $0 < after + .milliseconds(5) }
            ) {
                return
            }
            late = times.map { $0 - after }
        }
        Issue.record("in 50 attempts no times of the kernel; the last were late by \(late)")
    }

    /// Beside a frame, the kernel only reports the drops before that frame: none follows the last ones here.
    @Test func `frames that the kernel dropped are counted, the last ones, too`() throws {
        let (ours, other) = try datagrams()
        defer { close(other) }
        var session = session(ours)
        session.observeFrames()
        var small: Int32 = 4_096
        setsockopt(ours, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
        let frame = [UInt8](repeating: 7, count: 16)
        var (sent, received, dropped) = (0, 0, 0)
        for _ in 0..<2 {
            let before = dropped
            for _ in 0..<500 { #expect(write(other, frame, 16) == 16) }
            sent += 500
            while true {
                let bytes = try session.receive()
                dropped += session.takeDropped()
                if bytes.isEmpty { break }
                received += bytes.count / 16
            }
            #expect(dropped > before && received + dropped == sent)
        }
    }

    @Test func `after a full queue the session writes again at a set time`() throws {
        let (ours, other) = try pair()
        var session = session(ours)
        defer { close(other) }
        let frame = [UInt8](repeating: 7, count: 16)
        var written = 0
        while session.retryTime == nil, written < 100_000 {
            try session.write(frame)
            written += 1
        }
        #expect(session.retryTime != nil && !session.wantsToWrite)
        var buffer = [UInt8](repeating: 0, count: 16)
        var got = 0
        while read(other, &buffer, 16) == 16 { got += 1 }
        try session.flush()
        while read(other, &buffer, 16) == 16 { got += 1 }
        #expect(session.retryTime == nil)
        #expect(got == written)
    }

    @Test func `the session is lost when the other end leaves`() throws {
        let (ours, other) = try pair()
        var session = session(ours)
        close(other)
        #expect(throws: AccessoryError.self) { try session.receive() }
    }
}
