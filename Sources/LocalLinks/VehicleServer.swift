import Accessory
import Glibc
import OBDCore
import Simulator
import SystemIO

/// Serves a simulated vehicle at a place, to one host after another, until a descriptor asks it to stop.
public struct VehicleServer {
    /// The place where the vehicle is served.
    public var place: ServingPlace
    /// The prefix of an address, such as `slcan:`; nil = the prefix of the place.
    public var scheme: String?
    /// Becomes readable when serving has to end.
    public var stop: Int32
    /// Takes the requests that reach the vehicle.
    public var log: RequestLog
    /// Receives each new address in the form that `-d` accepts.
    public var announce: (String) throws -> Void
    /// Receives the reason why BlueZ does not announce the RFCOMM channel.
    public var lacksRecord: (SerialPortRecord.Fault) -> Void

    /// A server at a place.
    public init(
        _ place: ServingPlace, scheme: String?, stop: Int32, log: RequestLog,
        announce: @escaping (String) throws -> Void,
        lacksRecord: @escaping (SerialPortRecord.Fault) -> Void
    ) {
        self.place = place
        self.scheme = scheme
        self.stop = stop
        self.log = log
        self.announce = announce
        self.lacksRecord = lacksRecord
    }

    /// Serves until a signal arrives or the CAN interface disappears.
    public func serve(_ simulated: some SimulatedDevice) throws {
        let device = SharedDevice(simulated)
        switch place {
        case .pty(let link):
            // The slave stays open here, so only a signal or the device itself ends this. In the
            // second case a new terminal replaces the old one, as after a plug was pulled.
            var end = ServingEnd.deviceGone
            while end == .deviceGone {
                let terminal = try PseudoTerminal.open(link: link)
                try announce((scheme ?? "") + (link.map(absolute) ?? terminal.path))
                var session = terminal.session()
                end = try serve(device, on: &session)
            }
        case .tcp(let host):
            let socket = try ListeningSocket.tcp(host)
            let address = scheme.map { socket.address.replacing("tcp:", with: $0) }
            try serve(device, on: socket, address)
        case .doip(let host):
            let socket = try ListeningSocket.tcp(host, scheme: "doip")
            let answerer = try DoIPAnswerer(socket.host ?? host) { bytes in
                device.look { $0.answer(toDatagram: bytes) }
            }
            try serve(device, on: socket, nil)
            _ = consume answerer
        case .can(let interface): try serve(device, onInterface: interface)
        case .ble(let name): try serve(device, overLEAs: name)
        case .rfcomm(let channel):
            let socket = try ListeningSocket.rfcomm(channel: channel)
            // Keep the record until serving ends, because BlueZ removes it with its creator.
            let record = announceService(on: channel)
            try serve(device, on: socket, nil)
            _ = consume record
        }
    }

    private func serve(
        _ device: SharedDevice<some SimulatedDevice>, on session: inout DescriptorSession
    ) throws(SystemError) -> ServingEnd {
        try LocalLinks.serve(device, on: &session, stop: stop) { log.add(device) }
    }

    /// One host after another.
    private func serve(
        _ device: SharedDevice<some SimulatedDevice>, on socket: consuming ListeningSocket,
        _ address: String?
    ) throws {
        try announce(address ?? socket.address)
        while var session = try socket.accept(stop: stop) {
            if try serve(device, on: &session) == .stopped { return }
        }
    }

    /// The ECUs on a CAN interface, until a signal arrives or the interface disappears.
    private func serve(
        _ device: SharedDevice<some SimulatedDevice>, onInterface name: String
    ) throws {
        guard
            var session = try CANTransport(interface: name).open(
                within: .seconds(1), cancelledBy: nil)
        else { return }
        try announce("can:\(name)")
        do throws(SystemError) {
            if try serve(device, on: &session) == .stopped { return }
        } catch {
            throw AccessoryError.system(
                call: error.call, address: name, errno: error.errno)
        }
        throw AccessoryError.can(.wentDown(interface: name))
    }

    /// Serves an LE adapter for phones until a signal arrives or BlueZ ends.
    private func serve(_ device: SharedDevice<some SimulatedDevice>, overLEAs name: String) throws {
        do throws(LEPeripheral.Fault) {
            var session = try LEPeripheral.open(name: name)
            do {
                try announce(session.name)
                if try serve(device, on: &session) == .stopped { return }
            } catch let error as SystemError {
                throw LEPeripheral.Fault.unavailable(errno: error.errno)
            } catch {
                return
            }
            throw .unavailable(errno: ECONNRESET)
        } catch {
            throw LocalLinkFault.peripheral(error)
        }
    }

    /// An absolute path, because a name without a slash is an alias for `-d`.
    private func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let folder = getcwd(nil, 0) else { return "./" + path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Announces the channel through BlueZ; without a record, users must name it on other machines.
    private func announceService(on channel: UInt8) -> SerialPortRecord? {
        do throws(SerialPortRecord.Fault) {
            return try SerialPortRecord(channel: channel, name: "OBDSCAN")
        } catch {
            lacksRecord(error)
            return nil
        }
    }
}
