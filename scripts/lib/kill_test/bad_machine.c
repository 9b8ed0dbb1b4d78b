/*
 * A machine on which bad things happen to one program: a disk that forgets what was not synced, or is full, and a clock that jumps.
 * It is preloaded. `machine.py` controls it through the folder in BAD_MACHINE:
 *
 *   control     three numbers of 8 bytes, which this library maps: whether the disk is full, whether a sync does nothing, and the
 *               seconds that are added to the clock
 *   undo-SUFFIX what is needed to bring a file of the database back to its last sync; empty after each sync
 *
 * BAD_MACHINE_DATABASE is the path of the database. Its files are the path itself, and the path with -wal and -journal. What SQLite
 * writes goes to the real file, so that reads and other processes see it. Before that, the old content goes to the undo file. After a
 * kill, machine.py writes the old content back: all of it, or that of some blocks. The -shm file is memory, and SQLite makes it anew.
 *
 * A record in an undo file: offset, length and the size of the file before the write, 8 bytes each, then the old bytes. The length is
 * shorter than that of the write where the file had no bytes before.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SYNC_MICROSECONDS 3000
/* The function of the C library behind one of this name. */
#define NEXT(name)                                                          \
    ({                                                                      \
        static __typeof__(&name) function;                                  \
        if (function == NULL) function = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        function;                                                           \
    })

struct control {
    int64_t is_full;
    int64_t ignores_sync;
    int64_t clock_offset;
};

static const char *suffixes[] = {"", "-wal", "-journal"};
enum { SUFFIXES = 3 };

static struct control *control;
static const char *database;
static int undo[SUFFIXES] = {-1, -1, -1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("BAD_MACHINE");
    if (folder == NULL) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/control", folder);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return;
    const char *name = getenv("BAD_MACHINE_DATABASE");
    for (int kind = 0; name != NULL && kind < SUFFIXES; kind++) {
        snprintf(path, sizeof path, "%s/undo%s", folder, suffixes[kind]);
        undo[kind] = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    database = name;
    control = memory;
}

/* The number of a path's suffix, and 1; 0 for a file that is not of the database. */
static int kind_of(const char *path) {
    size_t length = strlen(database);
    if (strncmp(path, database, length) != 0) return 0;
    for (int kind = 0; kind < SUFFIXES; kind++)
        if (strcmp(path + length, suffixes[kind]) == 0) return kind + 1;
    return 0;
}

static int kind_at(int file) {
    if (database == NULL) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return kind_of(path);
}

static int is_full(void) {
    if (!control->is_full) return 0;
    errno = ENOSPC;
    return 1;
}

/* Without a record, a kill would find a file that nothing can bring back. */
static void append(int kind, const void *bytes, size_t length) {
    if (NEXT(write)(undo[kind - 1], bytes, length) != (ssize_t)length) abort();
}

/* Notes what a write, or a change of the size, is about to destroy. */
static void note(int kind, int file, off_t offset, size_t length) {
    struct stat status;
    if (fstat(file, &status) != 0) abort();
    size_t kept = offset >= status.st_size ? 0 : (size_t)(status.st_size - offset);
    if (kept > length) kept = length;
    uint64_t *record = malloc(24 + kept);
    if (record == NULL) abort();
    record[0] = (uint64_t)offset;
    record[1] = kept;
    record[2] = (uint64_t)status.st_size;
    if (kept > 0 && pread(file, record + 3, kept, offset) != (ssize_t)kept) abort();
    append(kind, record, 24 + kept);
    free(record);
}

static int synced(int file, int (*sync)(int)) {
    int kind = kind_at(file);
    if (kind == 0) return sync(file);
    /* The real disk has no part in it: only what this library forgets is lost. */
    if (control->ignores_sync) return 0;
    /* As long as a disk needs, so that kills come in between. SQLite writes nothing to the file meanwhile. */
    usleep(SYNC_MICROSECONDS);
    pthread_mutex_lock(&lock);
    if (NEXT(ftruncate)(undo[kind - 1], 0) != 0) abort();
    pthread_mutex_unlock(&lock);
    return 0;
}

static ssize_t write_at(int file, const void *bytes, size_t length, off_t offset) {
    int kind = kind_at(file);
    if (kind == 0) return NEXT(pwrite)(file, bytes, length, offset);
    if (is_full()) return -1;
    pthread_mutex_lock(&lock);
    note(kind, file, offset, length);
    ssize_t count = NEXT(pwrite)(file, bytes, length, offset);
    pthread_mutex_unlock(&lock);
    return count;
}

static int resize(int file, off_t size) {
    int kind = kind_at(file);
    if (kind == 0) return NEXT(ftruncate)(file, size);
    pthread_mutex_lock(&lock);
    note(kind, file, size, SIZE_MAX >> 1);
    int result = NEXT(ftruncate)(file, size);
    pthread_mutex_unlock(&lock);
    return result;
}

/* MARK: The calls of the C library. On 64-bit systems, the two names of each do the same. */

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) { return write_at(file, bytes, length, offset); }

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) __attribute__((alias("pwrite")));

ssize_t write(int file, const void *bytes, size_t length) {
    if (kind_at(file) == 0) return NEXT(write)(file, bytes, length);
    /* SQLite writes at a position. This is for one that does not. */
    off_t offset = lseek(file, 0, SEEK_CUR);
    ssize_t count = write_at(file, bytes, length, offset);
    if (count > 0) lseek(file, offset + count, SEEK_SET);
    return count;
}

int ftruncate(int file, off_t size) { return resize(file, size); }
int ftruncate64(int file, off64_t size) __attribute__((alias("ftruncate")));
int fsync(int file) { return synced(file, NEXT(fsync)); }
int fdatasync(int file) { return synced(file, NEXT(fdatasync)); }

int unlink(const char *path) {
    int kind = database == NULL ? 0 : kind_of(path);
    int result = NEXT(unlink)(path);
    /* SQLite removes a file only when nothing in it is needed. */
    if (kind > 0 && result == 0 && NEXT(ftruncate)(undo[kind - 1], 0) != 0) abort();
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = NEXT(clock_gettime)(clock, time);
    if (control != NULL && result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += control->clock_offset;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    int result = NEXT(gettimeofday)(time, zone);
    if (control != NULL && result == 0) time->tv_sec += control->clock_offset;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}
