// swift-format-ignore-file
// As much of the C library as NetChainKit uses, with the types that Apple's headers give it, for Scripts/check.sh apple:
// nothing in it works. As with functions of C, every result may be dropped.
@_exported import DarwinTypes
// Foundation's POSIXError wants this very type.
@_exported import enum Glibc.POSIXErrorCode

// Files
public let STDIN_FILENO: Int32 = 0, STDOUT_FILENO: Int32 = 1, STDERR_FILENO: Int32 = 2
public let O_RDONLY: Int32 = 0, O_WRONLY: Int32 = 1, O_RDWR: Int32 = 2, O_NONBLOCK: Int32 = 4, O_APPEND: Int32 = 8, O_NOFOLLOW: Int32 = 0x100, O_CREAT: Int32 = 0x200, O_DIRECTORY: Int32 = 0x100000, O_TRUNC: Int32 = 0x400, O_EXCL: Int32 = 0x800, O_CLOEXEC: Int32 = 0x1000000
public let S_IFMT: mode_t = 0o170000, S_IFREG: mode_t = 0o100000, S_IFDIR: mode_t = 0o040000, S_IFLNK: mode_t = 0o120000
public let F_GETFL: Int32 = 3, F_SETFL: Int32 = 4, F_SETFD: Int32 = 2, F_DUPFD_CLOEXEC: Int32 = 67, F_FULLFSYNC: Int32 = 51, FD_CLOEXEC: Int32 = 1
public let LOCK_EX: Int32 = 2, LOCK_NB: Int32 = 4, SEEK_SET: Int32 = 0
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult public func close(_: Int32) -> Int32 { 0 }
@discardableResult public func read(_: Int32, _: UnsafeMutableRawPointer!, _: Int) -> Int { 0 }
@discardableResult public func write(_ __fd: Int32, _ __buf: UnsafeRawPointer!, _ __nbyte: Int) -> Int { 0 }
public let R_OK: Int32 = 4, W_OK: Int32 = 2, X_OK: Int32 = 1
@discardableResult public func access(_: UnsafePointer<CChar>!, _: Int32) -> Int32 { 0 }
@discardableResult public func rename(_: UnsafePointer<CChar>!, _: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult public func unlink(_: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult public func fchmod(_: Int32, _: mode_t) -> Int32 { 0 }
@discardableResult public func ftruncate(_: Int32, _: off_t) -> Int32 { 0 }
@discardableResult public func lseek(_: Int32, _: off_t, _: Int32) -> off_t { 0 }
@discardableResult public func flock(_: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func stat(_: UnsafePointer<CChar>!, _: UnsafeMutablePointer<stat>!) -> Int32 { 0 }
@discardableResult public func fstat(_: Int32, _: UnsafeMutablePointer<stat>!) -> Int32 { 0 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { 0 }
@discardableResult public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { 0 }
public let AT_SYMLINK_NOFOLLOW: Int32 = 0x20
public let AT_REMOVEDIR: Int32 = 0x80
@discardableResult public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { 0 }
@discardableResult public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { 0 }
@discardableResult public func faccessat(_: Int32, _: UnsafePointer<CChar>!, _: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func fstatat(_: Int32, _: UnsafePointer<CChar>!, _: UnsafeMutablePointer<stat>!, _: Int32) -> Int32 { 0 }
@discardableResult public func linkat(_: Int32, _: UnsafePointer<CChar>!, _: Int32, _: UnsafePointer<CChar>!, _: Int32) -> Int32 { 0 }
@discardableResult public func renameat(_: Int32, _: UnsafePointer<CChar>!, _: Int32, _: UnsafePointer<CChar>!) -> Int32 { 0 }
@discardableResult public func mkdirat(_: Int32, _: UnsafePointer<CChar>!, _: mode_t) -> Int32 { 0 }
@discardableResult public func unlinkat(_: Int32, _: UnsafePointer<CChar>!, _: Int32) -> Int32 { 0 }
@discardableResult public func mkdir(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { 0 }
@discardableResult public func pread(_ __fd: Int32, _ __buf: UnsafeMutableRawPointer!, _ __nbyte: Int, _ __offset: off_t) -> Int { 0 }
@discardableResult public func pwrite(_ __fd: Int32, _ __buf: UnsafeRawPointer!, _ __nbyte: Int, _ __offset: off_t) -> Int { 0 }
@discardableResult public func fsync(_: Int32) -> Int32 { 0 }
@discardableResult public func futimens(_ __fd: Int32, _ __times: UnsafePointer<timespec>!) -> Int32 { 0 }
public struct DIR {}
public struct dirent { public var d_name: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0) }
public func fdopendir(_: Int32) -> UnsafeMutablePointer<DIR>! { nil }
@discardableResult public func closedir(_: UnsafeMutablePointer<DIR>!) -> Int32 { 0 }
@discardableResult public func readdir(_: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
public func geteuid() -> uid_t { 0 }
@discardableResult public func isatty(_: Int32) -> Int32 { 0 }
@discardableResult public func pipe(_: UnsafeMutablePointer<Int32>!) -> Int32 { 0 }
@discardableResult public func getenv(_: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { nil }

public struct FILE {}
@discardableResult public func fflush(_: UnsafeMutablePointer<FILE>!) -> Int32 { 0 }
public func exit(_: Int32) -> Never { while true {} }
public func getpid() -> Int32 { 0 }
@discardableResult public func atexit(_: (@convention(c) () -> Void)!) -> Int32 { 0 }

// Errors
public var errno: Int32 { get { 0 } set {} }
public let EINTR: Int32 = 4, EAGAIN: Int32 = 35, EWOULDBLOCK: Int32 = 35, EPIPE: Int32 = 32, ENOENT: Int32 = 2, ENAMETOOLONG: Int32 = 63, ENOMEM: Int32 = 12, EEXIST: Int32 = 17, EMFILE: Int32 = 24, ENFILE: Int32 = 23, ENOBUFS: Int32 = 55, ECONNABORTED: Int32 = 53, ELOOP: Int32 = 62, EMLINK: Int32 = 31, EISDIR: Int32 = 21, ENXIO: Int32 = 6, ENOSPC: Int32 = 28, EDQUOT: Int32 = 69, EFBIG: Int32 = 27
public func strerror(_ __errnum: Int32) -> UnsafeMutablePointer<CChar>! { nil }

// Memory
public func strlen(_ __s: UnsafePointer<CChar>!) -> UInt { 0 }
public func memchr(_ __s: UnsafeRawPointer!, _ __c: Int32, _ __n: Int) -> UnsafeMutableRawPointer! { nil }
public func memcmp(_ __s1: UnsafeRawPointer!, _ __s2: UnsafeRawPointer!, _ __n: Int) -> Int32 { 0 }

// Time
public struct tm { public init() {}; public var tm_sec: Int32 = 0, tm_min: Int32 = 0, tm_hour: Int32 = 0, tm_mday: Int32 = 0, tm_mon: Int32 = 0, tm_year: Int32 = 0 }
public struct clockid_t: Sendable {}
public let CLOCK_REALTIME = clockid_t(), CLOCK_MONOTONIC = clockid_t()
@discardableResult public func clock_gettime(_ __clock_id: clockid_t, _ __tp: UnsafeMutablePointer<timespec>!) -> Int32 { 0 }
@discardableResult public func gmtime_r(_: UnsafePointer<time_t>!, _: UnsafeMutablePointer<tm>!) -> UnsafeMutablePointer<tm>! { nil }

// Signals
public typealias sigset_t = UInt32
public let SIGPIPE: Int32 = 13, SIG_BLOCK: Int32 = 1, SIG_SETMASK: Int32 = 3
@discardableResult public func sigemptyset(_: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult public func sigaddset(_: UnsafeMutablePointer<sigset_t>!, _: Int32) -> Int32 { 0 }
@discardableResult public func sigismember(_: UnsafePointer<sigset_t>!, _: Int32) -> Int32 { 0 }
@discardableResult public func sigpending(_: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult public func sigwait(_: UnsafePointer<sigset_t>!, _: UnsafeMutablePointer<Int32>!) -> Int32 { 0 }
@discardableResult public func pthread_sigmask(_: Int32, _: UnsafePointer<sigset_t>!, _: UnsafeMutablePointer<sigset_t>!) -> Int32 { 0 }

// Threads
public struct _opaque_pthread_t {}
public struct pthread_attr_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
@discardableResult public func pthread_create(_: UnsafeMutablePointer<pthread_t?>!, _: UnsafePointer<pthread_attr_t>?, _: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 { 0 }
@discardableResult public func pthread_join(_: pthread_t, _: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) -> Int32 { 0 }
@discardableResult public func pthread_detach(_: pthread_t) -> Int32 { 0 }
@discardableResult public func pthread_equal(_: pthread_t?, _: pthread_t?) -> Int32 { 0 }
public func pthread_self() -> pthread_t! { nil }

// Sockets
public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_port_t = UInt16
public typealias nfds_t = UInt32
public struct in_addr { public init() {}; public var s_addr: UInt32 = 0 }
public struct sockaddr { public init() {}; public var sa_len: UInt8 = 0, sa_family: sa_family_t = 0 }
public struct sockaddr_in { public init() {}; public var sin_len: UInt8 = 0, sin_family: sa_family_t = 0, sin_port: in_port_t = 0, sin_addr = in_addr() }
public struct sockaddr_un { public init() {}; public var sun_len: UInt8 = 0, sun_family: sa_family_t = 0, sun_path: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
public struct linger { public init() {}; public init(l_onoff: Int32, l_linger: Int32) {}; public var l_onoff: Int32 = 0, l_linger: Int32 = 0 }
public struct pollfd { public init() {}; public init(fd: Int32, events: Int16, revents: Int16) {}; public var fd: Int32 = 0, events: Int16 = 0, revents: Int16 = 0 }
public let AF_UNIX: Int32 = 1, AF_INET: Int32 = 2, SOCK_STREAM: Int32 = 1, SOL_SOCKET: Int32 = 0xffff, SO_REUSEADDR: Int32 = 0x4, SO_LINGER: Int32 = 0x80, SO_NOSIGPIPE: Int32 = 0x1022, IPPROTO_TCP: Int32 = 6, TCP_NODELAY: Int32 = 1, SHUT_WR: Int32 = 1, SHUT_RDWR: Int32 = 2
public let POLLIN: Int32 = 1, POLLOUT: Int32 = 4, POLLERR: Int32 = 8, POLLHUP: Int32 = 16, POLLNVAL: Int32 = 32
@discardableResult public func socket(_: Int32, _: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func bind(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { 0 }
@discardableResult public func connect(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { 0 }
@discardableResult public func listen(_: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func accept(_: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!) -> Int32 { 0 }
@discardableResult public func getsockname(_: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!) -> Int32 { 0 }
@discardableResult public func setsockopt(_: Int32, _: Int32, _: Int32, _: UnsafeRawPointer!, _: socklen_t) -> Int32 { 0 }
@discardableResult public func recv(_: Int32, _: UnsafeMutableRawPointer!, _: Int, _: Int32) -> Int { 0 }
@discardableResult public func send(_: Int32, _: UnsafeRawPointer!, _: Int, _: Int32) -> Int { 0 }
@discardableResult public func shutdown(_: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func poll(_: UnsafeMutablePointer<pollfd>!, _: nfds_t, _: Int32) -> Int32 { 0 }
