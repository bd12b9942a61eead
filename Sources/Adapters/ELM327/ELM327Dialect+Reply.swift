import OBDCore
import VehicleLink

/// Handles the lines of a reply as they arrive.
extension ELM327Dialect {
    /// Handles a line during an exchange.
    mutating func takeLine(_ line: [UInt8], _ out: inout [DialectOutput]) {
        reader.read(line.span, &items)
        switch running.part {
        case .preparation: takePreparationLine(line)
        case .cover: takeCoverLine(line)
        case .settling: takeLateLine(line, &out)
        case .request:
            takeRequestLine(line, &out)
            deliverItems(&out)
            if running.hasHeardEnough {
                stopListening(&out)
                return
            }
            // A search before monitoring ends with its line.
            if running.listens { searching = false }
            heardLines = true
        }
    }

    /// Handles a line that answers a setting before the request.
    private mutating func takePreparationLine(_ line: [UInt8]) {
        if Self.tellsOfRestart(line)
            || isUnexpectedEcho(line, of: Array(running.preparation.utf8))
        {
            running.restarted = true
        }
        keep(line)
        items.removeAll(keepingCapacity: true)
    }

    /// Handles a line that answers the cover command, for which a banner is the expected answer.
    private mutating func takeCoverLine(_ line: [UInt8]) {
        if !Self.isBanner(line),
            Self.tellsOfRestart(line) || isUnexpectedEcho(line, of: Self.cover)
        {
            running.restarted = true
        }
        items.removeAll(keepingCapacity: true)
    }

    /// Handles a late line; it only counts if the request will not be repeated.
    private mutating func takeLateLine(_ line: [UInt8], _ out: inout [DialectOutput]) {
        if Self.tellsOfRestart(line) { running.restarted = true }
        if running.request.mayRepeat || !running.preparations.isEmpty {
            items.removeAll(keepingCapacity: true)
        }
        running.isAhead = true
        deliverItems(&out)
        out.append(.arm(.pause, after: Self.quietAfterSurprise))
    }

    /// Handles a line that answers the request itself.
    private mutating func takeRequestLine(_ line: [UInt8], _ out: inout [DialectOutput]) {
        switch running.request {
        // Sent as a command.
        case .action: break
        case .command(_, let text, _, _):
            if !Self.isEcho(line, of: text) {
                keep(line)
                out.append(.text(String(decoding: line, as: UTF8.self)))
            }
        case .monitor(_, let text, _, _):
            // A monitor request may produce any amount of data.
            received = 0
            let isOurStop = running.wasStopped && line.elementsEqual("STOPPED".utf8)
            if !Self.isEcho(line, of: text), !isOurStop {
                out.append(.text(String(decoding: line, as: UTF8.self)))
            }
        case .vehicle:
            running.lines += 1
            // The known banners are not an answer, whichever adapter prints them.
            if Self.isBanner(line) || AdapterWords.isBanner(line.span)
                || isUnexpectedEcho(line, of: running.command)
            {
                running.restarted = true
            }
            if line.elementsEqual("OK".utf8) { running.isAhead = true }
        }
    }

    /// Whether a line is an echo although echoes are off.
    ///
    /// The line means that the adapter restarted and the text about it was lost.
    private func isUnexpectedEcho(_ line: [UInt8], of command: [UInt8]) -> Bool {
        reader.settings.echo == false && reader.format != nil && line == command
    }

    /// Waits for the rest of a reply, unless the lines have ended it.
    mutating func goOnWaiting(_ out: inout [DialectOutput]) {
        guard phase == .exchanging, running.part == .request, !searching, !running.wasStopped
        else { return }
        out.append(.arm(.reply, after: patience))
    }

    /// Records whether a message answers the current request.
    private mutating func noteStep(_ message: ECUMessage) {
        guard case .vehicle(let request) = running.request else { return }
        if message.answers(request.payload) {
            running.isAnswered = true
        } else if !hearsOthers {
            running.hasForeign = true
        }
    }

    private mutating func noteSlow(_ service: UInt8) {
        if !wire.slowServices.contains(service) { wire.slowServices.append(service) }
    }

    /// Passes on the items of the reader.
    mutating func deliverItems(_ out: inout [DialectOutput]) {
        if items.isEmpty { return }
        var found: [ReplyEvent] = []
        swap(&found, &items)
        // Not `for item in found`, because that would copy each item.
        for place in found.indices {
            switch found.span[place] {
            case .message(let message):
                if let refusal = NegativeResponse(message.payload),
                    refusal.nrc == .responsePending
                {
                    noteSlow(refusal.service.rawValue)
                }
                if message.ecu != nil { running.heardECU = true }
                noteStep(message)
                out.append(.message(message))
            case .linkError(let error, _):
                // The answer of a command is text, even if it looks like data.
                guard case .vehicle = running.request else { break }
                running.isDamaged = true
                out.append(.linkError(error))
            case .status(let status):
                if status == .lowVoltageReset { running.restarted = true }
                if status == .unknownCommand, running.withDigit, running.isSingle {
                    running.refused = true
                    continue
                }
                // This program sent the blank that ended the monitoring.
                if status == .stopped && running.wasStopped { continue }
                out.append(.status(status))
            case .voltage(let volts): out.append(.voltage(volts))
            case .frame(let id, let data):
                running.frames += 1
                out.append(.frame(id: id, data: data))
            case .word(let status):
                running.word = status
                continue
            case .searching, .banner: continue
            }
            running.delivered = true
        }
        found.removeAll(keepingCapacity: true)
        swap(&found, &items)
    }
}
