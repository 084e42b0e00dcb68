#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Answers, from any thread, and the interrupts of requests that wait for one.

static void on_interrupt(fuse_req_t request, void *token) {
  struct cfuse_session *session = fuse_req_userdata(request);
  session->interrupted(session->context, (uint64_t)(uintptr_t)token);
}

// The token is a number, not a pointer: libfuse reads it before it calls, and the request may be
// answered in between, so there must be nothing to free.
void cfuse_arm_interrupt(cfuse_request *request, uint64_t token) {
  fuse_req_interrupt_func((fuse_req_t)request, on_interrupt, (void *)(uintptr_t)token);
}

int cfuse_reply_error(cfuse_request *request, int32_t error) {
  return fuse_reply_err((fuse_req_t)request, error);
}
int cfuse_reply_bytes(cfuse_request *request, const void *bytes, size_t count) {
  return fuse_reply_buf((fuse_req_t)request, bytes, count);
}
int cfuse_reply_target(cfuse_request *request, const char *target) {
  return fuse_reply_readlink((fuse_req_t)request, target);
}
int cfuse_reply_xattr_size(cfuse_request *request, size_t count) {
  return fuse_reply_xattr((fuse_req_t)request, count);
}
void cfuse_reply_none(cfuse_request *request) { fuse_reply_none((fuse_req_t)request); }

static struct stat stat_of(const cfuse_attributes *a) {
  struct stat st = {0};
  st.st_ino = a->inode;
  st.st_mode = a->mode;
  st.st_nlink = a->links;
  st.st_uid = a->user;
  st.st_gid = a->group;
  st.st_rdev = a->device;
  st.st_size = a->size_bytes;
  st.st_blocks = (blkcnt_t)a->blocks;
  st.st_blksize = (blksize_t)a->block_size_bytes;
  st.st_atim = (struct timespec){a->access_seconds, a->access_nanoseconds};
  st.st_mtim = (struct timespec){a->modify_seconds, a->modify_nanoseconds};
  st.st_ctim = (struct timespec){a->change_seconds, a->change_nanoseconds};
  return st;
}

int cfuse_reply_attributes(cfuse_request *request, const cfuse_attributes *attributes) {
  struct stat st = stat_of(attributes);
  return fuse_reply_attr((fuse_req_t)request, &st, 0.0);
}
int cfuse_reply_entry(
    cfuse_request *request, uint64_t node, uint64_t generation, const cfuse_attributes *attributes) {
  struct fuse_entry_param entry = {.ino = node, .generation = generation};
  entry.attr = stat_of(attributes);
  return fuse_reply_entry((fuse_req_t)request, &entry);
}
int cfuse_reply_open(cfuse_request *request, uint64_t handle, bool direct_io) {
  struct fuse_file_info info = {0};
  info.fh = handle;
  info.direct_io = direct_io;
  // Or the kernel drops the pages itself as it opens, and waits there for those of a read that is held.
  info.keep_cache = 1;
  return fuse_reply_open((fuse_req_t)request, &info);
}
int cfuse_reply_statistics(cfuse_request *request, const cfuse_statistics *s) {
  struct statvfs v = {0};
  v.f_bsize = v.f_frsize = s->block_size_bytes;
  v.f_blocks = s->blocks;
  v.f_bfree = v.f_bavail = s->blocks_free;
  v.f_files = s->files;
  v.f_ffree = v.f_favail = s->files_free;
  v.f_namemax = s->name_max;
  return fuse_reply_statfs((fuse_req_t)request, &v);
}

size_t cfuse_add_entry(
    cfuse_request *request, void *buffer, size_t capacity, const char *name, uint64_t node,
    uint64_t generation, const cfuse_attributes *attributes, int64_t next_offset, bool plus) {
  struct fuse_entry_param entry = {.ino = node, .generation = generation};
  entry.attr = stat_of(attributes);
  size_t used = plus
      ? fuse_add_direntry_plus((fuse_req_t)request, buffer, capacity, name, &entry, next_offset)
      : fuse_add_direntry((fuse_req_t)request, buffer, capacity, name, &entry.attr, next_offset);
  return used > capacity ? 0 : used;
}

size_t cfuse_entry_bytes(size_t name_length, bool plus) {
  // struct fuse_dirent is 24 bytes and the name, in steps of 8; the plus form has an entry (128) before.
  return ((24 + name_length + 7) & ~(size_t)7) + (plus ? 128 : 0);
}

static _Thread_local void *thread_buffer;
static _Thread_local size_t thread_buffer_bytes;

void *cfuse_thread_buffer(size_t bytes) {
  if (thread_buffer_bytes < bytes) {
    size_t rounded = bytes < 131072 ? 131072 : (bytes + 4095) & ~(size_t)4095;
    void *larger = NULL;
    if (posix_memalign(&larger, 4096, rounded) != 0) return NULL;
    free(thread_buffer);
    thread_buffer = larger;
    thread_buffer_bytes = rounded;
  }
  return thread_buffer;
}
