import { describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { talk } from '../support/discussions.ts';
import { LONG } from '../support/long.ts';
import { commitTo, opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const outsider = await world.user();
const project = await world.project({ owner, visibility: 'public' });
await world.member(project, reporter, 'reporter');
await world.member(project, guest, 'guest');
await withTopic(world, project, owner);
const mergeRequest = await opened(world, project, owner);
const { written } = talk(world);
const at = `/projects/${project.id}`;
const onMergeRequest = `${at}/merge_requests/${mergeRequest.iid}`;

async function issuePath() {
  const issue = await world.issue(project, owner);
  return { ...issue, path: `${at}/issues/${issue.iid}` };
}

async function versionShas() {
  const version = await world.db.mergeRequestVersion.findFirstOrThrow({ where: { mergeRequestId: mergeRequest.id } });
  const { baseCommitSha: base_sha, startCommitSha: start_sha, headCommitSha: head_sha } = version;
  return { base_sha, start_sha, head_sha };
}

/** A line that the merge request changes. */
async function changedLine() {
  const { body } = await world.api(owner).get(`${onMergeRequest}/changes`);
  const [{ new_path, diff }] = body.changes;
  const [, from = '1'] = /\+(\d+)/.exec(diff) ?? [];
  const lines: string[] = diff.split('\n').slice(1);
  const added = lines.filter((line) => !line.startsWith('-')).findIndex((line) => line.startsWith('+'));
  return { position_type: 'text', new_path, new_line: Number(from) + added };
}

describe('Discussions over REST', () => {
  it(
    'are begun, listed, answered, changed and deleted on merge requests, issues, snippets and commits',
    LONG,
    async () => {
      const issue = await issuePath();
      const values = { title: 'Text', fileName: 'a.txt', content: 'text', visibility: 'public' } as const;
      const snippet = await createSnippet(world.as(owner), { project: project.id, ...values });
      const { head_sha } = await versionShas();
      for (const [path, type] of [
        [onMergeRequest, 'MergeRequest'],
        [issue.path, 'Issue'],
        [`${at}/snippets/${snippet.id}`, 'Snippet'],
        [`${at}/repository/commits/${head_sha}`, 'Commit'],
      ] as const) {
        const threads = `${path}/discussions`;
        const begun = await world.api(reporter).post(threads, { body: 'Why?' });
        expect(begun).toMatchObject({ status: 201, body: { individual_note: false } });
        expect(begun.body.id).toMatch(/^[0-9a-f]{40}$/);
        expect(begun.body.notes).toMatchObject([
          {
            body: 'Why?',
            type: 'DiscussionNote',
            noteable_type: type,
            project_id: project.id,
            internal: false,
            system: false,
          },
        ]);
        expect(begun.body.notes[0].resolvable).toBe(type === 'MergeRequest');
        expect('resolved' in begun.body.notes[0]).toBe(type === 'MergeRequest');
        const one = `${threads}/${begun.body.id}`;
        const answer = await world.api(owner).post(`${one}/notes`, { body: 'Because.' });
        expect(answer).toMatchObject({ status: 201, body: { body: 'Because.', type: 'DiscussionNote' } });
        expect((await world.api(outsider).get(one)).body.notes).toMatchObject([{ body: 'Why?' }, { body: 'Because.' }]);
        const notes = await world.api(outsider).get(`${one}/notes?per_page=1&page=2`);
        expect([notes.headers['x-total'], notes.body]).toMatchObject(['2', [{ body: 'Because.' }]]);
        const note = `${one}/notes/${answer.body.id}`;
        expect(await world.api(owner).put(note, { body: 'Since.' })).toMatchObject({
          status: 200,
          body: { body: 'Since.' },
        });
        expect(await world.api(outsider).get(note)).toMatchObject({ status: 200, body: { body: 'Since.' } });
        expect(await world.api(outsider).put(note, { body: 'x' })).toMatchObject({ status: 403 });
        const other = (await world.api(reporter).post(threads, { body: 'Other' })).body;
        expect(await world.api(owner).get(`${threads}/${other.id}/notes/${answer.body.id}`)).toMatchObject({
          status: 404,
        });
        expect(await world.api(owner).delete(note)).toMatchObject({ status: 204 });
        const list = (await world.api(outsider).get(threads)).body;
        expect(list.map(({ id }: { id: string }) => id).slice(-2)).toEqual([begun.body.id, other.id]);
        // Without its first note the thread keeps its name.
        await world.api(owner).post(`${one}/notes`, { body: 'Left' });
        await world.api(owner).delete(`${one}/notes/${begun.body.notes[0].id}`);
        expect((await world.api(outsider).get(one)).body).toMatchObject({
          id: begun.body.id,
          notes: [{ body: 'Left' }],
        });
        for (const nobody of ['0'.repeat(40), 'none', 'f'.repeat(40)]) {
          expect(await world.api(owner).get(`${threads}/${nobody}`)).toMatchObject({
            status: 404,
            body: { message: '404 Discussion Not Found' },
          });
          expect(await world.api(owner).get(`${threads}/${nobody}/notes`)).toMatchObject({
            status: 404,
            body: { message: '404 Notes Not Found' },
          });
        }
      }
    },
  );

  it(
    'hold single notes and system notes by themselves, which become threads when they are answered',
    LONG,
    async () => {
      const { path } = await issuePath();
      await world.api(reporter).post(`${path}/notes`, { body: 'Alone' });
      await world.api(owner).put(path, { title: 'Other' });
      const [single, system] = (await world.api(guest).get(`${path}/discussions`)).body;
      expect(single).toMatchObject({
        individual_note: true,
        notes: [{ type: null, body: 'Alone', resolvable: false }],
      });
      expect(system).toMatchObject({ individual_note: true, notes: [{ type: null, system: true }] });
      expect(await world.api(owner).post(`${path}/discussions/${system.id}/notes`, { body: 'x' })).toMatchObject({
        status: 400,
      });
      await world.api(owner).post(`${path}/discussions/${single.id}/notes`, { body: 'Not any more' });
      expect((await world.api(guest).get(`${path}/discussions/${single.id}`)).body).toMatchObject({
        id: single.id,
        individual_note: false,
        notes: [{ type: 'DiscussionNote' }, { type: 'DiscussionNote' }],
      });
    },
  );

  it('are resolved as a whole or by a note, which takes either a text or that', LONG, async () => {
    const { body: thread } = await world.api(reporter).post(`${onMergeRequest}/discussions`, { body: 'Open' });
    const path = `${onMergeRequest}/discussions/${thread.id}`;
    const note = `${path}/notes/${thread.notes[0].id}`;
    expect(await world.api(reporter).put(path, { resolved: true })).toMatchObject({ status: 403 });
    const resolved = await world.api(owner).put(path, { resolved: true });
    expect(resolved).toMatchObject({
      status: 200,
      body: { notes: [{ resolvable: true, resolved: true, resolved_by: { username: owner.username } }] },
    });
    expect(await world.api(owner).put(note, { resolved: false })).toMatchObject({
      status: 200,
      body: { resolved: false, resolved_by: null, resolved_at: null },
    });
    expect(await world.api(owner).put(note, {})).toMatchObject({
      status: 400,
      body: { error: 'body, resolved are missing, exactly one parameter must be provided' },
    });
    expect(await world.api(owner).put(note, { body: 'x', resolved: true })).toMatchObject({
      status: 400,
      body: { error: 'body, resolved are mutually exclusive' },
    });
    expect((await world.api(owner).get(note)).body).toMatchObject({ body: 'Open', resolved: false });
  });

  it('have the same name in GraphQL, which takes it for the ID', async () => {
    const note = await written(owner, {
      on: { id: toGlobalId('MergeRequest', mergeRequest.id) },
      startDiscussion: true,
    });
    const query = 'query ($id: ID!) { node(id: $id) { ... on Discussion { id key } } }';
    const { node } = (await world.graphql(query, { id: note.discussionId }, owner)).body.data;
    expect((await world.graphql(query, { id: node.key }, owner)).body.data.node).toEqual(node);
    expect((await world.api(owner).get(`${onMergeRequest}/discussions/${node.key}`)).body).toMatchObject({
      id: node.key,
    });
  });

  it(
    'take a position as forms nest it, with the commits of a version or others of the merge request',
    LONG,
    async () => {
      const [shas, line] = [await versionShas(), await changedLine()];
      const form = new URLSearchParams({ body: 'Here' });
      // As clients do that know only the tip of the target branch.
      const given = { ...shas, start_sha: shas.base_sha ?? '', ...line };
      for (const [key, value] of Object.entries(given)) form.set(`position[${key}]`, String(value));
      form.set('position[line_range][start][line_code]', 'abc_1_1');
      form.set('position[line_range][start][type]', 'new');
      form.set('position[line_range][end][line_code]', 'abc_1_2');
      const made = await world.send('POST', `/api/v4${onMergeRequest}/discussions`, {
        headers: { 'PRIVATE-TOKEN': reporter.token, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      } as never);
      expect(made.status).toBe(201);
      const [note] = (made.body as { notes: Record<string, never>[] }).notes;
      expect(note).toMatchObject({
        type: 'DiffNote',
        resolvable: true,
        position: {
          ...shas,
          position_type: 'text',
          new_path: line.new_path,
          new_line: line.new_line,
          line_range: { start: { line_code: 'abc_1_1', type: 'new' }, end: { line_code: 'abc_1_2', type: null } },
        },
      });
      const post = (position: object) =>
        world.api(reporter).post(`${onMergeRequest}/discussions`, { body: 'x', position });
      expect(await post({ ...shas, ...line, base_sha: undefined })).toMatchObject({
        status: 400,
        body: { error: 'position[base_sha] is missing' },
      });
      // A record that lacks another one, or has an empty one in its place.
      const start = { line_code: 'abc_1_1' };
      for (const [range, why] of [
        [{ start }, 'position[line_range][end] is missing'],
        [{ start, end: {} }, 'position[line_range][end] is invalid'],
        [{ end: start }, 'position[line_range][start] is missing'],
      ] as const) {
        const answer = await post({ ...shas, ...line, line_range: range });
        expect(answer).toMatchObject({ status: 400, body: { error: why } });
      }
      expect(await post({ ...shas, ...line, new_line: 99_999 })).toMatchObject({
        status: 400,
        body: {
          message: '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
        },
      });
      expect(await post({ ...shas, ...line, head_sha: 'f'.repeat(40) })).toMatchObject({ status: 400 });
      expect(await post({ ...shas, position_type: 'file', new_path: line.new_path })).toMatchObject({
        status: 201,
        body: { notes: [{ type: 'DiffNote', position: { position_type: 'file', new_line: null } }] },
      });
    },
  );

  it('take as many statements for 20 threads as for one', LONG, async () => {
    const { id, path } = await issuePath();
    const author = { subjectType: 'Issue', subjectId: id, authorId: owner.id };
    const add = async (count: number) => {
      for (let n = 0; n < count; n += 1) {
        const first = await world.db.note.create({ data: { ...author, body: `t${n}` } });
        await world.db.note.createMany({
          data: ['a', 'b'].map((body) => ({ ...author, body, discussionId: first.id })),
        });
      }
    };
    const read = () => world.api(owner).get(`${path}/discussions`);
    await add(1);
    await read();
    const few = (await world.statements(read)).length;
    await add(19);
    expect((await world.statements(read)).length).toBe(few);
    expect((await read()).body.map(({ notes }: { notes: unknown[] }) => notes.length)).toEqual(Array(20).fill(3));
  });
});

describe('A locked discussion', () => {
  const places = [
    ['merge request', async () => onMergeRequest],
    ['issue', async () => (await issuePath()).path],
  ] as const;

  it.each(places)(
    'of one %s is for members alone: notes, threads, answers and awards of others are refused',
    LONG,
    async (kind, place) => {
      const at = await place();
      const { body: thread } = await world.api(owner).post(`${at}/discussions`, { body: 'Still open' });
      const note = thread.notes[0].id;
      expect((await world.api(owner).put(at, { discussion_locked: true })).body.discussion_locked).toBe(true);
      const drafts = kind === 'issue' ? [] : ['draft_notes'];
      const statuses = async (who: typeof guest, emoji: string) => {
        const post = async (path: string, values: object) =>
          (await world.api(who).post(`${at}/${path}`, values)).status;
        const paths = ['notes', 'discussions', `discussions/${thread.id}/notes`, ...drafts];
        const written: number[] = [];
        for (const path of paths) written.push(await post(path, { body: 'x', note: 'x' }));
        for (const path of ['award_emoji', `notes/${note}/award_emoji`])
          written.push(await post(path, { name: emoji }));
        return written;
      };
      const before = await world.db.note.count();
      expect(await statuses(outsider, 'tada')).toEqual([403, 403, 403, ...drafts.map(() => 403), 404, 404]);
      expect(await world.db.note.count()).toBe(before);
      expect(new Set(await statuses(guest, 'heart'))).toEqual(new Set([201]));
      expect((await world.api(owner).put(at, { discussion_locked: false })).body.discussion_locked).toBe(false);
      expect(new Set(await statuses(outsider, 'tada'))).toEqual(new Set([201]));
    },
  );

  it('is told by notes, and locked by quick actions of those who may', LONG, async () => {
    for (const at of [onMergeRequest, (await issuePath()).path]) {
      const write = (who: typeof guest, body: string) => world.api(who).post(`${at}/notes`, { body });
      const isLocked = async () => (await world.api(owner).get(at)).body.discussion_locked;
      const before = await isLocked();
      await write(guest, 'Please\n/lock');
      expect(await isLocked()).toBe(before);
      await write(owner, '/lock');
      expect([await isLocked(), (await write(outsider, 'x')).status]).toEqual([true, 403]);
      await write(owner, '/unlock');
      expect([await isLocked(), (await write(outsider, 'x')).status]).toEqual([false, 201]);
      const { body: notes } = await world.api(owner).get(`${at}/notes?activity_filter=only_activity&per_page=100`);
      const told = notes.map(({ body }: { body: string }) => body).filter((body: string) => body.includes('locked'));
      expect(told.slice(-2)).toEqual(['locked the discussion', 'unlocked the discussion']);
    }
  });

  it('of an issue is locked by reporters, not by its author', async () => {
    const { body } = await world
      .api(guest)
      .post(`/projects/${project.id}/issues`, { title: 'Mine', discussion_locked: true });
    const at = `/projects/${project.id}/issues/${body.iid}`;
    expect(body.discussion_locked).toBe(null);
    expect((await world.api(guest).put(at, { discussion_locked: true })).body.discussion_locked).toBe(null);
    const input = `project: "${project.id}", iid: ${body.iid}, discussionLocked: true`;
    const query = `mutation { updateIssue(input: { ${input} }) { issue { discussionLocked } } }`;
    const refused = (await world.graphql(query, {}, guest)).body;
    expect(refused.errors[0].message).toBe('Only reporters of the project can set discussionLocked');
    const { body: made } = await world
      .api(owner)
      .post(`/projects/${project.id}/issues`, { title: 'x', discussion_locked: true });
    expect(made.discussion_locked).toBe(true);
  });
});

describe('System notes', () => {
  it('are not answered', LONG, async () => {
    for (const { path } of [{ path: onMergeRequest }, await issuePath()]) {
      await world.api(owner).put(path, { title: world.unique('Renamed ') });
      const { body: threads } = await world.api(owner).get(`${path}/discussions?per_page=100`);
      const { id } = threads.find(({ notes }: { notes: { system: boolean }[] }) => notes[0]?.system);
      const answer = await world.api(owner).post(`${path}/discussions/${id}/notes`, { body: 'x' });
      expect([answer.status, answer.body.message]).toEqual([
        400,
        '400 Bad request - Discussion can not be replied to.',
      ]);
    }
  });
});

describe('Positions', () => {
  it(
    'of images and files follow to a new version unchanged, those of lines move, and hidden lines are told',
    LONG,
    async () => {
      const place = await world.project({ owner });
      const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
      await commitTo(world, place, owner, 'master', 'a.txt', `${lines.join('\n')}\n`);
      await createBranch(world.as(owner), place.id, 'topic', 'master');
      await commitTo(world, place, owner, 'topic', 'a.txt', `${lines.join('\n')}\nnew\n`);
      await commitTo(world, place, owner, 'topic', 'a.png', '\0PNG');
      const { iid, id: mergeRequestId } = await opened(world, place, owner);
      const path = `/projects/${place.id}/merge_requests/${iid}`;
      const refs = async () => (await world.api(owner).get(path)).body.diff_refs;
      const first = await refs();
      const begin = async (position: object) => {
        const answer = await world
          .api(owner)
          .post(`${path}/discussions`, { body: 'x', position: { ...first, ...position } });
        expect(answer.status).toBe(201);
        return answer.body;
      };
      const image = { position_type: 'image', new_path: 'a.png', width: 20, height: 10, x: 1.5, y: 2.5 };
      const onImage = await begin(image);
      const onFile = await begin({ position_type: 'file', new_path: 'a.txt' });
      const onLine = await begin({ position_type: 'text', new_path: 'a.txt', new_line: 61 });
      const hidden = await begin({ position_type: 'text', new_path: 'a.txt', new_line: 5 });
      expect(onImage.notes[0].position).toMatchObject({ ...image, new_line: null });
      expect(hidden.notes[0].position).toMatchObject({ old_line: 5, new_line: 5 });
      for (const wrong of [{ new_line: 62 }, { new_line: 0 }, { old_line: 4, new_line: 5 }]) {
        const position = { ...first, position_type: 'text', new_path: 'a.txt', ...wrong };
        expect(await world.api(owner).post(`${path}/discussions`, { body: 'x', position })).toMatchObject({
          status: 400,
        });
      }
      const head = await commitTo(world, place, owner, 'topic', 'a.txt', `top\n${lines.join('\n')}\nnew\n`);
      await world.until(async () => (await refs()).head_sha === head);
      await world.until(async () => {
        const threads = await world.db.discussion.findMany({ where: { mergeRequestId } });
        return threads.every(({ position }) => (position as { headSha: string } | null)?.headSha === head);
      });
      const now = async ({ id }: { id: string }) =>
        (await world.api(owner).get(`${path}/discussions/${id}`)).body.notes[0].position;
      expect(await now(onImage)).toMatchObject({ ...image, head_sha: head });
      expect(await now(onFile)).toMatchObject({ position_type: 'file', new_path: 'a.txt', head_sha: head });
      expect(await now(onLine)).toMatchObject({ old_line: null, new_line: 62, head_sha: head });
      expect(await now(hidden)).toMatchObject({ old_line: 5, new_line: 6, head_sha: head });
    },
  );
});

describe('Internal notes', () => {
  it(
    'name nobody as participant, mention nothing elsewhere, and stay internal when their issue moves',
    LONG,
    async () => {
      const [writer, named] = [await world.user(), await world.user()];
      for (const user of [writer, named]) await world.member(project, user, 'reporter');
      const [issue, mentioned] = [await issuePath(), await issuePath()];
      const participants = async () =>
        (await world.api(guest).get(`${issue.path}/participants`)).body.map(({ id }: { id: number }) => id);
      const before = await participants();
      const body = `zqsecret @${named.username} #${mentioned.iid}`;
      await world.api(writer).post(`${issue.path}/notes`, { body, internal: true });
      expect(await participants()).toEqual(before);
      expect((await world.api(owner).get(`${mentioned.path}/notes`)).body).toEqual([]);
      await world.api(writer).post(`${mentioned.path}/notes`, { body: `Decoy #${issue.iid} @${named.username}` });
      const { body: others } = await world.api(guest).get(`${mentioned.path}/participants`);
      expect(others.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining([writer.id, named.id]));
      const target = await world.project({ owner, visibility: 'public' });
      await world.member(target, guest, 'guest');
      const moved = (await world.api(owner).post(`${issue.path}/move`, { to_project_id: target.id })).body;
      const notes = async (who: typeof guest) =>
        JSON.stringify((await world.api(who).get(`/projects/${target.id}/issues/${moved.iid}/notes`)).body);
      expect(await notes(owner)).toContain('zqsecret');
      expect(await notes(guest)).not.toContain('zqsecret');
      expect(await notes(named)).not.toContain('zqsecret');
    },
  );

  it('are seen by their author and reporters alone, wherever notes are shown or counted', LONG, async () => {
    const issue = await issuePath();
    for (const path of [issue.path, onMergeRequest]) {
      const before = (await world.api(guest).get(path)).body.user_notes_count;
      expect(await world.api(guest).post(`${path}/notes`, { body: 'x', internal: true })).toMatchObject({
        status: 403,
      });
      const made = await world
        .api(reporter)
        .post(`${path}/notes`, { body: `Hidden @${guest.username}`, confidential: true });
      expect(made).toMatchObject({ status: 201, body: { internal: true, confidential: true } });
      const ids = async (who: typeof guest) =>
        (await world.api(who).get(`${path}/notes?per_page=100`)).body.map(({ id }: { id: number }) => id);
      expect(await ids(owner)).toContain(made.body.id);
      const threads = (await world.api(owner).get(`${path}/discussions?per_page=100`)).body;
      const key = threads.find(({ notes }: { notes: { id: number }[] }) => notes[0]?.id === made.body.id).id;
      const answered = await world.api(owner).post(`${path}/discussions/${key}/notes`, { body: 'Hidden too' });
      expect(answered.body).toMatchObject({ internal: true, resolvable: false });
      for (const who of [guest, outsider]) {
        expect(await ids(who)).not.toContain(made.body.id);
        expect(await world.api(who).get(`${path}/notes/${made.body.id}`)).toMatchObject({ status: 404 });
        expect(await world.api(who).get(`${path}/discussions/${key}`)).toMatchObject({ status: 404 });
        const all = JSON.stringify((await world.api(who).get(`${path}/discussions?per_page=100`)).body);
        expect(all).not.toContain('Hidden');
        expect(await world.api(who).post(`${path}/discussions/${key}/notes`, { body: 'x' })).toMatchObject({
          status: 404,
        });
        expect((await world.api(who).get(path)).body.user_notes_count).toBe(before);
        const query = 'query ($id: ID!) { node(id: $id) { __typename } }';
        for (const id of [toGlobalId('Note', made.body.id), key])
          expect((await world.graphql(query, { id }, who)).body.data.node).toBeNull();
        expect(JSON.stringify((await world.api(who).get(`/users/${reporter.id}/events`)).body)).not.toContain('Hidden');
        expect((await world.api(who).get('/todos')).body).toEqual([]);
      }
      await world.db.member.updateMany({ where: { userId: reporter.id }, data: { accessLevel: 10 } });
      // Who wrote it keeps it in sight.
      expect(await ids(reporter)).toContain(made.body.id);
      expect(await ids(reporter)).not.toContain(answered.body.id);
      await world.db.member.updateMany({ where: { userId: reporter.id }, data: { accessLevel: 20 } });
    }
  });
});

describe('Lists of notes', () => {
  it('are sorted as asked, and leave out what is not asked for', LONG, async () => {
    const { id, path } = await issuePath();
    const author = { subjectType: 'Issue', subjectId: id, authorId: owner.id };
    const day = (n: number) => new Date(`2020-01-0${n}`);
    for (const [body, created, updated, system] of [
      ['a', 1, 3, false],
      ['b', 2, 2, true],
      ['c', 3, 1, false],
    ] as const)
      await world.db.note.create({
        data: { ...author, body, createdAt: day(created), updatedAt: day(updated), system },
      });
    const list = async (query: string) =>
      (await world.api(guest).get(`${path}/notes${query}`)).body.map(({ body }: { body: string }) => body).join('');
    expect(await list('')).toBe('abc');
    expect(await list('?sort=desc')).toBe('cba');
    expect(await list('?order_by=created_at')).toBe('cba');
    expect(await list('?order_by=updated_at&sort=asc')).toBe('cba');
    expect(await list('?order_by=updated_at')).toBe('abc');
    expect(await list('?activity_filter=only_comments')).toBe('ac');
    expect(await list('?activity_filter=only_activity')).toBe('b');
    expect(await world.api(guest).get(`${path}/notes?activity_filter=some`)).toMatchObject({
      status: 400,
      body: { error: 'activity_filter does not have a valid value' },
    });
  });
});
