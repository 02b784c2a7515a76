import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { forgetProgram } from '#src/git/program/detect.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { decrypt } from '#src/platform/secrets.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts';
import { clone, commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const admin = await world.user({ admin: true });
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
  const { status, body } = await api.post('/projects', { name: world.unique('Copy'), import_url: importUrl, ...more });
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

describe('POST /projects with import_url', () => {
  it('refuses what pushes could not bring either, and more than the quota', LONG, async () => {
    const { url } = await source();
    const { limits } = world.repositories;
    const before = { ...limits };
    try {
      limits.objectBytes = 1;
      await fails(url, /^The source is too large: the blob \w+ has \d+ bytes, more than 1 /);
      Object.assign(limits, { ...before, quotaBytes: 100 });
      const failed = await ended(await create(url));
      expect(failed.import_error).toMatch(/GANTRY_REPOSITORY_QUOTA_BYTES/);
    } finally {
      Object.assign(limits, before);
    }
  });

  it('brings branches, tags and the default branch, and records them without events of pushes', LONG, async () => {
    const { project, url } = await source();
    const created = await create(url);
    const body = await ended(created);
    expect(body).toMatchObject({ import_status: 'finished', default_branch: 'main' });
    expect(body.import_error).toBeUndefined();
    expect(refsOf(created)).toEqual(refsOf(project));
    const directory = directoryOf(created);
    expect(git(directory, ['symbolic-ref', 'HEAD']).trim()).toBe('refs/heads/main');
    expect(gitLines(directory, ['fsck', '--strict'])).toEqual([]);
    expect(gitLines(directory, ['config', '--list']).join()).not.toMatch(/remote|http|127/);
    expect(readdirSync(path.dirname(directory)).filter((name) => name.includes('import'))).toEqual([]);
    const { body: branches } = await api.get(`/projects/${created.id}/repository/branches`);
    expect(branches.map((branch: Json) => [branch.name, branch.protected])).toEqual([
      ['main', true],
      ['topic/größe', false],
    ]);
    expect(await world.db.projectCounters.findUnique({ where: { projectId: created.id } })).toMatchObject({
      commits: 3,
    });
    expect(await world.db.recordedRef.count({ where: { projectId: created.id } })).toBe(3);
    const { body: events } = await api.get(`/projects/${created.id}/events`);
    expect(events.map(({ action_name }: Json) => action_name)).toEqual(['imported', 'created']);
    expect(await world.db.projectImport.count({ where: { projectId: created.id } })).toBe(0);
    const work = await clone(tokenUrl({ fullPath: created.path_with_namespace }));
    await commitFile(work, 'own.txt', 'own\n');
    await run(work, 'push', '--quiet', 'origin', 'main');
    expect(gitLines(directory, ['fsck', '--strict'])).toEqual([]);
  });

  it('fails with that reason where the history of the source is cut off', LONG, async () => {
    const { project, url } = await source();
    const oldest = git(directoryOf(project), ['rev-parse', 'main~1']);
    writeFileSync(path.join(directoryOf(project), 'shallow'), oldest);
    await fails(url, /^The source is a shallow repository: /);
  });

  it('fails with that reason where the source names its objects by SHA-256', LONG, async () => {
    const { project, url } = await source();
    const directory = directoryOf(project);
    rmSync(directory, { recursive: true });
    execFileSync('git', ['init', '--quiet', '--bare', '--object-format=sha256', directory]);
    const commit = 'commit refs/heads/main\ncommitter P <p@example.com> 1 +0000\ndata 0\n\n';
    git(directory, ['fast-import', '--quiet'], commit);
    await fails(url, /^The source names its objects by SHA-256, which is not supported/);
  });

  it.each(['refs/heads/HEAD', 'refs/heads/-x', 'refs/tags/-x'])(
    'fails where the source has a name that is not allowed: %s',
    LONG,
    async (name) => {
      const { project, url } = await source();
      git(directoryOf(project), ['update-ref', name, 'main']);
      await fails(url, `whose name is not allowed: ${name}`);
    },
  );

  it('brings odd histories whole', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await fillRepository(world, project, oddHistory({ packed: true }));
    const created = await create(`${world.url}/${project.fullPath}.git`);
    expect((await ended(created)).import_status).toBe('finished');
    const wanted = gitLines(directoryOf(project), ['for-each-ref', 'refs/heads', 'refs/tags']);
    expect(refsOf(created)).toEqual(wanted);
  });

  it('keeps a default branch that was asked for and is there, else takes that of the source', LONG, async () => {
    const { url } = await source();
    const wanted = await create(url, { default_branch: 'topic/größe' });
    const other = await create(url, { default_branch: 'nowhere' });
    expect((await ended(wanted)).default_branch).toBe('topic/größe');
    expect((await ended(other)).default_branch).toBe('main');
  });

  it('ends well with an empty source', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const created = await create(`${world.url}/${project.fullPath}.git`);
    expect(await ended(created)).toMatchObject({ import_status: 'finished', default_branch: null });
    const file = { branch: 'trunk', content: 'x', commit_message: 'First' };
    expect((await api.post(`/projects/${created.id}/repository/files/a`, file)).status).toBe(201);
  });

  it('sends user name and password to the source, and keeps them no longer than it needs them', LONG, async () => {
    const { url } = await source({ visibility: 'private' });
    const secret = `oauth2:${owner.token}`;
    const gate = Promise.withResolvers<void>();
    const slow = await listen((asked, response) => void gate.promise.then(() => handOn(asked, response)));
    world.imports.hosts = [slow.host];
    const created = await create(url.replace(`http://${here}`, `http://${secret}@${slow.host}`));
    expect(JSON.stringify(created)).not.toContain(owner.token);
    await world.until(async () => slow.requests.length > 0);
    const row = await world.db.projectImport.findUniqueOrThrow({ where: { projectId: created.id } });
    expect(Buffer.from(row.source).toString('latin1')).not.toContain(owner.token);
    expect(decrypt(row.source, world.as(owner).secret)).toContain(secret);
    const processes = execFileSync('ps', ['axeww'], { encoding: 'utf8' });
    expect(processes).toContain('git-remote-http');
    expect(processes).not.toContain(owner.token);
    gate.resolve();
    expect((await ended(created)).import_status).toBe('finished');
    expect(refsOf(created)).toHaveLength(3);
    expect(await world.db.projectImport.count({ where: { projectId: created.id } })).toBe(0);
  });

  it('is for administrators for other users too', LONG, async () => {
    const { url } = await source();
    const name = world.unique('For');
    const { status, body } = await world.api(admin).post(`/projects/user/${owner.id}`, { name, import_url: url });
    expect([status, body.import_status]).toEqual([201, expect.any(String)]);
    expect((await ended(body)).import_status).toBe('finished');
  });

  it.each(['', '  ', null])('imports nothing for %j', async (importUrl) => {
    const { status, body } = await api.post('/projects', { name: world.unique('Plain'), import_url: importUrl });
    expect([status, 'import_status' in body]).toEqual([201, false]);
  });

  it('is there in GraphQL', LONG, async () => {
    const { url } = await source();
    const mutation = `mutation ($input: CreateProjectInput!) {
      createProject(input: $input) { project { databaseId importStatus importError } } }`;
    const input = { name: world.unique('Graph'), importUrl: url };
    const { body } = await world.graphql(mutation, { input }, owner);
    const { project } = body.data.createProject;
    expect(project).toMatchObject({
      importStatus: expect.stringMatching(/^(SCHEDULED|STARTED|FINISHED)$/),
      importError: null,
    });
    expect((await ended({ id: project.databaseId })).import_status).toBe('finished');
    const blocked = await world.graphql(mutation, { input: { ...input, importUrl: 'http://127.0.0.1/x' } }, owner);
    expect(blocked.body.errors[0].extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { 'input.importUrl': expect.anything() },
    });
  });
});

describe('The URL of an import', () => {
  const blocked = 'is blocked: its address is not a public one';
  const form = 'must be a valid URL that begins with http:// or https://';
  itEveryNth(6, [
    ['http://127.0.0.1/a.git', blocked],
    ['http://2130706433/a.git', blocked],
    ['http://0x7f000001/a.git', blocked],
    ['http://0177.0.0.1/a.git', blocked],
    ['http://127.1/a.git', blocked],
    ['http://0/a.git', blocked],
    ['http://0.0.0.0/a.git', blocked],
    ['http://10.1.2.3/a.git', blocked],
    ['http://172.31.255.255/a.git', blocked],
    ['http://192.168.0.1/a.git', blocked],
    ['http://169.254.169.254/latest/meta-data', blocked],
    ['http://100.64.0.1/a.git', blocked],
    ['http://224.0.0.1/a.git', blocked],
    ['http://255.255.255.255/a.git', blocked],
    ['http://[::1]/a.git', blocked],
    ['http://[::]/a.git', blocked],
    ['http://[fe80::1]/a.git', blocked],
    ['http://[fc00::1]/a.git', blocked],
    ['http://[ff02::1]/a.git', blocked],
    ['http://[::ffff:127.0.0.1]/a.git', blocked],
    ['http://[::ffff:8.8.8.8]/a.git', blocked],
    ['http://[::7f00:1]/a.git', blocked],
    ['http://[64:ff9b::7f00:1]/a.git', blocked],
    ['http://[2002:7f00:1::]/a.git', blocked],
    ['http://localhost/a.git', blocked],
    ['http://LOCALHOST./a.git', blocked],
    ['http://１２７.0.0.1/a.git', blocked],
    ['https://user:pass@127.0.0.1:443/a.git', blocked],
    ['ftp://example.com/a.git', form],
    ['file:///etc/passwd', form],
    ['ext::sh -c id', form],
    ['git@example.com:a/b.git', form],
    ['ssh://git@example.com/a.git', form],
    ['/srv/git/a.git', form],
    ['-oProxyCommand=id', form],
    ['http://', form],
    ['http:///example.com/a.git', form],
    ['http://exa mple.com/a.git', form],
    ['http://example.com/a\n.git', form],
    ['http://example.com\\@127.0.0.1/a.git', form],
    ['http://a:b@c:d@example.com/a.git', 'must not hold more than one user name and password'],
    ['http://a:%0d%0aX@example.com/a.git', 'must hold a user name and a password that can be sent, or none'],
    ['http://a:%zz@example.com/a.git', 'must hold a user name and a password that can be sent, or none'],
    ['http://example.com/a.git?service=x', 'must not hold a query or a fragment'],
    ['http://example.com/a.git#x', 'must not hold a query or a fragment'],
    [`http://example.com/${'a'.repeat(2_000)}`, 'is too long (maximum is 2000 characters)'],
  ])('%j is refused', async (importUrl, message) => {
    const count = await world.db.project.count();
    world.imports.hosts = [];
    const { status, body } = await api.post('/projects', { name: world.unique('Bad'), import_url: importUrl });
    expect({ status, body }).toEqual({ status: 400, body: { message: { import_url: [message] } } });
    expect(await world.db.project.count()).toBe(count);
  });

  it('is refused when any address of its host is private, and taken when the host is named', LONG, async () => {
    const { host, requests } = await listen((_asked, response) => response.writeHead(500).end());
    const port = host.split(':')[1];
    world.imports.lookup = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const url = `http://inside.example:${port}/a.git`;
    const { status, body } = await api.post('/projects', { name: world.unique('Bad'), import_url: url });
    expect([status, body]).toEqual([400, { message: { import_url: [blocked] } }]);
    world.imports.lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    world.imports.hosts = ['inside.example:1', 'elsewhere.example'];
    expect((await api.post('/projects', { name: world.unique('Bad'), import_url: url })).status).toBe(400);
    expect(requests).toEqual([]);
    world.imports.hosts = ['inside.example'];
    await fails(url, 'The source answered with status 500.');
    expect(requests).toHaveLength(1);
  });

  it('is in no error of GraphQL, nor are other secrets', async () => {
    const url = 'http://u:geheim@h.example/x';
    const create = (rest: string) =>
      `mutation { createProject(input: {name: "x", importUrl: ${rest}}) { project { name } } }`;
    const user = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { name } } }';
    const typed = 'mutation ($input: CreateProjectInput!) { createProject(input: $input) { project { name } } }';
    const answers = [
      await world.graphql(create(`"${url}", bogus: 1`), {}, owner),
      await world.graphql(create(`["${url}"]`), {}, owner),
      await world.graphql(typed, { input: { name: 'x', importUrl: url, bogus: 1 } }, owner),
      await world.graphql(typed, { input: { name: 'x', importUrl: [url] } }, owner),
      await world.graphql(user, { input: { name: 'x', password: 'ge"heim', bogus: 1 } }, admin),
    ];
    for (const { body } of answers) {
      expect(body.errors[0].message).toMatch(/bogus|must be a string/);
      expect(JSON.stringify(body)).not.toContain('heim');
    }
  });

  it('is in no log and no answer', async () => {
    const { redactUrl } = await import('#src/platform/observability/log.ts');
    const logged = redactUrl('/api/v4/projects?name=x&import%5Furl=http://u:p;w#@h/x&path=y');
    expect(logged).toBe('/api/v4/projects?name=x&import_url=[redacted]&path=y');
    for (const importUrl of [
      'http://u:geheim@127.0.0.1/x',
      'http://u:geheim@h@example.com/x',
      'http://u:geheim@ex ample/',
    ]) {
      const { headers, body } = await api.post('/projects', { name: world.unique('Bad'), import_url: importUrl });
      expect(JSON.stringify([headers, body])).not.toContain('geheim');
    }
  });
});

describe('An import', () => {
  it('connects to no address that it has not checked, whatever the host was a moment ago', LONG, async () => {
    const { host, requests } = await listen(handOn);
    let asked = 0;
    world.imports.hosts = [];
    world.imports.lookup = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 }];
    };
    await fails(
      `http://rebound.example:${host.split(':')[1]}/a.git`,
      'The source is blocked: its address is not a public one.',
    );
    expect([asked, requests]).toEqual([2, []]);
  });

  it('asks where a host is once for a connection, and goes there', LONG, async () => {
    const { project } = await source();
    const { host, requests } = await listen(handOn);
    let asked = 0;
    world.imports.hosts = ['named.example'];
    world.imports.lookup = async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const created = await create(`http://named.example:${host.split(':')[1]}/${project.fullPath}.git`);
    expect((await ended(created)).import_status).toBe('finished');
    expect(asked).toBe(new Set(requests.map(({ socket }) => socket.remotePort)).size);
  });

  itEveryNth(6, [
    ['http://127.0.0.1:1/x.git', 'The source is blocked: its address is not a public one.'],
    ['http://2130706433:1/x.git', 'The source is blocked: its address is not a public one.'],
    ['http://[::ffff:127.0.0.1]:1/x.git', 'The source is blocked: its address is not a public one.'],
    ['http://localhost:1/x.git', 'The source is blocked: its address is not a public one.'],
    ['file:///etc/passwd', 'The source redirects to an address that is not one of HTTP.'],
    ['ext::sh', 'The source redirects to an address that is not one of HTTP.'],
  ])('follows no redirect to %s', async (to, message) => {
    const { host } = await listen((_asked, response) => {
      response.writeHead(302, { Location: `${to}/info/refs?service=git-upload-pack` }).end();
    });
    world.imports.hosts = [host];
    await fails(`http://${host}/a.git`, message);
  });

  it(
    'follows a redirect to another address of the repository, without taking its credentials along',
    LONG,
    async () => {
      const { project } = await source();
      const end = await listen(handOn);
      const begin = await listen((asked, response) => {
        const query = asked.url?.slice(asked.url.indexOf('/info/refs'));
        response.writeHead(301, { Location: `http://x:y@${end.host}/${project.fullPath}.git${query}` }).end();
      });
      world.imports.hosts = [end.host, begin.host];
      const created = await create(`http://user:geheim@${begin.host}/old.git`);
      expect((await ended(created)).import_status).toBe('finished');
      expect(begin.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('user:geheim').toString('base64')}`);
      expect(end.requests.map(({ headers }) => headers.authorization).filter(Boolean)).toEqual([]);
      expect(refsOf(created)).toEqual(refsOf(project));
    },
  );

  it('takes no redirect of a question, and none in a circle', LONG, async () => {
    const { project } = await source();
    const sly = await listen((asked, response) => {
      if (asked.method === 'POST') response.writeHead(307, { Location: `${world.url}${asked.url}` }).end();
      else handOn(asked, response);
    });
    const circle = await listen((asked, response) => response.writeHead(302, { Location: asked.url }).end());
    world.imports.hosts = [sly.host, circle.host, here];
    await fails(`http://${sly.host}/${project.fullPath}.git`, 'The source answered with status 307.');
    await fails(`http://${circle.host}/a.git`, 'The source redirects too often.');
    expect(circle.requests.length).toBeLessThan(10);
  });

  itEveryNth(6, [
    [401, {}, 'The source refuses access: user name and password are missing or wrong.'],
    [404, {}, 'The source knows of no such repository.'],
    [500, {}, 'The source answered with status 500.'],
    [
      200,
      { 'Content-Type': 'text/html' },
      "There is no repository at this address that speaks git's smart protocol over HTTP.",
    ],
    [200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' }, 'What the source sent is not accepted: '],
  ])('says what is wrong with a source that answers %i %j', async (status, headers, message) => {
    const { host } = await listen((_asked, response) => response.writeHead(status, headers).end('ref: geheim\n'));
    world.imports.hosts = [host];
    await fails(`http://user:geheim@${host}/a.git`, new RegExp(`^${message}(?!.*(geheim|127))`));
  });

  it('says so when nobody listens, and when no such host is known', LONG, async () => {
    world.imports.hosts = ['127.0.0.1'];
    await fails('http://127.0.0.1:1/a.git', 'The source cannot be reached, or broke the connection off.');
    world.imports.lookup = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    await fails('http://nowhere.invalid/a.git', 'The host of the source is not known.');
  });

  it('refuses damaged objects, and a source that breaks off in the middle', LONG, async () => {
    const { project } = await source();
    const cut = await listen((asked, response) => {
      if (asked.method !== 'POST') return handOn(asked, response);
      const to = request(`${world.url}${asked.url}`, { method: 'POST', headers: asked.headers }, (answer) => {
        response.writeHead(200, { 'content-type': answer.headers['content-type'] });
        let sent = 0;
        answer.on('data', (chunk: Buffer) => {
          sent += chunk.length;
          response.write(chunk.subarray(0, 300));
          if (sent > 300) response.destroy();
        });
        answer.on('end', () => response.end());
      });
      asked.pipe(to);
    });
    world.imports.hosts = [cut.host];
    await fails(`http://${cut.host}/${project.fullPath}.git`, /broke the connection off|not accepted/);
  });

  it('goes over HTTPS to those alone whose certificate is theirs', LONG, async () => {
    const { project } = await source();
    const port = await listenSecurely(handOn);
    world.imports.hosts = ['named.example', 'other.example'];
    world.imports.lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const untrusted = 'The source cannot be trusted: its certificate or its encryption is not valid.';
    await fails(`https://named.example:${port}/${project.fullPath}.git`, untrusted);
    const known = getCACertificates('default');
    setDefaultCACertificates([CERTIFICATE]);
    try {
      await fails(`https://other.example:${port}/${project.fullPath}.git`, untrusted);
      const created = await create(`https://named.example:${port}/${project.fullPath}.git`);
      expect((await ended(created)).import_status).toBe('finished');
      expect(refsOf(created)).toEqual(refsOf(project));
    } finally {
      setDefaultCACertificates(known);
    }
  });

  it('brings very many tags', { ...LONG, timeout: 240_000 }, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const directory = await fillRepository(world, project, oddHistory({ packed: true }));
    // More than git sends in one piece when it names what it wants.
    const commit = (n: number) => `commit refs/heads/many\ncommitter P <p@example.com> ${n} +0000\ndata 0\n\n`;
    const commits = Array.from({ length: 21_500 }, (_, n) => commit(n));
    git(directory, ['fast-import', '--quiet', '--force'], commits.join(''));
    const tags = gitLines(directory, ['rev-list', 'many']).map((oid) => `${oid} refs/tags/many/${oid}\n`);
    git(directory, ['pack-refs', '--all']);
    const packed = gitLines(directory, ['for-each-ref', '--format=%(objectname) %(refname)']).map(
      (line) => `${line}\n`,
    );
    writeFileSync(path.join(directory, 'packed-refs'), ['# pack-refs with: \n', ...packed, ...tags].join(''));
    const created = await create(`${world.url}/${project.fullPath}.git`);
    const { import_status, import_error } = await ended(created);
    expect([import_status, import_error]).toEqual(['finished', undefined]);
    expect(refsOf(created)).toEqual(gitLines(directory, ['for-each-ref', 'refs/heads', 'refs/tags']));
    expect(readdirSync(path.join(directoryOf(created), 'refs/tags'))).toEqual([]);
  });

  it('ends at the limits of size and time', LONG, async () => {
    const { project } = await source();
    world.imports.maxBytes = 400;
    await fails(
      `${world.url}/${project.fullPath}.git`,
      'The repository is larger than the 400 bytes that may be imported.',
    );
    const { host } = await listen(() => undefined);
    Object.assign(world.imports, importSettings({ hosts: [host], timeout: 200 }));
    await fails(`http://${host}/a.git`, 'The import took longer than 0.2 seconds.');
  });

  it('fails with a message where there is no git program', LONG, async () => {
    const { url } = await source();
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    forgetProgram();
    try {
      await fails(url, 'This server has no git program of version 2.38 or later, which imports need.');
    } finally {
      process.env.PATH = PATH;
      forgetProgram();
    }
  });
});

describe('While the repository is imported', () => {
  it('nobody writes to it, forks it, or sees half of it', LONG, async () => {
    const { project } = await source();
    const gate = Promise.withResolvers<void>();
    const slow = await listen((asked, response) => void gate.promise.then(() => handOn(asked, response)));
    world.imports.hosts = [slow.host];
    const created = await create(`http://${slow.host}/${project.fullPath}.git`);
    const at = `/projects/${created.id}`;
    await world.until(async () => slow.requests.length > 0);
    expect((await api.get(at)).body.import_status).toBe('started');
    const refused = { message: 'The repository is being imported: it can be written to when that is finished.' };
    const file = { branch: 'main', content: 'x', commit_message: 'First' };
    expect(await api.post(`${at}/repository/files/a`, file)).toMatchObject({ status: 400, body: refused });
    const actions = [{ action: 'create', file_path: 'a', content: 'x' }];
    const commit = { branch: 'main', commit_message: 'First', actions };
    expect(await api.post(`${at}/repository/commits`, commit)).toMatchObject({ status: 400, body: refused });
    expect(await api.post(`${at}/repository/branches`, { branch: 'b', ref: 'main' })).toMatchObject({
      status: 400,
      body: refused,
    });
    expect((await api.post(`${at}/repository/tags`, { tag_name: 'b', ref: 'main' })).body).toEqual(refused);
    expect(await api.post(`${at}/fork`)).toMatchObject({ status: 409 });
    const work = await workingCopy();
    await commitFile(work, 'a', 'a');
    const pushed = await gitClient(work, 'push', tokenUrl({ fullPath: created.path_with_namespace }), 'main');
    expect([pushed.code === 0, pushed.said]).toEqual([false, expect.stringContaining('being imported')]);
    expect((await clone(tokenUrl({ fullPath: created.path_with_namespace }))).length).toBeGreaterThan(0);
    expect((await api.get(`${at}/repository/branches`)).body).toEqual([]);
    gate.resolve();
    expect((await ended(created)).import_status).toBe('finished');
    expect(refsOf(created)).toEqual(refsOf(project));
    expect((await api.post(`${at}/repository/files/a`, file)).status).toBe(201);
  });

  it('it can be deleted, and nothing of it stays', LONG, async () => {
    const { project } = await source();
    const gate = Promise.withResolvers<void>();
    const slow = await listen((asked, response) => void gate.promise.then(() => handOn(asked, response)));
    world.imports.hosts = [slow.host];
    const created = await create(`http://${slow.host}/${project.fullPath}.git`);
    await world.until(async () => slow.requests.length > 0);
    expect((await api.delete(`/projects/${created.id}`)).status).toBe(202);
    gate.resolve();
    await world.idle();
    const directory = directoryOf(created);
    expect(readdirSync(path.dirname(directory)).filter((name) => name.startsWith(path.basename(directory)))).toEqual(
      [],
    );
    expect(await world.db.project.count({ where: { id: created.id } })).toBe(0);
  });

  it('why it failed is for those who administer the project', async () => {
    world.imports.hosts = ['127.0.0.1'];
    const created = await create('http://127.0.0.1:1/a.git', { visibility: 'public' });
    await ended(created);
    const { body } = await world.api(outsider).get(`/projects/${created.id}`);
    expect([body.import_status, 'import_error' in body]).toEqual(['failed', false]);
  });
});
