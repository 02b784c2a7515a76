import { afterEach, beforeEach, expect, test } from 'vitest';
import { gantry, type ServerProcess, scratchDirectory, settings, startServer } from '../support/server_process.ts';

let scratch: ReturnType<typeof scratchDirectory>;
let server: ServerProcess | undefined;
beforeEach(() => {
  scratch = scratchDirectory();
});
afterEach(async () => {
  await server?.end('SIGTERM');
  scratch.remove();
});

const json = async (path: string) => (await fetch(`${server?.url}${path}`)).json() as Promise<Record<string, unknown>>;
const keys = async () => ((await json('/oauth/keys')).keys as { kid: string }[]).map(({ kid }) => kid);

test('the keys of OAuth outlive a restart, and are replaced by a command while the server runs', async () => {
  const env = settings(scratch.directory);
  server = await startServer(env);
  expect((await json('/.well-known/openid-configuration')).issuer).toBe(server.url);
  const first = await keys();
  expect(first).toHaveLength(1);
  await server.end('SIGTERM');
  server = await startServer(env);
  expect(await keys()).toEqual(first);
  const said = await gantry(['keys', 'rotate'], env);
  expect(said).toMatchObject({ status: 0, stderr: '' });
  expect(said.stdout).toMatch(/^OAuth now signs with new keys/);
  const both = await keys();
  expect(both).toHaveLength(2);
  expect(both[0]).not.toBe(first[0]);
  expect(both[1]).toBe(first[0]);
  expect((await gantry(['keys', 'rotate', '--now'], env)).status).toBe(2);
});
