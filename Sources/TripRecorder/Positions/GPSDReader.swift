public import OBDCore

/// Converts gpsd's output to fixes: JSON objects, one per line (gpsd_json(5)).
public struct GPSDReader: Sendable {
    /// The content of a line.
    public enum News: Hashable, Sendable {
        /// A position.
        case fix(Fix)
        /// gpsd has no receiver.
        case noReceiver
        /// gpsd refuses; with its message, which is untrusted text.
        case refused(String)
    }

    /// The request of a client for positions as they arrive.
    public static let watch = Array(#"?WATCH={"enable":true,"json":true}"#.utf8) + [0x0A]

    /// Longer lines are dropped; gpsd's limit is 10 KiB.
    static let longest = 65_536

    /// Number of valid objects, including those without positions.
    public private(set) var objects = 0
    /// Number of dropped lines: not a JSON object, or too long.
    public private(set) var damaged = 0

    private var line: [UInt8] = []
    private var isOverlong = false
    /// The receiver in use; positions from two receivers would give a zigzag.
    private var receiver: (name: String, last: Instant)?

    /// A reader without data.
    public init() {}

    /// Takes received bytes and appends the news in them.
    public mutating func take(
        _ bytes: some Sequence<UInt8>, at instant: Instant, _ news: inout [News]
    ) {
        for byte in bytes {
            guard byte == 0x0A || byte == 0x0D else {
                if line.count >= Self.longest { isOverlong = true } else { line.append(byte) }
                continue
            }
            if line.isEmpty { continue }
            if isOverlong {
                damaged += 1
            } else if let found = read(at: instant) {
                news.append(found)
            }
            line.removeAll(keepingCapacity: true)
            isOverlong = false
        }
    }

    private mutating func read(at instant: Instant) -> News? {
        guard let object = JSONReader.object(line[...]) else {
            damaged += 1
            return nil
        }
        objects += 1
        switch object["class"]?.string {
        case "TPV": return fix(object, at: instant).map { .fix($0) }
        case "DEVICES":
            if case .array(let devices)? = object["devices"], devices.isEmpty {
                return .noReceiver
            }
            return nil
        case "ERROR": return .refused(object["message"]?.string ?? "")
        default: return nil
        }
    }

    private mutating func fix(_ object: [String: JSONValue], at instant: Instant) -> Fix? {
        // 0 and 1: no fix; 2: two dimensions; 3: three dimensions.
        guard let mode = object["mode"]?.number, mode >= 2,
            let latitude = object["lat"]?.number, let longitude = object["lon"]?.number,
            var position = Position(latitude: latitude, longitude: longitude)
        else { return nil }
        let name = object["device"]?.string ?? ""
        if let receiver, receiver.name != name, instant - receiver.last < FreshFixes.limit {
            return nil
        }
        receiver = (name, instant)
        func positive(_ key: String) -> Double? {
            object[key]?.number.flatMap { $0 >= 0 ? $0 : nil }
        }
        // Before version 3.20, gpsd had only `alt`.
        if mode >= 3 { position.altitude = object["altMSL"]?.number ?? object["alt"]?.number }
        position.speed = positive("speed").map { $0 * 3.6 }
        position.course = Fix.course(object["track"]?.number)
        position.accuracy = positive("eph")
        if position.accuracy == nil, let east = positive("epx"), let north = positive("epy") {
            position.accuracy = (east * east + north * north).squareRoot()
        }
        position.fixTime = object["time"]?.string.flatMap { UTC($0) }
        return Fix(position, arrived: instant)
    }
}
