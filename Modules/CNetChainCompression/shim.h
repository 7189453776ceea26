#ifndef NETCHAINKIT_COMPRESSION_SHIM_H
#define NETCHAINKIT_COMPRESSION_SHIM_H

// The libraries that libcurl also uses for decompression.

#if !__has_include(<zlib.h>) || !__has_include(<brotli/decode.h>) || !__has_include(<zstd.h>)
#error "NetChainKit needs the headers of zlib, brotli and zstd (apt-get install zlib1g-dev libbrotli-dev libzstd-dev)"
#endif

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

// inflateInit2 is a macro, which Swift can't import.
static inline int netchain_inflate_start(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
