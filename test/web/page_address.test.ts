import { describe, expect, it } from 'vitest';
import { clone, commitFile, gitClient, run } from '../support/git_client.ts';
import { scratch } from '../support/git_program.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const outsider = await world.user();
const basic = (who?: TestUser, password = who?.token) =>
  who ? { Authorization: `Basic ${Buffer.from(`oauth2:${password}`).toString('base64')}` } : {};

async function filled(visibility: 'public' | 'private') {
  const group = await world.group({ owner, visibility });
  const inner = await world.group({ owner, visibility, parentId: group.id });
  const project = await world.project({ owner, visibility, namespaceId: inner.id });
  const work = scratch('file');
  await run(work, 'init', '--quiet', '--initial-branch=main');
  const head = await commitFile(work, 'a.txt', 'one\n');
  await run(
    work,
    'push',
    '--quiet',
    `${world.url.replace('//', `//x:${owner.token}@`)}/${project.fullPath}.git`,
    'main',
  );
  return { project, work, head };
}

const open = await filled('public');
const hidden = await filled('private');

describe('The address of a project’s page', () => {
  const ask = (path: string, service: string, headers = {}) =>
    world.send('GET', `/${path}/info/refs?service=git-${service}-pack`, { headers });
  const seen = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>) => [
    status,
    body,
    headers['www-authenticate'],
  ];

  it('is one to clone from', LONG, async () => {
    expect(await run(await clone(`${world.url}/${open.project.fullPath}`), 'rev-parse', 'HEAD')).toBe(open.head);
  });

  it('leads to that of the repository, for fetching and for pushing', async () => {
    for (const [service, headers] of [
      ['upload', {}],
      ['receive', basic(owner)],
    ] as const) {
      const { status, headers: given } = await ask(open.project.fullPath, service, headers);
      expect([status, given.location]).toEqual([
        301,
        `${world.url}/${open.project.fullPath}.git/info/refs?service=git-${service}-pack`,
      ]);
    }
  });

  it(
    'asks for credentials first, alike for what is hidden and for what is not there, and tells users alike',
    LONG,
    async () => {
      const missing = 'no/such/project';
      const first = await ask(hidden.project.fullPath, 'upload');
      expect(first).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic realm="GitLab"' } });
      expect(first.headers.location).toBeUndefined();
      for (const headers of [{}, basic(outsider), basic(outsider, 'wrong')]) {
        for (const service of ['upload', 'receive'])
          expect(seen(await ask(hidden.project.fullPath, service, headers))).toEqual(
            seen(await ask(missing, service, headers)),
          );
      }
      const reader = await world.token(owner, ['read_api']);
      expect((await ask(hidden.project.fullPath, 'upload', basic(owner, reader))).status).toBe(403);
      expect((await ask(hidden.project.fullPath, 'upload', basic(owner))).status).toBe(301);
    },
  );

  it('is a page for those who are no client of git', async () => {
    expect((await world.send('GET', `/${open.project.fullPath}/info/refs`)).status).toBe(404);
    expect((await gitClient(open.work, 'ls-remote', `${world.url}/no/such`)).code).not.toBe(0);
  });
});

describe('?go-get=1', () => {
  const host = new URL(world.url).host;
  const ask = (path: string, headers = {}) => world.send('GET', `/${path}?go-get=1`, { headers });
  const imports = async (path: string, headers = {}) => {
    const { status, body } = await ask(path, headers);
    return [status, /<meta name="go-import" content="([^"]*)">/.exec(String(body))?.[1]];
  };
  const says = (root: string) => [200, `${host}/${root} git ${world.url}/${root}.git`];
  const short = (path: string) => path.split('/').slice(0, 2).join('/');

  it('names the repository of a project and of what is below it', async () => {
    const { fullPath } = open.project;
    for (const path of [fullPath, `${fullPath}/pkg/deep`]) expect(await imports(path)).toEqual(says(fullPath));
  });

  it('takes what callers do not see for a project of two parts, as what is not there', async () => {
    const { fullPath } = hidden.project;
    const reader = await world.token(owner, ['read_repository']);
    for (const headers of [{}, basic(outsider)]) {
      expect(await imports(`${fullPath}/pkg`, headers)).toEqual(says(short(fullPath)));
      expect(await imports('no/such/project', headers)).toEqual(says('no/such'));
    }
    for (const headers of [basic(owner), basic(owner, reader)])
      expect(await imports(`${fullPath}/pkg`, headers)).toEqual(says(fullPath));
    expect((await ask(fullPath, basic(owner, 'wrong'))).status).toBe(401);
  });

  it('is not answered where no package can be', async () => {
    for (const path of ['one', 'a/%22%3E%3Cscript%3E', `a/${'b'.repeat(1100)}`, '%zz/b']) {
      const { status } = await ask(path);
      expect([path.slice(0, 30), status]).not.toEqual([path.slice(0, 30), 200]);
    }
  });
});
