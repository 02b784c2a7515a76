import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { forgetProgram, programVersion } from '#src/git/program/detect.ts';
import { Repositories } from '#src/git/repositories.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';

const usual = process.env.PATH;
afterAll(() => {
  process.env.PATH = usual;
  forgetProgram();
});

it('The git program is looked for again a few seconds after it was not found', LONG, async () => {
  forgetProgram();
  process.env.PATH = '/nowhere';
  expect(await programVersion()).toBeNull();
  process.env.PATH = usual;
  // Not by each request: a machine without git has other things to do.
  expect(await programVersion()).toBeNull();
  await expect.poll(programVersion, { timeout: 20_000, interval: 100 }).toMatch(/^\d+\.\d+/);
});

it('A reader that was opened without the git program is closed when its successor takes over', async () => {
  const directory = path.join(scratch(), 'a.git');
  const readers = new Repositories();
  process.env.PATH = '/nowhere';
  forgetProgram();
  const first = await readers.create(directory, 'main');
  let closed = 0;
  const close = first.close.bind(first);
  first.close = () => {
    closed++;
    return close();
  };
  expect(await readers.open(directory)).toBe(first);
  process.env.PATH = usual;
  forgetProgram();
  expect(await readers.open(directory)).not.toBe(first);
  expect(closed).toBe(1);
  await readers.close();
});
