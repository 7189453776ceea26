#ifndef NETCHAINKIT_CURL_SHIM_H
#define NETCHAINKIT_CURL_SHIM_H

#include <curl/curl.h>

#endif
