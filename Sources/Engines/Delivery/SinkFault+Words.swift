import OBDCore
import Publishing
import Settings
import SystemIO

extension SinkFault: Explained {
    /// A sink that cannot be used as it is set up.
    package var explanation: Explanation {
        switch self {
        case .noneConfigured:
            Explanation(
                "no sink is configured",
                hint: "obdscan publish --to influx+http://HOST:PORT, or "
                    + "obdscan config set publish.NAME.to URL", .configuration)
        case .unknown(let name, let known):
            Explanation(
                "no sink is called \"\(name)\"",
                hint: "known sinks: \(known.joined(separator: ", "))", .usage)
        case .noAddress(let name):
            Explanation(
                "publish.\(name) has no address",
                hint: "obdscan config set publish.\(name).to URL", .configuration)
        case .badAddress(.secret, _):
            // The address contains a secret, so the message does not repeat it.
            Explanation(
                "--to: the address \(SinkAddress.Fault.secret.text)",
                hint:
                    "set OBDSCAN_PUBLISH_PASSWORD, OBDSCAN_PUBLISH_TOKEN or OBDSCAN_PUBLISH_API_KEY",
                .usage)
        case .badAddress(let fault, let text):
            Explanation(
                "--to: \"\(text)\" \(fault.text)", hint: "such as influx+http://localhost:8428",
                .usage)
        case .unreadable(let path, let number):
            FileError.unreadable(path, errno: number).explanation
        case .missingSecret(let sink, let variable, let secret):
            Explanation(
                "\(sink): there is no \(secret.title)",
                hint:
                    "set \(secret.setting) of publish.NAME to a file with the \(secret.title), or "
                    + "set \(variable)_\(secret.rawValue.uppercased())",
                .configuration)
        case .severalVehicles(let sink, let vehicles):
            Explanation(
                "\(sink): the token is one vehicle's, and the trips are of "
                    + "\(vehicles.count): \(vehicles.joined(separator: ", "))",
                hint: "id of publish.NAME, or --id, names the vehicle", .configuration)
        case .emptySecret(let path, let secret):
            Explanation(
                "\(path) is empty", hint: "write the \(secret.title) into its first line",
                .configuration)
        }
    }
}

extension SinkIsBusy: Explained {
    /// Another process delivers to the sink.
    package var explanation: Explanation {
        Explanation(
            "another obdscan publish delivers to \(sink)",
            hint: "end that program first: two programs would send everything twice", .timedOut)
    }
}

extension SinkEnd {
    /// Why a sink could not be served; nil if the delivery ended as it should.
    package func explanation(of sink: ChosenSink) -> Explanation? {
        let place =
            sink.name == sink.address.text ? sink.name : "\(sink.name) (\(sink.address.text))"
        switch self {
        case .drained, .stopped: return nil
        case .unreachable(let words):
            return Explanation(
                "\(place): \(words)",
                hint: "undelivered trips stay in the database; run the command again later",
                .timedOut)
        case .refused(let reason, let words):
            let (hint, category): (String, Explanation.Category) =
                switch reason {
                case .notAuthorized:
                    (
                        "the sink needs a user or a token: password-file or token-file of publish.NAME, "
                            + "or \(sink.variable)_PASSWORD or \(sink.variable)_TOKEN",
                        .noPermission
                    )
                case .forbidden:
                    ("this user or token is not allowed to write to this sink", .noPermission)
                case .notFound:
                    (
                        "create the database or the bucket first, or name another one: ?db=NAME",
                        .configuration
                    )
                case .everyLine:
                    (
                        "the server refuses every line: is the address that of a database, such as ?db=NAME?",
                        .configuration
                    )
                case .certificate:
                    (
                        "certificates are always checked; ca-file of publish.NAME, or --ca-file, names "
                            + "those to trust",
                        .configuration
                    )
                case .moved: ("use the new address of the server", .configuration)
                }
            return Explanation("\(place): \(words)", hint: hint, category)
        case .severalVehicles(let vehicles):
            return SinkFault.severalVehicles(sink: sink.name, vehicles).explanation
        case .store(let error): return error.explanation
        case .engine(let error): return error.explanation
        }
    }
}
