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
