import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that has one group, `team`, with nothing in it; one for a test file, which does not wait for it. Returns its web address. */
export function emptyGitlab(world: { imports: { hosts: readonly string[] } }): Promise<string> {
  empty ??= start().then((host) => {
    world.imports.hosts = [...world.imports.hosts, host];
    return `http://${host}`;
  });
  return empty;
}

let empty: Promise<string> | undefined;

async function start(): Promise<string> {
  const server = createServer((asked, answer) => {
    const isGroup = /^\/api\/v4\/groups\/team\?/.test(asked.url ?? '');
    const group = { id: 1, name: 'Team', path: 'team', full_path: 'team' };
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(isGroup ? group : []));
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
