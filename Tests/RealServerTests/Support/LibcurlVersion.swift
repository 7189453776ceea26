#if os(Linux)
import CNetChainCurl

/// Whether the libcurl that runs is of this version or newer.
func isLibcurl(atLeast major: UInt32, _ minor: UInt32) -> Bool {
    curl_version_info(CURLVERSION_FIRST).pointee.version_num >> 8 >= major << 8 | minor
}
#endif
