#pragma once
// What Swift's Glibc module lacks: headers it does not cover, variadic calls, system calls without a
// wrapper. Prefix clinux_. Each returns -1 and sets errno on failure unless it says otherwise.

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <sys/types.h>

// Open flags that need _GNU_SOURCE.
enum { CLINUX_O_PATH = 010000000, CLINUX_O_NOATIME = 01000000 };

// prctl(2), which is variadic.
int clinux_set_timer_slack(uint64_t nanoseconds);
int clinux_set_child_subreaper(bool on);
int clinux_set_thread_name(const char *_Nonnull name);  // 15 bytes at most are kept

// Asks for real-time scheduling of the calling thread (SCHED_FIFO at its lowest priority).
int clinux_set_realtime(void);

// A descriptor for a process (kernel 5.3), closed on exec.
int clinux_pidfd_open(int32_t pid);
int clinux_pidfd_send_signal(int pidfd, int signal);
// The process that thread `tid` belongs to, by a thread's pidfd (kernel 6.13), or -1.
int32_t clinux_process_of_thread(int32_t tid);
// accept4(2): closed on exec, not blocking.
int clinux_accept(int listener);
// The peer's pidfd of a connected unix socket (kernel 6.5), or -1.
int clinux_peer_pidfd(int socket);
// The peer's process and user of a connected unix socket.
int clinux_peer_credentials(int socket, int32_t *_Nonnull pid, uint32_t *_Nonnull user);

// A detached clone of the mount tree at `path`, read-only and without access times, mounts inside it
// included (kernel 5.12, CAP_SYS_ADMIN). The descriptor serves as a directory for openat.
int clinux_clone_read_only(const char *_Nonnull path);

// openat2(2) that never leaves `directory` and follows no symbolic link (kernel 5.6); before that, openat(2)
// that does not follow the last one.
int clinux_open_beneath(int directory, const char *_Nonnull path, int flags);

// openat(2) without the variadic part.
int clinux_openat(int directory, const char *_Nonnull path, int flags);
// A new or emptied file that only we can read, for reading and writing.
int clinux_create(const char *_Nonnull path);
// pipe2(2): both ends closed on exec.
int clinux_pipe(int ends[_Nonnull 2]);
// A new file in `directory` that has no name, for reading and writing (O_TMPFILE, else one that is unlinked at once).
int clinux_temporary_file(const char *_Nonnull directory);
// Closes all descriptors from `first` on (kernel 5.9, else one by one).
int clinux_close_from(int first);
// fallocate(2) that changes nothing: to whoever watches, the file has been written to.
int clinux_say_written(int descriptor);
// A file in memory that nothing else can open (memfd_create(2)), closed on exec.
int clinux_unnamed_file(void);
int clinux_ioctl_window_columns(int terminal);
// A terminal's size; false when it has none.
bool clinux_window_size(int terminal, int *_Nonnull columns, int *_Nonnull rows);

// posix_spawn(3) in a new session; Swift's Glibc module does not show the flag.
enum { CLINUX_SPAWN_SETSID = 0x80 };
