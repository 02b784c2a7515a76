import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';
import { commitFile, run, workingCopy } from './git_client.ts';
import { gitLines } from './git_program.ts';
import type { Json } from './http.ts';
import { startWorld } from './world.ts';

/** A world that imports from itself, `here`, with servers to import from that answer as a test says. */
export async function startImportingWorld() {
  const world = await startWorld();
  const owner = await world.user();
  const api = world.api(owner);
  const here = new URL(world.url).host;

  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });
  beforeEach(() => {
    Object.assign(world.imports, importSettings({ hosts: [here], timeout: 20_000 }));
  });

  /** A server that answers as the test says; its host and port, and the requests that it got. */
  async function listen(answer: RequestListener): Promise<{ host: string; requests: IncomingMessage[] }> {
    const requests: IncomingMessage[] = [];
    const server = createServer((asked, response) => {
      requests.push(asked);
      answer(asked, response);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
  }

  /** As listen, over HTTPS with the certificate of `named.example`; its port. */
  async function listenSecurely(answer: RequestListener): Promise<number> {
    const server = createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, answer);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Hands requests on to the server of this world, as a git host would serve them. */
  const handOn: RequestListener = (asked, response) => {
    const to = request(
      `${world.url}${asked.url}`,
      { method: asked.method ?? 'GET', headers: asked.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    asked.pipe(to);
  };

  /** A public project with branches, tags and commits, and its address without credentials. */
  async function source(
    given: { visibility?: 'private' } = {},
  ): Promise<{ project: ProjectRow; url: string; work: string }> {
    const project = await world.project({ owner, visibility: 'public', ...given });
    const work = await workingCopy();
    for (let at = 0; at < 3; at++) await commitFile(work, `f${at}.txt`, `${at}\n`);
    await run(work, 'tag', '-a', '-m', 'A release', 'v1.0');
    await run(work, 'push', '--quiet', tokenUrl(project), 'main', 'main:topic/größe', 'v1.0');
    return { project, url: `${world.url}/${project.fullPath}.git`, work };
  }

  const tokenUrl = ({ fullPath }: { fullPath: string }) =>
    `${world.url.replace('http://', `http://oauth2:${owner.token}@`)}/${fullPath}.git`;
  const directoryOf = ({ id }: { id: number }) => world.repositories.directory({ id, repositoryStorage: 'default' });
  const refsOf = (project: { id: number }) => gitLines(directoryOf(project), ['for-each-ref']);

  async function create(importUrl: string, more: object = {}): Promise<Json> {
    const { status, body } = await api.post('/projects', {
      name: world.unique('Copy'),
      import_url: importUrl,
      ...more,
    });
    expect({ status, body }).toMatchObject({ status: 201, body: { import_status: expect.any(String) } });
    return body;
  }

  /** The project when its import has ended. */
  async function ended({ id }: { id: number }): Promise<Json> {
    let body: Json;
    const hasEnded = async () => {
      body = (await api.get(`/projects/${id}`)).body;
      return ['finished', 'failed'].includes(body.import_status);
    };
    // As long as the test may take.
    await world.until(hasEnded, 240_000);
    return body;
  }

  /** That an import fails, says so, and leaves a project that can be used. */
  async function fails(importUrl: string, error: string | RegExp): Promise<void> {
    const created = await create(importUrl);
    const body = await ended(created);
    expect([body.import_status, body.import_error]).toEqual(['failed', expect.stringMatching(error)]);
    expect(existsSync(directoryOf(created))).toBe(false);
    expect(await world.db.projectImport.count({ where: { projectId: created.id } })).toBe(0);
    const file = { branch: 'main', content: 'x', commit_message: 'First' };
    expect((await api.post(`/projects/${created.id}/repository/files/a`, file)).status).toBe(201);
  }

  return {
    world,
    owner,
    api,
    here,
    listen,
    listenSecurely,
    handOn,
    source,
    tokenUrl,
    directoryOf,
    refsOf,
    create,
    ended,
    fails,
  };
}
