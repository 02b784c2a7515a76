import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { expireSites } from '#src/domain/sites/expire.ts';
import { publishSite } from '#src/domain/sites/publish.ts';
import { parseRules } from '#src/domain/sites/redirects.ts';
import { LONG } from '../support/long.ts';
import { PAGES_HOST, startSites } from '../support/sites.ts';

const { world, stores, built, publish, visit, problemOf } = await startSites();
const owner = await world.user();

/** A public project in a group of its own, with its site. */
async function published(files: Record<string, string | Buffer>, values: { path?: string } = {}) {
  const group = await world.group({ owner, visibility: 'public' });
  const project = await world.project({ owner, namespaceId: group.id, visibility: 'public', ...values });
  await publish(owner, project, files);
  return { group, project, host: group.path, at: `/${project.path}` };
}

const text = async (host: string, path: string, headers?: Record<string, string>) => {
  const { status, body } = await visit(host, path, headers);
  return [status, body];
};

/** An archive whose entries have these modes, such as those of links. */
async function zipWithModes(files: readonly [name: string, content: string, mode: number][]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content, mode] of files) archive.addBuffer(Buffer.from(content), name, { mode });
  archive.end();
  return buffer(archive.outputStream);
}

/** An archive in which a name is another one of the same length. */
async function zipRenamed(from: string, to: string): Promise<Buffer> {
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from('evil'), from);
  archive.end();
  const bytes = await buffer(archive.outputStream);
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
}

describe('The site of a project', () => {
  it('has the files of its directory, pages without their ending, and the first page of directories', async () => {
    const { host, at } = await published({
      'public/index.html': '<p>home',
      'public/about.html': '<p>about',
      'public/docs/index.html': '<p>docs',
      'public/docs/ä b.txt': 'umlaut',
      'secret.txt': 'not published',
    });
    const { status, headers, body } = await visit(host, `${at}/`);
    expect([status, body]).toEqual([200, '<p>home']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=600',
      'access-control-allow-origin': '*',
      'content-length': '7',
    });
    expect(await text(host, `${at}/about`)).toEqual([200, '<p>about']);
    expect(await text(host, `${at}/docs/`)).toEqual([200, '<p>docs']);
    expect(await text(host, `${at}/docs/%C3%A4%20b.txt`)).toEqual([200, 'umlaut']);
    expect((await visit(host, `${at}/secret.txt`)).status).toBe(404);
    expect((await visit(host, `${at}/../secret.txt`)).status).not.toBe(200);
    expect((await visit(host, `${at}/%2e%2e/secret.txt`)).status).toBe(404);
    for (const path of [at, `${at}/docs`]) {
      const { status: found, headers: led } = await visit(host, `${path}?a=1`);
      expect([found, led.location]).toEqual([302, `${path}/?a=1`]);
    }
    expect(await text(host.toUpperCase(), `${at.toUpperCase()}/about`)).toEqual([200, '<p>about']);
  });

  it('is read alone, with HEAD as with GET', async () => {
    const { host, at } = await published({ 'public/index.html': '<p>home' });
    const head = await visit(host, `${at}/`, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '7', null]);
    const post = await visit(host, `${at}/`, {}, 'POST');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('answers conditional requests and ranges', async () => {
    const large = Buffer.alloc(200_000, 'abcdefghij');
    const { host, at } = await published({ 'public/a.txt': '0123456789', 'public/large.bin': large });
    const { headers } = await visit(host, `${at}/a.txt`);
    const etag = String(headers.etag);
    expect((await visit(host, `${at}/a.txt`, { 'If-None-Match': etag })).status).toBe(304);
    expect((await visit(host, `${at}/a.txt`, { 'If-None-Match': '"x"' })).status).toBe(200);
    for (const [range, status, body, shown] of [
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=8-', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,4-5', 200, '0123456789', undefined],
    ] as const) {
      const part = await visit(host, `${at}/a.txt`, { Range: range });
      expect([part.status, part.body, part.headers['content-range']]).toEqual([
        status,
        status === 206 ? Number(body) : body,
        shown,
      ]);
    }
    const beyond = await visit(host, `${at}/a.txt`, { Range: 'bytes=10-' });
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10']);
    const part = await visit(host, `${at}/large.bin`, { Range: 'bytes=100000-100009' });
    expect([part.status, part.body, part.headers['content-length']]).toEqual([206, 'abcdefghij', '10']);
    expect((await visit(host, `${at}/large.bin`)).body).toBe(large.toString());
  });

  it('sends the compressed file beside another one to clients that accept it', async () => {
    const { host, at } = await published({
      'public/app.js': 'plain',
      'public/app.js.br': 'BR',
      'public/app.js.gz': 'GZ',
    });
    for (const [accepted, body, encoding] of [
      ['gzip, br', 'BR', 'br'],
      ['gzip', 'GZ', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'GZ', 'gzip'],
      ['br;q=0', 'plain', undefined],
      ['', 'plain', undefined],
    ] as const) {
      const { headers, body: sent } = await visit(host, `${at}/app.js`, { 'Accept-Encoding': accepted });
      expect([accepted, sent, headers['content-encoding'], headers['content-type'], headers.vary]).toEqual([
        accepted,
        body,
        encoding,
        'text/javascript; charset=utf-8',
        'Accept-Encoding',
      ]);
    }
  });

  it('shows its own page for what is not there, or else that of the site at the root of the host', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const make = (path: string) =>
      world.project({ owner, name: path, path, namespaceId: group.id, visibility: 'public' });
    const root = await make(`${group.path}.${PAGES_HOST}`);
    const [own, other] = [await make('own'), await make('other')];
    await publish(owner, root, { 'public/index.html': 'root', 'public/404.html': 'of the group' });
    await publish(owner, own, { 'public/404.html': 'of the project' });
    await publish(owner, other, { 'public/index.html': 'other' });
    expect(await text(group.path, '/')).toEqual([200, 'root']);
    expect(await text(group.path, '/own/x')).toEqual([404, 'of the project']);
    expect(await text(group.path, '/other/x')).toEqual([404, 'of the group']);
    expect(await text(group.path, '/nothing')).toEqual([404, 'of the group']);
  });

  it('is below the paths of subgroups', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const sub = await world.group({ owner, visibility: 'public', parentId: group.id });
    const project = await world.project({ owner, namespaceId: sub.id, visibility: 'public' });
    await publish(owner, project, { 'public/index.html': 'deep' });
    expect(await text(group.path, `/${sub.path}/${project.path}/`)).toEqual([200, 'deep']);
    expect((await visit(`${sub.path}.${PAGES_HOST}`, `/${project.path}/`)).status).toBe(302);
  });

  it('follows its rules where it has no file', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    const project = await world.project({ owner, path: 'p', name: 'p', namespaceId: group.id, visibility: 'public' });
    await publish(owner, project, {
      'public/index.html': 'app',
      'public/there': 'file',
      'public/_redirects': [
        '# rules',
        '/p/old /p/new',
        '/p/temporary https://example.com/:splat 302',
        '/p/blog/:year/:name /p/posts/:name-:year 303',
        '/p/away/* https://example.com/in/:splat 302',
        '/p/there /p/elsewhere',
        '/p/host/* /:splat 302',
        '/p/forced /p/x 301!',
        '/p/loop /p/loop 302',
        '//evil.example /p/x',
        '/p/js javascript:alert(1)',
        '/p/open https://:splat/x',
        '/p/app/* /p/index.html 200',
        '/p/outside/* /q/index.html 200',
      ].join('\n'),
    });
    for (const [path, status, location] of [
      ['/p/old', 301, '/p/new'],
      ['/p/old/', 301, '/p/new'],
      ['/p/blog/2026/hello', 303, '/p/posts/hello-2026'],
      ['/p/away/a/b%2Fc', 302, 'https://example.com/in/a/b%2Fc'],
      ['/p/away/', 302, 'https://example.com/in/'],
      ['/p/host//evil.example', 302, '/evil.example'],
      ['/p/forced', 404, undefined],
      ['/p/loop', 404, undefined],
      ['/p/js', 404, undefined],
      ['/p/open', 404, undefined],
      ['/p/outside/x', 404, undefined],
    ] as const) {
      const { status: found, headers } = await visit(group.path, path);
      expect([path, found, headers.location]).toEqual([path, status, location]);
    }
    expect(await text(group.path, '/p/there')).toEqual([200, 'file']);
    expect(await text(group.path, '/p/app/any/route')).toEqual([200, 'app']);
  });

  it('looks at hostile rules once each, whatever the path', async () => {
    const rules = Array.from({ length: 2_000 }, (_, at) => `/p/${':a/'.repeat(20)}x${at} /p/y`).join('\n');
    const group = await world.group({ owner, visibility: 'public' });
    const project = await world.project({ owner, path: 'p', name: 'p', namespaceId: group.id, visibility: 'public' });
    await publish(owner, project, { 'public/_redirects': rules, 'public/index.html': '' });
    expect(parseRules(rules)).toHaveLength(1_000);
    expect((await visit(group.path, `/p/${'a/'.repeat(2_000)}`)).status).toBe(404);
  });
});

describe('Publishing', () => {
  it('refuses links, paths that lead out, other directories and damaged archives, and says so', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const link = await zipWithModes([
      ['public/index.html', 'x', 0o100644],
      ['public/passwd', '/etc/passwd', 0o120777],
    ]);
    for (const [content, options, problem] of [
      [link, {}, 'passwd is a symbolic link or a device, which sites cannot have'],
      [await zipRenamed('public/aa/evil', 'public/../evil'), {}, '../evil leads out of the site'],
      [await zipRenamed('public/a/evil', 'public//xevil'), {}, '/xevil leads out of the site'],
      [await zipRenamed('public/a_evil', 'public/a\\evil'), {}, 'a\\evil leads out of the site'],
      [{ 'dist/index.html': 'x' }, {}, 'the artifacts have no files in public'],
      [{ 'public/x': 'x' }, { publish: '../public' }, '../public leads out of the artifacts'],
      [Buffer.from('PK\u0003\u0004 no archive'), {}, 'The end of the archive is missing'],
    ] as const) {
      await publish(owner, project, content, options);
      expect(await problemOf(project)).toBe(problem);
    }
    expect(await world.db.pagesDeployment.count({ where: { projectId: project.id } })).toBe(0);
    await publish(owner, project, { 'dist/site/index.html': 'x' }, { publish: './dist/site/' });
    expect(await problemOf(project)).toBeNull();
  });

  it('refuses lists of files that are too long to be read as a whole', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const long = `public/${'x'.repeat(990)}`;
    await publish(owner, project, Object.fromEntries(Array.from({ length: 4_100 }, (_, at) => [`${long}${at}`, ''])));
    expect(await problemOf(project)).toBe('the paths of its files are too long together');
  });

  it('counts files before it unpacks them', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const admin = world.api(await world.user({ admin: true }));
    await admin.put('/application/settings', { max_pages_size: 1 });
    await publish(owner, project, { 'public/zeros': Buffer.alloc(1024 * 1024 + 1) });
    expect(await problemOf(project)).toBe('a site can have at most 1 MB (max_pages_size), and this one has 2 MB');
    await admin.put('/application/settings', { max_pages_size: 100 });
    expect(await world.db.pagesDeployment.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('takes the place of what was there, twice at once too, and never that of a later pipeline', async () => {
    const { project, host, at } = await published({ 'public/index.html': 'first' });
    const [second, third] = [
      await built(owner, project, { 'public/index.html': 'second' }),
      await built(owner, project, { 'public/index.html': 'third' }),
    ];
    await Promise.all([publishSite(stores, third), publishSite(stores, third)]);
    await publishSite(stores, second);
    expect(await text(host, `${at}/`)).toEqual([200, 'third']);
    const rows = await world.db.pagesDeployment.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
    expect(rows.map(({ deletedAt }) => deletedAt === null)).toEqual([false, true]);
    expect(rows.map(({ fileCount, size }) => [fileCount, Number(size)])).toEqual([
      [1, 5],
      [1, 5],
    ]);
  });

  it('serves parts with a prefix beside the site until they expire', LONG, async () => {
    const { project, host, at } = await published({ 'public/index.html': 'main' });
    await publish(owner, project, { 'public/index.html': 'review' }, { path_prefix: 'mr-1', expire_in: '1 hour' });
    expect(await text(host, `${at}/mr-1/`)).toEqual([200, 'review']);
    expect(await text(host, `${at}/`)).toEqual([200, 'main']);
    expect((await visit(host, `${at}/mr-1`)).headers.location).toBe(`${at}/mr-1/`);
    const where = { projectId: project.id, pathPrefix: 'mr-1' };
    const { expiresAt } = await world.db.pagesDeployment.findFirstOrThrow({ where });
    expect(Number(expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000);
    await world.db.pagesDeployment.updateMany({ where, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect((await visit(host, `${at}/mr-1/`)).status).toBe(404);
    await expireSites(stores);
    expect((await world.db.pagesDeployment.findFirstOrThrow({ where })).deletedAt).not.toBeNull();
    await world.db.pagesDeployment.updateMany({ where, data: { deletedAt: new Date(Date.now() - 25 * 3_600_000) } });
    await expireSites(stores);
    expect(await world.db.pagesDeployment.count({ where })).toBe(0);
    expect(await text(host, `${at}/`)).toEqual([200, 'main']);
  });

  it('stops serving a site that is switched off, or whose project is deleted', LONG, async () => {
    const { project, host, at } = await published({ 'public/index.html': 'main' });
    await world.api(owner).put(`/projects/${project.id}`, { pages_access_level: 'disabled' });
    expect((await visit(host, `${at}/`)).status).toBe(302);
    await world.api(owner).put(`/projects/${project.id}`, { pages_access_level: 'enabled' });
    expect((await visit(host, `${at}/`)).status).toBe(200);
    await world.api(owner).delete(`/projects/${project.id}`);
    expect((await visit(host, `${at}/`)).status).toBe(302);
    await world.idle();
    expect(await world.db.pagesDeployment.count({ where: { projectId: project.id } })).toBe(0);
  });
});

describe('Hosts', () => {
  it('of sites have nothing of the server, and the server has no site', LONG, async () => {
    const { host, at, project } = await published({ 'public/index.html': 'site' });
    for (const path of ['/api/v3/projects', '/graphql', '/users/sign_in', '/-/readiness', `/${project.fullPath}`]) {
      const { status, headers } = await visit(host, path);
      expect([path, status, String(headers.location).startsWith(`${world.url}/-/pages/auth?`)]).toEqual([
        path,
        302,
        true,
      ]);
    }
    expect((await visit('127.0.0.1', `${at}/`)).status).toBe(404);
    expect((await visit('127.0.0.1', '/api/v4/version')).status).toBe(401);
  });

  it('are not taken from other headers, nor led elsewhere by odd paths', async () => {
    const { host, at } = await published({ 'public/index.html': 'site', 'public/docs/index.html': 'docs' });
    expect(await text(host, `${at}/`, { 'X-Forwarded-Host': '127.0.0.1' })).toEqual([200, 'site']);
    for (const path of [`//evil.example${at}`, `/${at}`, `//${at.slice(1)}/docs`, `/\\evil.example/..${at}`]) {
      const { headers } = await visit(host, path);
      expect(String(headers.location ?? '/')).not.toMatch(/^[/\\]{2}|evil\.example(?!%2F)[^?]*$/);
    }
    expect((await visit(host, `${at}/%00`)).status).toBe(400);
    expect((await visit(host, `${at}/%ff`)).status).toBe(400);
  });
});
