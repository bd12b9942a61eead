import Accessory
import Glibc
public import OBDCore
import Simulator
import SystemIO

/// The faults of a link that this program serves.
public enum LocalLinkFault: AccessoryFault, Explained {
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

    /// The fault in words, with the step at which the fault occurred.
    public var words: FaultWords {
        switch self {
        case .unreadable(let path, let errno):
            FaultWords(
                .link, "\(path): \(SystemError.text(of: errno))",
                hint: FileRemedy.reading(path, errno: errno),
                category: errno == EACCES || errno == EPERM ? .noPermission : .noInput)
        case .damagedTranscript(let path, let line, let reason):
            FaultWords(
                .link, "\(path):\(line): \(reason)",
                hint: "obdscan-transcript(5) describes transcripts", category: .badInput)
        case .emptyRecording(let path, let magic):
            FaultWords(
                .link, "\(path): no command and no answer in it",
                hint: "a recording begins with \"\(magic)\"; in a text, lines that begin "
                    + "with > are the commands", category: .badInput)
        case .vehicleFile(let text):
            FaultWords(
                .link, text, hint: "obdscan-vehicle(5) describes vehicle files",
                category: .badInput)
        case .options(let error):
            FaultWords(
                .link, "sim: \(error.reason)",
                hint: "\"obdscan simulate --list\" shows what can be simulated", category: .usage)
        case .terminal(let path, let errno):
            FaultWords(.link, "\(path): \(SystemError.text(of: errno))", hint: nil)
        case .link(let path, let errno):
            FaultWords(
                .link, "\(path): \(SystemError.text(of: errno))",
                hint: FileRemedy.writing(path, errno: errno), category: .cannotCreate)
        case .socket(let errno):
            FaultWords(.link, "socket: \(SystemError.text(of: errno))", hint: nil)
        case .port(let host, let errno):
            FaultWords(
                .link,
                (host == ServedHost(port: host.port) ? "port \(host.port)" : host.text)
                    + ": \(SystemError.text(of: errno))",
                hint: errno == EADDRNOTAVAIL
                    ? "name an address of this machine (ip address), or 0.0.0.0 for all of them"
                    : "--tcp 0 takes any free port")
        case .noBluetooth(let errno):
            FaultWords(
                .link, "Bluetooth is not available: \(SystemError.text(of: errno))",
                hint: "--tcp or --pty need none")
        case .channel(let channel, let errno):
            FaultWords(
                .link, "RFCOMM channel \(channel): \(SystemError.text(of: errno))",
                hint: "is a Bluetooth controller there and powered? bluetoothctl power on")
        case .peripheral(.unavailable(let errno)):
            FaultWords(
                .bluetooth, "Bluetooth LE is not available: \(SystemError.text(of: errno))",
                hint: errno == ENETDOWN
                    ? "bluetoothctl power on"
                    : "start bluetoothd and plug a controller in: systemctl start bluetooth")
        case .peripheral(.refused(let reason)):
            FaultWords(
                .bluetooth, "BlueZ does not serve a Bluetooth LE adapter: \(reason)",
                hint: "the controller must be able to advertise: bluetoothctl show")
        }
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
