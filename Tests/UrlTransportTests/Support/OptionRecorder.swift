#if os(Linux)
import CNetChainCurl
import Glibc
import Synchronization

/// Records the options of easy handles, because libcurl can't be asked for them. The functions below take the place of
/// libcurl's in the test program.
enum OptionRecorder {
    /// The options of a handle by their names, without those that are not set or have no value.
    typealias Options = [String: String]

    private static let handles = Mutex<[UInt: Options]>([:])
    /// Recording takes time, so tests ask for it.
    private static let recordings = Atomic(0)

    /// Records the options that are set while `body` runs.
    static func recording<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        recordings.add(1, ordering: .relaxed)
        defer { recordings.subtract(1, ordering: .relaxed) }
        return try await body()
    }

    static func options(of easy: UnsafeMutableRawPointer) -> Options {
        handles.withLock { $0[UInt(bitPattern: easy)] ?? [:] }
    }

    /// The handles that exist now whose last URL begins like this.
    static func handles(withUrl prefix: String) -> Set<UInt> {
        handles.withLock { handles in
            Set(handles.filter { $0.value["URL"]?.hasPrefix("\"\(prefix)") == true }.keys)
        }
    }

    fileprivate static func didSet(_ option: UInt32, _ value: UInt, of easy: UnsafeMutableRawPointer) {
        guard recordings.load(ordering: .relaxed) > 0,
            let description = curl_easy_option_by_id(CURLoption(option))?.pointee,
            let name = description.name.map({ String(cString: $0) })
        else { return }
        let text = text(value, description.type, name, easy)
        handles.withLock { $0[UInt(bitPattern: easy), default: [:]][name] = text }
    }

    fileprivate static func didFree(_ easy: UnsafeMutableRawPointer?) {
        handles.withLock { $0[UInt(bitPattern: easy)] = nil }
    }

    private static func text(
        _ value: UInt, _ type: curl_easytype, _ name: String, _ easy: UnsafeMutableRawPointer
    ) -> String? {
        let pointer = UnsafeMutableRawPointer(bitPattern: value)
        switch type {
        case CURLOT_STRING: return pointer.map { "\"\(String(cString: $0.assumingMemoryBound(to: CChar.self)))\"" }
        case CURLOT_SLIST:
            var lines: [String] = []
            var next = pointer?.assumingMemoryBound(to: curl_slist.self)
            while let line = next?.pointee {
                lines.append(String(cString: line.data))
                next = line.next
            }
            return lines.isEmpty ? nil : "\(lines)"
        case CURLOT_LONG, CURLOT_VALUES, CURLOT_OFF_T: return "\(Int(bitPattern: value))"
        default:
            guard let pointer else { return nil }
            // Each handle has its own buffer, and is what its callbacks get.
            if name == "ERRORBUFFER" { return "its own" }
            if name == "CURLU" { return url(OpaquePointer(pointer)) }
            var own: UnsafePointer<CChar>?
            netchain_get_string(easy, CURLINFO_PRIVATE, &own)
            let isItself = name == "PRIVATE" || pointer == own.map { UnsafeMutableRawPointer(mutating: $0) }
            return isItself ? "itself" : "\(pointer)"
        }
    }

    private static func url(_ parsed: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { curl_free(text) }
        curl_url_get(parsed, CURLUPART_URL, &text, 0)
        return text.map { String(cString: $0) }
    }

    /// The function of libcurl with this name: the next one after the program's.
    fileprivate static func next<Function>(_ name: String, as type: Function.Type) -> Function {
        guard let address = dlsym(UnsafeMutableRawPointer(bitPattern: -1), name) else {
            preconditionFailure("libcurl has no \(name)")
        }
        return withUnsafeBytes(of: address) { $0.load(as: type) }
    }

    fileprivate typealias SetOption = @convention(c) (UnsafeMutableRawPointer, UInt32, UInt) -> UInt32
    fileprivate typealias CleanUp = @convention(c) (UnsafeMutableRawPointer?) -> Void
    fileprivate static let setOption = next("curl_easy_setopt", as: SetOption.self)
    fileprivate static let cleanUp = next("curl_easy_cleanup", as: CleanUp.self)
}

// curl_easy_setopt(3) is variadic. Its one variable argument is a long, an offset or a pointer, and is passed like any other
// on x86-64 and arm64.
@_cdecl("curl_easy_setopt")
func recordingSetOption(_ easy: UnsafeMutableRawPointer, _ option: UInt32, _ value: UInt) -> UInt32 {
    let result = OptionRecorder.setOption(easy, option, value)
    if result == 0 { OptionRecorder.didSet(option, value, of: easy) }
    return result
}

@_cdecl("curl_easy_cleanup")
func recordingCleanUp(_ easy: UnsafeMutableRawPointer?) {
    OptionRecorder.didFree(easy)
    OptionRecorder.cleanUp(easy)
}
#endif
