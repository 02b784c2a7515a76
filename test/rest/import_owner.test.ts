import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectsAt } from '#src/domain/remote_imports/list_projects.ts';
import { importSettings } from '#src/platform/outbound/options.ts';
import { GITEA_TOKEN, GiteaServer } from '../support/gitea_server.ts';
import { GithubServer, sendJson, TOKEN } from '../support/github_server.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { OLD_TOKEN, OldGitlab } from '../support/old_gitlab.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const user = await world.user();
/** The user as the command of the server acts for them. */
const onTheServer = { ...world.as(user), actor: { ...user.actor, credential: 'server' as const } };

let github: GithubServer;
let gitea: GiteaServer;
let gitlab: OldGitlab;

beforeAll(async () => {
  const nothing = () => ({ repository: {}, lists: {}, records: {}, files: {} });
  github = await GithubServer.start(nothing);
  gitea = await GiteaServer.start(nothing);
  gitlab = await OldGitlab.start();
});
afterAll(() => {
  for (const server of [github, gitea, gitlab]) server.stop();
});
beforeEach(() => {
  const hosts = [github.host, gitea.host, gitlab.host];
  Object.assign(world.imports, importSettings({ hosts, timeout: 60_000 }));
});

/** Answers with records by their addresses, of lists two a page. */
function answers(server: GithubServer | GiteaServer, root: string, known: Record<string, Json>): void {
  server.interfere = ({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    const found = known[pathname.replace(root, '')];
    const page = Number(searchParams.get('page') ?? 1);
    const some = Array.isArray(found) ? found.slice((page - 1) * 2, page * 2) : found;
    sendJson(response, found === undefined ? 404 : 200, some ?? { message: 'Not Found' });
    return true;
  };
}

const repository = (id: number, name: string, fork = false) => ({ id, full_name: name, fork });
const three = [repository(1, 'octo/a'), repository(2, 'octo/b', true), repository(3, 'octo/c')];
const LISTED = [
  { path: 'octo/a', isFork: false },
  { path: 'octo/b', isFork: true },
  { path: 'octo/c', isFork: false },
];

describe('The projects of an owner', () => {
  it('are those of an organization, of oneself, or what others show, at GitHub', async () => {
    const ask = () =>
      projectsAt(onTheServer, { provider: 'github', url: `http://${github.host}`, owner: 'octo', token: TOKEN });
    const me = { id: 9, type: 'User' };
    answers(github, '/api/v3', { '/users/octo': { id: 1, type: 'Organization' }, '/orgs/octo/repos': three });
    expect(await ask()).toEqual(LISTED);
    answers(github, '/api/v3', { '/users/octo': me, '/user': me, '/user/repos': three });
    expect(await ask()).toEqual(LISTED);
    answers(github, '/api/v3', { '/users/octo': me, '/user': { id: 1 }, '/users/octo/repos': three });
    expect(await ask()).toEqual(LISTED);
    answers(github, '/api/v3', {});
    await expect(ask()).rejects.toMatchObject({
      extensions: { fields: { repo_id: ['is of nobody whose projects the token may read'] } },
    });
  });

  it('are those of an organization or a user at Gitea', LONG, async () => {
    const ask = () =>
      projectsAt(onTheServer, { provider: 'gitea', url: `http://${gitea.host}`, owner: 'octo', token: GITEA_TOKEN });
    answers(gitea, '/api/v1', { '/orgs/octo/repos': three });
    expect(await ask()).toEqual(LISTED);
    answers(gitea, '/api/v1', { '/users/octo/repos': three });
    expect(await ask()).toEqual(LISTED);
    answers(gitea, '/api/v1', { '/orgs/octo/repos': [repository(1, '../etc')] });
    await expect(ask()).rejects.toThrow(/full_name is not a path/);
  });

  it('are those of a group or a user at GitLab, without the groups in it', LONG, async () => {
    const from = (url: string, owner: string, token: string) =>
      projectsAt(onTheServer, { provider: 'gitlab', url, owner, token });
    expect(await from(`http://${gitlab.host}`, 'group/sub', OLD_TOKEN)).toEqual([
      { path: 'group/sub/hello', isFork: false },
      { path: 'group/sub/fork', isFork: true },
    ]);
    // Another Gantry.
    const source = await startWorld();
    world.imports.hosts = [...world.imports.hosts, new URL(source.url).host];
    const owner = await source.user();
    const group = await source.group({ owner });
    const inner = await source.group({ owner, parentId: group.id });
    const made = await source.project({ owner, namespaceId: group.id });
    await source.project({ owner, namespaceId: inner.id });
    const own = await source.project({ owner });
    const token = await source.token(owner);
    expect(await from(source.url, group.fullPath, token)).toEqual([{ path: made.fullPath, isFork: false }]);
    expect(await from(source.url, owner.username, token)).toEqual([{ path: own.fullPath, isFork: false }]);
    await expect(from(source.url, 'nobody', token)).rejects.toMatchObject({
      extensions: { fields: expect.anything() },
    });
  });

  it('are no more than a command can wait for', LONG, async () => {
    let asked = 0;
    gitea.interfere = (_request, response) => {
      asked += 1;
      sendJson(
        response,
        200,
        Array.from({ length: 50 }, (_, at) => repository(asked * 100 + at, `octo/r${asked}-${at}`)),
      );
      return true;
    };
    const from = { provider: 'gitea', url: `http://${gitea.host}`, owner: 'octo', token: GITEA_TOKEN } as const;
    await expect(projectsAt(onTheServer, from)).rejects.toThrow(/more than 2000 projects/);
    expect(asked).toBe(41);
  });
});
