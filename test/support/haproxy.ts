import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Balancer } from './balancer.ts';
import { freePort } from './own_postgres.ts';
import { until } from './server_process.ts';

/** Debian has it where users do not look for programs. */
const PLACES = { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

/** Whether HAProxy is installed, as .ci/run does. */
export const HAS_HAPROXY = spawnSync('haproxy', ['-v'], { stdio: 'ignore', env: PLACES }).status === 0;

/** HAProxy in front of servers, as docs/operating.md has it. */
export async function startHaproxy(servers: readonly string[]): Promise<Balancer> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-haproxy-'));
  const port = await freePort();
  const lines = servers.map((url, at) => `  server gantry${at} ${new URL(url).host} check inter 500ms fall 2 rise 1`);
  const config = `
global
  maxconn 1000
defaults
  mode http
  timeout connect 5s
  timeout client 10m
  timeout server 10m
  retries 3
  option redispatch
frontend web
  bind 127.0.0.1:${port}
  default_backend gantry
backend gantry
  balance leastconn
  option httpchk GET /-/readiness
${lines.join('\n')}
`;
  const file = path.join(directory, 'haproxy.cfg');
  writeFileSync(file, config);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore', env: PLACES });
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/-/liveness`).then(
      ({ ok }) => (ok ? true : undefined),
      () => undefined,
    ),
  );
  return {
    url,
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
