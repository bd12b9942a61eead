/// The completion scripts of the shells.
///
/// Each script splits the line as its shell does, calls `obdscan ---complete` with the words after
/// the program's name, the last one incomplete, and shows the result.
enum CompletionScripts {
    /// The script of `shell`; nil unless it is bash, zsh or fish.
    static func script(for shell: String) -> String? {
        switch shell {
        case "bash": bash
        case "zsh": zsh
        case "fish": fish
        default: nil
        }
    }

    private static let bash = #"""
        # bash completion of obdscan: the program itself says what can be typed.

        # Makes `line` a part of a word whose quote $1 is open: no character of a name is the shell's.
        _obdscan_quote() {
            local rest="$line" character
            if [[ -z $1 ]]; then
                printf -v line %q "$line"
                return
            fi
            line=""
            while [[ -n $rest ]]; do
                character="${rest:0:1}"
                rest="${rest:1}"
                case "$1$character" in
                '"\' | '""' | '"$' | '"`') line+="\\$character" ;;
                "''") line+="'\\''" ;;
                *) line+="$character" ;;
                esac
            done
        }

        _obdscan() {
            # Words as obdscan gets them; readline breaks them at : and = as well.
            local rest="${COMP_LINE:0:COMP_POINT}" word="" piece line i
            local -a words=()
            for ((i = 0; i <= COMP_CWORD; i++)); do
                if [[ $rest == [[:space:]]* ]]; then
                    words+=("$word")
                    word=""
                    rest="${rest#"${rest%%[![:space:]]*}"}"
                fi
                piece="${COMP_WORDS[i]}"
                ((i == COMP_CWORD)) && piece="$rest"
                word+="$piece"
                rest="${rest#"$piece"}"
            done
            # The quote that is still open at the end.
            local quote="" character
            for ((i = 0; i < ${#word}; i++)); do
                character="${word:i:1}"
                case "$quote$character" in
                \\ | '"\') ((i++)) ;;
                \' | '"') quote="$character" ;;
                "''" | '""') quote="" ;;
                esac
            done
            local typed="${word//[\"\'\\]/}"
            words=("${words[@]//[\"\'\\]/}")
            # What readline replaces is only the end of the word.
            local replaced="${2//[\"\'\\]/}"
            local kept="${typed%"$replaced"}"
            COMPREPLY=()
            while IFS= read -r line; do
                if [[ $line == :files ]]; then
                    compopt -o filenames 2>/dev/null
                    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2")
                    continue
                fi
                line="${line%%$'\t'*}"
                line="${line#"$kept"}"
                # Nothing keeps ! from the history within double quotes.
                [[ $quote == '"' && $line == *!* ]] && continue
                _obdscan_quote "$quote"
                COMPREPLY+=("$line")
            done < <(command "${COMP_WORDS[0]/#\~/$HOME}" ---complete "${words[@]:1}" "$typed" 2>/dev/null)
            if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:/=] ]]; then
                compopt -o nospace 2>/dev/null
            fi
        }

        complete -o nosort -F _obdscan obdscan 2>/dev/null || complete -F _obdscan obdscan

        """#

    private static let zsh = #"""
        #compdef obdscan
        # zsh completion of obdscan: the program itself says what can be typed.

        _obdscan() {
            local program="${(Q)words[1]}" line word
            local -a lines given ends abouts open
            local -i files=0 width=0
            given=("${(@Q)words[2,CURRENT-1]}" "${(Q)IPREFIX}${(Q)PREFIX}")
            lines=("${(@f)$(command ${~program} ---complete "${given[@]}" 2>/dev/null)}")
            for line in "${lines[@]}"; do
                word="${line%%$'\t'*}"
                if [[ "$line" == :files ]]; then
                    files=1
                elif [[ "$word" == *[:/=] ]]; then
                    open+=("$word")
                elif [[ -n "$word" ]]; then
                    ends+=("$word")
                    ((${#word} > width)) && width=${#word}
                    abouts+=("${line#*$'\t'}")
                fi
            done
            local -i found=1 i
            for ((i = 1; i <= ${#ends}; i++)); do
                if [[ "${abouts[i]}" == "${ends[i]}" ]]; then
                    abouts[i]="${ends[i]}"
                else
                    abouts[i]="${(r:width:)ends[i]}  -- ${abouts[i]}"
                fi
            done
            ((${#ends})) && compadd -V obdscan -l -d abouts -a ends && found=0
            ((${#open})) && compadd -V obdscan-open -S '' -a open && found=0
            ((files)) && _files && found=0
            return found
        }

        if [[ "${funcstack[1]}" == _obdscan ]]; then
            _obdscan "$@"
        else
            compdef _obdscan obdscan
        fi

        """#

    private static let fish = #"""
        # fish completion of obdscan: the program itself says what can be typed.

        function __obdscan_complete
            set -l words (commandline -opc)
            set -l typed (string unescape -- (commandline -ct); or commandline -ct)
            for line in (command $words[1] ---complete $words[2..-1] "$typed" 2>/dev/null)
                if test "$line" = :files
                    __fish_complete_path "$typed"
                else
                    printf '%s\n' $line
                end
            end
        end

        complete -c obdscan -f -k -a '(__obdscan_complete)'

        """#
}
