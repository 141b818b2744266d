/* Counts the writes, syncs, truncations and removals of a process on the files of one folder; kills the process in front
   of a chosen one; and writes all of them to a log, from which the disk after a power cut is made. With `wire`, what is
   sent to a server and received from it counts as well, and another process may get another signal instead. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[PATH_MAX] = "";
static long until_death = -1;
static int log_file = -1;
static int on_the_wire = 0;
static pid_t victim = 0;
static int weapon = SIGKILL;

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

void watch(const char *where, long kill_in_front_of, int log) {
    strncpy(folder, where, sizeof folder - 1);
    until_death = kill_in_front_of;
    log_file = log;
}

void wire(pid_t who, int how) {
    on_the_wire = 1;
    victim = who;
    weapon = how;
}

long left_to_live(void) { return until_death; }

static void count(void) {
    if (until_death >= 0 && until_death-- == 0) kill(victim ? victim : getpid(), victim ? weapon : SIGKILL);
}

static void event(const char *path, char kind, int64_t offset, const void *data, uint64_t size) {
    if (!folder[0] || strncmp(path, folder, strlen(folder))) return;
    count();
    if (log_file < 0) return;
    uint64_t length = strlen(path), bytes = data ? size : 0;
    REAL(write)(log_file, &kind, 1);
    REAL(write)(log_file, &length, 8);
    REAL(write)(log_file, path, length);
    REAL(write)(log_file, &offset, 8);
    REAL(write)(log_file, &bytes, 8);
    if (bytes) REAL(write)(log_file, data, bytes);
}

static void of_file(int fd, char kind, int64_t offset, const void *data, uint64_t size) {
    char link[64], path[PATH_MAX];
    if (!folder[0] || fd == log_file) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    event(path, kind, offset, data, size);
}

ssize_t write(int fd, const void *data, size_t size) {
    of_file(fd, 'W', lseek(fd, 0, SEEK_CUR), data, size);
    return REAL(write)(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    of_file(fd, 'W', offset, data, size);
    return REAL(pwrite)(fd, data, size, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    of_file(fd, 'W', offset, data, size);
    return REAL(pwrite64)(fd, data, size, offset);
}
int fsync(int fd) {
    of_file(fd, 'S', 0, 0, 0);
    return REAL(fsync)(fd);
}
int fdatasync(int fd) {
    of_file(fd, 'S', 0, 0, 0);
    return REAL(fdatasync)(fd);
}
int ftruncate(int fd, off_t size) {
    of_file(fd, 'T', size, 0, 0);
    return REAL(ftruncate)(fd, size);
}
int ftruncate64(int fd, off64_t size) {
    of_file(fd, 'T', size, 0, 0);
    return REAL(ftruncate64)(fd, size);
}
int unlink(const char *path) {
    event(path, 'U', 0, 0, 0);
    return REAL(unlink)(path);
}
ssize_t send(int fd, const void *data, size_t size, int flags) {
    if (on_the_wire) count();
    return REAL(send)(fd, data, size, flags);
}
ssize_t recv(int fd, void *data, size_t size, int flags) {
    if (on_the_wire) count();
    return REAL(recv)(fd, data, size, flags);
}
