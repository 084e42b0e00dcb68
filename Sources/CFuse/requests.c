#include "session.h"

#include <stdlib.h>
#include <string.h>

// libfuse's calls, each turned into one cfuse_op and handed on. Nothing is decided here.

static void forward(fuse_req_t request, cfuse_op op) {
  struct cfuse_session *session = fuse_req_userdata(request);
  const struct fuse_ctx *caller = fuse_req_ctx(request);
  op.request = (cfuse_request *)request;
  op.thread = caller->pid;
  op.user = caller->uid;
  op.group = caller->gid;
  op.umask = caller->umask;
  session->handler(session->context, &op);
}

static uint64_t handle_of(const struct fuse_file_info *info) { return info ? info->fh : 0; }
static uint32_t flags_of(const struct fuse_file_info *info) { return info ? (uint32_t)info->flags : 0; }

static void on_init(void *userdata, struct fuse_conn_info *connection) {
  (void)userdata;
  // Only what the provider relies on; above all no splice (requests must pass the INIT patch), no
  // writeback cache, and no guess by the kernel that a changed mtime means changed pages.
  connection->want = connection->capable
      & (FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_READDIRPLUS
         | FUSE_CAP_HANDLE_KILLPRIV);
  // The default of 12 lets 12 parked background reads stop all others (measured: 42 s for 1,000).
  connection->max_background = 65535;
  connection->congestion_threshold = 49151;
}

static void on_lookup(fuse_req_t r, fuse_ino_t parent, const char *name) {
  forward(r, (cfuse_op){.opcode = CFUSE_LOOKUP, .node = parent, .name = name});
}
static void on_forget_multi(fuse_req_t r, size_t count, struct fuse_forget_data *forgets) {
  cfuse_forgotten batch[64];
  struct cfuse_session *session = fuse_req_userdata(r);
  for (size_t start = 0; start < count;) {
    size_t n = 0;
    for (; n < 64 && start < count; n++, start++)
      batch[n] = (cfuse_forgotten){forgets[start].ino, forgets[start].nlookup};
    cfuse_op op = {.opcode = CFUSE_FORGET, .forgotten = batch, .forgotten_count = n};
    session->handler(session->context, &op);
  }
  fuse_reply_none(r);
}
static void on_forget(fuse_req_t r, fuse_ino_t node, uint64_t lookups) {
  struct fuse_forget_data one = {node, lookups};
  on_forget_multi(r, 1, &one);
}
static void on_getattr(fuse_req_t r, fuse_ino_t node, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_GETATTR, .node = node, .handle = handle_of(info)});
}
static void on_readlink(fuse_req_t r, fuse_ino_t node) {
  forward(r, (cfuse_op){.opcode = CFUSE_READLINK, .node = node});
}
static void on_open(fuse_req_t r, fuse_ino_t node, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_OPEN, .node = node, .flags = flags_of(info)});
}
static void on_read(
    fuse_req_t r, fuse_ino_t node, size_t size, off_t offset, struct fuse_file_info *info) {
  // Only a read past the page cache says who its lock owner is (fuse_direct_io in the kernel's fs/fuse/file.c).
  forward(r, (cfuse_op){.opcode = CFUSE_READ, .node = node, .handle = handle_of(info),
                        .offset_bytes = offset, .length_bytes = size,
                        .fills_cache = info && info->lock_owner == 0});
}
static void on_release(fuse_req_t r, fuse_ino_t node, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_RELEASE, .node = node, .handle = handle_of(info)});
}
static void on_opendir(fuse_req_t r, fuse_ino_t node, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_OPENDIR, .node = node, .flags = flags_of(info)});
}
static void on_readdir(
    fuse_req_t r, fuse_ino_t node, size_t size, off_t offset, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_READDIR, .node = node, .handle = handle_of(info),
                        .offset_bytes = offset, .length_bytes = size});
}
static void on_readdirplus(
    fuse_req_t r, fuse_ino_t node, size_t size, off_t offset, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_READDIRPLUS, .node = node, .handle = handle_of(info),
                        .offset_bytes = offset, .length_bytes = size});
}
static void on_releasedir(fuse_req_t r, fuse_ino_t node, struct fuse_file_info *info) {
  forward(r, (cfuse_op){.opcode = CFUSE_RELEASEDIR, .node = node, .handle = handle_of(info)});
}
static void on_statfs(fuse_req_t r, fuse_ino_t node) {
  forward(r, (cfuse_op){.opcode = CFUSE_STATFS, .node = node});
}
static void on_getxattr(fuse_req_t r, fuse_ino_t node, const char *name, size_t size) {
  forward(r, (cfuse_op){.opcode = CFUSE_GETXATTR, .node = node, .name = name, .length_bytes = size});
}
static void on_listxattr(fuse_req_t r, fuse_ino_t node, size_t size) {
  forward(r, (cfuse_op){.opcode = CFUSE_LISTXATTR, .node = node, .length_bytes = size});
}
static void on_setxattr(
    fuse_req_t r, fuse_ino_t node, const char *name, const char *value, size_t size, int flags) {
  forward(r, (cfuse_op){.opcode = CFUSE_SETXATTR, .node = node, .name = name, .value = value,
                        .value_length = size, .flags = (uint32_t)flags});
}
static void on_removexattr(fuse_req_t r, fuse_ino_t node, const char *name) {
  forward(r, (cfuse_op){.opcode = CFUSE_REMOVEXATTR, .node = node, .name = name});
}
static void on_fsync(fuse_req_t r, fuse_ino_t node, int datasync, struct fuse_file_info *info) {
  (void)datasync;
  forward(r, (cfuse_op){.opcode = CFUSE_FSYNC, .node = node, .handle = handle_of(info)});
}

// Changes.
static void on_setattr(
    fuse_req_t r, fuse_ino_t node, struct stat *to, int which, struct fuse_file_info *info) {
  (void)to; (void)which;
  forward(r, (cfuse_op){.opcode = CFUSE_SETATTR, .node = node, .handle = handle_of(info)});
}
static void on_mknod(fuse_req_t r, fuse_ino_t parent, const char *name, mode_t mode, dev_t device) {
  (void)mode; (void)device;
  forward(r, (cfuse_op){.opcode = CFUSE_MKNOD, .node = parent, .name = name});
}
static void on_mkdir(fuse_req_t r, fuse_ino_t parent, const char *name, mode_t mode) {
  (void)mode;
  forward(r, (cfuse_op){.opcode = CFUSE_MKDIR, .node = parent, .name = name});
}
static void on_unlink(fuse_req_t r, fuse_ino_t parent, const char *name) {
  forward(r, (cfuse_op){.opcode = CFUSE_UNLINK, .node = parent, .name = name});
}
static void on_rmdir(fuse_req_t r, fuse_ino_t parent, const char *name) {
  forward(r, (cfuse_op){.opcode = CFUSE_RMDIR, .node = parent, .name = name});
}
static void on_symlink(fuse_req_t r, const char *target, fuse_ino_t parent, const char *name) {
  (void)target;
  forward(r, (cfuse_op){.opcode = CFUSE_SYMLINK, .node = parent, .name = name});
}
static void on_rename(
    fuse_req_t r, fuse_ino_t parent, const char *name, fuse_ino_t new_parent, const char *new_name,
    unsigned int flags) {
  forward(r, (cfuse_op){.opcode = CFUSE_RENAME, .node = parent, .name = name, .new_node = new_parent,
                        .new_name = new_name, .flags = flags});
}
static void on_link(fuse_req_t r, fuse_ino_t node, fuse_ino_t new_parent, const char *new_name) {
  (void)node;
  forward(r, (cfuse_op){.opcode = CFUSE_LINK, .node = new_parent, .name = new_name});
}
static void on_create(
    fuse_req_t r, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *info) {
  (void)mode;
  forward(r, (cfuse_op){.opcode = CFUSE_CREATE, .node = parent, .name = name, .flags = flags_of(info)});
}
static void on_write(
    fuse_req_t r, fuse_ino_t node, const char *bytes, size_t size, off_t offset,
    struct fuse_file_info *info) {
  (void)bytes;
  forward(r, (cfuse_op){.opcode = CFUSE_WRITE, .node = node, .handle = handle_of(info),
                        .offset_bytes = offset, .length_bytes = size});
}
static void on_fallocate(
    fuse_req_t r, fuse_ino_t node, int mode, off_t offset, off_t length, struct fuse_file_info *info) {
  (void)mode;
  forward(r, (cfuse_op){.opcode = CFUSE_FALLOCATE, .node = node, .handle = handle_of(info),
                        .offset_bytes = offset, .length_bytes = (uint64_t)length});
}

const struct fuse_lowlevel_ops cfuse_operations = {
    .init = on_init, .lookup = on_lookup, .forget = on_forget, .forget_multi = on_forget_multi,
    .getattr = on_getattr, .readlink = on_readlink, .open = on_open, .read = on_read,
    .release = on_release, .opendir = on_opendir, .readdir = on_readdir,
    .readdirplus = on_readdirplus, .releasedir = on_releasedir, .statfs = on_statfs,
    .getxattr = on_getxattr, .listxattr = on_listxattr, .setxattr = on_setxattr,
    .removexattr = on_removexattr, .fsync = on_fsync, .fsyncdir = on_fsync, .setattr = on_setattr,
    .mknod = on_mknod, .mkdir = on_mkdir, .unlink = on_unlink, .rmdir = on_rmdir,
    .symlink = on_symlink, .rename = on_rename, .link = on_link, .create = on_create,
    .write = on_write, .fallocate = on_fallocate,
};
