import Accessory
import Glibc
import Simulator
import SystemIO

/// What can go wrong with a link that this program serves.
public enum LocalLinkFault: AccessoryFault, Error {
    /// A recording or a vehicle file cannot be read.
    case unreadable(path: String, errno: Int32)
    /// A transcript is damaged.
    case damagedTranscript(path: String, line: Int, reason: String)
    /// A recording has no command or no answer.
    case emptyRecording(path: String, magic: String)
    /// A vehicle file is not valid; file, line and reason.
    case vehicleFile(String)
    /// The options of `sim:` are not valid.
    case options(SimulatorError)
    /// A pseudo terminal cannot be created.
    case terminal(path: String, errno: Int32)
    /// The link to the terminal cannot be created.
    case link(path: String, errno: Int32)
    /// A socket cannot be created.
    case socket(errno: Int32)
    /// The program cannot listen on a TCP port.
    case port(ServedHost, errno: Int32)
    /// The system has no Bluetooth.
    case noBluetooth(errno: Int32)
    /// The program cannot listen on an RFCOMM channel.
    case channel(UInt8, errno: Int32)
    /// No LE adapter can be served.
    case peripheral(LEPeripheral.Fault)

    /// The fault and its remedy.
    public var words: FaultWords {
        switch self {
        case .unreadable(let path, let errno):
            FaultWords(
                .link, "\(path): \(Self.text(errno))",
                remedy: FileRemedy.reading(path, errno: errno),
                category: errno == EACCES || errno == EPERM ? .noPermission : .noInput)
        case .damagedTranscript(let path, let line, let reason):
            FaultWords(
                .link, "\(path):\(line): \(reason)",
                remedy: "obdscan-transcript(5) describes transcripts", category: .badInput)
        case .emptyRecording(let path, let magic):
            FaultWords(
                .link, "\(path): no command and no answer in it",
                remedy: "a recording begins with \"\(magic)\"; in a text, lines that begin "
                    + "with > are the commands", category: .badInput)
        case .vehicleFile(let text):
            FaultWords(
                .link, text, remedy: "obdscan-vehicle(5) describes vehicle files",
                category: .badInput)
        case .options(let error):
            FaultWords(
                .link, "sim: \(error.reason)",
                remedy: "\"obdscan simulate --list\" shows what can be simulated", category: .usage)
        case .terminal(let path, let errno):
            FaultWords(.link, "\(path): \(Self.text(errno))", remedy: nil)
        case .link(let path, let errno):
            FaultWords(
                .link, "\(path): \(Self.text(errno))",
                remedy: FileRemedy.writing(path, errno: errno))
        case .socket(let errno): FaultWords(.link, "socket: \(Self.text(errno))", remedy: nil)
        case .port(let host, let errno):
            FaultWords(
                .link,
                (host == ServedHost(port: host.port) ? "port \(host.port)" : host.text)
                    + ": \(Self.text(errno))",
                remedy: errno == EADDRNOTAVAIL
                    ? "name an address of this machine (ip address), or 0.0.0.0 for all of them"
                    : "--tcp 0 takes any free port")
        case .noBluetooth(let errno):
            FaultWords(
                .link, "Bluetooth is not available: \(Self.text(errno))",
                remedy: "--tcp or --pty need none")
        case .channel(let channel, let errno):
            FaultWords(
                .link, "RFCOMM channel \(channel): \(Self.text(errno))",
                remedy: "is a Bluetooth controller there and powered? bluetoothctl power on")
        case .peripheral(.unavailable(let errno)):
            FaultWords(
                .bluetooth, "Bluetooth LE is not available: \(Self.text(errno))",
                remedy: errno == ENETDOWN
                    ? "bluetoothctl power on"
                    : "start bluetoothd and plug a controller in: systemctl start bluetooth")
        case .peripheral(.refused(let reason)):
            FaultWords(
                .bluetooth, "BlueZ does not serve a Bluetooth LE adapter: \(reason)",
                remedy: "the controller must be able to advertise: bluetoothctl show")
        }
    }

    private static func text(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }

    /// All bytes of a file.
    public static func contents(of path: String) throws(LocalLinkFault) -> [UInt8] {
        do throws(SystemError) {
            return try Files.bytes(of: path)
        } catch {
            throw .unreadable(path: path, errno: error.errno)
        }
    }
}
