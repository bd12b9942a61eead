/// The names of the days of the week in the languages of ``MonthNames``, and in those of East Asia.
///
/// The names are those of Unicode CLDR: wide and abbreviated, without periods. A date beside them says the day.
enum DayNames {
    /// Whether a word is such a name, in any case, with or without a period.
    static func contains(_ word: Substring) -> Bool {
        var word = word.lowercased()
        while word.last == "." || word.last == "," { word.removeLast() }
        return names.contains(word)
    }

    private static let names = Set(
        """
        ahad ahd al an antradienis ar asteartea asteazkena astelehena az ceturtd
        ceturtdiena cmt cn cs csütörtök cum cuma cumartesi czw czwartek dc dg di die
        dienstag dijous dilluns dim dimanche dimarts dimecres dinsdag dissabte diumenge
        divendres dj dl do dom domenica domingo donderdag donnerstag ds dt dum duminică
        dv enj esmaspäev fim fimmtudagur fr fre fredag freitag fri friday fös föstudagur
        gio giovedì hétfő hën ig igandea isn isnin jeu jeudi joi jue jueves jum jumaat
        jumat kam kamis ke kedd keskiviikko keskiviikkona ketvirtadienis kha khamis
        kolmapäev kt la larunbata lau lauantai lauantaina laugardagur laupäev lr lun
        lundi lunedì lunes luni luns lör lördag lør lørdag ma maanantai maanantaina
        maandag man mandag mar mardi martedì martes marți mer mercoledì mercredi mi mie
        miercuri min minggu mittwoch mié miércoles mið miðvikudagur mo mon monday montag
        mán mánudagur mån måndag mér mércores mër ne ned nedelja nedeľa nedjelja neděle
        neljapäev niedz niedziela og ons onsdag or osteguna ostirala otrd otrdiena paz
        pazar pazartesi pe penktadienis per perjantai perjantaina perşembe pet petak
        petek pi piatok piektd piektdiena pirmadienis pirmd pirmdiena piątek pn po pon
        pondelok pondělí ponedeljak ponedeljek ponedjeljak poniedziałek pr pre pt pzt pá
        pátek péntek pühapäev qua quarta-feira qui quinta-feira rab rabu reede sa sab
        sabato sabtu sal salı sam samedi samstag sat saterdag saturday seg segunda-feira
        sekmadienis sel selasa sen senin sestd sestdiena sex sexta-feira sht sk so sob
        sobota sondag sonntag sre sreda sri srijeda st streda středa su sub subota sun
        sunday sunnudagur sunnuntai svētd svētdiena sze szerda szo szombat sáb sábado
        sâm sâmbătă sön söndag søn søndag teisipäev ter terça-feira thu thursday ti
        tiistai tiistaina tir tirs tirsdag tis tisdag to tor torek tors torsdag torstai
        torstaina tr trečiadienis trešd trešdiena tue tuesday ut uto utorak utorok
        vasárnap ven vendredi venerdì venres vie viernes vin vineri vr vrijdag vrydag
        wed wednesday wo woensdag wt wtorek xov xoves za zaterdag zo zondag çar çarşamba
        út úterý þri þriðjudagur čet četrtek četvrtak čt čtvrtek śr środa šeštadienis št
        štvrtok δευ δευτέρα κυρ κυριακή πέμ πέμπτη παρ παρασκευή σάβ σάββατο τετ τετάρτη
        τρί τρίτη аў аўторак воскресенье вс вт вто вторник вівторок нд нед недела неделя
        недеља неділя нядзеля пʼятниця панядзелак пет петак петок петък пн пон
        понеделник понедельник понедељак понеділок пт пятница пятніца саб сабота сб
        серада середа ср сре среда сряда суб суббота субота събота уто уторак чацвер чет
        четвер четверг четвртак четврток четвъртък чт чц 周一 周三 周二 周五 周六 周四 周日 土 土曜日 日
        日曜日 星期一 星期三 星期二 星期五 星期六 星期四 星期日 月 月曜日 木 木曜日 水 水曜日 火 火曜日 金 金曜日 금 금요일 목 목요일 수 수요일
        월 월요일 일 일요일 토 토요일 화 화요일
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
