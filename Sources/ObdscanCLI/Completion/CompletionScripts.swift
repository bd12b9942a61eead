/// The completion scripts of the shells.
///
/// Each script splits the line as its shell does, calls `obdscan ---complete` with the words after
/// the program's name, the last one incomplete, and shows the result.
enum CompletionScripts {
    /// The script of `shell`; nil unless it is bash, zsh or fish.
    static func script(for shell: String) -> String? {
        let names = ["bash": "obdscan.bash", "zsh": "_obdscan", "fish": "obdscan.fish"]
        guard let name = names[shell] else { return nil }
        return EmbeddedFiles.all.first { $0.path.description == name }?.contents.description
    }
}
