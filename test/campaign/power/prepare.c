/* Makes the file that the programs under the layer share: `prepare <file>`. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct control {
  volatile uint32_t state;
  uint32_t unused;
  volatile int64_t shift;
  uint32_t others[12];
  pthread_mutex_t lock;
};

int main(int count, char **given) {
  if (count != 2) return 2;
  int fd = open(given[1], O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || fchmod(fd, 0666) != 0 || ftruncate(fd, 4096) != 0) return 1;
  struct control *control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (control == MAP_FAILED) return 1;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  return pthread_mutex_init(&control->lock, &kind);
}
