// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import { asOneFile, type Commits, type Files, gitlabProject, LFS, OID, tarOf } from '../support/gitlab_archives.ts';
import type { Json } from '../support/http.ts';
import { download, imported } from '../support/project_archives.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const first = await world.user();
const second = await world.user();

let files: Files;
let commits: Commits;

beforeAll(async () => {
  const emailOf = async ({ id }: { id: number }) => (await world.db.user.findUniqueOrThrow({ where: { id } })).email;
  const made = await gitlabProject({ first: await emailOf(first), second: await emailOf(second) });
  ({ files, commits } = made);
});

/** The username of the placeholder of a user who has no account here. */
const placeholderOf = (name: string): Json =>
  expect.stringMatching(new RegExp(`^${name}(?:_placeholder_[0-9a-f]{10})+$`));

/** What the API tells of the project: each address, and what its answer has at least. */
function expectations(): readonly (readonly [string, Json])[] {
  const has = (shape: object): Json => expect.objectContaining(shape);
  const by = (user: { username: string }) => has({ username: user.username });
  return [
    [
      '',
      has({
        ...{ description: 'Moved in', visibility: 'public', default_branch: 'trunk', squash_option: 'default_on' },
        ...{ merge_method: 'rebase_merge', autoclose_referenced_issues: false, tag_list: ['fruit', 'red'] },
        ...{ build_timeout: 1800, issues_access_level: 'private', builds_access_level: 'disabled' },
        ...{ ci_default_git_depth: 7, avatar_url: expect.stringMatching(/\.png$/) },
      }),
    ],
    [
      '/labels',
      [
        has({ name: 'bug', color: '#ff0000', description: 'Broken', priority: 2 }),
        has({ name: 'late', color: '#00ff00' }),
        has({ name: 'of the group', color: '#6699cc' }),
      ],
    ],
    ['/milestones', [has({ iid: 3, title: 'v1', description: 'Soon', state: 'active', due_date: '2024-05-01' })]],
    [
      '/issues?sort=asc',
      [
        has({
          ...{ iid: 12, title: 'Fruit falls', state: 'closed', confidential: true, issue_type: 'incident' },
          ...{ labels: ['bug', 'late', 'of the group'], due_date: '2024-04-01', author: by(first) },
          ...{ created_at: '2024-03-01T10:00:00.000Z', closed_at: '2024-03-02T10:00:00.000Z', closed_by: by(second) },
          ...{ assignees: [by(second), by(first)], milestone: has({ title: 'v1' }), upvotes: 1 },
          time_stats: has({ time_estimate: 7200, total_time_spent: 1800 }),
        }),
        has({ iid: 13, title: 'Second', author: by(second) }),
      ],
    ],
    [
      '/issues/12/notes?sort=asc',
      [
        has({ body: 'Ripe?', author: by(first), created_at: '2024-03-01T10:00:00.000Z' }),
        has({ body: 'Quite, see #12', author: by(second) }),
        has({ body: 'Alone', author: has({ name: 'Gone Person', username: placeholderOf('user') }) }),
        has({ body: 'added ~"bug" label', system: true }),
        has({ body: 'Between us', internal: true }),
      ],
    ],
    [
      '/issues/12/discussions',
      expect.arrayContaining([
        has({ individual_note: false, notes: [has({ body: 'Ripe?' }), has({ body: 'Quite, see #12' })] }),
      ]),
    ],
    ['/issues/12/resource_label_events', [has({ action: 'add', label: has({ name: 'bug' }), user: by(first) })]],
    [
      '/merge_requests/1',
      has({
        ...{ title: 'Louder', state: 'opened', source_branch: 'topic', target_branch: 'trunk', sha: commits.topic },
        ...{ squash: true, force_remove_source_branch: true, labels: ['bug'], author: by(second) },
        ...{ assignees: [by(first)], reviewers: [by(first)], milestone: has({ title: 'v1' }) },
      }),
    ],
    ['/merge_requests/1/commits', [has({ id: commits.topic })]],
    ['/merge_requests/1/changes', has({ changes: [has({ new_path: 'a.txt' })] })],
    ['/merge_requests/1/versions', [has({ head_commit_sha: commits.topic, base_commit_sha: commits.main })]],
    ['/merge_requests/1/approvals', has({ approved_by: [has({ user: by(first) })] })],
    [
      '/merge_requests/1/discussions',
      [
        has({
          notes: [
            has({
              ...{ type: 'DiffNote', resolved: true, resolved_by: by(second), author: by(first) },
              position: has({ new_path: 'a.txt', new_line: 2, head_sha: commits.topic }),
              suggestions: [has({ from_content: 'TWO\n', to_content: 'two!\n', applied: false })],
            }),
            has({ body: 'Really?', author: by(second) }),
          ],
        }),
      ],
    ],
    ['/merge_requests/2', has({ state: 'merged', merged_at: '2024-03-05T00:00:00.000Z', merged_by: by(first) })],
    [
      '/releases',
      [
        has({
          ...{ tag_name: 'v1', name: 'The first', description: 'Notes of it', author: by(first) },
          milestones: [has({ title: 'v1' })],
          assets: has({ links: [has({ name: 'Binary', url: 'https://example.org/a.bin', link_type: 'package' })] }),
        }),
      ],
    ],
    [
      '/protected_branches',
      [
        has({
          ...{ name: 'stable-*', allow_force_push: true },
          push_access_levels: [has({ access_level: 0 })],
          merge_access_levels: [has({ access_level: 30 }), has({ access_level: 40 })],
        }),
      ],
    ],
    ['/protected_tags', [has({ name: 'v*', create_access_levels: [has({ access_level: 40 })] })]],
    ['/badges', [has({ name: 'b', link_url: 'https://example.org' })]],
    ['/snippets', [has({ title: 'Recipe', file_name: 'r.txt', author: by(first) })]],
    [
      '/boards',
      [has({ name: 'Work', hide_backlog_list: true, lists: [has({ label: has({ name: 'bug' }), position: 0 })] })],
    ],
    ['/push_rule', has({ commit_message_regex: 'JIRA-\\d+', max_file_size: 7, prevent_secrets: true })],
    [`/repository/commits/${commits.main}/comments`, [has({ note: 'Well done', author: by(second) })]],
    ['/wikis?with_content=1', [has({ slug: 'home', content: 'Welcome\n' })]],
    ['/repository/tags', [has({ name: 'v1' })]],
    ['/members/all', expect.arrayContaining([has({ username: second.username, access_level: 30 })])],
  ];
}

/** What is named as left out, by relation. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'project.hooks': 'Gantry does not take records of this kind along.',
  'issues.zoom_meetings': 'Gantry does not take records of this kind along.',
  'issues.award_emoji': 'There is no such emoji here.',
  'protected_branches.push_access_levels': 'Levels for single users and groups do not come along.',
  ci_pipelines: 'Gantry does not take records of this kind along. (2 times)',
  some_future_thing: 'Gantry does not take records of this kind along.',
  designs: 'Designs do not come along.',
  project_badges: 'A record of badges has no usable linkUrl.',
};

async function requireExpected(id: number): Promise<void> {
  const api = world.api(admin);
  for (const [address, wanted] of expectations()) {
    const { body } = await api.get(`/projects/${id}${address}`);
    expect({ [address]: body }).toEqual({ [address]: wanted });
  }
  const { description } = (await api.get(`/projects/${id}/issues/12`)).body;
  const [, upload = ''] = /\((\/uploads\/[0-9a-f]{32}\/notes\.txt)\)/.exec(description) ?? [];
  const headers = { 'PRIVATE-TOKEN': admin.token };
  const file = await fetch(`${world.url}/api/v4/projects/${id}${upload}`, { headers });
  expect(await file.text()).toBe('what was attached\n');
  const snippets = await world.db.snippet.findMany({ where: { projectId: id } });
  expect(snippets.map(({ visibility, content }) => [visibility, content])).toEqual([['internal', 'Bake']]);
  const objects = await world.db.lfsObject.findMany({ where: { projects: { some: { projectId: id } } } });
  expect(objects.map(({ oid, size }) => [oid, Number(size)])).toEqual([[OID, LFS.length]]);
}

describe('An archive of GitLab', () => {
  it('becomes a project with all that is known, and names the rest', async () => {
    const record = await imported(world, admin, { archive: await tarOf(files), path: world.unique('moved') });
    expect(record).toMatchObject({ import_status: 'finished', import_type: 'gitlab_project', import_error: null });
    await requireExpected(record.id);
    const told = new Map(record.failed_relations.map((one: Json) => [one.relation_name, one.exception_message]));
    expect(Object.fromEntries(Object.keys(LEFT_OUT).map((name) => [name, told.get(name)]))).toEqual(LEFT_OUT);
    const issues = record.failed_relations.filter((one: Json) => one.relation_name === 'issues');
    expect(issues.map((one: Json) => [one.line_number, one.exception_message])).toEqual([
      [3, 'A record with the same number or name comes before it.'],
      [4, 'A record of issues has no usable iid.'],
    ]);
    const wanting = await world.db.member.count({ where: { projectId: record.id, accessLevel: { gt: 40 } } });
    expect(wanting).toBeLessThanOrEqual(1);
  });

  it('of before version 13, with all records in one file, becomes the same', async () => {
    const record = await imported(world, admin, {
      archive: await tarOf(asOneFile(files)),
      path: world.unique('older'),
    });
    expect(record).toMatchObject({ import_status: 'finished', import_error: null });
    await requireExpected(record.id);
  });

  it('goes out as an archive that GitLab reads, and becomes the same again', async () => {
    const record = await imported(world, admin, { archive: await tarOf(files), path: world.unique('there') });
    const api = world.api(admin);
    await api.post(`/projects/${record.id}/export`, { format: 'gitlab' });
    await world.until(async () => (await api.get(`/projects/${record.id}/export`)).body.export_status === 'finished');
    const archive = Buffer.from(await (await download(world, admin, record.id)).arrayBuffer());
    const again = await imported(world, admin, { archive, path: world.unique('back') });
    expect(again).toMatchObject({ import_status: 'finished', import_type: 'gitlab_project', failed_relations: [] });
    // The format has no topics, which are told there by other records.
    await api.put(`/projects/${again.id}`, { topics: ['fruit', 'red'] });
    await requireExpected(again.id);
  });

  it('gives an importer who is no administrator placeholders for others, and no rights of theirs', async () => {
    const record = await imported(world, second, { archive: await tarOf(files), path: world.unique('own') });
    expect(record).toMatchObject({ import_status: 'finished' });
    const { body: issues } = await world.api(second).get(`/projects/${record.id}/issues?sort=asc`);
    expect(issues.map(({ author }: Json) => author.username)).toEqual([placeholderOf('ada'), second.username]);
    const { body: approvals } = await world.api(second).get(`/projects/${record.id}/merge_requests/1/approvals`);
    expect(approvals.approved_by).toMatchObject([{ user: { username: placeholderOf('ada') } }]);
    expect((await world.api(second).get(`/projects/${record.id}/members`)).body).toHaveLength(1);
  });

  const issue = { iid: 1, title: 'One', author_id: 1, state: 'opened' };
  const nested = `{"iid":1,"x":${'['.repeat(200)}${']'.repeat(200)}}`;
  const minimal: Files = { VERSION: '0.2.4', 'tree/project.json': {} };

  it.each<[string, Files, RegExp]>([
    ['no project', { VERSION: '0.2.4' }, /has no tree\/project\.json/],
    [
      'broken JSON',
      { ...minimal, 'tree/project/labels.ndjson': '{"a":' },
      /line 1 of tree\/project\/labels\.ndjson cannot/,
    ],
    ['deep nesting', { ...minimal, 'tree/project/issues.ndjson': nested }, /more than 100 levels deep/],
    [
      'a line that is too long',
      { ...minimal, 'tree/project/issues.ndjson': `{"title":"${'x'.repeat(9_000_000)}"}` },
      /Line 1 of tree\/project\/issues\.ndjson has more than/,
    ],
    ['something else than an object', { ...minimal, 'tree/project/issues.ndjson': '[1]' }, /is no JSON object/],
    [
      'one file that is no JSON',
      { VERSION: '0.1.8', 'project.json': '{"issues":[{"a":1}' },
      /project\.json is not valid JSON/,
    ],
    ['one file that nests deeply', { VERSION: '0.1.8', 'project.json': `{"issues":[${nested}]}` }, /100 levels deep/],
    [
      'one file with a record that is too long',
      { VERSION: '0.1.8', 'project.json': `{"issues":[{"a":"${'x'.repeat(9_000_000)}"}]}` },
      /project\.json has a record of more than/,
    ],
    ['no bundle', { ...minimal, 'project.bundle': 'nothing' }, /is not accepted: it is no git bundle/],
  ])('is refused with %s', async (_what, given, reason) => {
    const record = await imported(world, admin, { archive: await tarOf(given), path: world.unique('hostile') });
    expect([record.import_status, record.import_error]).toEqual(['failed', expect.stringMatching(reason)]);
    expect((await world.api(admin).get(`/projects/${record.id}/issues`)).body).toEqual([]);
  });

  it('is refused with links, and passes over names that lead out of it', async () => {
    const linked = await tarOf(minimal, [
      { name: './tree/project/issues.ndjson', type: 'symlink', linkname: '/etc/passwd' },
    ]);
    const refused = await imported(world, admin, { archive: linked, path: world.unique('linked') });
    expect(refused.import_error).toMatch(/no plain file but a symlink/);
    const leading = await tarOf(minimal, [
      { name: '../../evil' },
      { name: '/etc/cron.d/evil' },
      { name: './tree/project/../../x.ndjson' },
      { name: './uploads/a1b2c3d4e5f60718293a4b5c6d7e8f90/..' },
      { name: './lfs-objects/../../x' },
    ]);
    const passed = await imported(world, admin, { archive: leading, path: world.unique('leading') });
    expect(passed).toMatchObject({
      import_status: 'finished',
      failed_relations: [
        expect.objectContaining({ exception_message: 'A file of the archive has no place here. (5 times)' }),
      ],
    });
  });

  it('takes what it can of records whose values are of other types, or out of any range', async () => {
    const odd = [null, 7, 'x', [], {}, [[]], [null], 1e300, -1, true];
    const keys = [
      ...['description', 'state', 'author_id', 'notes', 'label_links', 'milestone', 'timelogs', 'award_emoji'],
      ...['issue_assignees', 'due_date', 'created_at', 'time_estimate', 'resource_label_events', 'relative_position'],
      ...['resource_state_events', 'resource_milestone_events', 'issue_type', 'work_item_type', 'discussion_locked'],
    ];
    const issues = keys.flatMap((key, row) =>
      odd.map((value, at) => ({ ...issue, iid: row * odd.length + at + 1, [key]: value })),
    );
    const ofEach = (wanted: string[], base: object) =>
      wanted.flatMap((key) => odd.map((value) => ({ ...base, [key]: value })));
    const note = { note: 'x', author_id: 1, discussion_id: 'd', type: 'DiffNote' };
    const notes = ofEach(
      [
        'note',
        'author_id',
        'position',
        'discussion_id',
        'resolved_at',
        'resolved_by_id',
        'award_emoji',
        'suggestions',
        'type',
      ],
      note,
    );
    const request = { iid: 1, title: 'x', source_branch: 'a', target_branch: 'b', author_id: 1, notes };
    const given: Files = {
      VERSION: '0.2.4',
      'tree/project.json': {
        ...{ build_timeout: 1, merge_commit_template: 'x'.repeat(10_000), topics: [7, 'a\0b'], visibility_level: {} },
        ...{ default_branch: '../x', squash_option: [], merge_method: 9, archived: 'no', description: 8 },
      },
      'tree/project/container_expiration_policy.ndjson': [{ enabled: true, cadence: 'x', keep_n: -1, name_regex: '(' }],
      'tree/project/ci_cd_settings.ndjson': [{ default_git_depth: -5, group_runners_enabled: 'x' }],
      'tree/project/issues.ndjson': issues,
      'tree/project/merge_requests.ndjson': [
        request,
        ...ofEach(['merge_request_diff', 'metrics', 'merge_params', 'approvals', 'target_branch'], request).map(
          (one, at) => ({ ...one, iid: at + 2, notes: [] }),
        ),
      ],
      'tree/project/releases.ndjson': ofEach(['tag', 'links', 'milestone_releases', 'released_at'], {}).map(
        (one, at) => ({
          tag: `t${at}`,
          ...one,
        }),
      ),
      'tree/project/protected_branches.ndjson': ofEach(['name', 'push_access_levels'], {}).map((one, at) => ({
        name: `b${at}`,
        ...one,
      })),
      'tree/project/project_members.ndjson': ofEach(['user', 'access_level', 'user_id', 'expires_at'], {
        access_level: 30,
      }),
      'tree/project/labels.ndjson': ofEach(['title', 'color', 'priorities'], {}).map((one, at) => ({
        title: `l${at}`,
        ...one,
      })),
      'tree/project/snippets.ndjson': ofEach(['title', 'content', 'file_name', 'visibility_level'], {}),
      'tree/project/boards.ndjson': ofEach(['name', 'lists'], {}),
      'tree/project/push_rule.ndjson': [{ commit_message_regex: '(', max_file_size: 'x' }],
      'tree/project/project_feature.ndjson': ofEach(['issues_access_level', 'pages_access_level'], {}),
    };
    const record = await imported(world, admin, { archive: await tarOf(given), path: world.unique('odd') });
    expect([record.import_status, record.import_error]).toEqual(['finished', null]);
    expect(await world.db.issue.count({ where: { projectId: record.id } })).toBe(issues.length);
    expect(record.failed_relations.length).toBeGreaterThan(5);
  });
});
