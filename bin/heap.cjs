'use strict';
// How the server uses memory, which has to be said before its process begins. Left to itself V8 lets the heap of young
// objects grow to 128 MB and that of old ones to several times what is in use. What the start needed is given back by one
// collection, which the server asks for (src/platform/lifecycle/collect.ts). Until then nothing that the start loads is garbage:
// looking for some would make the start a sixth longer.

/** Options of Node. */
exports.heapOptions = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=30',
  '--initial-old-space-size=192',
  '--expose-gc',
];

/**
 * Variables of the environment. Left to itself the C library keeps a heap for each thread, and once a large block has been
 * freed it puts later ones into these heaps, where they keep the memory below them from being given back. Here one heap serves all
 * threads.
 */
exports.heapSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
};
