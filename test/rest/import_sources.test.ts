// One part in depth, which the long run has.
// @module-tag long
import { readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { forgetProgram } from '#src/git/program/detect.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { CERTIFICATE } from '../support/certificate.ts';
import { oddHistory } from '../support/git_fixtures.ts';
import { git, gitLines } from '../support/git_program.ts';
import { startImportingWorld } from '../support/imports.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { fillRepository } from '../support/repository.ts';

const { world, owner, api, here, listen, listenSecurely, handOn, source, directoryOf, refsOf, create, ended, fails } =
  await startImportingWorld();
const admin = await world.user({ admin: true });

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
