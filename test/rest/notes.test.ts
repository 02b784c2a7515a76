import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();
const reporter = await world.user();
const guest = await world.user();
const outsider = await world.user();
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  at = `/projects/${project.id}`;
  await world.member(project, master, 'master');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

async function snippetOf(who = owner, visibility: 'private' | 'internal' | 'public' = 'public') {
  const values = { title: 'Text', fileName: 'a.txt', content: 'text', visibility };
  return createSnippet(world.as(who), { project: project.id, ...values });
}

async function issuePath(confidential = false): Promise<{ id: number; path: string }> {
  const { id, iid } = await world.issue(project, owner, { confidential });
  return { id, path: `${at}/issues/${iid}/notes` };
}

describe('Notes on issues, merge requests and snippets', () => {
  it('are written, read, changed and deleted, with the record of v4', LONG, async () => {
    const issue = await world.issue(project, owner);
    const snippet = await snippetOf();
    const request = await world.mergeRequest(project, owner, { iid: 1 });
    for (const [type, id, path] of [
      ['Issue', issue.id, `${at}/issues/${issue.iid}/notes`],
      ['Snippet', snippet.id, `${at}/snippets/${snippet.id}/notes`],
      ['MergeRequest', request.id, `${at}/merge_requests/${request.iid}/notes`],
    ] as const) {
      const made = await world.api(guest).post(path, { body: 'first *words*' });
      expect(made).toMatchObject({ status: 201 });
      expect(Object.keys(made.body)).toEqual([
        'id',
        'body',
        'attachment',
        'author',
        'created_at',
        'updated_at',
        'system',
        'noteable_id',
        'noteable_type',
        ...['type', 'project_id', 'noteable_iid', 'commit_id', 'resolvable', 'confidential', 'internal', 'imported'],
        ...['imported_from', 'commands_changes'],
      ]);
      expect(made.body).toMatchObject({
        body: 'first *words*',
        attachment: null,
        author: { username: guest.username, state: 'active' },
        system: false,
        noteable_id: id,
        noteable_type: type,
      });
      const one = `${path}/${made.body.id}`;
      expect(await world.api(outsider).get(one)).toMatchObject({ status: 200, body: made.body });
      const changed = await world.api(guest).put(one, { body: 'other words' });
      expect(changed).toMatchObject({ status: 200, body: { id: made.body.id, body: 'other words' } });
      expect((await world.api(outsider).get(path)).body).toMatchObject([{ body: 'other words' }]);
      expect(await world.api(guest).delete(one)).toMatchObject({ status: 204, body: null });
      expect(await world.api(guest).delete(one)).toMatchObject({ status: 404, body: { message: '404 Not found' } });
      expect((await world.api(guest).get(path)).body).toEqual([]);
    }
  });

  it('are listed oldest first, by pages, with system notes', async () => {
    const { id, path } = await issuePath();
    for (const body of ['one', 'two', 'three']) await world.api(guest).post(path, { body });
    const data = { subjectType: 'Issue', subjectId: id, authorId: owner.id, body: 'closed', system: true };
    await world.db.note.create({ data });
    const { headers, body } = await world.api(outsider).get(`${path}?per_page=2&page=2`);
    expect(headers).toMatchObject({ 'x-total': '4', 'x-total-pages': '2' });
    expect(body).toMatchObject([
      { body: 'three', system: false },
      { body: 'closed', system: true },
    ]);
  });

  it('count as comments of the issue, change its time and make their writers subscribe', async () => {
    const issue = await world.issue(project, owner);
    const before = await world.db.issue.update({
      where: { id: issue.id },
      data: { updatedAt: new Date('2020-01-01') },
    });
    const path = `${at}/issues/${issue.iid}`;
    expect((await world.api(guest).get(path)).body.subscribed).toBe(false);
    await world.api(guest).post(`${path}/notes`, { body: 'hm' });
    const { body } = await world.api(guest).get(path);
    expect(body).toMatchObject({ user_notes_count: 1, subscribed: true });
    expect(new Date(body.updated_at).getTime()).toBeGreaterThan(before.updatedAt.getTime());
  });

  it('leave an event, which goes with the note', LONG, async () => {
    const issue = await world.issue(project, owner, { title: 'Talked about' });
    const writer = await world.user();
    const { body: note } = await world.api(writer).post(`${at}/issues/${issue.iid}/notes`, { body: 'said' });
    const feed = async () => (await world.api(outsider).get(`/users/${writer.id}/events`)).body;
    expect(await feed()).toMatchObject([
      {
        action_name: 'commented on',
        target_type: 'Note',
        target_title: 'Talked about',
        note: { id: note.id, body: 'said', system: false, noteable_type: 'Issue', noteable_id: issue.id },
      },
    ]);
    await world.api(writer).delete(`${at}/issues/${issue.iid}/notes/${note.id}`);
    expect(await feed()).toEqual([]);
  });
});

describe('The time of a note', () => {
  it('can be set by the owner of the personal namespace, and is ignored from others', async () => {
    const { path } = await issuePath();
    const given = { body: 'old', created_at: '2016-01-04T15:31:51.081Z' };
    expect((await world.api(owner).post(path, given)).body.created_at).toBe('2016-01-04T15:31:51.081Z');
    const { status, body } = await world.api(master).post(path, given);
    expect(status).toBe(201);
    expect(new Date(body.created_at).getUTCFullYear()).toBeGreaterThan(2020);
  });
});

describe('Bodies of notes', () => {
  it('are required, and neither blank nor too long', async () => {
    const { path } = await issuePath();
    const api = world.api(guest);
    const { body: note } = await api.post(path, { body: 'kept' });
    const blank = { status: 400, body: { message: 'Failed to save note {:note=>["can\'t be blank"]}' } };
    const missing = { status: 400, body: { error: 'body is missing' } };
    const long = {
      status: 400,
      body: { message: 'Failed to save note {:note=>["is too long (maximum is 65536 characters)"]}' },
    };
    expect(await api.post(path)).toMatchObject(missing);
    expect(await api.post(path, { body: ' \n' })).toMatchObject(blank);
    expect(await api.post(path, { body: 'x'.repeat(65_537) })).toMatchObject(long);
    expect(await api.put(`${path}/${note.id}`)).toMatchObject(missing);
    expect(await api.put(`${path}/${note.id}`, { body: '' })).toMatchObject(blank);
    expect(await api.put(`${path}/${note.id}`, { body: 'x'.repeat(1_000_000) })).toMatchObject(long);
    expect((await api.post(path, { body: 'x'.repeat(65_536) })).status).toBe(201);
    expect((await api.get(`${path}/${note.id}`)).body.body).toBe('kept');
  });
});

describe('Whoever does not see the record', () => {
  it('gets the same 404 as for one that is not there', async () => {
    const { path } = await issuePath(true);
    const { body: note } = await world.api(owner).post(path, { body: 'secret' });
    const { id } = await snippetOf(owner, 'private');
    const snippet = `${at}/snippets/${id}/notes`;
    const nowhere = `${at}/issues/999999/notes`;
    for (const [list, one] of [
      [path, `${path}/${note.id}`],
      [nowhere, `${nowhere}/${note.id}`],
      [snippet, `${snippet}/${note.id}`],
    ] as const) {
      const api = world.api(guest);
      expect(await api.get(list)).toMatchObject({ status: 404, body: { message: '404 Notes Not Found' } });
      const refused = { status: 404, body: { message: '404 Note Not Found' } };
      expect(await api.get(one)).toMatchObject(refused);
      expect(await api.post(list, { body: 'x' })).toMatchObject(refused);
      expect(await api.put(one, { body: 'x' })).toMatchObject(refused);
      expect(await api.delete(one)).toMatchObject(refused);
    }
    expect(await world.db.note.findUnique({ where: { id: note.id } })).toMatchObject({ body: 'secret' });
  });

  it('gets nothing by its global ID either, nor writes there', async () => {
    const issue = await world.issue(project, owner, { confidential: true });
    const { body: note } = await world.api(owner).post(`${at}/issues/${issue.iid}/notes`, { body: 'secret' });
    const ask = async (who = guest) =>
      (
        await world.graphql(
          'query ($id: ID!) { node(id: $id) { ... on Note { body noteableId } } }',
          {
            id: toGlobalId('Note', note.id),
          },
          who,
        )
      ).body.data.node;
    expect(await ask(guest)).toBeNull();
    expect(await ask(reporter)).toEqual({ body: 'secret', noteableId: issue.id });
    const write = await world.graphql(
      'mutation ($on: ID!) { createNote(input: { on: { id: $on }, body: "x" }) { note { body } } }',
      { on: toGlobalId('Issue', issue.id) },
      guest,
    );
    expect(write.body.errors[0].extensions.code).toBe('NOT_FOUND');
  });

  it('is not told of projects that they do not see', async () => {
    const hidden = await world.project({ owner });
    const issue = await world.issue(hidden, owner);
    const { body } = await world.api(owner).post(`/projects/${hidden.id}/issues/${issue.iid}/notes`, { body: 'x' });
    for (const id of [body.id, 999_999]) {
      const answer = await world.graphql(
        'mutation ($id: ID!) { updateNote(input: { id: $id, body: "y" }) { note { body } } }',
        { id: `${id}` },
        guest,
      );
      expect(answer.body.errors[0].extensions.code).toBe('NOT_FOUND');
    }
  });
});

describe('Changing and deleting notes', () => {
  it('is for their authors and for masters', async () => {
    const { path } = await issuePath();
    const { body: note } = await world.api(guest).post(path, { body: 'mine' });
    const one = `${path}/${note.id}`;
    for (const who of [outsider, reporter]) {
      const refused = { status: 403, body: { message: '403 Forbidden' } };
      expect(await world.api(who).put(one, { body: 'yours' })).toMatchObject(refused);
      expect(await world.api(who).delete(one)).toMatchObject(refused);
    }
    expect(await world.api(master).put(one, { body: 'ours' })).toMatchObject({ status: 200, body: { body: 'ours' } });
    expect((await world.api(master).delete(one)).status).toBe(204);
  });

  it('is for nobody where the server wrote them', async () => {
    const issue = await world.issue(project, owner);
    const system = await world.db.note.create({
      data: { subjectType: 'Issue', subjectId: issue.id, authorId: guest.id, body: 'closed', system: true },
    });
    const one = `${at}/issues/${issue.iid}/notes/${system.id}`;
    for (const who of [guest, master, owner]) {
      expect((await world.api(who).put(one, { body: 'x' })).status).toBe(403);
      expect((await world.api(who).delete(one)).status).toBe(403);
    }
  });

  it('finds no note below another record', async () => {
    const [first, second] = [await issuePath(), await issuePath()];
    const { body: note } = await world.api(guest).post(first.path, { body: 'here' });
    const elsewhere = `${second.path}/${note.id}`;
    const refused = { status: 404, body: { message: '404 Not found' } };
    expect(await world.api(guest).get(elsewhere)).toMatchObject(refused);
    expect(await world.api(guest).put(elsewhere, { body: 'there' })).toMatchObject(refused);
    expect(await world.api(guest).delete(elsewhere)).toMatchObject(refused);
  });

  it('happens once when it is asked for twice at once', async () => {
    const { path } = await issuePath();
    const { body: note } = await world.api(guest).post(path, { body: 'once' });
    const answers = await Promise.all([1, 2, 3].map(() => world.api(guest).delete(`${path}/${note.id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
  });
});

describe('System notes that come from elsewhere', () => {
  it('are shown to those alone who see that, and counted likewise', async () => {
    const hidden = await world.project({ owner });
    const source = await world.issue(hidden, owner);
    const target = await world.issue(project, owner);
    const note = { subjectType: 'Issue', subjectId: target.id, authorId: owner.id, system: true };
    const from = (sourceType: string, sourceId: number | null, sourceProjectId: number) => ({
      ...note,
      sourceType,
      sourceId,
      sourceProjectId,
      body: `from ${sourceType} ${sourceId}`,
    });
    const confidential = await world.issue(project, owner, { confidential: true });
    await world.db.note.createMany({
      data: [
        from('Issue', source.id, hidden.id),
        from('Commit', null, hidden.id),
        from('Issue', confidential.id, project.id),
        from('Commit', null, project.id),
        { ...note, body: 'plain' },
      ],
    });
    const seen = async (who: typeof guest) => {
      const { body, headers } = await world.api(who).get(`${at}/issues/${target.iid}/notes`);
      expect(headers['x-total']).toBe(`${body.length}`);
      return body.map(({ body }: { body: string }) => body);
    };
    expect(await seen(owner)).toHaveLength(5);
    expect(await seen(guest)).toEqual(['from Commit null', 'plain']);
    expect(await seen(reporter)).toEqual([`from Issue ${confidential.id}`, 'from Commit null', 'plain']);
    const { id } = await world.db.note.findFirstOrThrow({ where: { sourceProjectId: hidden.id } });
    expect((await world.api(guest).get(`${at}/issues/${target.iid}/notes/${id}`)).status).toBe(404);
    const ask = 'query ($id: ID!) { node(id: $id) { id } }';
    const { body } = await world.graphql(ask, { id: toGlobalId('Note', id) }, guest);
    expect(body.data.node).toBeNull();
  });

  it('of a move are not shown to those who do not see the other project', async () => {
    const hidden = await world.project({ owner });
    const issue = await world.issue(project, owner);
    await world.api(owner).post(`${at}/issues/${issue.iid}/move`, { to_project_id: hidden.id });
    const path = `${at}/issues/${issue.iid}/notes`;
    expect(JSON.stringify((await world.api(owner).get(path)).body)).toContain(hidden.fullPath);
    expect(JSON.stringify((await world.api(guest).get(path)).body)).not.toContain(hidden.fullPath);
  });
});
