import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { forgetSettings } from './test/support/own_environment.ts';
import { scratchInMemory } from './test/support/scratch_in_memory.ts';

forgetSettings(process.env);

// Workers, and the programs that tests run, keep compiled code between runs.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules', '.cache', 'tests');

const scratch = process.env.TMPDIR ?? scratchInMemory();
if (scratch !== undefined) process.env.TMPDIR = scratch;

const include = ['test/{access,rest,src,schema,oauth,web,pages,mcp,compat}/**/*.test.ts'];
// Vitest loads a file, which starts a server, before it leaves its tests out.
const isWithoutLong = process.argv.includes('--tagsFilter=!long');
const isLong = (file: string) => /^\/\/ @module-tag long$/m.test(readFileSync(file, 'utf8'));

export default defineConfig({
  test: {
    include,
    exclude: isWithoutLong ? globSync(include).filter(isLong) : [],
    tags: [{ name: 'long', description: 'Takes long, or proves for every case what a few of them show in each run.' }],
    runner: 'test/support/chosen_tests.ts',
    setupFiles: ['test/support/small_forks.ts', 'test/support/quick_passwords.ts', 'test/support/remove_scratch.ts'],
    globalSetup: ['test/support/scratch_in_memory.ts', 'test/support/global_setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One instance of graphql and Pothos: vite's module runner would load a second one beside Node's own.
    // Nothing is mocked, so modules need no rewriting either.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Loading the server takes longer than most files of tests: a worker loads it once. Every file has its own database.
    isolate: false,
    // Left to itself it grows to gigabytes, and then takes longer to start the many programs that the tests run.
    execArgv: ['--max-semi-space-size=16', '--heap-growing-percent=30'],
    // Each waits a third of the time for PostgreSQL, git or the disk.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
  },
});
