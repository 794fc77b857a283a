/* Refuses one large allocation of a program into which it is loaded before (LD_PRELOAD): number
   FAULT_NUMBER, from 1, of those of FAULT_BYTES or more. At the end a file FAULT_REPORT gets a byte
   if one was refused. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_ulong count;

static unsigned long number_of(const char *name) {
    const char *text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static int is_refused(size_t bytes) {
    unsigned long least = number_of("FAULT_BYTES");
    if (least == 0 || bytes < least || atomic_fetch_add(&count, 1) + 1 != number_of("FAULT_NUMBER")) return 0;
    int file = open(getenv("FAULT_REPORT"), O_WRONLY | O_APPEND);
    if (file >= 0) {
        if (write(file, "x", 1)) {}
        close(file);
    }
    errno = ENOMEM;
    return 1;
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t bytes) { return is_refused(bytes) ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return is_refused(n * bytes) ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *old, size_t bytes) { return is_refused(bytes) ? NULL : __libc_realloc(old, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) {
    return is_refused(bytes) ? NULL : __libc_memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    if (is_refused(bytes)) return ENOMEM;
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}
