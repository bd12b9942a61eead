import Diagnostics
import OBDCore

/// The objects that have a `kind`.
extension JSONLines {
    /// Appends a monitor's status.
    public mutating func append(
        _ monitor: MonitorStatus, time: UTC?, to output: inout [UInt8]
    ) {
        begin(time: time, to: &output)
        appendLeadingECU(monitor.ecu, to: &output)
        JSONText.append(raw: ",\"kind\":\"monitor\",\"scope\":", to: &output)
        JSONText.append(monitor.scope.rawValue, to: &output)
        JSONText.append(raw: ",\"monitor\":", to: &output)
        JSONText.append(monitor.monitor.rawValue, to: &output)
        JSONText.append(raw: ",\"supported\":", to: &output)
        JSONText.append(monitor.supported, to: &output)
        JSONText.append(raw: ",\"complete\":", to: &output)
        append(optional: monitor.complete, to: &output)
        end(line: monitor.line, to: &output)
    }

    /// Appends a result of service 06.
    public mutating func append(
        _ result: MonitorTestResult, time: UTC?, to output: inout [UInt8]
    ) {
        begin(time: time, to: &output)
        appendLeadingECU(result.ecu, to: &output)
        JSONText.append(raw: ",\"kind\":\"monitorTest\"", to: &output)
        if let mid = result.mid {
            JSONText.append(raw: ",\"mid\":", to: &output)
            append(hex: mid, to: &output)
        }
        JSONText.append(raw: ",\"monitor\":", to: &output)
        append(optional: result.monitor, to: &output)
        JSONText.append(raw: ",\"tid\":", to: &output)
        append(hex: result.tid, to: &output)
        JSONText.append(raw: ",\"test\":", to: &output)
        append(optional: result.test, to: &output)
        if let component = result.component {
            JSONText.append(raw: ",\"component\":", to: &output)
            append(hex: component, to: &output)
        }
        if result.mid != nil {
            JSONText.append(raw: ",\"uas\":", to: &output)
            append(optionalHex: result.uas, to: &output)
        }
        JSONText.append(raw: ",\"value\":", to: &output)
        append(optional: result.value, to: &output)
        JSONText.append(raw: ",\"min\":", to: &output)
        append(optional: result.min, to: &output)
        JSONText.append(raw: ",\"max\":", to: &output)
        append(optional: result.max, to: &output)
        JSONText.append(raw: ",\"unit\":", to: &output)
        append(optional: result.unit, to: &output)
        JSONText.append(raw: ",\"passed\":", to: &output)
        append(optional: result.passed, to: &output)
        end(line: result.line, to: &output)
    }

    /// Appends a trouble code with its text.
    public mutating func append(_ report: CodeReport, time: UTC?, to output: inout [UInt8]) {
        begin(time: time, to: &output)
        appendLeadingECU(report.ecu, to: &output)
        JSONText.append(raw: ",\"kind\":", to: &output)
        JSONText.append(report.kind.rawValue, to: &output)
        JSONText.append(raw: ",\"code\":", to: &output)
        JSONText.append(report.code.text, to: &output)
        JSONText.append(raw: ",\"description\":", to: &output)
        append(optional: description(of: report.code), to: &output)
        switch report.code {
        case .dtc(let code):
            if let failureType = code.failureType {
                JSONText.append(raw: ",\"failureType\":", to: &output)
                append(hex: failureType, to: &output)
            }
        case .j1939(let code):
            JSONText.append(raw: ",\"occurrences\":", to: &output)
            if code.occurrenceCount == 127 {
                JSONText.append(raw: "null", to: &output)
            } else {
                JSONText.append(Int(code.occurrenceCount), to: &output)
            }
            // An older way to cut the number into bytes, of which there are several.
            if code.conversionMethod {
                JSONText.append(raw: ",\"conversionMethod\":1", to: &output)
            }
        }
        if let isActive = report.isActive {
            JSONText.append(raw: ",\"active\":", to: &output)
            JSONText.append(isActive, to: &output)
        }
        if let status = report.statusByte {
            JSONText.append(raw: ",\"statusByte\":", to: &output)
            append(hex: status, to: &output)
        }
        if let severity = report.severity {
            JSONText.append(raw: ",\"severity\":", to: &output)
            append(hex: severity, to: &output)
        }
        if let lamps = report.lamps {
            JSONText.append(raw: ",\"lamps\":{\"malfunction\":", to: &output)
            append(optional: lamps.malfunction, to: &output)
            JSONText.append(raw: ",\"redStop\":", to: &output)
            append(optional: lamps.redStop, to: &output)
            JSONText.append(raw: ",\"amberWarning\":", to: &output)
            append(optional: lamps.amberWarning, to: &output)
            JSONText.append(raw: ",\"protect\":", to: &output)
            append(optional: lamps.protect, to: &output)
            output.append(0x7D)
        }
        end(line: report.line, to: &output)
    }

    /// Appends a refusal.
    public mutating func append(
        _ refusal: NegativeResponse, ecu: ECUAddress?, line: Int = 0, time: UTC?,
        to output: inout [UInt8]
    ) {
        begin(time: time, to: &output)
        appendLeadingECU(ecu, to: &output)
        JSONText.append(raw: ",\"kind\":\"negativeResponse\",\"service\":", to: &output)
        append(hex: refusal.service.rawValue, to: &output)
        JSONText.append(raw: ",\"nrc\":", to: &output)
        append(hex: refusal.nrc.rawValue, to: &output)
        JSONText.append(raw: ",\"name\":", to: &output)
        JSONText.append(refusal.nrc.name, to: &output)
        end(line: line, to: &output)
    }

    /// Appends a message as it was reassembled.
    public mutating func append(_ message: ECUMessage, time: UTC?, to output: inout [UInt8]) {
        begin(time: time, to: &output)
        appendLeadingECU(message.ecu, to: &output)
        JSONText.append(raw: ",\"kind\":\"message\",\"service\":", to: &output)
        if let group = message.parameterGroup {
            JSONText.append(raw: "null,\"pgn\":", to: &output)
            JSONText.append(Hex.string(group, digits: 6), to: &output)
        } else {
            append(
                optionalHex: ReadingText.service(ofAnswer: message.payload)?.rawValue, to: &output)
        }
        JSONText.append(raw: ",\"payload\":\"", to: &output)
        for byte in message.payload { Hex.append(byte, to: &output) }
        output.append(0x22)
        end(line: message.line, to: &output)
    }

    /// Appends what an adapter said in words; `status` is one of the promised names (`noData`).
    public mutating func appendAdapterStatus(
        _ status: String, text: String, line: Int = 0, time: UTC?, to output: inout [UInt8]
    ) {
        begin(time: time, to: &output)
        JSONText.append(raw: "\"kind\":\"adapterStatus\",\"status\":", to: &output)
        JSONText.append(status, to: &output)
        JSONText.append(raw: ",\"text\":", to: &output)
        JSONText.append(text, to: &output)
        end(line: line, to: &output)
    }

    /// Appends a frame that was heard on the bus, not asked for.
    public mutating func appendFrame(
        id: ECUAddress?, data: some Sequence<UInt8>, line: Int = 0, time: UTC?,
        to output: inout [UInt8]
    ) {
        begin(time: time, to: &output)
        JSONText.append(raw: "\"kind\":\"frame\",\"id\":", to: &output)
        appendBareECU(id, to: &output)
        JSONText.append(raw: ",\"data\":\"", to: &output)
        for byte in data { Hex.append(byte, to: &output) }
        output.append(0x22)
        end(line: line, to: &output)
    }

    /// Appends a fault; `line` 0 = not from a file, `text` is the line as it was read.
    public mutating func appendError(
        line: Int, reason: String, text: String?, ecu: ECUAddress? = nil, time: UTC? = nil,
        to output: inout [UInt8]
    ) {
        begin(time: time, to: &output)
        if ecu != nil {
            appendLeadingECU(ecu, to: &output)
            output.append(0x2C)
        }
        JSONText.append(raw: "\"kind\":\"error\"", to: &output)
        if line > 0 {
            JSONText.append(raw: ",\"line\":", to: &output)
            JSONText.append(line, to: &output)
        }
        JSONText.append(raw: ",\"reason\":", to: &output)
        JSONText.append(reason, to: &output)
        if let text {
            JSONText.append(raw: ",\"text\":", to: &output)
            JSONText.append(text, to: &output)
        }
        end(line: 0, to: &output)
    }

    /// Appends what a trip's user wrote.
    public mutating func appendNote(_ text: String, time: UTC?, to output: inout [UInt8]) {
        begin(time: time, to: &output)
        JSONText.append(raw: "\"kind\":\"note\",\"text\":", to: &output)
        JSONText.append(text, to: &output)
        end(line: 0, to: &output)
    }

    // MARK: Pieces

    private func appendLeadingECU(_ ecu: ECUAddress?, to output: inout [UInt8]) {
        JSONText.append(raw: "\"ecu\":", to: &output)
        appendBareECU(ecu, to: &output)
    }

    private func append(hex byte: UInt8, to output: inout [UInt8]) {
        output.append(0x22)
        Hex.append(byte, to: &output)
        output.append(0x22)
    }

    private func append(optionalHex byte: UInt8?, to output: inout [UInt8]) {
        guard let byte else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        append(hex: byte, to: &output)
    }

    private func append(optional value: String?, to output: inout [UInt8]) {
        guard let value else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        JSONText.append(value, to: &output)
    }

    private func append(optional value: Double?, to output: inout [UInt8]) {
        guard let value else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        JSONText.append(value, to: &output)
    }

    private func append(optional value: Bool?, to output: inout [UInt8]) {
        guard let value else {
            JSONText.append(raw: "null", to: &output)
            return
        }
        JSONText.append(value, to: &output)
    }
}
