// One part in depth, which the long run has.
// @module-tag long
import { hash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFromServer, type WantedRemoteImport } from '#src/domain/remote_imports/request.ts';
import { continueImport } from '#src/domain/remote_imports/run.ts';
import { updateFromServer } from '#src/domain/remote_imports/update_request.ts';
import { continueUpdate } from '#src/domain/remote_imports/update_run.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { giteaHelloWorld } from '../support/gitea_hello.ts';
import { GITEA_TOKEN, type GiteaServer } from '../support/gitea_server.ts';
import { type GithubServer, helloWorld, TOKEN } from '../support/github_server.ts';
import { MODEL } from '../support/hello_repositories.ts';
import type { Json } from '../support/http.ts';
import { LfsSource } from '../support/lfs_source.ts';
import { LONG } from '../support/long.ts';
import { OLD_TOKEN, OldGitlab } from '../support/old_gitlab.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const OID = hash('sha256', MODEL);
const limits = { ...world.repositories.limits };

let github: GithubServer;
let gitea: GiteaServer;
let gitlab: OldGitlab;
let lfs: LfsSource;

beforeAll(async () => {
  github = await helloWorld();
  gitea = await giteaHelloWorld();
  gitlab = await OldGitlab.start();
});
afterAll(() => {
  for (const server of [github, gitea, gitlab]) server.stop();
});
beforeEach(() => {
  lfs = new LfsSource([MODEL]);
  const hosts = [github.host, gitea.host, gitlab.host];
  Object.assign(world.imports, importSettings({ hosts, timeout: 60_000 }));
  for (const server of [github, gitea, gitlab]) server.interfere = (asked, response) => lfs.answer(asked, response);
});
afterEach(() => {
  Object.assign(world.repositories.limits, limits);
});

type Source = Pick<WantedRemoteImport, 'provider' | 'url' | 'path' | 'token'>;

const fromGitlab = (): Source => ({
  provider: 'gitlab',
  url: `http://${gitlab.host}`,
  path: 'group/sub/hello',
  token: OLD_TOKEN,
});

/** Somebody whose jobs run when the test says so: another one each time, as a user has six imports a minute. */
async function importing() {
  const enqueue: JobQueue['enqueue'] = async () => undefined;
  const importer = world.as(await world.user({ admin: true }));
  return { ...importer, address: async () => ({ baseUrl: world.url, ssh: null }), jobs: { enqueue } };
}

/** The hashes of the objects that a project has. */
async function objectsOf(id: number): Promise<string[]> {
  const rows = await world.db.$queryRaw<{ oid: string }[]>`
    SELECT o.oid FROM lfs_objects o JOIN lfs_object_projects p ON p.lfs_object_id = o.id WHERE p.project_id = ${id}`;
  return rows.map(({ oid }) => oid);
}

/** What came along of a project, and what did not. */
async function moved(source: Source): Promise<{ objects: string[]; leftOut: Json[] }> {
  const context = await importing();
  const { id } = await importFromServer(context, { ...source, parts: [], name: world.unique('lfs') });
  await continueImport(context, id, {});
  const { body } = await world.api(admin).get(`/projects/${id}/import`);
  expect(body).toMatchObject({ import_status: 'finished', import_error: null });
  const { leftOut } = await world.db.remoteImport.findUniqueOrThrow({ where: { projectId: id } });
  const all = leftOut as Json[];
  return { objects: await objectsOf(id), leftOut: all.filter(({ kind }) => kind === 'lfs') };
}

describe('Objects of Git LFS', () => {
  it('come along from each kind of server, by the token of git', LONG, async () => {
    const sources: [Source, string][] = [
      [
        { provider: 'github', url: `http://${github.host}`, path: 'octo-org/hello-world', token: TOKEN },
        `x-access-token:${TOKEN}`,
      ],
      [
        { provider: 'gitea', url: `http://${gitea.host}`, path: 'octo-org/hello-world', token: GITEA_TOKEN },
        `oauth2:${GITEA_TOKEN}`,
      ],
      [fromGitlab(), `oauth2:${OLD_TOKEN}`],
    ];
    for (const [source, credentials] of sources) {
      lfs.batches.length = 0;
      expect(await moved(source)).toEqual({ objects: [OID], leftOut: [] });
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      expect(lfs.batches).toEqual([{ authorization, oids: [OID] }]);
    }
    expect(lfs.downloads.map(({ ticket }) => ticket)).toEqual(['one', 'one', 'one']);
  });

  it('that are not what their pointer says stay behind, and are named', LONG, async () => {
    const left = async (): Promise<string[]> => {
      const { objects, leftOut } = await moved(fromGitlab());
      expect(objects).toEqual([]);
      expect(leftOut.map(({ name }) => name)).toEqual([OID]);
      return leftOut.map(({ message }) => message);
    };
    lfs.send = (_oid, content) => Buffer.alloc(content.length, 'x');
    expect(await left()).toEqual(['It is not what its hash says.']);
    lfs.send = (_oid, content) => Buffer.concat([content, content]);
    expect(await left()).toEqual([`It has more than ${MODEL.length} bytes.`]);
    lfs.send = (_oid, content) => content.subarray(1);
    expect(await left()).toEqual([`It has ${MODEL.length - 1} bytes, and not ${MODEL.length}.`]);
    lfs = new LfsSource([]);
    expect(await left()).toEqual(['The source does not have it.']);
    lfs = new LfsSource([MODEL]);
    for (const storage of ['http://169.254.169.254', 'http://127.0.0.1:1']) {
      lfs.storage = storage;
      expect(await left()).toEqual(['The source is blocked: its address is not a public one.']);
    }
    lfs.storage = 'file:///etc';
    expect(await left()).toEqual(['Its address is not one of HTTP.']);
  });

  it('that were not there come with an update, and no others are asked for again', LONG, async () => {
    const context = await importing();
    const source = { provider: 'github', url: `http://${github.host}`, path: 'octo-org/hello-world' } as const;
    lfs = new LfsSource([]);
    const { id } = await importFromServer(context, { ...source, token: TOKEN, parts: [], name: world.unique('lfs') });
    await continueImport(context, id, {});
    expect(await objectsOf(id)).toEqual([]);
    lfs = new LfsSource([MODEL]);
    for (const batches of [1, 1]) {
      await updateFromServer(context, { project: id, token: TOKEN });
      await continueUpdate(context, id, {});
      expect(await objectsOf(id)).toEqual([OID]);
      expect(lfs.batches).toHaveLength(batches);
    }
  });

  it('that there is no room for are not asked for', LONG, async () => {
    Object.assign(world.repositories.limits, { lfsObjectBytes: MODEL.length - 1 });
    expect(await moved(fromGitlab())).toEqual({
      objects: [],
      leftOut: [{ kind: 'lfs', name: OID, message: `It has more than ${MODEL.length - 1} bytes.` }],
    });
    Object.assign(world.repositories.limits, { ...limits, quotaBytes: 60_000 });
    expect((await moved(fromGitlab())).leftOut).toEqual([
      { kind: 'lfs', name: OID, message: 'Objects would have more than 60000 bytes.' },
    ]);
    expect(lfs.batches).toEqual([]);
  });

  it.each([
    ['does not have the API', 404, '{}'],
    ['answers with a page', 200, '<html>'],
  ])('stay behind where the source %s', LONG, async (_name, status, body) => {
    gitlab.interfere = ({ url }, response) => {
      if (!url?.endsWith('/objects/batch')) return false;
      response.writeHead(status).end(body);
      return true;
    };
    expect(await moved(fromGitlab())).toEqual({
      objects: [],
      leftOut: [{ kind: 'lfs', name: null, message: expect.stringContaining('git lfs push --all') }],
    });
  });

  it('send no credentials where a redirect leads', LONG, async () => {
    const asked: IncomingHttpHeaders[] = [];
    const elsewhere = createServer(({ headers }, response) => {
      asked.push(headers);
      response.end(MODEL);
    });
    await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve));
    try {
      const host = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
      world.imports.hosts = [...world.imports.hosts, host];
      gitlab.interfere = (request, response) => {
        if (!request.url?.startsWith('/storage/')) return lfs.answer(request, response);
        expect(request.headers).toMatchObject({ 'x-ticket': 'one', host: gitlab.host });
        response.writeHead(302, { Location: `http://${host}/object` }).end();
        return true;
      };
      expect(await moved(fromGitlab())).toEqual({ objects: [OID], leftOut: [] });
      expect(asked).toHaveLength(1);
      expect(asked[0]?.['x-ticket']).toBeUndefined();
      expect(asked[0]?.authorization).toBeUndefined();
    } finally {
      elsewhere.close();
      elsewhere.closeAllConnections();
    }
  });
});
