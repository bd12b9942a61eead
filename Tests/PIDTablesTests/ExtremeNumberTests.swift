import Diagnostics
import OBDCore
import PIDTables
import TestSupport
import Testing

/// Numbers that no table has: the file is refused with its line, or decodes any answer.
@Suite struct `Extreme numbers in tables` {
    private static let tables = [
        """
        record 22:1E1C 2..40 : Transmission
          header 7E1
          reply 7E9
          years 1996..2004 2010..2012
          signal FLAG A.7 flag : Fitted
          signal TFT B..C signed scale 5/8 offset -40 unit °C if FLAG none 8000 : Fluid
            display -40..215
          signal GEAR D.7..D.4 enum if FLAG=1 : Gear
            01 : first
            0F : reverse
          signal WIDE 32+64 little scale 1/1000 : Wide
          signal BIG E..H float : Float
          signal PIECE I : Piece
            piece 00..7F scale 2 offset 1
            piece 80..FF scale 0 offset 7
          signal LIST J : List
            value 00..0F 1
            value 10 2.5
          example 80014010 TFT=160 GEAR=1 : the manual
        """
    ]

    @Test(arguments: tables) func `extreme numbers crash nothing`(text: String) {
        Extremes.forEach(of: text, rounds: 40) { changed in
            let file = TableFile(path: "own.pids", contents: Array(changed.utf8))
            _ = PIDTables.lint([file])
            let records: [TableRecord]
            do { records = try PIDTables.records(in: [file]) } catch { return }
            for record in records {
                for signal in record.signals {
                    for byte: UInt8 in [0x00, 0x7F, 0x80, 0xFF] {
                        for count in [0, 1, 8, 40] {
                            _ = signal.value(in: [UInt8](repeating: byte, count: count))
                        }
                    }
                }
            }
        }
    }
}
