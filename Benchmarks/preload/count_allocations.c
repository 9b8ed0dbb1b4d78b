/*
 * Counts the allocations of a process. It is preloaded, and passes each call to the allocator that the process normally uses
 * (h2load contains jemalloc). At the end of the process, it writes the number of calls into the file whose path is in
 * ALLOCATIONS_FILE.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_ulong calls;

/* An allocation inside another one does not count again, for example when `new` calls malloc. */
static __thread int depth __attribute__((tls_model("initial-exec")));

/* Memory that dlsym allocates while it looks up the allocator. It is never freed: free ignores it. */
static _Alignas(16) char early[16384];
static size_t early_used;

static void *early_block(size_t size) {
    size_t begin = early_used;
    early_used += (size + 15) & ~(size_t)15;
    if (early_used > sizeof early) abort();
    return early + begin;
}

static int is_early(void *block) { return (char *)block >= early && (char *)block < early + sizeof early; }

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void (*next_free)(void *);
static void *(*next_new)(size_t);
static void *(*next_new_array)(size_t);
static int is_looking;

static void look_up(void) {
    is_looking = 1;
    next_calloc = dlsym(RTLD_NEXT, "calloc");
    next_realloc = dlsym(RTLD_NEXT, "realloc");
    next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    next_free = dlsym(RTLD_NEXT, "free");
    next_new = dlsym(RTLD_NEXT, "_Znwm");
    next_new_array = dlsym(RTLD_NEXT, "_Znam");
    next_malloc = dlsym(RTLD_NEXT, "malloc");
    is_looking = 0;
}

static int is_ready(void) {
    if (next_malloc == NULL && !is_looking) look_up();
    return !is_looking;
}

static void enter(void) {
    if (depth++ == 0) atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    if (!is_ready()) return early_block(size);
    enter();
    void *block = next_malloc(size);
    depth--;
    return block;
}

void *calloc(size_t number, size_t size) {
    if (!is_ready()) return early_block(number * size);
    enter();
    void *block = next_calloc(number, size);
    depth--;
    return block;
}

void *realloc(void *block, size_t size) {
    if (is_early(block)) {
        void *moved = malloc(size);
        size_t left = (size_t)(early + sizeof early - (char *)block);
        return moved == NULL ? NULL : memcpy(moved, block, size < left ? size : left);
    }
    if (!is_ready()) return early_block(size);
    enter();
    void *moved = next_realloc(block, size);
    depth--;
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size) {
    is_ready();
    enter();
    void *block = next_aligned_alloc(alignment, size);
    depth--;
    return block;
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    is_ready();
    enter();
    int result = next_posix_memalign(block, alignment, size);
    depth--;
    return result;
}

void free(void *block) {
    if (block == NULL || is_early(block)) return;
    if (is_ready()) next_free(block);
}

/* C++: operator new and operator new[]. Some allocators provide them without a call to malloc. */
void *_Znwm(size_t size) {
    is_ready();
    enter();
    void *block = next_new(size);
    depth--;
    return block;
}

void *_Znam(size_t size) {
    is_ready();
    enter();
    void *block = next_new_array(size);
    depth--;
    return block;
}

/* Child processes must not overwrite the number. */
__attribute__((constructor)) static void leave_children_alone(void) { unsetenv("LD_PRELOAD"); }

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("ALLOCATIONS_FILE");
    unsigned long total = atomic_load(&calls);
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL) return;
    fprintf(file, "%lu\n", total);
    fclose(file);
}
