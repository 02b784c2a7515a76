// Each test takes long: the long run has them all.
// @module-tag long
import { Gitlab } from '@gitbeaker/rest';
import { expect, it } from 'vitest';
import { tarOf } from '../support/registry.ts';
import { startSites } from '../support/sites.ts';

const { world, publish } = await startSites();
const admin = await world.user({ admin: true });
const owner = await world.user();
const client = new Gitlab({ host: world.url, token: owner.token });
const put = (place: string, body: Buffer | string) =>
  world.send('PUT', `/api/v4${place}`, {
    headers: { 'PRIVATE-TOKEN': owner.token },
    body: new Uint8Array(Buffer.from(body)),
  });
const text = async (content: unknown) => (content instanceof Blob ? content.text() : String(content));

it('A client that was written for /api/v4 publishes generic packages, and lists and removes packages of all kinds', async () => {
  const project = await world.project({ owner, visibility: 'public' });
  const { id } = project;
  const answer = await put(`/projects/${id}/packages/generic/tool/1.0.0/tool.txt`, 'A tool');
  expect(answer.status).toBe(201);
  expect(await text(await client.PackageRegistry.download(id, 'tool', '1.0.0', 'tool.txt'))).toBe('A tool');
  const [made] = await client.Packages.all({ projectId: id });
  expect(made).toMatchObject({ name: 'tool', version: '1.0.0', package_type: 'generic' });
  expect(await client.Packages.show(id, made?.id as number)).toMatchObject({ name: 'tool' });
  const [file] = await client.Packages.allFiles(id, made?.id as number);
  expect(file).toMatchObject({ file_name: 'tool.txt', size: 6 });
  await client.Packages.remove(id, made?.id as number);
  expect(await client.Packages.all({ projectId: id })).toEqual([]);
});

it('A client that was written for /api/v4 reads registries of Helm and Go', async () => {
  const project = await world.project({ owner, visibility: 'public', path: 'reads-registries' });
  const { id } = project;
  const chart = await tarOf({ 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' });
  const content = new Blob([new Uint8Array(chart)]);
  await client.Helm.import(id, 'stable', { content, filename: 'web-1.0.0.tgz' });
  expect(await text(await client.Helm.downloadChartIndex(id, 'stable'))).toContain('web-1.0.0.tgz');

  const name = `127.0.0.1/${project.fullPath}`;
  await client.RepositoryFiles.create(id, 'go.mod', 'master', `module ${name}\n`, 'Begin');
  await client.Tags.create(id, 'v1.0.0', 'master');
  expect(await text(await client.GoProxy.all(id, name))).toBe('v1.0.0\n');
  expect(await client.GoProxy.showVersionMetadata(id, name, 'v1.0.0')).toMatchObject({ Version: 'v1.0.0' });
});

it('A client that was written for /api/v4 publishes Composer packages from tags', async () => {
  const group = await world.group({ owner, visibility: 'public' });
  const { id } = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
  await client.RepositoryFiles.create(id, 'composer.json', 'master', '{"name": "us/app"}', 'Begin');
  await client.Tags.create(id, 'v1.0.0', 'master');
  await client.Composer.create(id, { tag: 'v1.0.0' });
  const made = await client.Packages.all({ groupId: group.id });
  expect(made).toMatchObject([{ name: 'us/app', version: '1.0.0', package_type: 'composer' }]);
});

it('A client that was written for /api/v4 sets sites up, and takes them away', async () => {
  const project = await world.project({ owner, visibility: 'public' });
  await publish(owner, project, { 'public/index.html': 'Hello' });
  expect(await client.GitlabPages.showSettings(project.id)).toMatchObject({ is_unique_domain_enabled: false });
  const domain = 'www.example.org';
  expect(await client.PagesDomains.create(project.id, domain)).toMatchObject({ domain, verified: false });
  expect(await client.PagesDomains.show(project.id, domain)).toMatchObject({ domain });
  expect(await client.PagesDomains.edit(project.id, domain, { autoSslEnabled: 'false' })).toMatchObject({ domain });
  expect(await client.PagesDomains.all({ projectId: project.id })).toHaveLength(1);
  await client.PagesDomains.remove(project.id, domain);
  expect(await client.PagesDomains.all({ projectId: project.id })).toEqual([]);
  await client.GitlabPages.remove(project.id);
});

it('A client that was written for /api/v4 writes wikis of groups, and exports and imports groups', async () => {
  const group = await world.group({ owner });
  const wikis = client.GroupWikis;
  expect(await wikis.create(group.id, 'Welcome', 'Home')).toMatchObject({ slug: 'Home', title: 'Home' });
  expect(await wikis.edit(group.id, 'Home', { content: 'Welcome back' } as never)).toMatchObject({
    content: 'Welcome back',
  });
  expect(await wikis.all(group.id)).toHaveLength(1);
  await client.GroupImportExports.scheduleExport(group.id);
  const archive = await expect
    .poll(() => client.GroupImportExports.download(group.id).catch(() => null), { timeout: 60_000 })
    .not.toBeNull()
    .then(() => client.GroupImportExports.download(group.id));
  const content = archive as unknown as Blob;
  await client.GroupImportExports.import({ content, filename: 'group.tar.gz' }, 'taken-in', {
    name: 'Taken in',
  } as never);
  await expect
    .poll(
      () =>
        wikis.show('taken-in', 'Home').then(
          ({ content }) => content,
          () => null,
        ),
      { timeout: 60_000 },
    )
    .toBe('Welcome back');
  await wikis.remove(group.id, 'Home');
  expect(await wikis.all(group.id)).toEqual([]);
});

it('A client that was written for /api/v4 makes service accounts, and rules for pushes and approvals', async () => {
  const mine = new Gitlab({ host: world.url, token: admin.token });
  expect(await mine.ServiceAccounts.create()).toMatchObject({ username: expect.stringMatching(/^service_account_/) });
  const group = await world.group({ owner });
  expect(await client.GroupServiceAccounts.create(group.id, { name: 'Bot' } as never)).toMatchObject({ name: 'Bot' });
  const { id } = await world.project({ owner, namespaceId: group.id });
  const rules = client.ProjectPushRules;
  expect(await rules.create(id, { commitMessageRegex: '^Fix' })).toMatchObject({ commit_message_regex: '^Fix' });
  expect(await rules.edit(id, { maxFileSize: 5 })).toMatchObject({ max_file_size: 5 });
  expect(await rules.show(id)).toMatchObject({ commit_message_regex: '^Fix', max_file_size: 5 });
  await rules.remove(id);
  const approvals = client.MergeRequestApprovals;
  const rule = await approvals.createApprovalRule(id, 'Two', 2);
  expect(rule).toMatchObject({ name: 'Two', approvals_required: 2 });
  expect(await approvals.allApprovalRules(id)).toHaveLength(1);
  await approvals.removeApprovalRule(id, rule.id);
  expect(await approvals.allApprovalRules(id)).toEqual([]);
});
