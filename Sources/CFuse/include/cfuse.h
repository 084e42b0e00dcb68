#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

// The whole fence over libfuse3's low-level API: no libfuse type, macro or bit-field crosses it.
// Every name starts with cfuse_. Errors are errno numbers.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cfuse_session cfuse_session;  // one mount
typedef struct cfuse_request cfuse_request;  // one kernel request that nobody has answered yet

typedef enum : uint32_t {
  CFUSE_LOOKUP, CFUSE_FORGET, CFUSE_GETATTR, CFUSE_READLINK, CFUSE_OPEN, CFUSE_READ, CFUSE_RELEASE,
  CFUSE_OPENDIR, CFUSE_READDIR, CFUSE_READDIRPLUS, CFUSE_RELEASEDIR, CFUSE_STATFS,
  CFUSE_GETXATTR, CFUSE_LISTXATTR, CFUSE_SETXATTR, CFUSE_REMOVEXATTR, CFUSE_FSYNC,
  // Operations that change something; `name` is the entry that they are about.
  CFUSE_SETATTR, CFUSE_MKNOD, CFUSE_MKDIR, CFUSE_UNLINK, CFUSE_RMDIR, CFUSE_SYMLINK, CFUSE_RENAME,
  CFUSE_LINK, CFUSE_CREATE, CFUSE_WRITE, CFUSE_FALLOCATE,
} cfuse_opcode;

typedef struct {
  uint64_t node;
  uint64_t count;
} cfuse_forgotten;

// One request as it came in. Borrowed: every pointer is valid only during the handler's call.
typedef struct {
  cfuse_request *_Nullable request;  // NULL for FORGET, which takes no answer
  cfuse_opcode opcode;
  int32_t thread;  // the calling thread's id, 0 when it is not visible from here
  uint32_t user, group, umask;
  uint64_t node, handle;
  int64_t offset_bytes;
  uint64_t length_bytes;
  uint32_t flags;  // open flags, as open(2) has them
  bool fills_cache;  // READ: for the page cache (sendfile, a map), not for a read(2) past it
  const char *_Nullable name;
  uint64_t new_node;  // RENAME: the folder that it goes to
  const char *_Nullable new_name;  // RENAME
  const void *_Nullable value;  // SETXATTR
  size_t value_length;
  const cfuse_forgotten *_Nullable forgotten;
  size_t forgotten_count;
} cfuse_op;

// Called on a loop thread, for several requests at once.
typedef void (*cfuse_handler)(void *_Nullable context, const cfuse_op *_Nonnull op);
// Called on a loop thread when the kernel interrupts the request that was armed with `token`.
typedef void (*cfuse_interrupt_handler)(void *_Nullable context, uint64_t token);

typedef struct {
  const char *_Nonnull mountpoint;
  const char *_Nonnull options;  // comma-separated, as for mount -o
  bool direct_io_mmap;  // ask for shared maps of direct-I/O opens (kernel 6.6)
  bool debug;
} cfuse_configuration;

// Mounts. Returns NULL and sets errno when it cannot.
cfuse_session *_Nullable cfuse_mount(
    const cfuse_configuration *_Nonnull configuration, cfuse_handler _Nonnull handler,
    cfuse_interrupt_handler _Nonnull interrupted, void *_Nullable context);
// Serves with up to `threads` receive threads until the mount ends; returns 0 or -errno. It cannot be
// woken from outside (libfuse issue 1572): the process ends by _exit once everyone is answered.
int cfuse_run(cfuse_session *_Nonnull session, unsigned threads);

// What the kernel granted at INIT; valid once the first request has come in.
typedef struct {
  uint32_t major, minor;
  bool parallel_directory_operations, direct_io_mmap;
  uint32_t max_background;
} cfuse_features;
cfuse_features cfuse_session_features(const cfuse_session *_Nonnull session);

// Arms `request`: when the kernel interrupts it, the interrupt handler is called with `token`, at once
// if it already has been. To be called once, by the handler, before anybody may answer the request.
void cfuse_arm_interrupt(cfuse_request *_Nonnull request, uint64_t token);

// Replies. Each consumes the request, whatever it returns: 0, or -ENOENT when the kernel no longer
// wanted the answer. Any thread may call them.
int cfuse_reply_error(cfuse_request *_Nonnull request, int32_t error);
int cfuse_reply_bytes(cfuse_request *_Nonnull request, const void *_Nullable bytes, size_t count);
int cfuse_reply_target(cfuse_request *_Nonnull request, const char *_Nonnull target);
int cfuse_reply_xattr_size(cfuse_request *_Nonnull request, size_t count);
void cfuse_reply_none(cfuse_request *_Nonnull request);

typedef struct {
  uint64_t inode;
  uint32_t mode, links, user, group;
  int64_t size_bytes;
  uint64_t blocks;  // of 512 bytes
  uint32_t block_size_bytes;
  int64_t access_seconds, modify_seconds, change_seconds;
  uint32_t access_nanoseconds, modify_nanoseconds, change_nanoseconds;
  uint64_t device;
} cfuse_attributes;
// Timeouts are 0: the observed lane asks every time.
int cfuse_reply_attributes(
    cfuse_request *_Nonnull request, const cfuse_attributes *_Nonnull attributes);
int cfuse_reply_entry(
    cfuse_request *_Nonnull request, uint64_t node, uint64_t generation,
    const cfuse_attributes *_Nonnull attributes);
int cfuse_reply_open(cfuse_request *_Nonnull request, uint64_t handle, bool direct_io);

typedef struct {
  uint64_t block_size_bytes, blocks, blocks_free, files, files_free, name_max;
} cfuse_statistics;
int cfuse_reply_statistics(
    cfuse_request *_Nonnull request, const cfuse_statistics *_Nonnull statistics);

// Adds one directory entry to `buffer`; returns the bytes used, or 0 when it does not fit.
// `node` 0 adds a name without a node (".", ".."); `plus` for READDIRPLUS. The generation is that of
// cfuse_reply_entry: to the kernel, another one means another file, and it makes the open one bad.
size_t cfuse_add_entry(
    cfuse_request *_Nonnull request, void *_Nonnull buffer, size_t capacity,
    const char *_Nonnull name, uint64_t node, uint64_t generation,
    const cfuse_attributes *_Nonnull attributes, int64_t next_offset, bool plus);
// Bytes that one entry with a name of `name_length` bytes takes in such a buffer.
size_t cfuse_entry_bytes(size_t name_length, bool plus);

// A page-aligned buffer of this thread, valid until its next call here. NULL when memory is short.
void *_Nullable cfuse_thread_buffer(size_t bytes);

// Kernel caches. Both may wait for the kernel's own locks: for the notifier thread only.
// `offset_bytes` -1: attributes only. 0 or -errno; -ENOENT when the kernel does not know the node.
int cfuse_invalidate_node(
    cfuse_session *_Nonnull session, uint64_t node, int64_t offset_bytes, int64_t length_bytes);

#ifdef __cplusplus
}
#endif
