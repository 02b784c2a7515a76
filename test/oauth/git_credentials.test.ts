// One part in depth, which the long run has.
// @module-tag long
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { commitFile, gitClient, run, workingCopy } from '../support/git_client.ts';
import { scratch } from '../support/git_program.ts';
import { remotes } from '../support/git_remote.ts';
import { LONG } from '../support/long.ts';
import { application, decide, settle, signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

/** What managers of credentials, such as git-credential-manager, ask of a server (people-and-projects.md, Rules 4). */
const world = await startWorld();
const owner = await world.user();
const { pushed } = remotes(world, owner);
const app = await application(world, owner, {
  confidential: false,
  redirectUris: ['http://127.0.0.1/'],
  scopes: ['read_repository', 'write_repository'],
});
const HELPER = path.join(import.meta.dirname, '..', 'support', 'credential_helper.js');

const urlOf = ({ fullPath }: ProjectRow) => `${world.url}/${fullPath}.git`;
/** The options with which git asks the helper alone, whose state is in a directory. */
const helped = (state: string) => [
  '-c',
  'credential.helper=',
  '-c',
  `credential.helper=!"${process.execPath}" "${HELPER}" "${state}" ${world.url} ${app.uid}`,
];

/** What the user does in the browser once the helper has opened it. Returns the page that asks for consent. */
async function signIn(state: string, user: TestUser, decision: 'approve' | 'deny' = 'approve'): Promise<string> {
  const begin = path.join(state, 'begin');
  await world.until(async () => existsSync(begin));
  const browser = await signedIn(world, user);
  await browser.get(readFileSync(begin, 'utf8'));
  await settle(browser);
  const asked = browser.page;
  await decide(browser, decision);
  const back = browser.answer.headers.location ?? '';
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?/);
  await (await fetch(back)).text();
  return asked;
}

const tokensIn = (state: string) => JSON.parse(readFileSync(path.join(state, 'tokens.json'), 'utf8'));

describe('A manager of credentials', () => {
  it('sees from a probe without credentials what kind of server it is', async () => {
    const { project } = await pushed();
    for (const address of ['/', `/${project.fullPath}.git`]) {
      const { headers } = await world.send('HEAD', address);
      expect(headers['x-gitlab-feature-category']).toBe('source_code_management');
    }
    const refs = await world.send('GET', `/${project.fullPath}.git/info/refs?service=git-upload-pack`);
    expect([refs.status, refs.headers['www-authenticate']]).toEqual([401, 'Basic realm="GitLab"']);
    const begin = { client_id: app.uid, response_type: 'code', redirect_uri: 'http://127.0.0.1:1/', state: 'x' };
    const elsewhere = new URLSearchParams({ ...begin, redirect_uri: 'http://127.0.0.2:1/' });
    expect((await world.send('GET', `/oauth/authorize?${elsewhere}`)).headers.location).toBeUndefined();
  });

  it('signs its user in by a browser, and git clones, pushes and fetches with the token', LONG, async () => {
    const { project } = await pushed();
    const state = scratch();
    const copy = path.join(scratch(), 'copy');
    const cloning = gitClient(path.dirname(copy), ...helped(state), 'clone', '--quiet', urlOf(project), copy);
    expect(await signIn(state, owner)).toContain(app.name);
    expect(await cloning).toMatchObject({ code: 0 });
    const first = tokensIn(state);
    expect(first).toMatchObject({ token_type: 'bearer', scope: 'read_repository write_repository', expires_in: 7200 });
    const head = await commitFile(copy, 'b.txt', 'two\n');
    await run(copy, ...helped(state), 'push', '--quiet', 'origin', 'main');
    expect((await world.api(owner).get(`/projects/${project.id}/repository/branches/main`)).body.commit.id).toBe(head);
    // Git asked anew, so the manager refreshed.
    const renewed = tokensIn(state);
    expect(renewed.access_token).not.toBe(first.access_token);
    // It reaches repositories alone.
    const headers = { Authorization: `Bearer ${renewed.access_token}` };
    expect((await world.send('GET', '/api/v4/user', { headers })).status).toBe(403);
    // Who comes with the refresh token from before has stolen it: all that came of it ends.
    const stolen = { grant_type: 'refresh_token', client_id: app.uid, refresh_token: first.refresh_token };
    expect(await world.send('POST', '/oauth/token', { body: stolen })).toMatchObject({ status: 400 });
    const basic = { Authorization: `Basic ${Buffer.from(`oauth2:${renewed.access_token}`).toString('base64')}` };
    const refs = `/${project.fullPath}.git/info/refs?service=git-upload-pack`;
    expect((await world.send('GET', refs, { headers: basic })).status).toBe(401);
    const asked = readFileSync(path.join(state, 'asked'), 'utf8');
    expect(asked.match(/^(get|store|erase) /gm)).toEqual(['get ', 'store ', 'get ', 'store ']);
  });

  it('is told when its token was revoked, so that it forgets it, and when the user says no', LONG, async () => {
    const { project } = await pushed();
    const state = scratch();
    const listing = gitClient(state, ...helped(state), 'ls-remote', urlOf(project));
    await signIn(state, owner);
    expect(await listing).toMatchObject({ code: 0, output: expect.stringContaining('refs/heads/main') });
    const { access_token: token } = tokensIn(state);
    const revoked = await world.send('POST', '/oauth/revoke', { body: { client_id: app.uid, token } });
    expect(revoked.status).toBe(200);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await world.send('GET', '/oauth/token/info', { headers })).status).toBe(401);

    const denied = scratch();
    const refused = gitClient(denied, ...helped(denied), 'ls-remote', urlOf(project));
    await signIn(denied, owner, 'deny');
    expect((await refused).code).not.toBe(0);
    const other = await world.user();
    const foreign = scratch();
    const unseen = gitClient(foreign, ...helped(foreign), 'ls-remote', urlOf(project));
    await signIn(foreign, other);
    expect(await unseen).toMatchObject({ code: 128, said: expect.stringContaining('not found') });
  });

  it('sends a personal access token as the password, and is refused one that does not reach repositories', async () => {
    const { project } = await pushed();
    const give = (token: string) => [
      '-c',
      'credential.helper=',
      '-c',
      `credential.helper=!f() { test "$1" = get && echo username=${owner.username} && echo password=${token}; }; f`,
    ];
    const list = (token: string) => gitClient(scratch(), ...give(token), 'ls-remote', urlOf(project));
    expect(await list(await world.token(owner, ['read_repository']))).toMatchObject({ code: 0 });
    const work = await workingCopy();
    await commitFile(work, 'c.txt', 'three\n');
    const push = (token: string) => gitClient(work, ...give(token), 'push', '--quiet', urlOf(project), 'main:other');
    expect((await push(await world.token(owner, ['read_repository']))).code).not.toBe(0);
    expect(await world.api(owner).get(`/projects/${project.id}/repository/branches/other`)).toMatchObject({
      status: 404,
    });
    expect(await push(await world.token(owner, ['write_repository']))).toMatchObject({ code: 0 });
    expect((await list(await world.token(owner, ['read_user']))).code).not.toBe(0);
    expect((await list(await world.token(owner, ['api'], new Date('2020-01-01')))).said).toContain(
      'Authentication failed',
    );
  });
});
