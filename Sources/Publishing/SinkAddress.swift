/// The address of a sink as a user writes it: `influx+https://metrics.example:8428`.
///
/// The description contains no secrets, because it is printed, logged and stored.
package struct SinkAddress: Hashable, Sendable {
    /// The protocol.
    package enum Kind: String, CaseIterable, Sendable {
        /// Line protocol over HTTP.
        case influxHTTP = "influx+http"
        /// Line protocol over HTTPS.
        case influxHTTPS = "influx+https"
        /// Positions to Traccar, over HTTP.
        case traccarHTTP = "traccar+http"
        /// Positions to Traccar, over HTTPS.
        case traccarHTTPS = "traccar+https"
        /// Events as JSON, over HTTP.
        case webhookHTTP = "webhook+http"
        /// Events as JSON, over HTTPS.
        case webhookHTTPS = "webhook+https"
        /// The newest state to A Better Route Planner, over HTTP.
        case abrpHTTP = "abrp+http"
        /// The newest state to A Better Route Planner, over HTTPS.
        case abrpHTTPS = "abrp+https"
        /// MQTT over TCP.
        case mqtt = "mqtt"
        /// MQTT over TLS.
        case mqtts = "mqtts"

        /// Whether the sink is an MQTT broker.
        package var isMQTT: Bool { self == .mqtt || self == .mqtts }
        /// Whether the sink is a Traccar server.
        package var isTraccar: Bool { self == .traccarHTTP || self == .traccarHTTPS }
        /// Whether the sink gets events, such as the end of a trip.
        package var isWebhook: Bool { self == .webhookHTTP || self == .webhookHTTPS }
        /// Whether the sink is A Better Route Planner, which gets the newest state of one vehicle.
        package var isABRP: Bool { self == .abrpHTTP || self == .abrpHTTPS }
        /// Whether the sink gets lines with readings.
        package var isEngine: Bool { self == .influxHTTP || self == .influxHTTPS }
        /// What the sink accepts or refuses: one and several of them.
        package var item: (one: String, several: String) {
            if isWebhook { return ("event", "events") }
            if isTraccar { return ("position", "positions") }
            return isABRP ? ("state", "states") : ("line", "lines")
        }
        package var isEncrypted: Bool {
            switch self {
            case .influxHTTPS, .traccarHTTPS, .webhookHTTPS, .abrpHTTPS, .mqtts: true
            case .influxHTTP, .traccarHTTP, .webhookHTTP, .abrpHTTP, .mqtt: false
            }
        }
    }

    /// Why a text is not a valid address.
    package enum Fault: Error, Hashable, Sendable {
        /// The address does not begin with one of the known schemes.
        case unknownScheme
        case noHost
        /// The port is not a number from 1 to 65535.
        case badPort(String)
        /// The address contains a password or a token, which would appear in lists of processes and in logs.
        case secret
        /// The address contains a blank or a control character.
        case badCharacter
        /// The address of a broker has text after host and port.
        case path
    }

    /// The protocol.
    package var kind: Kind
    /// The user's name; nil = none.
    package var user: String?
    /// Host name or address, an IPv6 one without its brackets.
    package var host: String
    /// The port; nil = the default port of the protocol.
    package var port: Int?
    /// The prefix of the path for writing: empty, or `/insert/0/influx`.
    package var path: String
    /// The query parameters in their order, such as `db=cars`, `org=home`.
    package var query: [(name: String, value: String)] {
        get { parameters.map { ($0[0], $0[1]) } }
        set { parameters = newValue.map { [$0.name, $0.value] } }
    }
    private var parameters: [[String]]

    package init(_ text: String) throws(Fault) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .badCharacter }
        guard let end = text.firstRange(of: "://"),
            let kind = Kind(rawValue: text[..<end.lowerBound].lowercased())
        else { throw .unknownScheme }
        self.kind = kind
        var rest = text[end.upperBound...]
        if let mark = rest.firstIndex(of: "#") { rest = rest[..<mark] }
        var parameters: [[String]] = []
        if let mark = rest.firstIndex(of: "?") {
            for part in rest[rest.index(after: mark)...].split(separator: "&") {
                let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
                let name = pair.first ?? ""
                if KnownSecrets.isName(name) {
                    throw .secret
                }
                parameters.append([name, pair.count > 1 ? pair[1] : ""])
            }
            rest = rest[..<mark]
        }
        self.parameters = parameters
        if let slash = rest.firstIndex(of: "/") {
            var path = rest[slash...]
            while path.last == "/" { path = path.dropLast() }
            self.path = String(path)
            rest = rest[..<slash]
        } else {
            path = ""
        }
        if let at = rest.lastIndex(of: "@") {
            let user = rest[..<at]
            if user.contains(":") { throw .secret }
            self.user = user.isEmpty ? nil : String(user)
            rest = rest[rest.index(after: at)...]
        }
        var port: Substring?
        if rest.first == "[", let close = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<close])
            let after = rest[rest.index(after: close)...]
            if !after.isEmpty { port = after.dropFirst(after.first == ":" ? 1 : 0) }
        } else if let colon = rest.firstIndex(of: ":") {
            host = String(rest[..<colon])
            port = rest[rest.index(after: colon)...]
        } else {
            host = String(rest)
        }
        if host.isEmpty { throw .noHost }
        if let port {
            guard let number = Int(port), (1...65535).contains(number) else {
                throw .badPort(String(port))
            }
            self.port = number
        }
        if kind.isMQTT, !path.isEmpty || !parameters.isEmpty { throw .path }
    }

    /// The host in the form for an address.
    private var shownHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The port, including the default one.
    package var usedPort: Int {
        if let port { return port }
        switch kind {
        case .influxHTTP: return 8086
        case .influxHTTPS, .traccarHTTPS, .webhookHTTPS, .abrpHTTPS: return 443
        case .webhookHTTP, .abrpHTTP: return 80
        case .traccarHTTP: return 5055
        case .mqtt: return 1883
        case .mqtts: return 8883
        }
    }

    package var text: String {
        let query = parameters.map { "\($0[0])=\($0[1])" }.joined(separator: "&")
        return kind.rawValue + "://" + (user.map { $0 + "@" } ?? "") + shownHost
            + (port.map { ":\($0)" } ?? "") + path + (query.isEmpty ? "" : "?" + query)
    }

    private var root: String {
        (kind.isEncrypted ? "https://" : "http://") + shownHost + ":\(usedPort)" + path
    }

    /// The API for writing lines that the address selects.
    package var dialect: LineDialect {
        if query.contains(where: { $0.name == "api" && $0.value == "3" }) { return .v3 }
        return query.contains { $0.name == "bucket" || $0.name == "org" } ? .v2 : .v1
    }

    package var writeURL: String {
        if kind.isTraccar { return root + "/" }
        if kind.isABRP { return root + (path.isEmpty ? "/1/tlm/send" : "") }
        if kind.isWebhook {
            let query = parameters.map { "\($0[0])=\($0[1])" }.joined(separator: "&")
            return root + (query.isEmpty ? "" : "?" + query)
        }
        var parts = query.filter { $0.name != "api" && $0.name != "precision" }
            .map { "\($0.name)=\($0.value)" }
        parts.append("precision=" + (dialect == .v3 ? "nanosecond" : "ns"))
        return root + dialect.path + "?" + parts.joined(separator: "&")
    }

    /// The URL of another resource on the same server.
    package func url(_ path: String) -> String { root + path }

    /// The value of a query parameter.
    package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// The APIs for writing lines to a server.
package enum LineDialect: Hashable, Sendable {
    /// InfluxDB 1, VictoriaMetrics, QuestDB, Telegraf.
    case v1
    /// InfluxDB 2.
    case v2
    /// InfluxDB 3.
    case v3

    var path: String {
        switch self {
        case .v1: "/write"
        case .v2: "/api/v2/write"
        case .v3: "/api/v3/write_lp"
        }
    }

    /// The value of the header with the token.
    package func authorization(token: String) -> String {
        self == .v2 ? "Authorization: Token \(token)" : "Authorization: Bearer \(token)"
    }
}
