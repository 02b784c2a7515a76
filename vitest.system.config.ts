import { defineConfig } from 'vitest/config';

/** What needs more than Node and git, or minutes: real processes, crashes, the packed package, foreign clients. */
export default defineConfig({
  test: {
    include: ['test/system/**/*.test.ts'],
    setupFiles: ['test/support/remove_scratch.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
