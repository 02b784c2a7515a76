// Each of its tests takes long.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import type { Json } from '../support/http.ts';
import { commitTo, opened } from '../support/merge_requests.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, ann, reporter] = [await world.user(), await world.user(), await world.user()];
let project: ProjectRow;
const LINES = ['one', 'two', 'three', 'four', 'five', 'six'];

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'private' });
  await world.member(project, ann, 'developer');
  await world.member(project, reporter, 'reporter');
  await commitTo(world, project, owner, 'master', 'a.txt');
});

interface Request {
  path: string;
  branch: string;
  file: string;
}

/** A merge request that adds a file of these lines. */
async function request(content = `${LINES.join('\n')}\n`): Promise<Request> {
  const branch = world.unique('topic');
  const file = `${branch}.txt`;
  await createBranch(world.as(owner), project.id, branch, 'master');
  await commitTo(world, project, owner, branch, file, content);
  const { iid } = await opened(world, project, owner, { sourceBranch: branch });
  return { path: `/projects/${project.id}/merge_requests/${iid}`, branch, file };
}

const block = (lines: string, info = 'suggestion') => `\`\`\`${info}\n${lines}\`\`\``;

/** Writes a note on a line; its suggestions. */
async function suggested({ path, file }: Request, line: number, body: string, who: TestUser = reporter) {
  const { body: record } = await world.api(who).get(path);
  const { base_sha, start_sha, head_sha } = record.diff_refs;
  const position = { base_sha, start_sha, head_sha, position_type: 'text', new_path: file, new_line: line };
  const answer = await world.api(who).post(`${path}/discussions`, { body, position });
  expect(answer.status).toBe(201);
  const [note] = answer.body.notes;
  return { thread: answer.body.id as string, note, suggestions: note.suggestions as Json[] };
}

const apply = (who: TestUser | undefined, { id }: Json, values: Json = {}) =>
  world.api(who).put(`/suggestions/${id}/apply`, values);
const batch = (who: TestUser, some: Json[], values: Json = {}) =>
  world.api(who).put('/suggestions/batch_apply', { ids: some.map(({ id }) => id), ...values });

async function contentOf({ branch, file }: Request): Promise<string> {
  const at = `/projects/${project.id}/repository/files/${encodeURIComponent(file)}?ref=${branch}`;
  return Buffer.from((await world.api(owner).get(at)).body.content, 'base64').toString('latin1');
}

const titleOf = async ({ branch }: Request) =>
  (await world.api(owner).get(`/projects/${project.id}/repository/commits/${branch}`)).body;

/** The suggestions of a note as they are now. */
const now = async ({ path }: Request, { id }: Json) =>
  (await world.api(reporter).get(`${path}/notes/${id}`)).body.suggestions;

describe('Suggestions', () => {
  it('are the blocks of a note on a line, with the lines that they replace', async () => {
    const on = await request();
    const fenced = `~~~\n${block('no\n')}\n~~~`;
    const body = `${fenced}\n${block('TWO\n')}\n${block('', 'suggestion:-1+100')}\n${block('x\n', 'suggestions')}\n\`\`\`js\nsuggestion\n\`\`\``;
    const { note, suggestions, thread } = await suggested(on, 2, body);
    expect(suggestions).toEqual([
      {
        id: expect.any(Number),
        ...{ from_line: 2, to_line: 2, from_content: 'two\n', to_content: 'TWO\n', appliable: true, applied: false },
      },
      {
        id: expect.any(Number),
        ...{ from_line: 1, to_line: 102, from_content: `${LINES.join('\n')}\n`, to_content: '' },
        ...{ appliable: true, applied: false },
      },
    ]);
    const answered = await world.api(ann).post(`${on.path}/discussions/${thread}/notes`, { body: block('2\n') });
    expect(answered.body.suggestions).toMatchObject([{ from_line: 2, to_content: '2\n' }]);
    const edited = await world.api(reporter).put(`${on.path}/notes/${note.id}`, { body: block('Zwei\n') });
    expect(edited.body.suggestions).toMatchObject([{ to_content: 'Zwei\n' }]);
    const query = `query ($path: ProjectRef!, $iid: Int!) { project(ref: $path) { mergeRequest(iid: $iid) { notes {
      nodes { suggestions { databaseId fromLine toLine fromContent toContent appliable applied outdated commitSha } } } } } }`;
    const iid = Number(on.path.split('/').at(-1));
    const { body: graph } = await world.graphql(query, { path: project.fullPath, iid }, reporter);
    const nodes = graph.data.project.mergeRequest.notes.nodes.filter((one: Json) => one.suggestions?.length > 0);
    expect(nodes[0].suggestions[0]).toMatchObject({
      fromLine: 2,
      toContent: 'Zwei\n',
      commitSha: null,
      outdated: false,
    });
  });

  it('are not in notes on no line, on removed lines and on commits', async () => {
    const on = await request();
    const { body: alone } = await world.api(ann).post(`${on.path}/notes`, { body: block('x\n') });
    expect('suggestions' in alone).toBe(false);
    const sha = (await titleOf(on)).id;
    const commits = `/projects/${project.id}/repository/commits/${sha}/discussions`;
    // A comment with the number of a note that has some.
    const { note } = await suggested(on, 1, block('ONE\n'));
    await world.db.commitComment.create({
      data: { id: note.id, projectId: project.id, authorId: ann.id, sha, note: 'decoy' },
    });
    const { body: threads } = await world.api(ann).get(commits);
    expect(threads.flatMap(({ notes }: Json) => notes.map((one: Json) => 'suggestions' in one))).toEqual([false]);
    expect((await suggested(on, 1, 'Nothing')).suggestions).toEqual([]);
  });

  it('of a note are at most 50', async () => {
    const on = await request();
    const many = Array.from({ length: 60 }, (_, index) => block(`${index}\n`)).join('\n');
    const { suggestions } = await suggested(on, 1, many);
    expect([suggestions.length, suggestions.at(-1)?.to_content]).toEqual([50, '49\n']);
  });
});

describe('Whether the caller can apply a suggestion', () => {
  const query = `query ($path: ProjectRef!, $iid: Int!) { project(ref: $path) { mergeRequest(iid: $iid) { notes {
    nodes { suggestions { databaseId viewerCanApply } } } } } }`;
  /** What the graph says of it to somebody. */
  async function offered({ path }: Pick<Request, 'path'>, { id }: Json, who: TestUser | undefined, place = project) {
    const variables = { path: place.fullPath, iid: Number(path.split('/').at(-1)) };
    const { body } = await world.graphql(query, variables, who);
    const notes: Json[] = body.data.project?.mergeRequest?.notes.nodes ?? [];
    return notes.flatMap((note) => note.suggestions ?? []).find(({ databaseId }) => databaseId === id)?.viewerCanApply;
  }

  it('depends on the right to push to the source branch, and on whether it can be applied at all', async () => {
    const on = await request();
    const { suggestions } = await suggested(on, 2, block('TWO\n'));
    const [one = {}] = suggestions;
    expect([await offered(on, one, ann), await offered(on, one, reporter)]).toEqual([true, false]);
    expect((await apply(reporter, one)).status).toBe(403);
    const protection = `/projects/${project.id}/repository/branches/${on.branch}`;
    await world.api(owner).put(`${protection}/protect`);
    expect([await offered(on, one, ann), await offered(on, one, owner)]).toEqual([false, true]);
    expect((await apply(ann, one)).status).toBe(403);
    await world.api(owner).put(`${protection}/unprotect`);
    expect((await apply(ann, one)).status).toBe(200);
    expect(await offered(on, one, ann)).toBe(false);
  });

  it('is for those with whom a fork shares its branch, and for nobody if the fork is archived', async () => {
    const target = await world.project({ owner, visibility: 'public' });
    await world.member(target, ann, 'developer');
    await commitTo(world, target, owner, 'master', 'a.txt');
    await world.api(owner).put(`/projects/${target.id}/repository/branches/master/unprotect`);
    const { body: fork } = await world.api(reporter).post(`/projects/${target.id}/fork`);
    await world.idle();
    await createBranch(world.as(reporter), fork.id, 'topic', 'master');
    await commitTo(world, fork, reporter, 'topic', 'new.txt', 'one\ntwo\n');
    const given = {
      title: 'From a fork',
      source_branch: 'topic',
      target_branch: 'master',
      target_project_id: target.id,
    };
    const { body: made } = await world.api(reporter).post(`/projects/${fork.id}/merge_requests`, given);
    await world.idle();
    const on = { path: `/projects/${target.id}/merge_requests/${made.iid}`, branch: 'topic', file: 'new.txt' };
    const { suggestions } = await suggested(on, 2, block('TWO\n'), owner);
    const [one = {}] = suggestions;
    const all = async () =>
      Promise.all([reporter, ann, await world.user()].map((who) => offered(on, one, who, target)));
    expect(await all()).toEqual([true, false, false]);
    expect((await apply(ann, one)).status).toBe(403);
    await world.db.mergeRequest.update({ where: { id: made.id }, data: { allowCollaboration: true } });
    expect(await all()).toEqual([true, true, false]);
    await world.db.project.update({ where: { id: fork.id }, data: { archived: true } });
    expect(await all()).toEqual([false, false, false]);
    await world.db.project.update({ where: { id: fork.id }, data: { archived: false } });
    expect((await apply(ann, one)).status).toBe(200);
  });
});

describe('Applying suggestions', () => {
  it('commits the lines as the caller, resolves the thread and tells of it', async () => {
    const on = await request();
    const { note, suggestions, thread } = await suggested(on, 3, block('3\nand more\n', 'suggestion:-1+1'));
    const [first = {}] = suggestions;
    const applied = await apply(ann, first);
    expect([applied.status, applied.body]).toMatchObject([200, { id: first.id, applied: true, appliable: false }]);
    expect(await contentOf(on)).toBe('one\n3\nand more\nfive\nsix\n');
    expect(await titleOf(on)).toMatchObject({
      title: 'Apply 1 suggestion(s) to 1 file(s)',
      author_name: `Name of ${ann.username}`,
    });
    const { body: notes } = await world.api(owner).get(`${on.path}/discussions/${thread}`);
    expect(notes.notes[0]).toMatchObject({ id: note.id, resolved: true, resolved_by: { id: ann.id } });
    await world.idle();
    const { body: all } = await world.api(owner).get(`${on.path}/notes`);
    const told = all.filter(({ system }: Json) => system).map(({ body }: Json) => body);
    expect(told.join('\n')).toContain('applied 1 suggestion to 1 file in ');
    expect(await apply(ann, first)).toMatchObject({ status: 400 });
    expect(await now(on, note)).toMatchObject([{ applied: true, appliable: false }]);
    await world.api(reporter).put(`${on.path}/notes/${note.id}`, { body: block('later\n') });
    expect(await now(on, note)).toMatchObject([{ id: first.id, applied: true }]);
  });

  it('of several is one commit, whatever their order, with the given message', async () => {
    const on = await request();
    const before = (await titleOf(on)).id;
    const second = await suggested(on, 5, block('5\n5b\n'));
    const first = await suggested(on, 2, block('', 'suggestion:-1+0'));
    const other = await suggested(on, 6, block('6\n'));
    const all = [...first.suggestions, ...second.suggestions, ...other.suggestions];
    const answer = await batch(ann, all, { commit_message: 'Number lines' });
    expect([answer.status, answer.body.map(({ applied }: Json) => applied)]).toEqual([200, [true, true, true]]);
    expect(await contentOf(on)).toBe('three\nfour\n5\n5b\n6\n');
    const commit = await titleOf(on);
    expect([commit.title, commit.parent_ids]).toEqual(['Number lines', [before]]);
  });

  it('right after each other follows the lines', async () => {
    const on = await request();
    const [first = {}] = (await suggested(on, 1, block('1\n1b\n'))).suggestions;
    const [second = {}] = (await suggested(on, 4, block('4\n'))).suggestions;
    expect([(await apply(ann, first)).status, (await apply(ann, second)).status]).toEqual([200, 200]);
    expect(await contentOf(on)).toBe('1\n1b\ntwo\nthree\n4\nfive\nsix\n');
  });

  it('is refused where lines overlap or have changed, or nothing would, and changes nothing then', async () => {
    const on = await request();
    const wide = await suggested(on, 3, block('x\n', 'suggestion:-1+1'));
    const narrow = await suggested(on, 4, block('y\n'));
    const same = await suggested(on, 6, block('six\n'));
    const before = await contentOf(on);
    expect(await batch(ann, [...wide.suggestions, ...narrow.suggestions])).toMatchObject({ status: 400 });
    expect(same.suggestions).toMatchObject([{ appliable: false }]);
    expect(await apply(ann, same.suggestions[0] ?? {})).toMatchObject({ status: 400 });
    const other = await suggested(await request(), 1, block('x\n'));
    expect(await batch(ann, [...narrow.suggestions, ...other.suggestions])).toMatchObject({ status: 400 });
    expect(await contentOf(on)).toBe(before);
    // The line of the thread stays, the one above it does not.
    await commitTo(world, project, owner, on.branch, on.file, before.replace('two', '2'));
    expect(await apply(ann, wide.suggestions[0] ?? {})).toMatchObject({ status: 400 });
    expect(await now(on, wide.note)).toMatchObject([{ appliable: false, applied: false }]);
    expect(await now(on, narrow.note)).toMatchObject([{ appliable: true }]);
    await commitTo(world, project, owner, on.branch, on.file, before.replace('four', '4'));
    expect(await apply(ann, narrow.suggestions[0] ?? {})).toMatchObject({ status: 400 });
    expect(await now(on, narrow.note)).toMatchObject([{ appliable: false }]);
    await world.api(owner).put(on.path, { state_event: 'close' });
    expect(await batch(ann, [])).toMatchObject({ status: 400 });
  });

  it('is for those who may push to the source branch of what they see', async () => {
    const on = await request();
    const [first = {}] = (await suggested(on, 1, block('x\n'))).suggestions;
    const before = await contentOf(on);
    expect((await apply(undefined, first)).status).toBe(401);
    expect((await apply(reporter, first)).status).toBe(403);
    const outsider = await world.user();
    expect(await apply(outsider, first)).toMatchObject({
      status: 404,
      body: { message: '404 Suggestion Not Found' },
    });
    expect((await apply(ann, { id: 2_000_000_000 })).status).toBe(404);
    await world.api(owner).put(`/projects/${project.id}/repository/branches/${on.branch}/protect`, {});
    expect((await apply(ann, first)).status).toBe(403);
    await world.api(owner).put(on.path, { state_event: 'close' });
    expect(await apply(owner, first)).toMatchObject({ status: 400 });
    expect(await contentOf(on)).toBe(before);
    await world.api(owner).put(on.path, { state_event: 'reopen' });
    expect((await apply(owner, first)).status).toBe(200);
  });

  it('keeps every other byte, and the ends of lines', async () => {
    const content = Buffer.from('a\xff\r\nb\r\nc', 'latin1');
    const on = await request('x\n');
    await world.api(owner).put(`/projects/${project.id}/repository/files/${encodeURIComponent(on.file)}`, {
      branch: on.branch,
      content: content.toString('base64'),
      encoding: 'base64',
      commit_message: 'Bytes',
    });
    await world.idle();
    const [first = {}] = (await suggested(on, 2, block('ü\nd\n'))).suggestions;
    expect((await apply(ann, first)).status).toBe(200);
    expect(await contentOf(on)).toBe(Buffer.from('a\xff\r\n\xc3\xbc\r\nd\r\nc', 'latin1').toString('latin1'));
  });
});
