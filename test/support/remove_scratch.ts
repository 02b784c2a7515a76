import { afterAll } from 'vitest';
import { removeScratch } from './git_program.ts';

// Runs before each file of tests. Workers keep modules, so a hook in `git_program.ts` would only run after the first file that imports it.
afterAll(removeScratch);
