import { afterAll } from 'vitest';
import { removeScratch } from './git_program.ts';

// Runs before each file of tests: a hook of a module that a worker keeps would run behind the first file alone.
afterAll(removeScratch);
