import { afterAll, expect, it } from 'vitest';
import { forgetProgram, programVersion } from '#src/git/program/detect.ts';

const usual = process.env.PATH;
afterAll(() => {
  process.env.PATH = usual;
  forgetProgram();
});

it('The git program is looked for again a few seconds after it was not found', async () => {
  forgetProgram();
  process.env.PATH = '/nowhere';
  expect(await programVersion()).toBeNull();
  process.env.PATH = usual;
  // Not by each request: a machine without git has other things to do.
  expect(await programVersion()).toBeNull();
  await expect.poll(programVersion, { timeout: 20_000, interval: 100 }).toMatch(/^\d+\.\d+/);
});
