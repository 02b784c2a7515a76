import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { scratchDirectory, settings, startServer } from '../support/server_process.ts';

/** Notes in files whether Prisma's compiler is loaded before the server has said that it runs, or later. */
const NOTE = `
import { writeFileSync } from 'node:fs';
let says = 'early';
const { Instance } = WebAssembly;
WebAssembly.Instance = function (...given) {
  if (/prisma/.test(new Error().stack)) writeFileSync(process.env.NOTES + says, '');
  return new Instance(...given);
};
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (...given) => {
  says = 'later';
  return write(...given);
};
`;

it('A start does not wait for Prisma to load its compiler, which is there soon after', async () => {
  const { directory, remove } = scratchDirectory();
  try {
    // The first start writes, for which it needs the compiler.
    await (await startServer(settings(directory))).end('SIGTERM');
    const file = path.join(directory, 'note.mjs');
    writeFileSync(file, NOTE);
    const notes = path.join(directory, 'loaded-');
    const server = await startServer(
      settings(directory, { NOTES: notes, NODE_OPTIONS: `--import=${pathToFileURL(file).href}` }),
    );
    await expect.poll(() => existsSync(`${notes}later`), { timeout: 60_000 }).toBe(true);
    expect(existsSync(`${notes}early`)).toBe(false);
    await server.end('SIGTERM');
  } finally {
    remove();
  }
});
