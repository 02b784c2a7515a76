import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startWorld } from '../support/world.ts';

const lines: Record<string, unknown>[] = [];
const world = await startWorld({ log: (line) => void lines.push(line) });
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });
const basic = `Authorization: Basic ${Buffer.from(`${owner.username}:${owner.token}`).toString('base64')}\r\n`;
const { hostname, port } = new URL(world.url);

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';
const BEGUN: Record<string, string> = {
  [JSON_TYPE]: '{"query":"{ ',
  [FORM]: 'login=a&pass',
  [MULTIPART]: '--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"que',
};
const LFS = `/${project.fullPath}.git/info/lfs`;
const LFS_TYPE = 'application/vnd.git-lfs+json';
type Request = [path: string, type: string, method?: string, credential?: string];
const REQUESTS: Request[] = [
  ...[JSON_TYPE, FORM, MULTIPART].flatMap((type): [string, string][] => [
    ['/api/v4/session', type],
    ['/graphql', type],
    ['/users/sign_in', type],
    ['/oauth/token', type],
    ['/oauth/revoke', type],
    ['/api/v4/runners', type],
    ['/api/v4/jobs/request', type],
    ['/no/such/page', type],
  ]),
  ['/api/v4/jobs/1/artifacts', MULTIPART],
  ['/api/v4/jobs/1', JSON_TYPE, 'PUT'],
  ['/api/v4/jobs/1/trace', 'text/plain', 'PATCH'],
  [`/api/v4/projects/${project.id}/repository/commits`, JSON_TYPE],
  [`/api/v4/projects/${project.id}/uploads`, MULTIPART],
  [`/${project.fullPath}.git/git-upload-pack`, 'application/x-git-upload-pack-request'],
  [`/${project.fullPath}.git/git-receive-pack`, 'application/x-git-receive-pack-request'],
  ...['', basic].flatMap((credential): [string, string, string, string][] => [
    [`${LFS}/objects/batch`, LFS_TYPE, 'POST', credential],
    [`${LFS}/objects/verify`, LFS_TYPE, 'POST', credential],
    [`${LFS}/locks`, LFS_TYPE, 'POST', credential],
    [`${LFS}/locks/verify`, LFS_TYPE, 'POST', credential],
    [`${LFS}/locks/1/unlock`, LFS_TYPE, 'POST', credential],
    [`${LFS}/objects/${'a'.repeat(64)}/1000`, 'application/octet-stream', 'PUT', credential],
    [`/v2/${project.fullPath}/manifests/v1`, 'application/vnd.oci.image.manifest.v1+json', 'PUT', credential],
    [`/v2/${project.fullPath}/blobs/uploads/`, 'application/octet-stream', 'POST', credential],
    [`/api/v4/projects/${project.id}/packages/npm/app`, JSON_TYPE, 'PUT', credential],
    [`/api/v4/projects/${project.id}/packages/generic/a/1/b`, 'application/octet-stream', 'PUT', credential],
    ['/oauth/register', JSON_TYPE, 'POST', credential],
    ['/mcp', JSON_TYPE, 'POST', credential],
  ]),
];

/** Sends the beginning of a request, and goes away. */
async function breakOff([path, type, method = 'POST', credential = '']: Request, length: string): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const begun = BEGUN[type] ?? '0032';
  const body = length.startsWith('Transfer') ? `${begun.length.toString(16)}\r\n${begun}\r\n` : begun;
  const headers = `Host: ${hostname}\r\nContent-Type: ${type}\r\n${credential}${length}\r\n`;
  socket.write(`${method} ${path} HTTP/1.1\r\n${headers}\r\n${body}`);
  await sleep(100);
  socket.resetAndDestroy();
}

it('A body that breaks off is no error of the server, wherever it is sent', async () => {
  for (const length of ['Content-Length: 1000', 'Content-Length: 5000000', 'Transfer-Encoding: chunked']) {
    await Promise.all(REQUESTS.map((request) => breakOff(request, length)));
  }
  await sleep(500);
  await world.idle();
  expect(lines.filter(({ level, err }) => level === 'error' || err !== undefined)).toEqual([]);
  // What was asked is in the log all the same.
  expect(lines.length).toBeGreaterThan(0);
});
