// One part in depth, which the long run has.
// @module-tag long
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Headers, pack } from 'tar-stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { snippetPlace } from '#src/domain/snippets/repository.ts';
import { importsStore } from '#src/domain/uploads/archives.ts';
import { run, workingCopy } from '../support/git_client.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { exported, imported, packed, records, richProject, sendImport, unpacked } from '../support/project_archives.ts';
import { type Api, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const admin = await world.user({ admin: true });
const stranger = await world.user();
const directoryOf = ({ id }: { id: number }, wiki = false) =>
  world.repositories.directory({ id, repositoryStorage: 'default', wiki });

let source: { id: number; fullPath: string };
/** Of the administrator, with addresses of mail; and of the owner, without. */
let whole: Buffer;
let own: Buffer;

beforeAll(async () => {
  source = await richProject(world, { owner, developer });
  whole = await exported(world, world.api(admin), admin, source);
  own = await exported(world, world.api(owner), owner, source);
});

const TIMELINE = `query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) {
  timeline(first: 100) { nodes { __typename ... on Note { body } } } } } }`;

/** All that the lists of a project tell, without what is another's there: IDs, addresses, and who imported. */
async function told(api: Api, id: number): Promise<Json> {
  const at = `/projects/${id}`;
  const { path_with_namespace: fullPath } = (await api.get(at)).body;
  const get = async (rest: string) => {
    const { status, body } = await api.get(`${at}${rest}`);
    return [rest, status === 200 ? body : status] as const;
  };
  const lists = [
    '/labels',
    '/milestones',
    '/issues',
    '/merge_requests?state=all',
    '/releases',
    '/protected_branches',
    '/protected_tags',
    '/badges',
    '/snippets',
    '/repository/branches',
    '/repository/tags',
    '/repository/commits?all=true',
    '/wikis?with_content=1',
    '/members',
    '/uploads',
    '/boards',
  ];
  const found = await Promise.all(lists.map(get));
  const details: (readonly [string, Json])[] = [];
  for (const { iid } of (await api.get(`${at}/issues`)).body) {
    for (const part of [
      '',
      '/notes?sort=asc',
      '/discussions',
      '/links',
      '/award_emoji',
      '/participants',
      '/closed_by',
      '/resource_label_events',
      '/resource_milestone_events',
      '/resource_state_events',
      '/time_stats',
    ])
      details.push(await get(`/issues/${iid}${part}`));
    const { body } = await world.graphql(TIMELINE, { ref: fullPath, iid }, admin);
    details.push([`/issues/${iid}/timeline`, body.data.project.issue.timeline.nodes]);
  }
  for (const { iid } of (await api.get(`${at}/merge_requests?state=all`)).body) {
    for (const part of [
      '',
      '/notes?sort=asc',
      '/discussions',
      '/commits',
      '/changes',
      '/versions',
      '/approvals',
      '/reviewers',
      '/resource_label_events',
      '/resource_state_events',
      '/closes_issues',
      '/award_emoji',
    ])
      details.push(await get(`/merge_requests/${iid}${part}`));
  }
  const [tip] = (await api.get(`${at}/repository/commits`)).body;
  details.push(await get(`/repository/commits/${tip.id}/comments`));
  return Object.fromEntries([...found, ...details].map(([name, body]) => [name, plain(body, fullPath)]));
}

/** What is the same in a project that was imported. */
function plain(value: Json, fullPath: string): Json {
  if (Array.isArray(value)) return value.map((one) => plain(one, fullPath));
  if (typeof value === 'string')
    return value.replace(/[0-9a-f]{32}(?=\/notes)/g, '<secret>').replaceAll(fullPath, '<project>');
  if (typeof value !== 'object' || value === null) return value;
  const gone =
    /^(_links|.*_url(?:_to_repo)?|urls?|references|subscribed|user|merge_status|detailed_merge_status|assets|evidences|project|first_contribution|created_by|noteable_id|position_id)$/;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      // A milestone of the group got a number of the project’s.
      if (gone.test(key) || (key === 'iid' && value.title === 'Of the group')) return [];
      // Numbers of records differ; commits keep their names.
      if (
        /(^|_)ids?$/.test(key) &&
        !(
          typeof one === 'string' &&
          /^[0-9a-f]{40}$/.test(one) &&
          key !== 'discussion_id' &&
          !('individual_note' in value)
        )
      )
        return [];
      return [[key, plain(one, fullPath)]];
    }),
  );
}

describe('Importing a project', () => {
  it('gives an administrator every record as it was, and the same history', async () => {
    const record = await imported(world, admin, { archive: whole, path: world.unique('copy') });
    expect(record).toMatchObject({
      import_status: 'finished',
      import_type: 'gitlab_project',
      import_error: null,
      // Integrations are named alone.
      failed_relations: [expect.objectContaining({ relation_name: 'integrations' })],
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const asAdmin = world.api(admin);
    const [before, after] = [await told(asAdmin, source.id), await told(asAdmin, record.id)];
    // The importer is a member of the own namespace’s project; the owner was one of the group.
    // Memberships begin with the import.
    const members = (list: Json) =>
      list.flatMap(({ created_at: _at, ...one }: Json) => (one.username === developer.username ? [one] : []));
    before['/members'] = members(before['/members']);
    after['/members'] = members(after['/members']);
    // Whoever approved is no member of the copy: the approval is there, but counts for no rule.
    const approvals = Object.keys(before).filter((name) => name.endsWith('/approvals'));
    const left = (all: Json) => approvals.map((name) => all[name].approvals_left);
    expect([left(before), left(after)]).toEqual([
      [2, 1],
      [2, 2],
    ]);
    for (const all of [before, after]) for (const name of approvals) delete all[name].approvals_left;
    // Labels and milestones of the group are the project’s own now.
    const ofGroup = ({ title, name }: Json) => title === 'Of the group' || name === 'of the group';
    for (const list of ['/labels', '/milestones']) {
      before[list] = before[list].filter((one: Json) => !ofGroup(one));
      const kept = after[list].filter((one: Json) => ofGroup(one));
      expect(kept).toHaveLength(1);
      after[list] = after[list].filter((one: Json) => !ofGroup(one));
    }
    expect(after).toEqual(before);
    const settings = [
      'description',
      'tag_list',
      'visibility',
      'request_access_enabled',
      'ci_default_git_depth',
      'default_branch',
      'merge_method',
      'squash_option',
      'merge_commit_template',
      'squash_commit_template',
      'autoclose_referenced_issues',
      'auto_cancel_pending_pipelines',
      'ci_config_path',
    ];
    const pick = async (id: number) => {
      const { body } = await asAdmin.get(`/projects/${id}`);
      return settings.map((name) => body[name]);
    };
    expect(await pick(record.id)).toEqual(await pick(source.id));
    expect((await asAdmin.get(`/projects/${record.id}`)).body.avatar_url).toMatch(/\.png$/);
    const refs = ['for-each-ref', '--format=%(objectname) %(refname)'];
    expect(gitLines(directoryOf(record), refs)).toEqual(gitLines(directoryOf(source), refs));
    expect(gitLines(directoryOf(record), ['fsck', '--strict'])).toEqual([]);
    expect(git(directoryOf(record, true), ['rev-parse', 'HEAD'])).toBe(
      git(directoryOf(source, true), ['rev-parse', 'HEAD']),
    );
    const historyOf = async (projectId: number) => {
      const { id } = await world.db.snippet.findFirstOrThrow({ where: { projectId } });
      return git(world.repositories.directory(snippetPlace(id, 'default')), ['log', '--format=%H %s', 'main']);
    };
    expect(await historyOf(record.id)).toMatch(/^\w+ Update snippet\n\w+ Initial commit\n$/);
    expect(await historyOf(record.id)).toBe(await historyOf(source.id));
  });

  it('refuses histories of snippets that could not have been pushed', async () => {
    const directory = unpacked(whole);
    const [name = ''] = readdirSync(path.join(directory, 'snippets'));
    const bundle = path.join(directory, 'snippets', name);
    const work = await workingCopy();
    await run(work, 'pull', '--quiet', bundle, 'main');
    symlinkSync('/etc/passwd', path.join(work, 'link'));
    await run(work, 'add', 'link');
    await run(work, 'commit', '--quiet', '-m', 'Evil');
    await run(work, 'bundle', 'create', '--quiet', bundle, 'main');
    const record = await imported(world, admin, { archive: packed(directory), path: world.unique('evil') });
    expect(record).toMatchObject({ import_status: 'failed', import_error: expect.stringMatching(/symbolic links/) });
    expect(await world.db.snippet.count({ where: { projectId: record.id } })).toBe(0);
    expect((await world.repositories.drafts(snippetPlace(Number.parseInt(name, 10), 'default'))).length).toBe(0);
  });

  it('goes on from where the project was: numbers, files in texts, merges, and another export', async () => {
    const api = world.api(owner);
    const { id } = await imported(world, owner, { archive: own, path: world.unique('goes-on') });
    expect((await api.post(`/projects/${id}/issues`, { title: 'Next' })).body.iid).toBe(3);
    expect((await api.post(`/projects/${id}/milestones`, { title: 'Next' })).body.iid).toBe(3);
    const { description } = (await api.get(`/projects/${id}/issues/1`)).body;
    const [, address = ''] = /\((\/uploads\/[^)]+)\)/.exec(description) ?? [];
    expect(
      await (
        await fetch(`${world.url}/api/v4/projects/${id}${address}`, { headers: { 'PRIVATE-TOKEN': owner.token } })
      ).text(),
    ).toBe('what was attached\n');
    expect((await api.get(`/projects/${source.id}/issues/1`)).body.description).not.toContain(address);
    // Its rules came along, too: for approvals, and for messages of commits.
    const rules = `/projects/${id}/approval_rules`;
    expect((await api.put(`/projects/${id}/merge_requests/1/merge`)).status).toBe(405);
    for (const rule of (await api.get(rules)).body) await api.delete(`${rules}/${rule.id}`);
    const merge = { merge_commit_message: 'JIRA-1 Merge it' };
    expect((await api.put(`/projects/${id}/merge_requests/1/merge`, merge)).body).toMatchObject({ state: 'merged' });
    const again = await exported(world, api, owner, { id });
    expect(await imported(world, owner, { archive: again, path: world.unique('again') })).toMatchObject({
      import_status: 'finished',
    });
  });

  it('writes in the name of others for administrators alone, and in that of placeholders else', async () => {
    const { id } = await imported(world, owner, { archive: whole, path: world.unique('named') });
    const { body: issues } = await world.api(owner).get(`/projects/${id}/issues?sort=asc`);
    const [, { username }] = issues.map(({ author }: Json) => author);
    expect(issues.map(({ author }: Json) => author.username)).toEqual([owner.username, username]);
    expect(username).toMatch(new RegExp(`^${developer.username}_placeholder_[0-9a-f]{10}$`));
    const { body: notes } = await world.api(owner).get(`/projects/${id}/issues/1/notes?sort=asc`);
    const ripe = notes.find(({ body }: Json) => body.includes('Ripe.'));
    expect([ripe.author.username, ripe.body]).toEqual([username, expect.stringMatching(/^Ripe\. /)]);
    const why = notes.find(({ body }: Json) => body.includes('Why?'));
    expect([why.author.username, why.body]).toEqual([owner.username, 'Why?']);
  });

  it('makes members of accounts by private addresses for administrators alone, for others by public ones', async () => {
    const memberOf = async (who: TestUser, name: string) => {
      const { id } = await imported(world, who, { archive: whole, path: world.unique(name) });
      const found = await world.db.member.findMany({ where: { projectId: id, userId: developer.id } });
      return found.map(({ accessLevel }) => accessLevel);
    };
    expect(await memberOf(admin, 'by-private')).toEqual([30]);
    expect(await memberOf(owner, 'by-hidden')).toEqual([]);
    const { email } = await world.db.user.findUniqueOrThrow({ where: { id: developer.id } });
    await world.db.user.update({ where: { id: developer.id }, data: { publicEmail: email } });
    expect(await memberOf(owner, 'by-public')).toEqual([30]);
    await world.db.user.update({ where: { id: developer.id }, data: { publicEmail: null } });
  });

  it('gives nobody more than the importer has', async () => {
    const directory = unpacked(whole);
    const [member] = records(directory, 'members');
    writeFileSync(path.join(directory, 'tree/members.ndjson'), `${JSON.stringify({ ...member, access_level: 40 })}\n`);
    const group = await world.group({ owner, projectCreationLevel: 'developer' });
    await world.member(group, stranger, 'developer');
    const { email: publicEmail } = await world.db.user.findUniqueOrThrow({ where: { id: developer.id } });
    await world.db.user.update({ where: { id: developer.id }, data: { publicEmail } });
    const { id } = await imported(world, stranger, {
      archive: packed(directory),
      path: 'bounded',
      more: { namespace: group.fullPath },
    });
    const levels = await world.db.member.findMany({
      where: { projectId: id },
      select: { userId: true, accessLevel: true },
    });
    expect(levels).toEqual([{ userId: developer.id, accessLevel: 30 }]);
    await world.db.user.update({ where: { id: developer.id }, data: { publicEmail: null } });
    rmSync(directory, { recursive: true });
  });

  it('takes settings in place of those of the archive, within what the namespace allows', async () => {
    const name = world.unique('Chosen');
    const more = {
      name,
      'override_params[description]': 'Another',
      'override_params[visibility]': 'public',
      'override_params[issues_enabled]': 'false',
    };
    const { id } = await imported(world, owner, { archive: own, path: world.unique('chosen'), more });
    expect((await world.api(owner).get(`/projects/${id}`)).body).toMatchObject({
      name,
      description: 'Another',
      visibility: 'public',
      issues_enabled: false,
    });
    const group = await world.group({ owner, visibility: 'private' });
    const inside = await imported(world, owner, {
      archive: own,
      path: 'inside',
      more: { ...more, namespace: String(group.id) },
    });
    expect((await world.api(owner).get(`/projects/${inside.id}`)).body).toMatchObject({ visibility: 'private' });
  });

  it('replaces a project where that is asked for, when it is complete and not before', async () => {
    const old = await world.project({ owner });
    const api = world.api(owner);
    const taken = await sendImport(world, owner, { archive: own, path: old.path });
    expect(taken).toMatchObject({ status: 400, body: { message: { path: ['has already been taken'] } } });
    const broken = await imported(world, owner, {
      archive: gzipSync('nothing'),
      path: old.path,
      more: { overwrite: 'true' },
    });
    expect(broken.import_status).toBe('failed');
    expect((await api.get(`/projects/${old.id}`)).status).toBe(200);
    const record = await imported(world, owner, { archive: own, path: old.path, more: { overwrite: 'true' } });
    expect(record).toMatchObject({ import_status: 'finished', path: old.path });
    expect((await api.get(`/projects/${old.id}`)).status).toBe(404);
    const foreign = await world.group({ owner });
    const kept = await world.project({ owner, namespaceId: foreign.id });
    await world.member(foreign, stranger, 'master');
    const more = { overwrite: 'true', namespace: foreign.fullPath };
    expect((await sendImport(world, stranger, { archive: own, path: kept.path, more })).status).toBe(403);
  });

  it('refuses what it cannot take before anything is made', async () => {
    await world.idle();
    const before = await world.db.project.count();
    const foreign = await world.group({ owner });
    const refused = async (who: TestUser | undefined, sent: Partial<Parameters<typeof sendImport>[2]>) =>
      (await sendImport(world, who, { archive: own, path: world.unique('refused'), ...sent })).status;
    expect(await refused(undefined, {})).toBe(401);
    expect(await refused(stranger, { more: { namespace: foreign.fullPath } })).toBe(404);
    expect(await refused(stranger, { more: { namespace: 'there-is-none' } })).toBe(404);
    expect(await refused(stranger, { path: '-odd' })).toBe(400);
    expect(await refused(stranger, { archive: Buffer.from('no archive at all') })).toBe(400);
    await world.api(admin).put('/application/settings', { max_import_size: 1 });
    expect(await refused(stranger, { archive: Buffer.concat([own, Buffer.alloc(2 ** 20)]) })).toBe(413);
    await world.api(admin).put('/application/settings', { max_import_size: 0 });
    expect(await world.db.project.count()).toBe(before);
    const left = [];
    for await (const file of importsStore(world).list()) left.push(file);
    expect(left).toEqual([]);
  });
});

describe('A hostile archive', () => {
  interface Entry extends Partial<Headers> {
    name: string;
    content?: string | Buffer;
  }

  const VERSION = { name: 'version.json', content: '{"format":"gantry-project","version":1}' };
  const PROJECT = { name: 'project.json', content: '{"id":1}' };
  const tree = (kind: string, ...lines: (object | string)[]): Entry => ({
    name: `tree/${kind}.ndjson`,
    content: lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  });

  async function archiveOf(...entries: Entry[]): Promise<Buffer> {
    const archive = pack();
    for (const { content = '', ...header } of entries) archive.entry({ ...header }, content as string);
    archive.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of archive) chunks.push(chunk as Buffer);
    return gzipSync(Buffer.concat(chunks));
  }

  /** That an import fails with the reason, and leaves a project without anything. */
  async function fails(archive: Buffer, reason: RegExp): Promise<void> {
    const record = await imported(world, owner, { archive, path: world.unique('hostile') });
    expect([record.import_status, record.import_error]).toEqual(['failed', expect.stringMatching(reason)]);
    expect(existsSync(directoryOf(record))).toBe(false);
    const { body: project } = await world.api(owner).get(`/projects/${record.id}`);
    expect(project).toMatchObject({ visibility: 'private', import_status: 'failed' });
    for (const list of ['issues', 'labels', 'uploads', 'merge_requests?state=all'])
      expect((await world.api(owner).get(`/projects/${record.id}/${list}`)).body).toEqual([]);
    expect((await world.api(stranger).get(`/projects/${record.id}/import`)).status).toBe(404);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('gantry-import-'))).toEqual([]);
    expect(await world.db.projectArchiveImport.count({ where: { projectId: record.id, secret: { not: null } } })).toBe(
      0,
    );
  }

  const issue = { id: 1, iid: 1, title: 'One', author_id: 1, state: 'opened' };
  const nested = `{"id":1,"x":${'['.repeat(200)}${']'.repeat(200)}}`;

  it.each<[string, Entry[], RegExp]>([
    ['a path that leads out', [{ name: '../version.json' }], /has "\.\.\/version\.json", which does not belong there/],
    [
      'a path that leads out of uploads',
      [VERSION, { name: `uploads/${'a'.repeat(32)}/../../x` }],
      /does not belong there/,
    ],
    ['an absolute path', [{ name: '/etc/passwd' }], /"\/etc\/passwd", which does not belong there/],
    [
      'a symbolic link',
      [{ name: 'project.json', type: 'symlink', linkname: '/etc/passwd' }],
      /no plain file but a symlink/,
    ],
    ['a hard link', [{ name: 'project.json', type: 'link', linkname: 'version.json' }], /no plain file but a link/],
    ['a device', [{ name: 'project.json', type: 'character-device' }], /no plain file but a character-device/],
    ['a file that comes twice', [VERSION, VERSION], /has "version\.json" twice/],
    ['a file that nobody knows', [VERSION, PROJECT, { name: 'tree/secrets.ndjson' }], /does not belong there/],
    ['no version', [PROJECT], /has no version\.json/],
    [
      'another version',
      [{ ...VERSION, content: '{"format":"gantry-project","version":2}' }, PROJECT],
      /has version 2; this server reads version 1/,
    ],
    ['another format', [{ ...VERSION, content: '{"version":1}' }, PROJECT], /not one of a project of Gantry/],
    ['no project', [VERSION], /has no project\.json/],
    [
      'settings that are not allowed',
      [VERSION, { ...PROJECT, content: '{"visibility":"secret"}' }],
      /a value of visibility that is not allowed/,
    ],
    ['broken JSON', [VERSION, PROJECT, tree('labels', '{"id":1,')], /^line 1 of tree\/labels\.ndjson cannot be read/],
    ['something else than an object', [VERSION, PROJECT, tree('labels', '[1]')], /is no JSON object/],
    ['deep nesting', [VERSION, PROJECT, tree('labels', nested)], /more than 100 levels deep/],
    [
      'a line that is too long',
      [VERSION, PROJECT, tree('labels', `{"title":"${'x'.repeat(9_000_000)}"}`)],
      /Line 1 of tree\/labels\.ndjson has more than/,
    ],
    ['a record without an ID', [VERSION, PROJECT, tree('issues', { ...issue, id: undefined })], /has no ID of its own/],
    [
      'two records of one ID',
      [VERSION, PROJECT, tree('issues', issue, { ...issue, iid: 2 })],
      /Line 2 of tree\/issues\.ndjson has no ID of its own/,
    ],
    [
      'two issues of one number',
      [VERSION, PROJECT, tree('issues', issue, { ...issue, id: 2 })],
      /contradict each other/,
    ],
    [
      'an issue without a title',
      [VERSION, PROJECT, tree('issues', { ...issue, title: undefined })],
      /contradict each other, or lack values/,
    ],
    [
      'a reference to nothing',
      [VERSION, PROJECT, tree('issues', { ...issue, milestone_id: 7 })],
      /refers by milestone_id to 7 of milestones, which the archive does not have/,
    ],
    [
      'the number of a foreign issue',
      [VERSION, PROJECT, tree('notes', { id: 1, subject_type: 'Issue', subject_id: 1, body: 'x', author_id: 1 })],
      /belongs to 1 of issues, which the archive does not have/,
    ],
    [
      'a note on something else',
      [VERSION, PROJECT, tree('notes', { id: 1, subject_type: 'User', subject_id: 1, body: 'x', author_id: 1 })],
      /belongs to nothing that has notes/,
    ],
    [
      'a color that is code',
      [VERSION, PROJECT, tree('labels', { id: 1, title: 'x', color: 'red;}' })],
      /a value of color that is not allowed/,
    ],
    [
      'a link that is code',
      [VERSION, PROJECT, tree('badges', { id: 1, link_url: 'javascript:alert(1)', image_url: 'https://e.org' })],
      /a value of link_url that is not allowed/,
    ],
    [
      'a text that cannot be stored',
      [VERSION, PROJECT, tree('issues', { ...issue, description: 'a\0b' })],
      /a value of description that is not allowed/,
    ],
    [
      'a number that is too large',
      [VERSION, PROJECT, tree('issues', { ...issue, iid: 2 ** 40 })],
      /a value of iid that is not allowed/,
    ],
    [
      'a state that there is not',
      [VERSION, PROJECT, tree('issues', { ...issue, state: 'gone' })],
      /a value of state that is not allowed/,
    ],
    [
      'a member of a level that there is not',
      [VERSION, PROJECT, tree('members', { id: 1, user_id: 1, access_level: 50 })],
      /a value of access_level that is not allowed/,
    ],
    [
      'no bundle',
      [VERSION, PROJECT, { name: 'project.bundle', content: 'nothing' }],
      /is not accepted: it is no git bundle/,
    ],
    [
      'a bundle that lacks history',
      [VERSION, PROJECT, { name: 'project.bundle', content: `# v2 git bundle\n-${'a'.repeat(40)} x\n\nPACK` }],
      /lacks a part of the history/,
    ],
    [
      'a bundle with a name that is not allowed',
      [
        VERSION,
        PROJECT,
        { name: 'project.bundle', content: `# v2 git bundle\n${'a'.repeat(40)} refs/heads/../x\n\nPACK` },
      ],
      /whose name is not allowed/,
    ],
    [
      'a picture that is none',
      [VERSION, PROJECT, { name: 'avatar', content: '<svg/>' }],
      /must be a PNG, JPEG, GIF or WebP image/,
    ],
  ])('is refused with %s', async (_what, entries, reason) => {
    await fails(await archiveOf(...entries), reason);
  });

  it('is refused where its compression is broken off, or its end is missing', async () => {
    await fails(own.subarray(0, own.length / 2), /is damaged, or ends too early/);
    await fails(gzipSync(gunzipSync(own).subarray(0, 700)), /is damaged, or ends too early/);
  });

  it('is refused where it has more than imports may take, once it is unpacked', async () => {
    const bomb = await archiveOf(VERSION, { name: 'tree/labels.ndjson', content: Buffer.alloc(3_000_000) });
    expect(bomb.length).toBeLessThan(20_000);
    const before = world.imports.maxBytes;
    world.imports.maxBytes = 2_000_000;
    await fails(bomb, /more than 2000000 bytes when it is unpacked/).finally(() => {
      world.imports.maxBytes = before;
    });
  });

  it('is refused with a pack whose objects are damaged, or do not lead everywhere', async () => {
    const directory = unpacked(own);
    const bundle = path.join(directory, 'project.bundle');
    const bytes = readFileSync(bundle);
    const at = bytes.indexOf('PACK') + 60;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(bundle, bytes);
    await fails(packed(directory), /A repository of the archive is not accepted/);
    writeFileSync(bundle, `# v2 git bundle\n${'1'.repeat(40)} refs/heads/master\n\n`);
    const { execFileSync } = await import('node:child_process');
    const empty = execFileSync('git', ['pack-objects', '--stdout', '-q'], { cwd: directoryOf(source), input: '' });
    writeFileSync(bundle, Buffer.concat([readFileSync(bundle), empty]));
    await fails(packed(directory), /objects are missing/);
    rmSync(directory, { recursive: true });
  });

  it('leaves out, and tells of, files and versions that it lacks', async () => {
    const directory = unpacked(own);
    rmSync(path.join(directory, 'uploads'), { recursive: true });
    const file = path.join(directory, 'tree/merge_request_versions.ndjson');
    const [first] = records(directory, 'merge_request_versions');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}${JSON.stringify({ ...first, id: 999_999, head_commit_sha: '2'.repeat(40) })}\n`,
    );
    const record = await imported(world, owner, { archive: packed(directory), path: world.unique('lacking') });
    expect(record.import_status).toBe('finished');
    expect(
      record.failed_relations.map(({ relation_name, exception_message }: Json) => [relation_name, exception_message]),
    ).toEqual([
      ['merge_request_versions', 'The repository of the archive does not have its commits.'],
      ['approval_rules', 'Nobody whom the rule names has an account here.'],
      ['integrations', 'The integration slack is to be set up anew, as it can have secrets.'],
      ['uploads', 'The archive does not have the file.'],
    ]);
    rmSync(directory, { recursive: true });
  });

  it('is finished at the next attempt if the process dies in the middle, and given up after several', async () => {
    const { body } = await sendImport(world, owner, { archive: own, path: world.unique('interrupted') });
    await world.idle();
    // As if it had died after it began.
    const secret = 'a'.repeat(32);
    await importsStore(world).write(
      { projectId: 0, secret, fileName: 'project.tar.gz' },
      (async function* () {
        yield own;
      })(),
      own.length,
    );
    const again = async (attempts: number, who: number = body.id) => {
      await world.db.projectArchiveImport.update({ where: { projectId: who }, data: { secret, attempts } });
      await world.db.project.update({ where: { id: who }, data: { importStatus: 'started' } });
      await world.handlers()['projects.import_archive']({ projectId: who, userId: owner.id }, world.as(owner).jobs);
      return (await world.api(owner).get(`/projects/${who}/import`)).body;
    };
    expect(await again(5)).toMatchObject({
      import_status: 'failed',
      import_error: 'The import was interrupted too often.',
    });
    expect(existsSync(directoryOf(body))).toBe(false);
  });
});
