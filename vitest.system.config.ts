import { defineConfig } from 'vitest/config';

const all = 'test/system/*.test.ts';

/** Clients and people at work on a server of their own: nothing of it measures, and no port is fixed. */
const people = [
  'accounts',
  'bots',
  'clients',
  'doctor',
  'fsck',
  'generated_code',
  'graphql_clients',
  'history',
  'hooks',
  'imports',
  'oauth',
  'pages',
  'rest_clients',
  'runner',
  'work',
].map((name) => `test/system/${name}.test.ts`);

/** One system after another stands alone on the machine, but people's: two of these run side by side, before the others. */
const project = (
  name: string,
  maxWorkers: number,
  groupOrder: number,
  files: { include: string[]; exclude?: string[] },
) => ({
  test: {
    name,
    ...files,
    maxWorkers,
    sequence: { groupOrder },
    setupFiles: ['test/support/remove_scratch.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});

/** What needs more than Node and git, or minutes: real processes, crashes, the packed package, foreign clients. */
export default defineConfig({
  test: {
    projects: [
      project('people', 2, 0, { include: people }),
      project('systems', 1, 1, { include: [all], exclude: people }),
    ],
  },
});
