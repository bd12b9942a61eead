/// The names of months in the languages of phones and computers that write logs.
///
/// The names are those of Unicode CLDR: wide and abbreviated, in a date and alone, without periods, and
/// abbreviations that its earlier editions, Java and Android used.
enum MonthNames {
    /// A month that a name may mean.
    struct Meaning: Hashable {
        /// 1 to 12.
        var month: Int
        /// The languages in which the name means this month.
        var languages: [String]
    }

    /// The months of a name in any case, with or without a period; empty for any other word, several if
    /// two languages use the name differently.
    static func meanings(_ name: some StringProtocol) -> [Meaning] {
        var name = name.lowercased()
        while name.last == "." { name.removeLast() }
        if let found = months[name] { return found }
        // Chinese, Japanese and Korean number their months.
        if let sign = name.last, "月월".contains(sign), let month = Int(name.dropLast()),
            (1...12).contains(month)
        {
            return [Meaning(month: month, languages: [])]
        }
        return []
    }

    /// The month of a name; nil for any other word, and if two languages use the name differently.
    static func month(_ name: some StringProtocol) -> Int? {
        let found = meanings(name)
        return found.count == 1 ? found.first?.month : nil
    }

    /// The English name of a month from 1 to 12.
    static func english(_ month: Int) -> String {
        let words = (languages.first?.names ?? "").split(separator: "|")
        guard words.indices.contains(month - 1),
            let name = words[month - 1].split(separator: " ").last
        else { return "\(month)" }
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    private static let months: [String: [Meaning]] = {
        var months: [String: [Meaning]] = [:]
        for (language, names) in languages {
            for (index, group) in names.split(separator: "|").enumerated() {
                for name in group.split(separator: " ").map(String.init) {
                    var found = months[name] ?? []
                    if let place = found.firstIndex(where: { $0.month == index + 1 }) {
                        found[place].languages.append(language)
                    } else {
                        found.append(Meaning(month: index + 1, languages: [language]))
                    }
                    months[name] = found
                }
            }
        }
        return months
    }()

    /// The twelve months of each language, separated by bars.
    private static let languages: [(language: String, names: String)] = [
        (
            "English",
            "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|"
                + "sep sept september|oct october|nov november|dec december"
        ),
        (
            "German",
            "jan januar jän jänner|feb feber februar|mrz mär märz|apr april|mai|jun juni|"
                + "jul juli|aug august|sep sept september|okt oktober|nov november|dez dezember"
        ),
        (
            "French",
            "jan janv janvier|fév févr février|mar mars|avr avril|mai|juin|juil juillet jul|"
                + "aoû août|sep sept septembre|oct octobre|nov novembre|déc décembre"
        ),
        (
            "Spanish",
            "ene enero|feb febrero|mar marzo|abr abril|may mayo|jun junio|jul julio|"
                + "ago agosto|sep sept septiembre set setiembre|oct octubre|nov noviembre|"
                + "dic diciembre"
        ),
        (
            "Italian",
            "gen gennaio|feb febbraio|mar marzo|apr aprile|mag maggio|giu giugno|lug luglio|"
                + "ago agosto|set settembre|ott ottobre|nov novembre|dic dicembre"
        ),
        (
            "Portuguese",
            "jan janeiro|fev fevereiro|mar março|abr abril|mai maio|jun junho|jul julho|"
                + "ago agosto|set setembro|out outubro|nov novembro|dez dezembro"
        ),
        (
            "Dutch",
            "jan januari|feb februari|maart mar mrt|apr april|mei|jun juni|jul juli|"
                + "aug augustus|sep september|okt oktober|nov november|dec december"
        ),
        (
            "Polish",
            "sty styczeń stycznia|lut lutego luty|mar marca marzec|kwi kwiecień kwietnia|"
                + "maj maja|cze czerwca czerwiec|lip lipca lipiec|sie sierpień sierpnia|"
                + "wrz wrzesień września|paź październik października|lis listopad listopada|"
                + "gru grudnia grudzień"
        ),
        (
            "Czech",
            "led leden ledna|úno únor února|bře březen března|dub duben dubna|"
                + "kvě květen května|červen června čvn|července červenec čvc|srp srpen srpna|"
                + "zář září|říj říjen října|lis listopad listopadu|pro prosince prosinec"
        ),
        (
            "Slovak",
            "jan január januára|feb február februára|mar marca marec|apr apríl apríla|"
                + "máj mája|jún júna|júl júla|aug august augusta|sep september septembra|"
                + "okt október októbra|nov november novembra|dec december decembra"
        ),
        (
            "Hungarian",
            "jan január|feb febr február|már márc március|ápr április|máj május|jún június|"
                + "júl július|aug augusztus|sze szep szept szeptember|okt október|nov november|"
                + "dec december"
        ),
        (
            "Romanian",
            "ian ianuarie|feb februarie|mar martie|apr aprilie|mai|iun iunie|iul iulie|"
                + "aug august|sep sept septembrie|oct octombrie|noi noiembrie nov|dec decembrie"
        ),
        (
            "Finnish",
            "tammi tammik tammikuu tammikuuta|helmi helmik helmikuu helmikuuta|"
                + "maalis maalisk maaliskuu maaliskuuta|huhti huhtik huhtikuu huhtikuuta|"
                + "touko toukok toukokuu toukokuuta|kesä kesäk kesäkuu kesäkuuta|"
                + "heinä heinäk heinäkuu heinäkuuta|elo elok elokuu elokuuta|"
                + "syys syysk syyskuu syyskuuta|loka lokak lokakuu lokakuuta|"
                + "marras marrask marraskuu marraskuuta|joulu jouluk joulukuu joulukuuta"
        ),
        (
            "Swedish",
            "jan januari|feb februari|mar mars|apr april|maj|jun juni|jul juli|aug augusti|"
                + "sep september|okt oktober|nov november|dec december"
        ),
        (
            "Danish",
            "jan januar|feb februar|mar marts|apr april|maj|jun juni|jul juli|aug august|"
                + "sep september|okt oktober|nov november|dec december"
        ),
        (
            "Norwegian",
            "jan januar|feb februar|mar mars|apr april|mai|jun juni|jul juli|aug august|"
                + "sep september|okt oktober|nov november|des desember"
        ),
        (
            "Estonian",
            "jaan jaanuar jan|veb veebr veebruar|mär märts|apr aprill|mai|juuni|juuli|"
                + "aug august|sep sept september|okt oktoober|nov november|det dets detsember"
        ),
        (
            "Latvian",
            "jan janv janvāris|feb febr februāris|mar marts|apr aprīlis|maijs|jūn jūnijs|"
                + "jūl jūlijs|aug augusts|sep sept septembris|okt oktobris|nov novembris|"
                + "dec decembris"
        ),
        (
            "Lithuanian",
            "sau saus sausio sausis|vas vasario vasaris|kov kovas kovo|"
                + "bal balandis balandžio|geg gegužė gegužės|bir birž birželio birželis|"
                + "lie liep liepa liepos|rgp rugp rugpjūtis rugpjūčio|rgs rugs rugsėjis rugsėjo|"
                + "spa spal spalio spalis|lap lapkr lapkritis lapkričio|grd gruod gruodis gruodžio"
        ),
        (
            "Croatian",
            "sij siječanj siječnja|vel velj veljača veljače|ožu ožujak ožujka|"
                + "tra travanj travnja|svi svibanj svibnja|lip lipanj lipnja|srp srpanj srpnja|"
                + "kol kolovoz kolovoza|ruj rujan rujna|lis listopad listopada|"
                + "stu studeni studenoga|pro prosinac prosinca"
        ),
        (
            "Slovenian",
            "jan januar|feb februar|mar marec|apr april|maj|jun junij|jul julij|avg avgust|"
                + "sep september|okt oktober|nov november|dec december"
        ),
        (
            "Serbian",
            "јан јануар|феб фебруар|мар март|апр април|мај|јун|јул|авг август|сеп септембар|"
                + "окт октобар|нов новембар|дец децембар"
        ),
        (
            "Serbian (Latin)",
            "jan januar|feb februar|mar mart|apr april|maj|jun|jul|avg avgust|sep septembar|"
                + "okt oktobar|nov novembar|dec decembar"
        ),
        (
            "Bulgarian",
            "ян яну януари|феб фев февруари|мар март|апр април|май|юн юни|юл юли|авг август|"
                + "сеп септември|окт октомври|ное ноем ноември|дек декември"
        ),
        (
            "Russian",
            "янв январь января|фев февр февраль февраля|мар март марта|апр апрель апреля|"
                + "май мая|июн июнь июня|июл июль июля|авг август августа|"
                + "сен сент сентябрь сентября|окт октябрь октября|ноя нояб ноябрь ноября|"
                + "дек декабрь декабря"
        ),
        (
            "Ukrainian",
            "січ січень січня|лют лютий лютого|бер березень березня|кві квіт квітень квітня|"
                + "тра трав травень травня|чер черв червень червня|лип липень липня|"
                + "сер серп серпень серпня|вер вересень вересня|жов жовт жовтень жовтня|"
                + "лис лист листопад листопада|гру груд грудень грудня"
        ),
        (
            "Belarusian",
            "сту студзень студзеня|лют лютага люты|сак сакавік сакавіка|"
                + "кра красавік красавіка|май мая|чэр чэрвень чэрвеня|ліп ліпень ліпеня|"
                + "жні жнівень жніўня|вер верасень верасня|кас кастрычнік кастрычніка|"
                + "ліс лістапад лістапада|сне снежань снежня"
        ),
        (
            "Macedonian",
            "јан јануари|фев февруари|мар март|апр април|мај|јун јуни|јул јули|авг август|"
                + "сеп септември|окт октомври|ное ноември|дек декември"
        ),
        (
            "Greek",
            "ιαν ιανουάριος ιανουαρίου|φεβ φεβρουάριος φεβρουαρίου|μάρ μάρτιος μαρ μαρτίου|"
                + "απρ απρίλιος απριλίου|μάι μάιος μαΐ μαΐου μαϊ|ιουν ιουνίου ιούν ιούνιος|"
                + "ιουλ ιουλίου ιούλ ιούλιος|αυγ αυγούστου αύγ αύγουστος|"
                + "σεπ σεπτέμβριος σεπτεμβρίου|οκτ οκτωβρίου οκτώβριος|νοέ νοέμβριος νοε νοεμβρίου|"
                + "δεκ δεκέμβριος δεκεμβρίου"
        ),
        (
            "Turkish",
            "oca ocak|sub şub şubat|mar mart|nis nisan|may mayıs|haz haziran|tem temmuz|"
                + "agu ağu ağustos|eyl eylül|eki ekim ekm|kas kasım|ara aralık"
        ),
        (
            "Catalan",
            "gen gener|feb febr febrer|mar març|abr abril|maig|jun juny|jul juliol|"
                + "ag ago agost|set setembre|oct octubre|nov novembre|des desembre"
        ),
        (
            "Basque",
            "urt urtarrila|ots otsaila|mar martxoa|api apirila|mai maiatza|eka ekaina|"
                + "uzt uztaila|abu abuztua|ira iraila|urr urria|aza azaroa|abe abendua"
        ),
        (
            "Galician",
            "xan xaneiro|feb febreiro|mar marzo|abr abril|mai maio|xuñ xuño|xul xullo|"
                + "ago agosto|set setembro|out outubro|nov novembro|dec decembro"
        ),
        (
            "Icelandic",
            "jan janúar|feb febrúar|mar mars|apr apríl|maí|jún júní|júl júlí|ágú ágúst|"
                + "sep september|okt október|nóv nóvember|des desember"
        ),
        (
            "Albanian",
            "jan janar|shk shkurt|mar mars|pri prill|maj|qer qershor|korr korrik|gush gusht|"
                + "sht shtator|tet tetor|nën nëntor|dhj dhjetor"
        ),
        (
            "Indonesian",
            "jan januari|feb februari|mar maret|apr april|mei|jun juni|jul juli|"
                + "agt agu agustus|sep september|okt oktober|nov november|des desember"
        ),
        (
            "Malay",
            "jan januari|feb februari|mac|apr april|mei|jun|jul julai|ogo ogos|sep september|"
                + "okt oktober|nov november|dis disember"
        ),
    ]
}
