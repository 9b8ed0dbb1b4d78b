#ifndef CHEAP_SHIM_H
#define CHEAP_SHIM_H

// Swift's module of the C library does not contain malloc.h.
#if defined(__linux__)
#include <malloc.h>
#endif

// The bytes that are allocated and not yet freed, or 0 if the C library does not report them.
static inline unsigned long CHeap_in_use(void) {
#if defined(__GLIBC__)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

#endif
