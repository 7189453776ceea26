/// Converts keys between `camelCase` and `snake_case`, with the same results as Foundation's coders.
enum JsonKeyConversion {
    /// Converts `first_name` to `firstName`. Leading and trailing underscores stay. A key without inner underscores is
    /// returned unchanged.
    static func camelCase(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        var result = key[..<first] + words[0].lowercased()
        for word in words.dropFirst() { capitalize(word, into: &result) }
        return String(result + key[key.index(after: last)...])
    }

    /// Appends the word, with the first letter of each run of letters in upper case and the other letters in lower
    /// case. Apostrophes, marks, modifiers and format characters don't end a run.
    private static func capitalize(_ word: Substring, into result: inout Substring) {
        var isInRun = false
        for scalar in word.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter:
                result += isInRun ? scalar.properties.lowercaseMapping : scalar.properties.titlecaseMapping
                isInRun = true
            case .nonspacingMark, .enclosingMark, .format, .modifierSymbol, .modifierLetter:
                result.unicodeScalars.append(scalar)
            default:
                result.unicodeScalars.append(scalar)
                if scalar != "'", scalar != "’" { isInRun = false }
            }
        }
    }

    /// Converts `firstName` to `first_name` and `myURLProperty` to `my_url_property`.
    ///
    /// A word starts at an upper-case letter. The last upper-case letter of a run starts the word that follows.
    static func snakeCase(_ key: String) -> String {
        let characters = Array(key)
        var starts: [Int] = []
        var place = 1
        while place < characters.count, let upper = characters[place...].firstIndex(where: isUpper) {
            starts.append(upper)
            guard let lower = characters[upper...].firstIndex(where: \.isLowercase) else { break }
            if lower > upper + 1 { starts.append(lower - 1) }
            place = lower + 1
        }
        var result = ""
        var start = 0
        for next in starts {
            result += String(characters[start..<next]).lowercased() + "_"
            start = next
        }
        return result + String(characters[start...]).lowercased()
    }

    private static func isUpper(_ character: Character) -> Bool {
        character.isUppercase || character.unicodeScalars.first?.properties.generalCategory == .titlecaseLetter
    }
}
