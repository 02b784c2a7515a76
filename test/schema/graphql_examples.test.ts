// One part in depth, which the long run has.
// @module-tag long
import { execFile, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { parse, print, visit } from 'graphql';
import { expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { blocksOf } from '../support/documentation.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ada = await world.user({ username: 'ada' });
const bob = await world.user({ username: 'bob' });
const files = globSync('examples/graphql/*.graphql', { cwd: packagePath('.') }).sort();
const textOf = (file: string) => readFileSync(packagePath(file), 'utf8');
const program = packagePath('examples/graphql/run.js');
const env = { ...process.env, GANTRY_URL: world.url, TOKEN: ada.token };

/** A document without the names of its operations, which the short ones of the page do without. */
const unnamed = (text: string) =>
  print(visit(parse(text), { OperationDefinition: ({ name: _, ...operation }) => operation }));

it('the files of examples/graphql are the tasks of docs/graphql.md', () => {
  const tasks = blocksOf('docs/graphql.md').filter(
    ({ section, language }) => section === 'Twelve tasks' && language === 'graphql',
  );
  expect(files.map((file) => unnamed(textOf(file)))).toEqual(tasks.map(({ text }) => unnamed(text)));
});

it('run one after the other as a new user, and answer without errors', async () => {
  const { body } = await world.graphql('{ user(username: "bob") { id } }', {}, ada);
  const variables = JSON.stringify({ bob: body.data.user.id });
  expect(files.length).toBe(13);
  for (const file of files.filter((name) => !textOf(name).startsWith('subscription'))) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, packagePath(file), variables], { env });
    expect([file, Object.keys(JSON.parse(stdout))]).toEqual([file, ['data']]);
  }
  expect(await world.db.issue.count({ where: { authorId: ada.id } })).toBeGreaterThan(0);
  expect(await world.db.issue.count({ where: { authorId: bob.id } })).toBe(0);
});

it('end with an error where the server has one', async () => {
  const [file = ''] = files;
  const failing = promisify(execFile)(process.execPath, [program, packagePath(file)], {
    env: { ...env, TOKEN: 'nonsense' },
  });
  await expect(failing).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('UNAUTHENTICATED') });
});

it('show what a subscription tells', async () => {
  const file = files.find((name) => textOf(name).startsWith('subscription')) ?? '';
  const child = spawn(process.execPath, [program, packagePath(file)], { env });
  try {
    const told = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk)));
      child.once('exit', (status) => reject(new Error(`ended with ${status}`)));
    });
    // A stream begins with a comment; errors would be an event.
    expect(told).not.toContain('errors');
  } finally {
    child.kill();
  }
});
