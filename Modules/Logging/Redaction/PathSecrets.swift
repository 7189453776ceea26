import NodeCore

/// The segments of a path that are secrets by their place: `/reset/token/…`, and the webhooks of Slack
/// (`/services/T…/B…/…`), Discord (`/webhooks/1…/…`) and Telegram (`/bot1…:…/`).
struct PathSecrets {
    private static let names = ["token", "tokens", "secret", "secrets", "apikey", "apikeys", "magiclink", "otp"]

    /// The segments so far, in lower case.
    private var former: [String] = []

    /// The next segment, masked; nil when it holds no secret.
    mutating func masked(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
        let text = Percent.decoded(segment, plusIsSpace: false)
        let word = String(decoding: text, as: UTF8.self).lowercased()
        defer { former.append(word) }
        if let colon = text.firstIndex(of: Ascii.colon), Self.isBot(text[..<colon]), colon + 1 < text.count {
            return text[...colon] + Ascii.mask
        }
        let last = former.last ?? ""
        let name = SecretNames.words(last).joined()
        if Self.names.contains(where: name.hasSuffix), Self.isCredential(text[...]) { return Ascii.mask }
        let before = former.dropLast().suffix(2)
        let isSlack = before.first == "services" && before.last?.first == "t" && last.first == "b"
        let isDiscord = before.last == "webhooks" && !last.isEmpty && last.utf8.allSatisfy(Ascii.isDigit)
        return (isSlack || isDiscord) && !text.isEmpty ? Ascii.mask : nil
    }

    /// Whether this is the name of a bot in a URL of Telegram.
    static func isBot(_ text: ArraySlice<UInt8>) -> Bool {
        let number = text.dropFirst(3)
        return Ascii.hasWord("bot", at: text) && !number.isEmpty && number.allSatisfy(Ascii.isDigit)
    }

    /// Whether this is no plain word, such as the action of `/token/revoke`, and no number.
    private static func isCredential(_ text: ArraySlice<UInt8>) -> Bool {
        let isWord = text.allSatisfy {
            Ascii.isLetter($0) && $0 | 0x20 == $0 || $0 == Ascii.dash || $0 == UInt8(ascii: "_")
        }
        return !text.allSatisfy(Ascii.isDigit) && (!isWord || text.count >= 24)
    }
}
