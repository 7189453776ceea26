// The limit: libcurl's multi interface with nothing around it. Reads the environment of the other clients and prints
// the same line (ClientSupport). One easy handle a request in progress, used again and again; bodies go into a buffer
// that is kept, unless they are large, or into a file.

#define _GNU_SOURCE
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    CURL *easy;
    char *body;
    size_t length, capacity, sent;
    uint64_t begin, request_start, processor_time;
    uint32_t *latencies;
    size_t count, room;
} worker;

static const char *argument(const char *name, const char *usual) {
    const char *value = getenv(name);
    return value ? value : usual;
}

// In kilobytes. getrusage reports at least the memory of the program that started this one.
static long most_memory(void) {
    char line[256];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &kilobytes);
    if (file) fclose(file);
    return kilobytes;
}

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static size_t upload_size;
static char *upload;
static FILE *file;

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    worker *this = context;
    size_t length = size * count;
    if (file) return fwrite(bytes, 1, length, file);
    if (this->length + length > this->capacity) {
        while (this->length + length > this->capacity) this->capacity = this->capacity ? this->capacity * 2 : 4096;
        this->body = realloc(this->body, this->capacity);
    }
    memcpy(this->body + this->length, bytes, length);
    this->length += length;
    return length;
}

static size_t send_piece(char *bytes, size_t size, size_t count, void *context) {
    worker *this = context;
    size_t length = size * count, left = upload_size - this->sent;
    if (length > left) length = left;
    memcpy(bytes, upload + this->sent, length);
    this->sent += length;
    return length;
}

static int by_size(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

int main(void) {
    const char *url = argument("url", "");
    const char *work = argument("work", "get");
    const char *ca = argument("ca", NULL);
    int concurrency = atoi(argument("concurrency", "1"));
    int http2 = argument("http2", "0")[0] == '1';
    upload_size = (size_t)atoll(argument("size", "0"));
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)concurrency);
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    if (strcmp(work, "upload") == 0) {
        upload = malloc(upload_size);
        memset(upload, 'x', upload_size);
    }
    const char *path = argument("file", "/dev/null");
    worker *workers = calloc((size_t)concurrency, sizeof(worker));
    for (int i = 0; i < concurrency; i++) {
        worker *this = &workers[i];
        CURL *easy = this->easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
        curl_easy_setopt(easy, CURLOPT_USERAGENT, "NetChainKit");
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                         http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, (long)http2);
        if (ca) curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
        // Debian sets a folder of certificates as well, with which libcurl loads all of them for every connection.
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
        if (upload) {
            curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
            curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_piece);
            curl_easy_setopt(easy, CURLOPT_READDATA, this);
            curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)upload_size);
        }
        this->request_start = nanoseconds(CLOCK_MONOTONIC);
        curl_multi_add_handle(multi, easy);
    }
    if (strcmp(work, "file") == 0) file = fopen(path, "wb");
    uint64_t warm_up_end =
        nanoseconds(CLOCK_MONOTONIC) + (uint64_t)atoll(argument("warmup", "200")) * 1000000u;
    uint64_t end = warm_up_end + (uint64_t)atoll(argument("duration", "1000")) * 1000000u;
    double rate = 0, processor_time = 0;
    int left = concurrency, running, messages;
    while (left > 0) {
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &messages))) {
            worker *this;
            long status = 0;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &this);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            if (message->data.result != CURLE_OK || status / 100 != 2) {
                fprintf(stderr, "status %ld, %s\n", status, curl_easy_strerror(message->data.result));
                return 1;
            }
            curl_multi_remove_handle(multi, this->easy);
            if (file) {
                fclose(file);
                file = fopen(path, "wb");
            }
            if (strcmp(work, "memory") == 0) {
                // The caller of a library keeps a large body.
                free(this->body);
                this->body = NULL;
                this->capacity = 0;
            }
            this->length = this->sent = 0;
            uint64_t now = nanoseconds(CLOCK_MONOTONIC);
            int goes_on = 1;
            if (this->begin != 0) {
                if (this->count == this->room) {
                    this->room = this->room ? this->room * 2 : 16384;
                    this->latencies = realloc(this->latencies, this->room * sizeof(uint32_t));
                }
                this->latencies[this->count++] = (uint32_t)((now - this->request_start) / 1000);
                if (now >= end) {
                    double seconds = (double)(now - this->begin) / 1e9;
                    rate += (double)this->count / seconds;
                    processor_time =
                        (double)(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - this->processor_time) / 1e3 / seconds;
                    left--;
                    goes_on = 0;
                }
            } else if (now >= warm_up_end) {
                this->begin = now;
                this->processor_time = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
            }
            this->request_start = now;
            if (goes_on) curl_multi_add_handle(multi, this->easy);
        }
        if (left > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    size_t requests = 0;
    for (int i = 0; i < concurrency; i++) requests += workers[i].count;
    uint32_t *all = malloc(requests * sizeof(uint32_t)), *place = all;
    for (int i = 0; i < concurrency; i++) {
        memcpy(place, workers[i].latencies, workers[i].count * sizeof(uint32_t));
        place += workers[i].count;
    }
    qsort(all, requests, sizeof(uint32_t), by_size);
    printf("rate=%f cpu=%f p50=%u memory=%ld\n", rate, processor_time / rate, all[requests / 2], most_memory());
    return 0;
}
