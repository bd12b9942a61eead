import Diagnostics
import OBDCore
import Testing

@Suite struct `A scan of the addresses of modules` {
    private func walk(
        _ vehicleProtocol: VehicleProtocol, _ answer: (VehicleRequest) -> [ECUMessage]
    ) throws -> (walk: AddressScan, asked: [VehicleRequest]) {
        var walk = try #require(AddressScan(vehicleProtocol))
        var asked: [VehicleRequest] = []
        while let request = walk.next() {
            asked.append(request)
            #expect(VehicleRequest.isReadOnly(request.payload))
            walk.answered(answer(request))
        }
        return (walk, asked)
    }

    private func message(_ ecu: UInt32, _ payload: [UInt8]) -> ECUMessage {
        ECUMessage(ecu: ECUAddress(ecu, .can11), payload: payload)
    }

    @Test func `a module is known by the address of its answer`() throws {
        let pairs: [UInt32: UInt32] = [0x726: 0x72E, 0x744: 0x764, 0x710: 0x77A, 0x7E0: 0x7E8]
        let (walk, asked) = try walk(.can11At500) { request in
            guard let target = request.target?.value, let responder = pairs[target] else {
                return []
            }
            let refuses = target == 0x744
            return [message(responder, refuses ? [0x7F, 0x3E, 0x12] : [0x7E, 0x00])]
        }
        #expect(walk.modules.map(\.request.value) == [0x710, 0x726, 0x744, 0x7E0])
        #expect(walk.modules.map(\.responder.value) == [0x77A, 0x72E, 0x764, 0x7E8])
        let addresses = asked.compactMap(\.target?.value)
        // The scan must not send outside 700 to 7FF, to all ECUs, or to an address that answers
        // come from.
        #expect(addresses.allSatisfy { (0x700...0x7FF).contains($0) })
        #expect(!addresses.contains(0x7DF))
        #expect(!addresses.contains { (0x7E8...0x7EF).contains($0) })
        #expect(!addresses.contains(0x72E) && !addresses.contains(0x764))
        #expect(asked.allSatisfy { $0.payload == [0x3E, 0x00] })
        #expect(
            asked.allSatisfy {
                $0.responders == .matching(pattern: ECUAddress(0x700, .can11), mask: 0x700)
                    && $0.answerTime == .milliseconds(100)
            })
        #expect(walk.done == walk.addresses)
    }

    @Test func `an address that reaches several ECUs is not a module's`() throws {
        let (walk, _) = try walk(.can11At500) { request in
            switch request.target?.value {
            case 0x700: [message(0x72E, [0x7E, 0x00]), message(0x7E8, [0x7E, 0x00])]
            case 0x726: [message(0x72E, [0x7E, 0x00])]
            // Ordinary bus traffic that passes the open filter.
            case 0x730: [message(0x731, [0x01, 0x02, 0x03])]
            default: []
            }
        }
        #expect(walk.modules.map(\.request.value) == [0x726])
    }

    @Test func `29-bit identifiers and ISO 14230 have every target address`() throws {
        let (long, asked) = try walk(.can29At500) { request in
            request.target?.value == 0x18DA_28F1
                ? [ECUMessage(ecu: ECUAddress(0x18DA_F128, .can29), payload: [0x7E, 0x00])] : []
        }
        #expect(long.modules.map(\.responder.value) == [0x18DA_F128])
        #expect(asked.count == 255)
        #expect(
            asked.allSatisfy { $0.target.map { $0.value & 0xFFFF_00FF == 0x18DA_00F1 } ?? false })
        let (kwp, targets) = try walk(.iso14230Fast) { request in
            request.target?.value == 0x28
                ? [ECUMessage(ecu: ECUAddress(0x28, .byte), payload: [0x7F, 0x18, 0x11])] : []
        }
        #expect(kwp.modules.map(\.request.value) == [0x28])
        #expect(targets.allSatisfy { $0.payload == [0x18, 0x00, 0xFF, 0x00] })
    }

    @Test(arguments: [VehicleProtocol.iso9141, .j1850PWM, .j1850VPW, .j1939])
    func `a protocol without known addresses has no scan of addresses`(
        vehicleProtocol: VehicleProtocol
    ) {
        #expect(AddressScan(vehicleProtocol) == nil)
    }

    @Test func `a module's codes are read by UDS, then by KWP`() {
        let module = AddressScan.Module(
            request: ECUAddress(0x744, .can11), responder: ECUAddress(0x764, .can11))
        let requests = AddressScan.codeRequests(for: module)
        #expect(requests.map { Hex.string($0.payload) } == ["1902FF", "1800FF00"])
        #expect(requests.allSatisfy { $0.responders == .one(ECUAddress(0x764, .can11)) })
        let engine = AddressScan.Module(
            request: ECUAddress(0x7E0, .can11), responder: ECUAddress(0x7E8, .can11))
        #expect(AddressScan.codeRequests(for: engine).allSatisfy { $0.responders == .usual })
    }

    @Test(
        arguments: [
            ("62F1974142532000", "ABS"), ("5A9741", "A"), ("62F19701FF", nil),
            ("62F190414243", nil),
            ("62F197", nil), ("62F197FFFF", nil),
        ] as [(String, String?)])
    func `a module's own name is read`(payload: String, name: String?) throws {
        let message = ECUMessage(ecu: nil, payload: try #require(Hex.bytes(payload)))
        #expect(AddressScan.name(in: message) == name)
    }
}
