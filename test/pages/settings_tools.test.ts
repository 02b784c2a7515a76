// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { signedIn } from '../support/oauth.ts';
import { newKey } from '../support/ssh_keys.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const secretsOn = (page: string) => [...page.matchAll(/class="secret">([^<]+)</g)].map(([, text]) => text ?? '');

describe.each(['project', 'group'] as const)('The settings of a %s', (kind) => {
  async function place() {
    const owner = await world.user();
    const made = kind === 'project' ? await world.project({ owner }) : await world.group({ owner });
    const base = kind === 'project' ? `/${made.fullPath}/-` : `/groups/${made.fullPath}/-`;
    const where: { projectId?: number; groupId?: number } =
      kind === 'project' ? { projectId: made.id } : { groupId: made.id };
    return { owner, made, base, where, browser: await signedIn(world, owner) };
  }

  it('show a new access token once, rotate and revoke it', async () => {
    const { base, made, browser } = await place();
    const at = `${base}/settings/access_tokens`;
    await browser.get(`${at}/new`);
    const fields = { name: 'Robot', description: '', accessLevel: 'developer', expiresAt: '' };
    expect((await browser.submit(`${at}/new`, fields)).status).toBe(422);
    expect(browser.page).toContain('Choose at least one.');
    await browser.submit(`${at}/new`, { ...fields, scopes: ['read_api', 'self_rotate'] });
    const [token = ''] = secretsOn(browser.page);
    expect(browser.answer.headers['cache-control']).toBe('no-store');
    const asked = `/api/v4/${kind}s/${made.id}`;
    expect((await world.send('GET', asked, { headers: { 'PRIVATE-TOKEN': token } })).status).toBe(200);
    await browser.get(at);
    expect(browser.page).toContain('Robot');
    expect(browser.page).not.toContain(token);
    const id = /access_tokens\/(\d+)\/rotate/.exec(browser.page)?.[1];
    await browser.get(`${at}/${id}/rotate`);
    await browser.confirm(`${at}/${id}/rotate`, { expiresAt: '' });
    const [second = ''] = secretsOn(browser.page);
    expect((await world.send('GET', asked, { headers: { 'PRIVATE-TOKEN': token } })).status).toBeGreaterThan(400);
    expect((await world.send('GET', asked, { headers: { 'PRIVATE-TOKEN': second } })).status).toBe(200);
    await browser.get(at);
    const present = /access_tokens\/(\d+)\/revoke/.exec(browser.page)?.[1];
    await browser.get(`${at}/${present}/revoke`);
    await browser.confirm(`${at}/${present}/revoke`);
    expect((await world.send('GET', asked, { headers: { 'PRIVATE-TOKEN': second } })).status).toBeGreaterThan(400);
    await browser.get(`${at}?state=inactive`);
    expect(browser.page).toContain('revoked');
  });

  it('show a new deploy token once, and revoke it', async () => {
    const { base, where, browser } = await place();
    const at = `${base}/settings/${kind === 'project' ? 'deploy_tokens' : 'repository'}`;
    await browser.get(`${at}/new`);
    await browser.submit(`${at}/new`, {
      name: 'Mirror',
      username: '',
      expiresAt: '2099-01-02',
      scopes: ['read_repository'],
    });
    expect(secretsOn(browser.page)).toHaveLength(2);
    const made = await world.db.deployToken.findFirstOrThrow({ where });
    expect(made.expiresAt?.toISOString()).toBe('2099-01-02T00:00:00.000Z');
    await browser.get(at);
    expect(browser.page).toContain('ends on 2099-01-02');
    await browser.get(`${at}/${made.id}/revoke`);
    await browser.confirm(`${at}/${made.id}/revoke`);
    await browser.get(at);
    expect(browser.page).not.toContain(`/${made.id}/revoke`);
  });

  it('keep the values of variables to themselves unless asked', async () => {
    const { base, browser } = await place();
    const at = `${base}/settings/ci_cd${kind === 'project' ? '/variables' : ''}`;
    await browser.get(`${at}/new`);
    const fields = { type: 'env_var', environmentScope: '*', description: '', isMasked: ['false', 'true'] };
    await browser.submit(`${at}/new`, { ...fields, key: 'SECRET', value: 'zq-value-1234' });
    expect(browser.answer.headers.location).toBe(at);
    await browser.submit(`${at}/new`, {
      ...fields,
      key: 'NEVER',
      value: 'zq-hidden-1234',
      isHidden: ['false', 'true'],
    });
    expect((await browser.submit(`${at}/new`, { ...fields, key: 'no name', value: 'x' })).status).toBe(422);
    await browser.get(at);
    expect(browser.page).toContain('SECRET');
    expect(browser.page).not.toContain('zq-');
    await browser.get(`${at}?shown=true`);
    expect(browser.page).toContain('zq-value-1234');
    expect(browser.page).not.toContain('zq-hidden');
    await browser.get(`${at}/SECRET/edit?scope=*`);
    await browser.submit(`${at}/SECRET/edit?scope=*`, {
      ...fields,
      scope: '*',
      value: 'zq-other-1234',
      isProtected: ['false', 'true'],
    });
    expect(browser.answer.headers.location).toBe(at);
    await browser.get(`${at}?shown=true`);
    expect(browser.page).toContain('zq-other-1234');
    await browser.get(`${at}/SECRET/delete?scope=*`);
    expect(browser.page).not.toContain('zq-');
    await browser.confirm(`${at}/SECRET/delete?scope=*`, { scope: '*' });
    await browser.get(at);
    expect(browser.page).not.toContain('SECRET');
  });

  it('add webhooks, show what was sent and answered, and delete them', async () => {
    const { base, made, browser } = await place();
    const at = `${base}/hooks`;
    await browser.get(`${at}/new`);
    const fields = { pushEvents: 'false', issuesEvents: ['false', 'true'], enableSslVerification: 'true' };
    expect((await browser.submit(`${at}/new`, { url: 'ftp://x', token: '', ...fields })).status).toBe(422);
    await browser.submit(`${at}/new`, { url: 'https://example.com/hook', token: 'zq-secret', ...fields });
    expect(browser.answer.headers.location).toBe(at);
    const hook = await world.db.hook.findFirstOrThrow({
      where: kind === 'project' ? { projectId: made.id } : { namespaceId: made.id },
    });
    expect(hook).toMatchObject({ pushEvents: false, issuesEvents: true });
    const event = await world.db.hookEvent.create({
      data: { kind: 'issue', facts: {}, payload: '{"object_kind":"<issue>"}' },
    });
    const delivery = await world.db.hookDelivery.create({
      data: {
        ...{ hookId: hook.id, eventId: event.id, state: 'failed', attempts: 2, responseStatus: 500 },
        ...{ responseBody: '<b>broken</b>', requestHeaders: { 'X-Gitlab-Event': 'Issue Hook' } },
      },
    });
    await browser.get(`${at}/${hook.id}`);
    expect(browser.page).toContain('status 500');
    expect(browser.page).not.toContain('zq-secret');
    await browser.get(`${at}/${hook.id}/hook_logs/${delivery.id}`);
    for (const text of ['&lt;b&gt;broken', '&lt;issue&gt;', 'X-Gitlab-Event: Issue Hook'])
      expect(browser.page).toContain(text);
    await browser.get(`${at}/${hook.id}/edit`);
    await browser.submit(`${at}/${hook.id}/edit`, { url: hook.url, token: '', ...fields });
    const kept = await world.db.hook.findUniqueOrThrow({ where: { id: hook.id } });
    expect(kept.tokenEncrypted).toEqual(hook.tokenEncrypted);
    // What is secret is for one receiver.
    await browser.submit(`${at}/${hook.id}/edit`, { url: 'https://example.com/other', token: '', ...fields });
    const changed = await world.db.hook.findUniqueOrThrow({ where: { id: hook.id } });
    expect(changed.url).toBe('https://example.com/other');
    expect(changed.tokenEncrypted).toBeNull();
    const elsewhere = await place();
    expect((await elsewhere.browser.get(`${elsewhere.base}/hooks/${hook.id}`)).status).toBe(404);
    expect((await elsewhere.browser.confirm(`${elsewhere.base}/hooks/${hook.id}/delete`)).status).toBe(404);
    await browser.get(`${at}/${hook.id}/delete`);
    await browser.confirm(`${at}/${hook.id}/delete`);
    expect(await world.db.hook.count({ where: { id: hook.id } })).toBe(0);
  });
});

it('Deploy keys are added and removed', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/settings/deploy_keys`;
  await browser.get(`${at}/new`);
  expect((await browser.submit(`${at}/new`, { title: 'Bad', key: 'no key', canPush: 'false' })).status).toBe(422);
  await browser.submit(`${at}/new`, { title: 'Builder', key: newKey(), canPush: ['false', 'true'] });
  expect(browser.answer.headers.location).toBe(at);
  await browser.get(at);
  expect(browser.page).toContain('reads and pushes');
  const id = /deploy_keys\/(\d+)\/remove/.exec(browser.page)?.[1];
  await browser.get(`${at}/${id}/remove`);
  await browser.confirm(`${at}/${id}/remove`);
  await browser.get(at);
  expect(browser.page).toContain('There are no deploy keys.');
});

it('Branches and tags are protected and unprotected', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-/settings/repository`;
  await browser.get(at);
  const levels = { mergeAccessLevel: 'developer', pushAccessLevel: 'no_one', allowForcePush: 'false' };
  await browser.submit(`${at}/branches`, { name: 'release/*', ...levels });
  expect(browser.answer.headers.location).toBe(at);
  expect((await browser.submit(`${at}/branches`, { name: 'release/*', ...levels })).status).toBe(422);
  await browser.submit(`${at}/tags`, { tagName: 'v*', createAccessLevel: 'master' });
  await browser.get(at);
  expect(browser.page).toContain('Push: Nobody');
  expect(browser.page).toContain('Create: Maintainers');
  await browser.submit(`${at}/branches/force_push`, { name: 'release/*', allowForcePush: 'true' });
  await browser.get(at);
  expect(browser.page).toContain('force pushes allowed');
  for (const [what, name] of [
    ['branches', 'release/*'],
    ['tags', 'v*'],
  ] as const) {
    const path = `${at}/${what}/unprotect?name=${encodeURIComponent(name)}`;
    await browser.get(path);
    await browser.confirm(path, { name });
  }
  await browser.get(at);
  expect(browser.page).not.toContain('release/*');
  expect(browser.page).toContain('No tags are protected.');
});

it('Pipelines, mirrors, usage and exports have their pages', async () => {
  const [owner, developer] = [await world.user(), await world.user()];
  const project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-`;
  await browser.get(`${at}/settings/ci_cd`);
  const fields = { ciConfigPath: 'ci/main.yml', buildTimeout: '600', ciDefaultGitDepth: '', publicJobs: 'false' };
  await browser.submit(`${at}/settings/ci_cd`, { ...fields, autoCancelPendingPipelines: 'enabled' });
  expect(browser.answer.headers.location).toBe(`${at}/settings/ci_cd`);
  expect(await world.db.project.findUniqueOrThrow({ where: { id: project.id } })).toMatchObject({
    ...{ ciConfigPath: 'ci/main.yml', buildTimeout: 600, publicJobs: false },
  });
  expect((await browser.submit(`${at}/settings/ci_cd`, { ...fields, buildTimeout: '1' })).status).toBe(422);
  await browser.get(`${at}/settings/mirrors`);
  await browser.submit(`${at}/settings/mirrors`, { url: 'https://me:zq-token@example.com/x.git' });
  await browser.get(`${at}/settings/mirrors`);
  expect(browser.page).toContain('example.com/x.git');
  expect(browser.page).not.toContain('zq-token');
  const mirror = await world.db.remoteMirror.findFirstOrThrow({ where: { projectId: project.id } });
  await browser.submit(`${at}/settings/mirrors/${mirror.id}/state`, { enabled: 'false' });
  await browser.get(`${at}/settings/mirrors/${mirror.id}/remove`);
  expect(browser.page).not.toContain('zq-token');
  await browser.confirm(`${at}/settings/mirrors/${mirror.id}/remove`);
  expect(await world.db.remoteMirror.count({ where: { id: mirror.id } })).toBe(0);
  await browser.get(`${at}/settings/packages_and_registries`);
  expect(browser.page).toContain('Artifacts of jobs');
  await browser.get(`${at}/packages`);
  expect(browser.page).toContain('Nothing was published yet.');
  await browser.get(`${at}/container_registry`);
  expect(browser.page).toContain('No images were pushed yet.');
  await browser.get(`${at}/settings/export`);
  expect(browser.page).toContain('There is no archive.');
  expect((await browser.get(`${at}/settings/export/download`)).status).toBe(404);
  await browser.submit(`${at}/settings/export`, { format: 'gitlab' });
  await browser.get(`${at}/settings/export`);
  expect(browser.page).not.toContain('There is no archive.');
  const wanted = await world.db.projectExport.findFirstOrThrow({ where: { projectId: project.id } });
  expect(wanted.format).toBe('gitlab');
  const other = await signedIn(world, developer);
  for (const path of ['ci_cd', 'mirrors', 'packages_and_registries', 'export', 'export/download', 'ci_cd/variables'])
    expect((await other.get(`${at}/settings/${path}`)).status).toBeGreaterThanOrEqual(403);
});

it('Pages of settings take as many statements for many records as for few', async () => {
  const owner = await world.user();
  const project = await world.project({ owner });
  const browser = await signedIn(world, owner);
  const at = `/${project.fullPath}/-`;
  const fill = async () => {
    for (let count = 0; count < 3; count++) {
      const name = world.unique('one');
      await world.db.protectedBranch.create({ data: { projectId: project.id, name } });
      await world.db.badge.create({
        data: { projectId: project.id, name, linkUrl: 'https://a', imageUrl: 'https://b' },
      });
      await world.member(project, await world.user(), 'developer');
      await world.api(owner).post(`/projects/${project.id}/hooks`, { url: `https://example.com/${name}` });
      await world.api(owner).post(`/projects/${project.id}/variables`, { key: name.replace(/\W/g, '_'), value: 'x' });
    }
  };
  await fill();
  const paths = ['settings/repository', 'settings/badges', 'project_members', 'hooks', 'settings/ci_cd/variables'];
  const counted = async () => {
    const counts: Record<string, number> = {};
    for (const path of paths) {
      await browser.get(`${at}/${path}`);
      counts[path] = (await world.statements(() => browser.get(`${at}/${path}`))).length;
    }
    return counts;
  };
  const few = await counted();
  await fill();
  expect(await counted()).toEqual(few);
});
