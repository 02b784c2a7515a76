import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/support/longest_first.ts';
// Says where compiled code is kept, and what tests put on a disk.
import './vitest.config.ts';

const all = 'test/system/*.test.ts';

/** Tests that measure no time and listen on no fixed port: clients, people, documents and crashes, each on servers of its own. */
const beside = [
  'accounts',
  'backstage',
  'backup',
  'bots',
  'campaign',
  'campaign_parsers',
  'campaign_requests',
  'ci_templates',
  'clients',
  'clocks',
  'container_registry',
  'desktop_clients',
  'doctor',
  'documentation',
  'embedded_outages',
  'engines',
  'fsck',
  'full_disk',
  'generated_code',
  'git_gc',
  'git_remote',
  'graphql_clients',
  'graphql_package',
  'history',
  'hooks',
  'import_kills',
  'imports',
  'jobs',
  'lifecycle',
  'oauth',
  'package',
  'pages',
  'project_pages',
  'recipes',
  'rest_clients',
  'rolling_upgrade',
  'runner',
  'seed',
  'several_servers',
  'start',
  'story',
  'test_double',
  'test_runs',
  'testcontainers',
  'unleash_client',
  'upgrade',
  'visitor',
  'work',
  'writers',
].map((name) => `test/system/${name}.test.ts`);

/** Those run first, two files at a time; then all others, each alone on the machine. */
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
    globalSetup: ['test/support/scratch_in_memory.ts'],
    setupFiles: ['test/support/remove_scratch.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});

/** What needs more than Node and git, or minutes: real processes, crashes, the packed package, foreign clients. */
export default defineConfig({
  test: {
    sequence: {
      sequencer: longestFirst(['package', 'seed', 'project_pages', 'git_remote'].map((name) => `system/${name}`)),
    },
    projects: [
      project('beside others', 2, 0, { include: beside }),
      project('alone', 1, 1, { include: [all], exclude: beside }),
    ],
  },
});
