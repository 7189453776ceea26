#if os(Linux)
import CNetChainCurl
import Glibc

/// libcurl's global initialization, once per process. libcurl reads `SSLKEYLOGFILE` only then.
let curlSetUp = (
    isReady: netchain_global_init() == CURLE_OK, hasKeyLog: environmentHas("SSLKEYLOGFILE")
)

/// Whether libcurl logs TLS keys: the environment sets `SSLKEYLOGFILE`, or did when libcurl was initialized. The
/// initialization creates the file, so the environment is checked first.
var curlHasKeyLog: Bool { environmentHas("SSLKEYLOGFILE") || curlSetUp.hasKeyLog }

/// Whether the environment has a variable of this name that is not empty.
func environmentHas(_ name: String) -> Bool {
    getenv(name).map { $0.pointee != 0 } ?? false
}
#endif
