import { defineConfig } from 'vitest/config';

const all = 'test/system/*.test.ts';

/** Tests that measure nothing and listen on no fixed port: clients, people and documents at work, each on servers of its own. */
const people = [
  'accounts',
  'backup',
  'bots',
  'clients',
  'doctor',
  'documentation',
  'engines',
  'fsck',
  'generated_code',
  'graphql_clients',
  'history',
  'hooks',
  'imports',
  'jobs',
  'oauth',
  'pages',
  'project_pages',
  'rest_clients',
  'runner',
  'seed',
  'story',
  'upgrade',
  'work',
].map((name) => `test/system/${name}.test.ts`);

/** The tests of people run first, three files at a time, as each waits for servers to start; then those of whole systems, each alone on the machine. */
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
      project('people', 3, 0, { include: people }),
      project('systems', 1, 1, { include: [all], exclude: people }),
    ],
  },
});
