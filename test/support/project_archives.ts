import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from './http.ts';
import { commitTo } from './merge_requests.ts';
import { sendForm } from './upload.ts';
import type { Api, TestUser, World } from './world.ts';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Requires that a request succeeds. */
async function done(answer: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await answer;
  expect([status < 300, body]).toEqual([true, expect.anything()]);
  return body;
}

export interface People {
  owner: TestUser;
  developer: TestUser;
}

/** A project with something of everything that an archive has, made through the API. */
export async function richProject(world: World, { owner, developer }: People): Promise<ProjectRow> {
  const api = world.api(owner);
  const other = world.api(developer);
  const group = await world.group({ owner });
  const project = await world.project({
    owner,
    namespaceId: group.id,
    description: 'All of it',
    tagList: ['fruit', 'red'],
  });
  const at = `/projects/${project.id}`;
  await done(api.put(at, { request_access_enabled: true, ci_default_git_depth: 7 }));
  await world.member(project, developer, 'developer');
  const form = new FormData();
  form.append('avatar', new File([PNG], 'logo.png'));
  await done(sendForm(world, `/api/v4${at}`, form, owner, 'PUT'));
  await commitTo(world, project, owner, 'master', 'a.txt', 'one\ntwo\nthree\n');
  await done(api.post(`${at}/repository/branches`, { branch: 'topic', ref: 'master' }));
  await commitTo(world, project, developer, 'topic', 'a.txt', 'one\nTWO\nthree\n');
  await done(api.post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'master', message: 'First' }));
  const upload = await attached(world, project, owner, 'notes.txt', 'what was attached\n');
  for (const [name, priority] of [
    ['bug', 3],
    ['decoy', undefined],
  ] as const) {
    await done(api.post(`${at}/labels`, { name, color: '#ff0000', description: `About ${name}`, priority }));
  }
  const [board] = await done(api.get(`${at}/boards`));
  const [listed] = await done(api.get(`${at}/labels?search=bug`));
  await done(api.post(`${at}/boards/${board.id}/lists`, { label_id: listed.id }));
  const groupLabel = await done(api.post(`/groups/${group.id}/labels`, { name: 'of the group', color: '#00ff00' }));
  await world.db.labelPriority.create({ data: { projectId: project.id, labelId: groupLabel.id, priority: 1 } });
  const milestone = await done(
    api.post(`${at}/milestones`, { title: 'First milestone', due_date: '2027-01-31', description: 'Soon' }),
  );
  const ofGroup = await done(api.post(`/groups/${group.id}/milestones`, { title: 'Of the group' }));
  const issue = await done(
    api.post(`${at}/issues`, {
      title: 'Fruit falls',
      description: `See ${upload}`,
      labels: 'bug,of the group',
      milestone_id: milestone.id,
      due_date: '2027-02-01',
      assignee_ids: [developer.id],
    }),
  );
  const second = await done(other.post(`${at}/issues`, { title: 'Confidential', confidential: true }));
  await done(api.put(`${at}/issues/${second.iid}`, { milestone_id: ofGroup.id, labels: 'bug' }));
  await done(api.put(`${at}/issues/${second.iid}`, { state_event: 'close' }));
  await world.db.issue.update({ where: { id: second.id }, data: { type: 'task' } });
  await world.db.issueParent.create({ data: { issueId: second.id, parentId: issue.id } });
  await done(
    api.post(`${at}/issues/${issue.iid}/links`, { target_project_id: project.id, target_issue_iid: second.iid }),
  );
  await done(api.post(`${at}/issues/${issue.iid}/time_estimate?duration=2h`));
  await done(api.post(`${at}/issues/${issue.iid}/add_spent_time?duration=30m`));
  await done(other.post(`${at}/issues/${issue.iid}/notes`, { body: `Ripe. ${upload}` }));
  const thread = await done(api.post(`${at}/issues/${issue.iid}/discussions`, { body: 'Why?' }));
  await done(other.post(`${at}/issues/${issue.iid}/discussions/${thread.id}/notes`, { body: 'Gravity, see #2' }));
  await done(other.post(`${at}/issues/${issue.iid}/award_emoji`, { name: 'apple' }));
  const request = await done(
    other.post(`${at}/merge_requests`, {
      title: 'Bigger',
      description: 'Closes #1',
      source_branch: 'topic',
      target_branch: 'master',
      labels: 'bug',
      milestone_id: milestone.id,
      assignee_ids: [owner.id],
      reviewer_ids: [owner.id],
    }),
  );
  const merge = `${at}/merge_requests/${request.iid}`;
  const { diff_refs: refs } = await done(api.get(merge));
  const position = { ...refs, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt', new_line: 2 };
  const onLine = await done(
    api.post(`${merge}/discussions`, { body: 'Too loud\n\n```suggestion:-0+0\ntwo!\n```', position }),
  );
  await done(other.post(`${merge}/discussions/${onLine.id}/notes`, { body: 'Really?' }));
  await done(api.put(`${merge}/discussions/${onLine.id}`, { resolved: true }));
  await done(api.post(`${merge}/approve`));
  // A second version; what the first one was is kept.
  await commitTo(world, project, developer, 'topic', 'b.txt', 'more\n');
  await world.idle();
  await done(api.post(`${at}/repository/branches`, { branch: 'merged', ref: 'master' }));
  await commitTo(world, project, owner, 'merged', 'c.txt', 'c\n');
  const { iid } = await done(
    api.post(`${at}/merge_requests`, { title: 'To merge', source_branch: 'merged', target_branch: 'master' }),
  );
  await done(api.put(`${at}/merge_requests/${iid}/merge`, { should_remove_source_branch: true }));
  await done(
    api.post(`${at}/releases`, {
      tag_name: 'v1',
      name: 'The first',
      description: 'Notes of it',
      milestones: ['First milestone'],
      assets: { links: [{ name: 'Binary', url: 'https://example.org/a.bin', filepath: '/bin/a' }] },
    }),
  );
  const stable = await done(
    api.post(`${at}/protected_branches`, {
      name: 'stable-*',
      push_access_level: 0,
      merge_access_level: 30,
      code_owner_approval_required: true,
    }),
  );
  await done(
    api.post(`${at}/approval_rules`, {
      name: 'Developers',
      approvals_required: 1,
      user_ids: [developer.id],
      protected_branch_ids: [stable.id],
    }),
  );
  await done(api.post(`${at}/approval_rules`, { name: 'Anybody', approvals_required: 2, rule_type: 'any_approver' }));
  await done(api.post(`${at}/push_rule`, { commit_message_regex: 'JIRA-\\d+', max_file_size: 7 }));
  await done(
    api.post(`${at}/registry/protection/tag/rules`, {
      tag_name_pattern: 'v.+',
      minimum_access_level_for_push: 'maintainer',
      minimum_access_level_for_delete: 'owner',
    }),
  );
  const policy = { enabled: true, cadence: '7d', keep_n: 5, name_regex: '.*', name_regex_keep: 'v.+' };
  await done(api.put(at, { container_expiration_policy_attributes: policy, pages_access_level: 'private' }));
  await world.db.pagesSettings.create({
    data: { projectId: project.id, uniqueDomainEnabled: true, uniqueDomain: `unique-${project.id}`, httpsOnly: false },
  });
  await world.db.pagesDomain.create({
    data: {
      ...{ projectId: project.id, domain: 'fruit.example.net', verificationCode: 'c0de', autoSslEnabled: false },
      ...{ verifiedAt: new Date(), enabledUntil: new Date('2099-01-01') },
    },
  });
  await world.db.integration.create({
    data: { projectId: project.id, slug: 'slack', secretNames: ['webhook'], secretsEncrypted: Buffer.from('secret') },
  });
  await done(api.post(`${at}/protected_tags`, { name: 'v*', create_access_level: 40 }));
  await done(
    api.post(`${at}/badges`, {
      link_url: 'https://example.org/%{project_path}',
      image_url: 'https://example.org/b.svg',
    }),
  );
  const list = await done(api.post(`${at}/feature_flags_user_lists`, { name: 'Testers', user_xids: 'ada,ben' }));
  const scopes = [{ environment_scope: 'production' }];
  const strategies = [
    { name: 'gitlabUserList', parameters: {}, user_list_id: list.id, scopes },
    { name: 'userWithId', parameters: { userIds: '7' } },
  ];
  await done(api.post(`${at}/feature_flags`, { name: 'ripe', description: 'Sells apples', active: false, strategies }));
  const files = [
    { file_path: 'r.txt', content: 'Bake' },
    { file_path: 's.txt', content: 'Serve' },
  ];
  const recipe = await done(
    api.post(`${at}/snippets`, { title: 'Recipe', description: 'Of pies', files, visibility: 'private' }),
  );
  await done(api.put(`${at}/snippets/${recipe.id}`, { code: 'Bake well' }));
  await done(api.post(`${at}/wikis`, { title: 'Home', content: 'Welcome' }));
  const [tip] = await done(api.get(`${at}/repository/commits`));
  await done(api.post(`${at}/repository/commits/${tip.id}/comments`, { note: 'Well done' }));
  await world.idle();
  await done(
    api.put(at, {
      squash_option: 'default_on',
      merge_commit_template: 'Merge %{title}',
      squash_commit_template: '%{title}',
      autoclose_referenced_issues: false,
      auto_cancel_pending_pipelines: 'enabled',
      ci_config_path: 'ci/main.yml',
    }),
  );
  return project;
}

/** The Markdown for a new file of a project. */
export async function attached(world: World, project: { id: number }, who: TestUser, name: string, content: string) {
  const form = new FormData();
  form.append('file', new File([content], name));
  const { body } = await sendForm(world, `/api/v4/projects/${project.id}/uploads`, form, who);
  return body.markdown as string;
}

/** Exports a project and waits for the archive; its bytes. */
export async function exported(world: World, api: Api, who: TestUser, { id }: { id: number }): Promise<Buffer> {
  expect(await api.post(`/projects/${id}/export`)).toMatchObject({ status: 202, body: { message: '202 Accepted' } });
  await world.until(async () => {
    const { export_status: status } = (await api.get(`/projects/${id}/export`)).body;
    return ['finished', 'failed'].includes(status);
  }, 60_000);
  const response = await download(world, who, id);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  return Buffer.from(await response.arrayBuffer());
}

export function download(world: World, who: TestUser, id: number): Promise<Response> {
  return fetch(`${world.url}/api/v4/projects/${id}/export/download`, { headers: { 'PRIVATE-TOKEN': who.token } });
}

/** The files of an archive in a directory, unpacked by the program tar. */
export function unpacked(archive: Buffer): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'archive-'));
  const file = `${directory}.tar.gz`;
  writeFileSync(file, archive);
  execFileSync('tar', ['-xzf', file, '-C', directory]);
  rmSync(file);
  return directory;
}

/** Packs a directory as an archive, in the order in which the program tar finds its files. */
export function packed(directory: string): Buffer {
  const names = readdirSync(directory);
  return execFileSync(
    'tar',
    ['-czf', '-', '--format=ustar', '--no-recursion', '-C', directory, ...files(directory, names)],
    {
      maxBuffer: 256 * 1024 * 1024,
    },
  );
}

function files(directory: string, names: readonly string[], below = ''): string[] {
  return names.flatMap((name) => {
    const place = path.join(directory, name);
    try {
      return files(place, readdirSync(place), `${below}${name}/`);
    } catch {
      return [`${below}${name}`];
    }
  });
}

/** The records of a kind in an unpacked archive. */
export function records(directory: string, kind: string): Json[] {
  const text = readFileSync(path.join(directory, 'tree', `${kind}.ndjson`), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

export interface SentImport {
  archive: Buffer;
  path: string;
  more?: Record<string, string>;
}

/** Sends an archive to be imported. */
export function sendImport(world: World, who: TestUser | undefined, { archive, path: name, more = {} }: SentImport) {
  const form = new FormData();
  for (const [key, value] of Object.entries({ path: name, ...more })) form.append(key, value);
  form.append('file', new File([new Uint8Array(archive)], 'project.tar.gz'));
  return sendForm(world, '/api/v4/projects/import', form, who);
}

/** Imports an archive and waits for the end; the record of the import. */
export async function imported(world: World, who: TestUser, sent: SentImport): Promise<Json> {
  const { status, body } = await sendImport(world, who, sent);
  expect([status, body]).toEqual([201, expect.objectContaining({ import_status: expect.any(String) })]);
  let record: Json;
  await world.until(async () => {
    record = (await world.api(who).get(`/projects/${body.id}/import`)).body;
    return ['finished', 'failed'].includes(record.import_status);
  }, 60_000);
  return record;
}
