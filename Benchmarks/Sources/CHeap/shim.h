#ifndef CHEAP_SHIM_H
#define CHEAP_SHIM_H

// Not in Swift's module of the C library.
#if defined(__linux__)
#include <malloc.h>
#endif

// What was allocated and not given back, in bytes; 0 where the C library does not tell.
static inline unsigned long CHeap_in_use(void) {
#if defined(__GLIBC__)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

#endif
