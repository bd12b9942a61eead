import Diagnostics
import OBDCore
import PIDTables
import Testing

// A row has a PID, a mask of byte A, and the signals that the mask guards. From a BMW OBD table.
private let guarded = """
    65 01 PTO_AUX
    65 02 ND_STAT
    65 04 NG_STAT
    65 08 GPL_STAT
    66 01 MAFA
    66 02 MAFB
    67 01 ECT1
    67 02 ECT2
    68 01 IAT11
    68 02 IAT12
    68 04 IAT13
    68 08 IAT21
    68 10 IAT22
    68 20 IAT23
    69 01 EGR_A_CMD
    69 02 EGR_A_ACT
    69 04 EGR_A_ERR
    69 08 EGR_B_CMD
    69 10 EGR_B_ACT
    69 20 EGR_B_ERR
    6A 01 IAF_A_CMD
    6A 02 IAF_A_REL
    6A 04 IAF_B_CMD
    6A 08 IAF_B_REL
    6B 01 EGRT11
    6B 02 EGRT12
    6B 04 EGRT21
    6B 08 EGRT22
    6B 10 EGRT11_W
    6B 20 EGRT12_W
    6B 40 EGRT21_W
    6B 80 EGRT22_W
    6C 01 TAC_A_CMD
    6C 02 TP_A_REL
    6C 04 TAC_B_CMD
    6C 08 TP_B_REL
    6D 01 FRP_A_CMD
    6D 02 FRP_A
    6D 04 FRT_A
    6D 08 FRP_B_CMD
    6D 10 FRP_B
    6D 20 FRT_B
    6E 01 ICP_A_CMD
    6E 02 ICP_A
    6E 04 ICP_B_CMD
    6E 08 ICP_B
    6F 01 TCA_CINP
    6F 02 TCB_CINP
    6F 04 TCA_CINP_W
    6F 08 TCB_CINP_W
    70 01 BP_A_CMD
    70 02 BP_A_ACT
    70 04 BP_A_STAT
    70 08 BP_B_CMD
    70 10 BP_B_ACT
    70 20 BP_B_STAT
    71 01 VGT_A_CMD
    71 02 VGT_A_ACT
    71 04 VGT_A_STAT
    71 08 VGT_B_CMD
    71 10 VGT_B_ACT
    71 20 VGT_B_STAT
    72 01 WG_A_CMD
    72 02 WG_A_ACT
    72 04 WG_B_CMD
    72 08 WG_B_ACT
    73 01 EP1
    73 02 EP2
    74 01 TCA_RPM
    74 02 TCB_RPM
    75 01 TCA_CINT
    75 02 TCA_COUTT
    75 04 TCA_TINT
    75 08 TCA_TOUTT
    76 01 TCB_CINT
    76 02 TCB_COUTT
    76 04 TCB_TINT
    76 08 TCB_TOUTT
    77 01 CACT11
    77 02 CACT12
    77 04 CACT21
    77 08 CACT22
    78 01 EGT11
    78 02 EGT12
    78 04 EGT13
    78 08 EGT14
    79 01 EGT21
    79 02 EGT22
    79 04 EGT23
    79 08 EGT24
    7A 01 DPF1_DP
    7A 02 DPF1_INP
    7A 04 DPF1_OUTP
    7B 01 DPF2_DP
    7B 02 DPF2_INP
    7B 04 DPF2_OUTP
    7C 01 DPF1_INT
    7C 02 DPF1_OUTT
    7C 04 DPF2_INT
    7C 08 DPF2_OUTT
    7F 01 RUN_TIME
    7F 02 IDLE_TIME
    7F 04 PTO_TIME
    81 01 AECD1_TIME1 AECD1_TIME2
    81 02 AECD2_TIME1 AECD2_TIME2
    81 04 AECD3_TIME1 AECD3_TIME2
    81 08 AECD4_TIME1 AECD4_TIME2
    81 10 AECD5_TIME1 AECD5_TIME2
    82 01 AECD6_TIME1 AECD6_TIME2
    82 02 AECD7_TIME1 AECD7_TIME2
    82 04 AECD8_TIME1 AECD8_TIME2
    82 08 AECD9_TIME1 AECD9_TIME2
    82 10 AECD10_TIME1 AECD10_TIME2
    83 01 NOX11
    83 02 NOX12
    83 04 NOX21
    83 08 NOX22
    85 01 REAG_RATE
    85 02 REAG_DEMD
    85 04 REAG_LVL
    85 08 NWI_TIME
    86 01 PM11
    86 02 PM21
    87 01 MAP_A
    87 02 MAP_B
    89 01 AECD11_TIME1 AECD11_TIME2
    89 02 AECD12_TIME1 AECD12_TIME2
    89 04 AECD13_TIME1 AECD13_TIME2
    89 08 AECD14_TIME1 AECD14_TIME2
    89 10 AECD15_TIME1 AECD15_TIME2
    8A 01 AECD16_TIME1 AECD16_TIME2
    8A 02 AECD17_TIME1 AECD17_TIME2
    8A 04 AECD18_TIME1 AECD18_TIME2
    8A 08 AECD19_TIME1 AECD19_TIME2
    8A 10 AECD20_TIME1 AECD20_TIME2
    8B 01 DPF_REGEN_STAT
    8B 02 DPF_REGEN_TYP
    8B 04 NOX_ADS_REGEN
    8B 08 NOX_ADS_DESULF
    8B 10 DPF_REGEN_PCT
    8B 20 DPF_REGEN_AVGT
    8B 40 DPF_REGEN_AVGD
    8C 01 O2S11_PCT
    8C 02 O2S12_PCT
    8C 04 O2S21_PCT
    8C 08 O2S22_PCT
    8C 10 LAMBDA11
    8C 20 LAMBDA12
    8C 40 LAMBDA21
    8C 80 LAMBDA22
    8F 01 PM11_ACTIVE PM11_REGEN
    8F 02 PM11_PCT
    8F 04 PM21_ACTIVE PM21_REGEN
    8F 08 PM21_PCT
    92 01 FP1_CL
    92 02 FIQ1_CL
    92 04 FIT1_CL
    92 08 IFB1_CL
    92 10 FP2_CL
    92 20 FIQ2_CL
    92 40 FIT2_CL
    92 80 IFB2_CL
    93 01 MI_TIME_CUM
    94 01 NOX_WARN_ACT INDUC_L1 INDUC_L2 INDUC_L3
    94 02 REAG_QUAL_TIME
    94 04 REAG_CON_TIME
    94 08 REAG_DOSE_TIME
    94 10 EGR_TIME
    94 20 NOX_DTC_TIME
    98 01 EGT15
    98 02 EGT16
    98 04 EGT17
    98 08 EGT18
    99 01 EGT25
    99 02 EGT26
    99 04 EGT27
    99 08 EGT28
    9C 01 O2S13_PCT
    9C 02 O2S14_PCT
    9C 04 O2S23_PCT
    9C 08 O2S24_PCT
    9C 10 LAMBDA13
    9C 20 LAMBDA14
    9C 40 LAMBDA23
    9C 80 LAMBDA24
    """

@Suite struct SupportFlagTests {
    let table: PIDTable

    init() throws {
        table = try PIDTables.standard()
    }

    private struct Row {
        var record: PIDTable.Record
        var mask: UInt8
        var signals: [String]
    }

    private func rows() throws -> [UInt32: [Row]] {
        var rows: [UInt32: [Row]] = [:]
        for line in guarded.split(separator: "\n") {
            let words = line.split(separator: " ")
            let pid = try #require(UInt32(words[0], radix: 16))
            let mask = try #require(UInt8(words[1], radix: 16))
            let record = try #require(table.record(DataID(.currentData, pid)))
            rows[pid, default: []].append(
                Row(record: record, mask: mask, signals: words.dropFirst(2).map(String.init)))
        }
        return rows
    }

    private func index(_ id: String, in record: PIDTable.Record) -> SignalIndex? {
        record.signals.map { SignalIndex(rawValue: $0) }.first { table[$0].id == id }
    }

    @Test func `A signal counts only if the bit of its standard is set`() throws {
        for (pid, rows) in try rows() {
            let known = rows.reduce(UInt8(0)) { $0 | $1.mask }
            // Every bit alone, every bit missing, all bits, no bits.
            let bits = (0..<8).map { UInt8(1) << UInt8($0) }
            let patterns = [0, known] + bits + bits.map { known & ~$0 }
            for pattern in patterns {
                for row in rows {
                    var data = [UInt8](repeating: 0, count: row.record.length.upperBound)
                    data[0] = pattern
                    for id in row.signals {
                        let place = try #require(index(id, in: row.record), "\(id)")
                        let isMissing =
                            table.value(of: place, in: data) == .missing(.notSupported, code: nil)
                        #expect(
                            isMissing == (pattern & row.mask == 0),
                            "\(String(pid, radix: 16)) \(id) \(pattern)")
                    }
                }
            }
        }
    }

    @Test func `Every flagged signal follows its own flag and no other`() {
        for record in table.records {
            let flags = Set(
                record.signals.compactMap { table[SignalIndex(rawValue: $0)].supportFlag })
            let marked = record.signals.map { SignalIndex(rawValue: $0) }
                .filter { table[$0].isSupportFlag }
            #expect(Set(marked) == flags)
            for flag in flags {
                var data = [UInt8](repeating: 0, count: record.length.upperBound)
                let bit = table[flag].bitOffset
                data[bit / 8] = 0x80 >> UInt8(bit % 8)
                for place in record.signals.map({ SignalIndex(rawValue: $0) }) {
                    guard let own = table[place].supportFlag else { continue }
                    let isMissing =
                        table.value(of: place, in: data) == .missing(.notSupported, code: nil)
                    #expect(isMissing == (own != flag), "\(table[place].id)")
                }
            }
        }
    }
}
