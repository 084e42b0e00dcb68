#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Numbers of newer kernels that Debian 12's headers do not have; from the kernel's uapi headers.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
enum { PIDFD_FOR_THREAD = O_EXCL };

struct pidfd_info {
  uint64_t mask, cgroup_id;
  uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_info) == 64, "PIDFD_INFO_SIZE_VER0");
#define GET_INFO _IOWR(0xFF, 11, struct pidfd_info)

int clinux_set_timer_slack(uint64_t nanoseconds) {
  return prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds, 0UL, 0UL, 0UL);
}
int clinux_set_child_subreaper(bool on) {
  return prctl(PR_SET_CHILD_SUBREAPER, on ? 1UL : 0UL, 0UL, 0UL, 0UL);
}
int clinux_set_thread_name(const char *name) {
  char kept[16] = {0};
  strncpy(kept, name, sizeof kept - 1);
  return prctl(PR_SET_NAME, kept, 0UL, 0UL, 0UL);
}
int clinux_set_realtime(void) {
  struct sched_param parameters = {.sched_priority = 1};
  return sched_setscheduler(0, SCHED_FIFO, &parameters);
}

int clinux_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
int clinux_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}
int32_t clinux_process_of_thread(int32_t tid) {
  int pidfd = (int)syscall(SYS_pidfd_open, tid, PIDFD_FOR_THREAD);
  if (pidfd < 0) return -1;
  struct pidfd_info info = {0};
  int failed = ioctl(pidfd, GET_INFO, &info);
  int error = errno;
  close(pidfd);
  errno = error;
  return failed < 0 ? -1 : (int32_t)info.tgid;
}
int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }
int clinux_peer_pidfd(int socket) {
  int pidfd = -1;
  socklen_t length = sizeof pidfd;
  return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) < 0 ? -1 : pidfd;
}
int clinux_peer_credentials(int socket, int32_t *pid, uint32_t *user) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
  *pid = peer.pid;
  *user = peer.uid;
  return 0;
}

int clinux_clone_read_only(const char *path) {
  struct {
    uint64_t set, clear, propagation, userns;
  } attributes = {.set = 0x1 /* MOUNT_ATTR_RDONLY */ | 0x10 /* MOUNT_ATTR_NOATIME */,
                  .clear = 0x70 /* MOUNT_ATTR__ATIME */};
  enum { TREE_CLONE = 1, TREE_CLOEXEC = O_CLOEXEC, RECURSIVE = 0x8000, EMPTY_PATH = 0x1000 };
  int tree = (int)syscall(SYS_open_tree, AT_FDCWD, path, TREE_CLONE | TREE_CLOEXEC | RECURSIVE);
  if (tree < 0) return -1;
  if (syscall(SYS_mount_setattr, tree, "", EMPTY_PATH | RECURSIVE, &attributes, sizeof attributes) < 0) {
    int error = errno;
    close(tree);
    errno = error;
    return -1;
  }
  return tree;
}

int clinux_open_beneath(int directory, const char *path, int flags) {
  struct { uint64_t flags, mode, resolve; } how = {
      .flags = (uint64_t)(flags | O_CLOEXEC),
      .resolve = 0x04 /* RESOLVE_NO_SYMLINKS */ | 0x08 /* RESOLVE_BENEATH */,
  };
  if (flags & CLINUX_O_PATH) how.resolve = 0x08, how.flags |= O_NOFOLLOW;
  int descriptor = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
  if (descriptor >= 0 || errno != ENOSYS) return descriptor;
  return openat(directory, path, flags | O_CLOEXEC | O_NOFOLLOW);
}
int clinux_openat(int directory, const char *path, int flags) {
  return openat(directory, path, flags | O_CLOEXEC);
}
int clinux_create(const char *path) {
  return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}
int clinux_temporary_file(const char *directory) {
  int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return descriptor;
  char path[4096];
  if (snprintf(path, sizeof path, "%s/fakeproviderXXXXXX", directory) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  descriptor = mkostemp(path, O_CLOEXEC);
  if (descriptor >= 0) unlink(path);
  return descriptor;
}
int clinux_close_from(int first) {
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0) == 0 || errno != ENOSYS) return 0;
  for (long descriptor = first, limit = sysconf(_SC_OPEN_MAX); descriptor < limit; descriptor++)
    close((int)descriptor);
  return 0;
}
int clinux_say_written(int descriptor) { return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, 1); }
int clinux_ioctl_window_columns(int terminal) {
  struct winsize size = {0};
  return ioctl(terminal, TIOCGWINSZ, &size) < 0 ? -1 : size.ws_col;
}
bool clinux_window_size(int terminal, int *columns, int *rows) {
  struct winsize size = {0};
  if (ioctl(terminal, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0) return false;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return true;
}
int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
int clinux_unnamed_file(void) { return memfd_create("output", MFD_CLOEXEC); }
