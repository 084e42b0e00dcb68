#include "session.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// The INIT patch. libfuse 3.14 never passes FUSE_PARALLEL_DIROPS on (fixed upstream later), so that a
// lookup held in a directory would stop every other name there; and it does not know flags of newer
// kernels. Both are added to the one INIT reply as it passes through these two functions.

// The wire format of the kernel's uapi header linux/fuse.h; the names are ours.
struct request_header {
  uint32_t length, opcode;
  uint64_t unique, node;
  uint32_t user, group, thread;
  uint16_t extension_length, padding;
};
struct reply_header {
  uint32_t length;
  int32_t error;
  uint64_t unique;
};
struct init_request {
  uint32_t major, minor, max_readahead, flags, flags2, unused[11];
};
struct init_reply {
  uint32_t major, minor, max_readahead, flags;
  uint16_t max_background, congestion_threshold;
  uint32_t max_write, time_granularity;
  uint16_t max_pages, map_alignment;
  uint32_t flags2, max_stack_depth;
  uint16_t request_timeout, unused[11];
};
_Static_assert(sizeof(struct request_header) == 40, "struct fuse_in_header");
_Static_assert(sizeof(struct init_reply) == 64, "struct fuse_init_out");

enum { OPCODE_INIT = 26 };
static const uint64_t parallel_directory_operations = UINT64_C(1) << 18;
static const uint64_t init_extended = UINT64_C(1) << 30;
static const uint64_t direct_io_allow_mmap = UINT64_C(1) << 36;

static void note_request(struct cfuse_session *session, const void *bytes, size_t count) {
  const struct request_header *header = bytes;
  if (count < sizeof *header + 16 || header->opcode != OPCODE_INIT) return;
  const struct init_request *init = (const void *)(header + 1);
  session->init_unique = header->unique;
  session->kernel_flags = init->flags;
  if ((init->flags & init_extended) && count >= sizeof *header + 20)
    session->kernel_flags |= (uint64_t)init->flags2 << 32;
  session->init_seen = true;
}

static void patch_reply(struct cfuse_session *session, struct iovec *parts, int count) {
  if (!session->init_seen || count < 2 || parts[0].iov_len < sizeof(struct reply_header)) return;
  const struct reply_header *header = parts[0].iov_base;
  if (header->unique != session->init_unique || header->error != 0) return;
  if (parts[1].iov_len < sizeof(struct init_reply)) return;
  struct init_reply *reply = parts[1].iov_base;

  uint64_t wanted = parallel_directory_operations;
  if (session->want_direct_io_mmap) wanted |= direct_io_allow_mmap;
  uint64_t granted = wanted & session->kernel_flags;
  reply->flags |= (uint32_t)granted;
  if ((granted >> 32) && (session->kernel_flags & init_extended)) {
    reply->flags |= (uint32_t)init_extended;
    reply->flags2 |= (uint32_t)(granted >> 32);
  }
  session->features = (cfuse_features){
      .major = reply->major,
      .minor = reply->minor,
      .parallel_directory_operations = (granted & parallel_directory_operations) != 0,
      .direct_io_mmap = (granted & direct_io_allow_mmap) != 0,
      .max_background = reply->max_background,
  };
  atomic_store(&session->init_done, true);
}

static ssize_t read_request(int fd, void *buffer, size_t length, void *userdata) {
  struct cfuse_session *session = userdata;
  ssize_t count = read(fd, buffer, length);
  if (count > 0 && !atomic_load_explicit(&session->init_done, memory_order_relaxed))
    note_request(session, buffer, (size_t)count);
  return count;
}

static ssize_t write_reply(int fd, struct iovec *parts, int count, void *userdata) {
  struct cfuse_session *session = userdata;
  if (!atomic_load_explicit(&session->init_done, memory_order_relaxed))
    patch_reply(session, parts, count);
  return writev(fd, parts, count);
}

int cfuse_install_init_patch(struct cfuse_session *session) {
  static const struct fuse_custom_io io = {.read = read_request, .writev = write_reply};
  return fuse_session_custom_io(session->fuse, &io, fuse_session_fd(session->fuse));
}
