#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Mounting and the loop.

// libfuse says what went wrong on stderr; the provider says it better, from errno, so keep it quiet.
static void discard_log(enum fuse_log_level level, const char *format, va_list arguments) {
  (void)level; (void)format; (void)arguments;
}

static int add_option(struct fuse_args *args, const char *options) {
  size_t length = strlen(options) + 3;
  char *option = malloc(length);
  if (!option) return -1;
  snprintf(option, length, "-o%s", options);
  int result = fuse_opt_add_arg(args, option);
  free(option);
  return result;
}

cfuse_session *cfuse_mount(
    const cfuse_configuration *configuration, cfuse_handler handler,
    cfuse_interrupt_handler interrupted, void *context) {
  struct cfuse_session *session = calloc(1, sizeof *session);
  if (!session) { errno = ENOMEM; return NULL; }
  session->handler = handler;
  session->interrupted = interrupted;
  session->context = context;
  session->want_direct_io_mmap = configuration->direct_io_mmap;
  if (!configuration->debug) fuse_set_log_func(discard_log);

  struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
  int failed = fuse_opt_add_arg(&args, "fakeprovider") || add_option(&args, configuration->options);
  if (!failed && configuration->debug) failed = fuse_opt_add_arg(&args, "-d");
  if (!failed)
    session->fuse = fuse_session_new(&args, &cfuse_operations, sizeof cfuse_operations, session);
  fuse_opt_free_args(&args);
  if (!session->fuse) { free(session); errno = failed ? ENOMEM : EINVAL; return NULL; }

  errno = 0;
  int error = 0;
  if (fuse_session_mount(session->fuse, configuration->mountpoint) != 0) {
    error = errno ? errno : EIO;
  } else {
    int patched = cfuse_install_init_patch(session);
    if (patched != 0) { error = -patched; fuse_session_unmount(session->fuse); }
  }
  if (error) {
    fuse_session_destroy(session->fuse);
    free(session);
    errno = error;
    return NULL;
  }
  return session;
}

int cfuse_run(cfuse_session *session, unsigned threads) {
  struct fuse_loop_config *config = fuse_loop_cfg_create();
  if (!config) return -ENOMEM;
  fuse_loop_cfg_set_clone_fd(config, 1);
  fuse_loop_cfg_set_idle_threads(config, threads);
  fuse_loop_cfg_set_max_threads(config, threads);
  int result = fuse_session_loop_mt(session->fuse, config);
  fuse_loop_cfg_destroy(config);
  return result;
}

cfuse_features cfuse_session_features(const cfuse_session *session) { return session->features; }

int cfuse_invalidate_node(cfuse_session *session, uint64_t node, int64_t offset, int64_t length) {
  return fuse_lowlevel_notify_inval_inode(session->fuse, node, offset, length);
}
