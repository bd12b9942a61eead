import OBDCore
import Publishing

extension SettingsError: ExplainedAt {
    /// Why the configuration file at `path` is wrong.
    package func explanation(at path: String) -> Explanation {
        if fault == .notUTF8 {
            Explanation(
                "\(path) is not UTF-8 text", hint: "\"obdscan config edit\" opens it",
                .configuration)
        } else {
            Explanation(
                text(path), hint: "\"obdscan config edit\" opens it; see obdscan-config(5)",
                .configuration)
        }
    }
}

extension SettingsChangeError: ExplainedAt {
    /// Why the configuration file at `path` was not changed.
    package func explanation(at path: String) -> Explanation {
        switch self {
        case .before(let error): error.explanation(at: path)
        case .after(let error):
            Explanation(
                "the file cannot be changed like this: \(error.text(path))",
                hint: "nothing was written; \"obdscan config edit\" opens it",
                .configuration)
        }
    }
}

extension SettingsError {
    /// The line in the file and what is wrong with it.
    fileprivate func text(_ path: String) -> String {
        line.map { "\(path):\($0): \(reason)" } ?? reason
    }

    private var reason: String {
        switch fault {
        case .notUTF8: "it is not UTF-8 text"
        case .syntax(let reason): reason
        case .unknown(let name, let near):
            "\"\(name)\" is not a setting" + (near.map { "; did you mean \($0)?" } ?? "")
        case .notATable(let name): "\(name) is not a table"
        case .notAText(let name): "\(name) has to be a text in quotes"
        case .notAList(let name): "\(name) has to be a list of texts"
        case .wrong(let name, let value, let fault): "\(name): \"\(value)\" \(fault.text)"
        case .inBraces(let name): "\(name) is in braces, which only an editor can change"
        }
    }
}

extension SettingFault {
    /// The text after the quoted value.
    package var text: String {
        switch self {
        case .empty: "is empty"
        case .notOneOf(let words): "is not one of \(words.joined(separator: ", "))"
        case .notAProtocol: "is not a vehicle protocol"
        case .notAPath: "is not a path that begins with / or ~/"
        case .notAPositionSource: "is neither gpsd://HOST:PORT nor a path of a receiver"
        case .notOnOrOff: "is neither on nor off"
        case .noCondition: "names no condition"
        case .notACondition(let text): "has \"\(text)\", which is not a condition such as ECT>110"
        case .notBelowDev: "is not a path below /dev"
        case .noSignal: "names no signal"
        case .notANumber(let range):
            "is not a number from \(range.lowerBound) to \(range.upperBound)"
        case .notACurrency: "is not a currency"
        case .notASink(let fault): fault.text
        case .notAnIdentifier: "has characters other than a to z, 0 to 9, - and _"
        case .notADuration: "is not a time such as 5s"
        case .notAHeartbeat: "is neither off nor a time such as 60s, of 10s or more"
        case .notACommitInterval: "is not a time such as 5s, of an hour at most"
        case .notAnAge: "is neither off nor an age such as 365d, of a day or more"
        case .notASpace: "is neither off nor a size such as 500MB or 2GB, of 1 MB or more"
        case .notHours: "is neither on, off nor a time of the day such as 18:00-06:00"
        case .notAZone: "is not a circle of 50 m or more such as 48.137,11.576,500m"
        case .notAnAddress: "is not a device such as /dev/ttyUSB0 or tcp:HOST:PORT"
        case .address(let reason): "names no device: \(reason)"
        }
    }
}

extension SinkAddress.Fault {
    /// The text after the quoted address.
    package var text: String {
        switch self {
        case .unknownScheme:
            "does not begin with \(SinkAddress.Kind.allCases.map { $0.rawValue + "://" }.joined(separator: ", "))"
        case .noHost: "names no host"
        case .badPort(let port): "has the port \"\(port)\", which is not a number from 1 to 65535"
        case .secret:
            "has a password or a token, which belongs in password-file or token-file"
        case .badCharacter: "has a blank or a control character"
        case .path: "has a path or a query, which a broker does not have"
        }
    }
}
