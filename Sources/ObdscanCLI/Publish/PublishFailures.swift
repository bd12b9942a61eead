import Delivery
import Engines
import Publishing
import TripStore

extension Failure {
    /// A sink that cannot be used as it is set up.
    init(_ fault: SinkFault) {
        switch fault {
        case .noneConfigured:
            self.init(
                "no sink is configured",
                hint: "obdscan publish --to influx+http://HOST:PORT, or "
                    + "obdscan config set publish.NAME.to URL", status: .badConfiguration)
        case .unknown(let name, let known):
            self.init(
                "no sink is called \"\(name)\"",
                hint: "known sinks: \(known.joined(separator: ", "))", status: .usage)
        case .noAddress(let name):
            self.init(
                "publish.\(name) has no address",
                hint: "obdscan config set publish.\(name).to URL", status: .badConfiguration)
        case .badAddress(.secret, _):
            // The address contains a secret, so the message does not repeat it.
            self.init(
                "--to: the address \(SinkAddress.Fault.secret.text)",
                hint: "OBDSCAN_PUBLISH_PASSWORD or OBDSCAN_PUBLISH_TOKEN says it", status: .usage)
        case .badAddress(let fault, let text):
            self.init(
                "--to: \"\(text)\" \(fault.text)", hint: "such as influx+http://localhost:8428",
                status: .usage)
        case .unreadable(let path, let number): self.init(inputFile: path, errno: number)
        case .emptySecret(let path, let secret):
            self.init(
                "\(path) is empty", hint: "its first line is the \(secret.rawValue)",
                status: .badConfiguration)
        }
    }

    /// Another process delivers to the sink.
    init(_ fault: SinkIsBusy) {
        self.init(
            "another obdscan publish delivers to \(fault.sink)",
            hint: "end it first: two of them would send everything twice", status: .timedOut)
    }

    /// A library cannot be used.
    init(_ error: EngineError) {
        switch error {
        case .missingLibrary(let what, let packages):
            self.init(
                "\(what) needs a library that is not installed",
                hint: "sudo apt-get install \(packages)", status: .unavailable)
        case .noMemory: self.init("there is no memory for a connection", status: .unavailable)
        case .badCertificateFile(let path):
            self.init(
                "\(path) holds no certificates", hint: "ca-file names a file in PEM form",
                status: .badConfiguration)
        }
    }

    /// The failure of a sink; nil = none.
    init?(_ end: SinkEnd, of sink: ChosenSink) {
        let place =
            sink.name == sink.address.text ? sink.name : "\(sink.name) (\(sink.address.text))"
        switch end {
        case .drained, .stopped: return nil
        case .unreachable(let words):
            self.init(
                "\(place): \(words)",
                hint: "what is not delivered stays in the database; run it again later",
                status: .timedOut)
        case .refused(let reason, let words):
            let (hint, status): (String, ExitStatus) =
                switch reason {
                case .notAuthorized:
                    (
                        "it wants a user or a token: password-file or token-file of publish.NAME, "
                            + "or \(sink.variable)_PASSWORD or \(sink.variable)_TOKEN",
                        .noPermission
                    )
                case .forbidden: ("this user or token may not write there", .noPermission)
                case .notFound:
                    (
                        "create the database or the bucket first, or name another one: ?db=NAME",
                        .badConfiguration
                    )
                case .everyLine:
                    (
                        "it refuses every line: is the address that of a database, such as ?db=NAME?",
                        .badConfiguration
                    )
                case .certificate:
                    (
                        "certificates are always checked; ca-file of publish.NAME, or --ca-file, names "
                            + "those to trust",
                        .badConfiguration
                    )
                case .moved: ("use the address that it is reached at now", .badConfiguration)
                }
            self.init("\(place): \(words)", hint: hint, status: status)
        case .store(let error): self.init(error)
        case .engine(let error): self.init(error)
        }
    }
}
