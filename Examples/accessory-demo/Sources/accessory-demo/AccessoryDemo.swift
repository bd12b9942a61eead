import Accessory
import Foundation
import Paddle

/// The command line: `accessory-demo [list | info | run] [--seconds N] [DEVICE…]`.
@main
struct AccessoryDemo {
    private static let usage = """
        usage: accessory-demo list
               accessory-demo info [DEVICE...]
               accessory-demo [run] [--seconds N] [DEVICE...]

        DEVICE: /dev/ttyUSB0, rfcomm:ADDRESS, tcp:HOST:PORT. Without one, two simulated
        adapters are attached.
        """

    private enum Command: String {
        case list, info, run
    }

    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        if words.contains("--help") || words.contains("-h") {
            print(usage)
            return
        }
        let command = words.first.flatMap(Command.init(rawValue:))
        if command != nil { words.removeFirst() }
        var limit = Duration.seconds(5)
        if let index = words.firstIndex(of: "--seconds") {
            guard index + 1 < words.count, let seconds = Double(words[index + 1]), seconds > 0,
                seconds < 1e9
            else { fail(usage, status: 64) }
            limit = .seconds(seconds)
            words.removeSubrange(index...index + 1)
        }
        if words.contains(where: { $0.hasPrefix("-") }) { fail(usage, status: 64) }
        do {
            let attached = try Attached(words)
            switch command ?? .run {
            case .list: list(attached.manager)
            case .info: for accessory in attached.accessories { info(accessory) }
            case .run: try run(attached.accessories, for: limit)
            }
        } catch let error as AddressError {
            fail(error.reason, status: 64)
        } catch {
            fail("\(error)", status: 69)
        }
    }

    private static func fail(_ text: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("accessory-demo: \(text)\n".utf8))
        exit(status)
    }

    private static func list(_ manager: AccessoryManager) {
        for accessory in manager.attached() {
            let protocols = accessory.protocols.joined(separator: ", ")
            print(
                "\(accessory.connectionID)  \(accessory.address)  \(accessory.name)  \(protocols)")
        }
    }

    private static func info(_ accessory: Accessory) {
        let lines: [(String, String?)] = [
            ("name", accessory.name), ("address", accessory.address.description),
            ("connection", String(accessory.connectionID)),
            ("manufacturer", accessory.manufacturer), ("model", accessory.model),
            ("serial number", accessory.serialNumber), ("firmware", accessory.firmware),
            ("hardware", accessory.hardware),
            ("protocols", accessory.protocols.joined(separator: ", ")),
        ]
        for case (let key, let value?) in lines { print("\(key): \(value)") }
    }

    private static func run(_ accessories: [Accessory], for limit: Duration) throws {
        let begin = ContinuousClock.now
        let demonstrations = try accessories.map { accessory in
            guard let connector = accessory.connector(for: PaddleFrame.protocolString),
                let session = try connector.open()
            else {
                fail("\(accessory.name) does not offer \(PaddleFrame.protocolString)", status: 69)
            }
            return Demonstration(session, accessory.name, at: ContinuousClock.now - begin) {
                print("\(accessory.name): \($0)")
                fflush(nil)
            }
        }
        try accessory_demo.run(demonstrations, since: begin, for: limit)
    }
}

/// The devices for a command.
struct Attached {
    /// The manager of these and all other devices.
    let manager = AccessoryManager()
    /// The devices at the given addresses, or the simulated ones.
    private(set) var accessories: [Accessory] = []
    /// The simulated devices; they exist as long as this value.
    private(set) var simulated: [SimulatedAccessory] = []

    /// Attaches the devices at `addresses`, or two simulated ones if there are none.
    init(_ addresses: [String]) throws {
        for text in addresses { attach(text, try TransportRegistry.system.address(text)) }
        guard addresses.isEmpty else { return }
        for number in 1...2 {
            let accessory = try SimulatedAccessory()
            simulated.append(accessory)
            attach("paddle \(number)", .serial(path: accessory.path, rate: nil))
        }
    }

    /// A serial line does not show its protocol, so trust the user's address to be that of a
    /// paddle.
    private mutating func attach(_ name: String, _ address: AccessoryAddress) {
        accessories.append(
            manager.attach(name, at: address, protocols: [PaddleFrame.protocolString]))
    }
}
