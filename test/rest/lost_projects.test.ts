// Each test takes long: the long run has them all.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { findProject } from '#src/domain/projects/find.ts';
import { Browser } from '../support/browser.ts';
import { git } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { attached } from '../support/project_archives.ts';
import { takenJob } from '../support/running_job.ts';
import { PASSWORD, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const rosa = await world.user();

type Place = { id: number };

const directoryOf = ({ id }: Place) => world.repositories.directory({ id, repositoryStorage: 'default' });

async function done(answer: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await answer;
  expect([status < 300, body]).toEqual([true, expect.anything()]);
  return body;
}

/** A project, and the fork of it that Rosa has. */
async function forked(visibility: 'public' | 'private' = 'public') {
  const source = await world.project({ owner, visibility });
  await withTopic(world, source, owner);
  await world.member(source, rosa, 'developer');
  const { id } = await done(world.api(rosa).post(`/projects/${source.id}/fork`));
  await world.idle();
  return { source, fork: await findProject(world.as(rosa), id) };
}

/** Deletes a project, and waits until nothing is left of it. */
async function lose(project: Place, by: TestUser) {
  await done(world.api(by).delete(`/projects/${project.id}`));
  await world.idle();
  expect(await world.db.project.count({ where: { id: project.id } })).toBe(0);
}

/** What is not the same without the project that a merge request came from. */
const OF_SOURCE = ['source_project_id', 'merge_status', 'detailed_merge_status', 'has_conflicts'];

/** Leaves that out of an answer, and notes of branches that were deleted with their project. */
function kept(key: string, value: Json): unknown {
  if (OF_SOURCE.includes(key)) return undefined;
  const isDeletion = (note: Json) => String(note?.body ?? note?.notes?.[0]?.body).startsWith('deleted source branch');
  return Array.isArray(value) ? value.filter((one) => !isDeletion(one)) : value;
}

/** What the API answers, and which pages and files open, to that user: all of them do. */
async function shown(who: TestUser, api: readonly string[], pages: readonly string[]) {
  const answers: Record<string, unknown> = {};
  const bodies: Record<string, unknown> = {};
  const browser = new Browser(world.send);
  await browser.signIn(who.username, PASSWORD);
  for (const path of pages) answers[path] = (await browser.get(path)).status;
  for (const path of api) {
    const { status, body } = await world.api(who).get(path);
    answers[path] = status;
    bodies[path] = JSON.parse(JSON.stringify(body, kept));
  }
  expect(Object.entries(answers).filter(([, status]) => status !== 200)).toEqual([]);
  return bodies;
}

describe('An issue that is moved', () => {
  it('has its files where it goes to, also when the project that it came from is deleted', async () => {
    const { source, fork } = await forked('private');
    await world.member(fork, owner, 'reporter');
    const files = [];
    for (const name of ['a.txt', 'b.txt', 'c.txt']) files.push(await attached(world, source, owner, name, name));
    const [one = '', two = '', three = ''] = files;
    const byId = two.replace('/uploads', `/-/project/${source.id}/uploads`);
    const byPath = three.replace('/uploads', `/${source.fullPath}/uploads`);
    const elsewhere = '[x](https://example.org/uploads/0123456789abcdef0123456789abcdef/a.txt)';
    const issue = await world.issue(source, owner, { description: `See ${one}, ${byId} and ${elsewhere}` });
    const at = `/projects/${source.id}/issues/${issue.iid}`;
    const note = await done(world.api(owner).post(`${at}/notes`, { body: `Also ${byPath}` }));
    const moved = await done(world.api(owner).post(`${at}/move`, { to_project_id: fork.id }));
    expect((await done(world.api(owner).get(`${at}/notes/${note.id}`))).body).toBe(`Also ${byPath}`);
    await lose(source, owner);
    const notes = await done(world.api(rosa).get(`/projects/${fork.id}/issues/${moved.iid}/notes`));
    const [copy] = notes.filter(({ system }: Json) => !system);
    expect(copy.updated_at).toBe(note.updated_at);
    expect(moved.description).toContain(elsewhere);
    const browser = new Browser(world.send);
    await browser.signIn(rosa.username, PASSWORD);
    const links = [...`${moved.description} ${copy.body}`.matchAll(/\]\((\/[^)]*)\)/g)].map(([, link = '']) => link);
    expect(links.map((link) => link.replace(/[0-9a-f]{32}/, ''))).toEqual([
      '/uploads//a.txt',
      `/-/project/${fork.id}/uploads//b.txt`,
      `/${fork.fullPath}/uploads//c.txt`,
    ]);
    for (const link of links) {
      const { status, body } = await browser.get(link.startsWith('/uploads') ? `/${fork.fullPath}${link}` : link);
      expect([link, status, String(body)]).toEqual([link, 200, link.slice(-5)]);
    }
  });

  it('takes a gigabyte of files along; links to others stay as they are', async () => {
    const { source, fork } = await forked();
    await world.member(fork, owner, 'reporter');
    const [one, two] = [
      await attached(world, source, owner, 'a.txt', 'a'),
      await attached(world, source, owner, 'b.txt', 'b'),
    ];
    await world.db.upload.updateMany({
      where: { projectId: source.id, fileName: 'a.txt' },
      data: { size: 1024 ** 3 },
    });
    const issue = await world.issue(source, owner, { description: `${one} ${one}` });
    const at = `/projects/${source.id}/issues/${issue.iid}`;
    for (let left = 20; left > 0; left -= 1)
      await done(world.api(owner).post(`${at}/notes`, { body: `${one} ${left}` }));
    await done(world.api(owner).post(`${at}/notes`, { body: two }));
    const moved = await done(world.api(owner).post(`${at}/move`, { to_project_id: fork.id }));
    const copies = await world.db.upload.findMany({ where: { projectId: fork.id } });
    expect(copies.map(({ fileName }) => fileName)).toEqual(['a.txt']);
    const copied = one.replace(/[0-9a-f]{32}/, copies[0]?.secret ?? '');
    expect(moved.description).toBe(`${copied} ${copied}`);
    const where = { subjectType: 'Issue', subjectId: moved.id, system: false };
    const notes = await world.db.note.findMany({ where, orderBy: { id: 'asc' } });
    expect(notes.map(({ body }) => body)).toEqual([
      ...Array.from({ length: 20 }, (_, index) => `${copied} ${20 - index}`),
      two,
    ]);
  });

  it('leaves no copies of its files where it is not moved after all', async () => {
    const { source, fork } = await forked();
    await world.member(fork, owner, 'reporter');
    const file = await attached(world, source, owner, 'a.txt', 'a');
    const { iid } = await world.issue(source, owner, { description: file });
    const move = () => world.api(owner).post(`/projects/${source.id}/issues/${iid}/move`, { to_project_id: fork.id });
    const statuses = (await Promise.all([move(), move(), move()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 400, 400]);
    const stored = [];
    for await (const { projectId } of world.uploads.list()) if (projectId === fork.id) stored.push(projectId);
    expect(stored).toHaveLength(1);
    expect(await world.db.upload.count({ where: { projectId: fork.id } })).toBe(1);
  });
});

it('A merge request keeps all that belongs to it when its fork is deleted', async () => {
  const { source, fork } = await forked();
  const api = world.api(rosa);
  const at = `/projects/${source.id}`;
  const iids: number[] = [];
  for (const fate of ['opened', 'merged', 'closed']) {
    await done(api.post(`/projects/${fork.id}/repository/branches`, { branch: fate, ref: 'master' }));
    await commitTo(world, fork, rosa, fate, `${fate}.txt`, 'one\ntwo\n');
    const upload = await attached(world, source, rosa, 'notes.txt', 'what was attached\n');
    const { iid } = await opened(world, fork, rosa, {
      targetProject: source.id,
      sourceBranch: fate,
      description: `See ${upload}`,
    });
    await world.idle();
    iids.push(iid);
    const merge = `${at}/merge_requests/${iid}`;
    const { diff_refs: refs } = await done(api.get(merge));
    const position = { ...refs, position_type: 'text', old_path: `${fate}.txt`, new_path: `${fate}.txt`, new_line: 2 };
    const body = 'Too loud\n\n```suggestion:-0+0\ntwo!\n```';
    await done(world.api(owner).post(`${merge}/discussions`, { body, position }));
    await done(world.api(owner).post(`${merge}/approve`));
    await done(api.post(`${merge}/award_emoji`, { name: 'apple' }));
    // Another version, which does not contain the first.
    const directory = directoryOf(fork);
    git(directory, ['update-ref', `refs/heads/${fate}`, git(directory, ['rev-parse', 'master']).trim()]);
    await commitTo(world, fork, rosa, fate, `${fate}.txt`, 'one\nTWO\n');
    await commitTo(world, fork, rosa, fate, `${fate}-more.txt`);
    await world.idle();
    if (fate === 'closed') await done(api.put(merge, { state_event: 'close' }));
    if (fate === 'merged') await done(world.api(owner).put(`${merge}/merge`));
    await world.idle();
  }
  const paths: string[] = [
    `${at}/merge_requests`,
    `${at}/issues`,
    `${at}/events`,
    '/todos',
    `${at}/repository/commits`,
  ];
  const pages: string[] = [`/${source.fullPath}/-/merge_requests?state=all`, '/dashboard/todos'];
  for (const iid of iids) {
    const merge = `${at}/merge_requests/${iid}`;
    for (const part of [
      '',
      '/changes',
      '/commits',
      '/diffs',
      '/raw_diffs',
      '/versions',
      '/discussions',
      '/notes',
      '/award_emoji',
      '/participants',
      '/approvals',
      '/closes_issues',
      '/related_issues',
      '/pipelines',
      '/draft_notes',
      '/resource_state_events',
    ])
      paths.push(`${merge}${part}`);
    for (const { id } of await done(api.get(`${merge}/versions`))) paths.push(`${merge}/versions/${id}`);
    const page = `/${source.fullPath}/-/merge_requests/${iid}`;
    for (const part of ['', '/commits', '/diffs', '/pipelines', '/edit']) pages.push(`${page}${part}`);
    for (const { id } of await done(api.get(`${merge}/commits`))) {
      pages.push(`/${source.fullPath}/-/commit/${id}`, `/${source.fullPath}/-/tree/${id}`);
      paths.push(`${at}/repository/commits/${id}`, `${at}/repository/commits/${id}/merge_requests`);
    }
    const { description } = await done(api.get(merge));
    pages.push(`/${source.fullPath}${/\((.*)\)/.exec(description)?.[1]}`);
  }
  const before = { owner: await shown(owner, paths, pages), rosa: await shown(rosa, paths, pages) };
  await lose(fork, rosa);
  git(directoryOf(source), ['gc', '--prune=now', '--quiet']);
  git(directoryOf(source), ['fsck', '--strict', '--full']);
  const after = { owner: await shown(owner, paths, pages), rosa: await shown(rosa, paths, pages) };
  expect(after).toEqual(before);
});

it('A fork is whole when its source is deleted', async () => {
  const { source, fork } = await forked();
  const api = world.api(rosa);
  const at = `/projects/${fork.id}`;
  await world.member(fork, owner, 'developer');
  const elsewhere = await world.issue(source, owner, { title: 'In the source' });
  const issue = await world.issue(fork, rosa, { description: `See ${source.fullPath}#${elsewhere.iid}` });
  const told = `Done in ${fork.fullPath}#${issue.iid}`;
  await done(world.api(owner).post(`/projects/${source.id}/issues/${elsewhere.iid}/notes`, { body: told }));
  await done(
    api.post(`${at}/issues/${issue.iid}/links`, { target_project_id: source.id, target_issue_iid: elsewhere.iid }),
  );
  await commitTo(world, fork, rosa, 'topic', 'own.txt');
  await opened(world, fork, owner);
  await opened(world, fork, rosa, { targetProject: source.id });
  await done(api.post(`${at}/releases`, { tag_name: 'v1', ref: 'topic', description: 'First' }));
  await done(api.post(`${at}/snippets`, { title: 'Recipe', file_name: 'r.txt', code: 'Bake', visibility: 'private' }));
  await done(
    world.api(owner).post(`${at}/merge_requests/1/notes`, { body: `@${rosa.username} @${owner.username} see` }),
  );
  await world.idle();
  // Each has a pipeline that a job of the other one started.
  const [ours, theirs] = [await takenJob(world, rosa, fork), await takenJob(world, owner, source)];
  for (const [{ pipelineId }, { id: sourceJobId }] of [
    [ours, theirs],
    [theirs, ours],
  ] as const)
    await world.db.pipeline.update({ where: { id: pipelineId }, data: { sourceJobId } });
  const parts = [
    'repository/branches',
    'repository/tags',
    'repository/commits?all=true',
    'releases',
    'snippets',
    'issues',
  ];
  parts.push('merge_requests', 'merge_requests/1/discussions', 'merge_requests/1/changes', 'members', 'events');
  const pages = ['', '/-/tree/topic', '/-/blob/topic/own.txt', '/-/commits/topic', '/-/blame/topic/own.txt'];
  pages.push(
    '/-/issues/1',
    '/-/merge_requests/1',
    '/-/merge_requests/1/diffs',
    '/-/releases',
    '/-/activity',
    '/-/project_members',
    `/-/pipelines/${ours.pipelineId}`,
    `/-/jobs/${ours.id}`,
  );
  const answers = () =>
    shown(
      rosa,
      parts.map((part) => `${at}/${part}`),
      ['/dashboard/todos', ...pages.map((page) => `/${fork.fullPath}${page}`)],
    );
  const before = await answers();
  await lose(source, owner);
  git(directoryOf(fork), ['gc', '--prune=now', '--quiet']);
  git(directoryOf(fork), ['fsck', '--strict', '--full']);
  expect(await answers()).toEqual(before);
  expect((await done(api.get(at))).forked_from_project).toBeUndefined();
  const notes = await done(api.get(`${at}/issues/${issue.iid}/notes`));
  expect(notes.every(({ body }: Json) => !body.includes('In the source'))).toBe(true);
  expect((await done(api.get('/todos'))).length).toBeGreaterThan(0);
});
