#ifndef BUILD_COMMIT_H
#define BUILD_COMMIT_H

/// The commit that the program was built from, as the variable PUSHSEND_COMMIT had it at build time; empty if it was not set.
///
/// In C, because a Swift target cannot be given a text at build time.
const char *build_commit(void);

#endif
