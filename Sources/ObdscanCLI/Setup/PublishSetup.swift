import Engines
import Formats
import Glibc
import OBDCore
import Publishing
import Settings
import SystemIO

/// `obdscan setup --publish`: asks for the address of a sink, tries the address and saves it.
struct PublishSetup {
    let output: OutputOptions
    let inbox: SignalInbox

    /// Without an address in `text`, the user is asked for the address.
    func run(_ text: String, name: String?) throws {
        let text = text.isEmpty ? try ask() : text
        var settings = PublishSettings()
        let name = name ?? "home"
        let known = UserSettings.current.publish[name]
        if let known { settings = known }
        let sink = try ChosenSink(named: text, settings, .ofProcess)
        try check(sink)
        try SettingsFile.set("publish.\(name).to", to: sink.address.text)
        let file = try SettingsFile.existingPath()
        guard output.format == .text else {
            var writer = TextOutput.standard
            var rows = RowWriter(output.format, columns: Self.keys)
            try writer.print(
                Row(
                    "setupPublish",
                    ["sink": .text(name), "to": .text(sink.address.text), "file": .text(file)]),
                &rows)
            return try writer.flush()
        }
        output.note("\(sink.address.text) works. Saved as publish.\(name) in \(file)")
        if try sink.secret(.password) != nil || sink.secret(.token) != nil, known == nil {
            output.note(
                "The password is not saved: write it to a file, and \"obdscan config set "
                    + "publish.\(name).password-file FILE\"")
        }
        output.note("Next: obdscan publish \(name)")
    }

    private static let keys = ["sink", "to", "file"]

    private func ask() throws -> String {
        guard Confirmation.isPossible else {
            throw Failure(
                "no address is given", hint: "obdscan setup --publish mqtt://HOST", status: .usage)
        }
        while true {
            writeToStandardError("Address (mqtt://HOST, or influx+http://HOST:PORT): ")
            let line: String?
            do {
                line = try LineReader.next(STDIN_FILENO, interruptedBy: inbox.descriptor)
            } catch {
                try inbox.end()
                line = nil
            }
            guard let line = line?.filter({ $0 != " " }), !line.isEmpty else {
                throw Failure(
                    "no address was given", hint: "obdscan setup --publish mqtt://HOST",
                    status: .unavailable)
            }
            do throws(SinkFault) {
                _ = try ChosenSink(named: line, PublishSettings(), .ofProcess)
                return line
            } catch {
                tellOnStandardError(Failure(error).text)
            }
        }
    }

    /// Connects, and sends nothing that a server would keep.
    private func check(_ sink: ChosenSink) throws {
        let end: SinkEnd?
        if sink.address.kind.isMQTT {
            try MQTTSink.open()
            var broker = try sink.broker(SinkSelection(), database: "", drains: true)
            broker.mostFailures = 1
            end = try broker.forget([], nil)
        } else {
            try HTTPClient.open()
            end = try HTTPClient(try sink.httpSetup()).fault(of: sink.address)
        }
        if let end, var failure = end.explanation(of: sink).map({ Failure($0) }) {
            failure.message += "; nothing was saved"
            throw failure
        }
    }
}
