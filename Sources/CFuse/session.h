#pragma once
// Shared by the files of this target only.
#include "cfuse.h"

#define FUSE_USE_VERSION 314
#include <fuse3/fuse_lowlevel.h>
#include <stdatomic.h>

struct cfuse_session {
  struct fuse_session *fuse;
  cfuse_handler handler;
  cfuse_interrupt_handler interrupted;
  void *context;
  bool want_direct_io_mmap;
  // The INIT exchange; `init_done` is set once the reply has been sent, and read by every thread.
  uint64_t init_unique;
  uint64_t kernel_flags;
  bool init_seen;
  cfuse_features features;
  atomic_bool init_done;
};

// requests.c: the table of handlers that turn libfuse's calls into cfuse_op values.
extern const struct fuse_lowlevel_ops cfuse_operations;
// init.c: notes the kernel's INIT and adds to the reply what libfuse 3.14 leaves out.
int cfuse_install_init_patch(struct cfuse_session *session);
