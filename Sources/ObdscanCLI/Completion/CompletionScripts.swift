/// What makes a shell ask the program for words: the files in `completions/`.
///
/// Each only splits the line as its shell does, asks, and shows what it is told: `obdscan ---complete`
/// and the words after the program's name, the last one as far as it is typed.
enum CompletionScripts {
    /// The script of `shell`; nil where that is none of bash, zsh and fish.
    static func script(for shell: String) -> String? {
        let names = ["bash": "obdscan.bash", "zsh": "_obdscan", "fish": "obdscan.fish"]
        guard let name = names[shell] else { return nil }
        return EmbeddedFiles.all.first { $0.path.description == name }?.contents.description
    }
}
