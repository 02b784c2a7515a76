import { beforeAll, describe, expect, it } from 'vitest';
import { gid, numberIn } from '../../support/client_documents.ts';
import { mutator } from '../../support/compat_mutations.ts';
import type { Json } from '../../support/http.ts';
import { opened, withTopic } from '../../support/merge_requests.ts';
import { startWorld } from '../../support/world.ts';

const world = await startWorld();
const [owner, developer, guest, outsider] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const { send, done, refused, missing, wrongClass } = mutator(world);
const project = await world.project({ owner });
let mergeRequest: string;
let issue: string;
let issueIid: number;
const at = `/projects/${project.id}`;
const rest = async (path: string): Promise<Json> => (await world.api(owner).get(`${at}${path}`)).body;
const notesOf = async (path: string) => (await rest(`${path}/notes?sort=asc`)).filter(({ system }: Json) => !system);

beforeAll(async () => {
  await world.member(project, developer, 'developer');
  await world.member(project, guest, 'guest');
  await world.issue(project, owner);
  await world.issue(project, owner);
  const record = await world.issue(project, owner, { title: 'Talk' });
  [issue, issueIid] = [gid('Issue', record.id), record.iid];
  await withTopic(world, project, owner);
  mergeRequest = gid('MergeRequest', (await opened(world, project, owner)).id);
});

/** A note on the merge request that begins a thread, as REST has it. */
async function thread(who = developer): Promise<Json> {
  const { note } = await done(
    who,
    'createNote',
    { noteableId: mergeRequest, body: 'Begin' },
    'note { id discussion { id } }',
  );
  const answer = { noteableId: mergeRequest, discussionId: note.discussion.id, body: 'Answer' };
  await done(who, 'createNote', answer, 'note { id }');
  return note;
}

describe('createNote', () => {
  it('comments on issues, work items and merge requests', async () => {
    for (const noteableId of [issue, issue.replace('Issue', 'WorkItem'), mergeRequest]) {
      const { note } = await done(
        developer,
        'createNote',
        { noteableId, body: 'Fine' },
        'note { id body author { username } }',
      );
      expect(note).toMatchObject({
        id: expect.stringMatching(/^gid:\/\/gitlab\/Note\/\d+$/),
        body: 'Fine',
        author: { username: developer.username },
      });
    }
    expect((await notesOf(`/issues/${issueIid}`)).map(({ body }: Json) => body)).toEqual(['Fine', 'Fine']);
  });

  it('comments on snippets of projects', async () => {
    const { body: snippet } = await world.api(developer).post(`${at}/snippets`, {
      title: 'S',
      visibility: 'private',
      files: [{ file_path: 'a', content: 'a' }],
    });
    await done(
      developer,
      'createNote',
      { noteableId: gid('ProjectSnippet', snippet.id), body: 'On it' },
      'note { body }',
    );
    const { body: notes } = await world.api(developer).get(`${at}/snippets/${snippet.id}/notes`);
    expect(notes.map(({ body }: Json) => body)).toEqual(['On it']);
  });

  it('answers in a thread, by the ID that clients answer with', async () => {
    const { discussion } = await thread();
    const found = await rest(`/merge_requests/1/discussions/${discussion.id.split('/').at(-1)}`);
    expect(found.notes.map(({ body }: Json) => body)).toEqual(['Begin', 'Answer']);
    const elsewhere = { noteableId: issue, discussionId: discussion.id, body: 'Elsewhere' };
    await missing(developer, 'createNote', elsewhere);
  });

  it('writes internal notes, by either name', async () => {
    for (const flag of ['internal', 'confidential']) {
      const { note } = await done(
        owner,
        'createNote',
        { noteableId: issue, body: flag, [flag]: true },
        'note { internal }',
      );
      expect(note).toEqual({ internal: true });
    }
    const seen = (await world.api(guest).get(`${at}/issues/${issueIid}/notes`)).body.map(({ body }: Json) => body);
    expect(seen).not.toContain('internal');
    expect(seen).not.toContain('confidential');
  });

  it('has no note where the text is quick actions alone', async () => {
    const { note } = await done(owner, 'createNote', { noteableId: issue, body: '/title Talk more' }, 'note { id }');
    expect([note, (await rest(`/issues/${issueIid}`)).title]).toEqual([null, 'Talk more']);
  });

  it('tells of empty texts in the payload', async () => {
    expect(await refused(developer, 'createNote', { noteableId: issue, body: ' ' }, 'note')).toEqual([
      expect.stringMatching(/blank|empty/i),
    ]);
  });

  it('tells outsiders, visitors and those who look for nothing that it is not there', async () => {
    const before = (await notesOf(`/issues/${issueIid}`)).length;
    await missing(outsider, 'createNote', { noteableId: issue, body: 'x' });
    await missing(undefined, 'createNote', { noteableId: issue, body: 'x' });
    await missing(developer, 'createNote', { noteableId: gid('Issue', 999_999), body: 'x' });
    expect((await notesOf(`/issues/${issueIid}`)).length).toBe(before);
  });

  it('takes no ID of what nobody comments on, nor text that is none', async () => {
    for (const noteableId of [gid('User', owner.id), 'gid://gitlab/Issue', '1', gid('issue', 1)]) {
      await wrongClass(developer, 'createNote', { noteableId, body: 'x' }, noteableId, 'Noteable');
    }
  });

  it('needs a token that can write', async () => {
    const token = await world.token(developer, ['read_api']);
    const { data, errors } = await send(token, 'createNote', { noteableId: issue, body: 'x' });
    expect([data, errors.length]).toEqual([{ createNote: null }, 1]);
    expect(errors[0].path).toEqual(['createNote']);
  });
});

describe('createDiffNote', () => {
  const position = async (changes: Json = {}) => {
    const { diff_refs: refs } = await rest('/merge_requests/1');
    const shas = { baseSha: refs.base_sha, headSha: refs.head_sha, startSha: refs.start_sha };
    return { ...shas, paths: { oldPath: 'b.txt', newPath: 'b.txt' }, newLine: 1, ...changes };
  };

  it('begins a thread on a line', async () => {
    const input = { noteableId: mergeRequest, body: 'This line', position: await position() };
    const { note } = await done(
      developer,
      'createDiffNote',
      input,
      'note { id position { newLine oldLine filePath } discussion { id resolvable } }',
    );
    expect(note).toMatchObject({
      position: { newLine: 1, oldLine: null, filePath: 'b.txt' },
      discussion: { resolvable: true },
    });
    expect(numberIn(note.id, 'DiffNote')).toBeGreaterThan(0);
    const { notes } = await rest(`/merge_requests/1/discussions/${note.discussion.id.split('/').at(-1)}`);
    expect(notes[0]).toMatchObject({ type: 'DiffNote', position: { new_path: 'b.txt', new_line: 1 } });
  });

  it('tells of lines that are not there in the payload', async () => {
    const input = { noteableId: mergeRequest, body: 'x' };
    await refused(developer, 'createDiffNote', { ...input, position: await position({ newLine: 77 }) }, 'note');
    await refused(
      developer,
      'createDiffNote',
      { ...input, position: await position({ headSha: 'f'.repeat(40) }) },
      'note',
    );
  });

  it('is for those who see the merge request', async () => {
    const input = { noteableId: mergeRequest, body: 'x', position: await position() };
    await missing(guest, 'createDiffNote', input);
    await missing(developer, 'createDiffNote', { ...input, noteableId: gid('MergeRequest', 999_999) });
    await wrongClass(
      developer,
      'createDiffNote',
      { ...input, noteableId: gid('Project', 1) },
      gid('Project', 1),
      'Noteable',
    );
  });
});

describe('updateNote and destroyNote', () => {
  it('change and delete a note of their author, whatever class its ID has', async () => {
    const note = await thread();
    const id = Number(note.id.split('/').at(-1));
    for (const name of ['Note', 'DiscussionNote', 'DiffNote']) {
      await done(developer, 'updateNote', { id: gid(name, id), body: `By ${name}` });
      expect((await rest(`/merge_requests/1/notes/${id}`)).body).toBe(`By ${name}`);
    }
    await done(developer, 'destroyNote', { id: note.id });
    expect((await world.api(owner).get(`${at}/merge_requests/1/notes/${id}`)).status).toBe(404);
  });

  it('are refused to others, who are told that there is none', async () => {
    const { id } = await thread(owner);
    const number = id.split('/').at(-1);
    for (const who of [developer, guest, outsider, undefined]) {
      await missing(who, 'updateNote', { id, body: 'Mine now' });
      await missing(who, 'destroyNote', { id });
    }
    expect((await rest(`/merge_requests/1/notes/${number}`)).body).toBe('Begin');
  });

  it('tell of empty texts in the payload, and of what is missing at the top', async () => {
    const { id } = await thread();
    await refused(developer, 'updateNote', { id, body: '' });
    for (const name of ['updateNote', 'destroyNote']) {
      const body = name === 'updateNote' ? { body: 'x' } : {};
      await missing(developer, name, { id: gid('Note', 999_999), ...body });
      await wrongClass(developer, name, { id: issue, ...body }, issue, 'Note');
    }
  });
});

describe('discussionToggleResolve', () => {
  it('resolves a thread, and opens it again', async () => {
    const { discussion } = await thread();
    for (const resolve of [true, false, true]) {
      const payload = await done(
        developer,
        'discussionToggleResolve',
        { id: discussion.id, resolve },
        'discussion { id replyId resolved resolvable }',
      );
      expect(payload.discussion).toEqual({
        id: discussion.id,
        replyId: discussion.id,
        resolved: resolve,
        resolvable: true,
      });
      const { notes } = await rest(`/merge_requests/1/discussions/${discussion.id.split('/').at(-1)}`);
      expect(notes[0].resolved).toBe(resolve);
    }
  });

  it('is for developers, and for threads that are there', async () => {
    const { discussion } = await thread(owner);
    for (const who of [guest, outsider, undefined])
      await missing(who, 'discussionToggleResolve', { id: discussion.id, resolve: true });
    await missing(developer, 'discussionToggleResolve', {
      id: gid('Discussion', `${'a'.repeat(32)}00ffffff`),
      resolve: true,
    });
    await wrongClass(developer, 'discussionToggleResolve', { id: issue, resolve: true }, issue, 'Discussion');
    expect((await rest(`/merge_requests/1/discussions/${discussion.id.split('/').at(-1)}`)).notes[0].resolved).toBe(
      false,
    );
  });
});

describe('awardEmojiAdd, awardEmojiRemove and awardEmojiToggle', () => {
  const names = async () =>
    (await rest(`/issues/${issueIid}/award_emoji`)).map(({ name, user }: Json) => [name, user.username]);

  it('give an emoji and take it back', async () => {
    const input = { awardableId: issue, name: 'thumbsup' };
    const given = await done(guest, 'awardEmojiAdd', input, 'awardEmoji { name emoji user { username } }');
    expect(given.awardEmoji).toEqual({ name: 'thumbsup', emoji: '👍', user: { username: guest.username } });
    expect(await names()).toEqual([['thumbsup', guest.username]]);
    expect((await done(guest, 'awardEmojiRemove', input, 'awardEmoji { name }')).awardEmoji).toBeNull();
    expect(await names()).toEqual([]);
    const on = await done(guest, 'awardEmojiToggle', input, 'toggledOn awardEmoji { name }');
    expect([on.toggledOn, on.awardEmoji]).toEqual([true, { name: 'thumbsup' }]);
    const off = await done(guest, 'awardEmojiToggle', input, 'toggledOn awardEmoji { name }');
    expect([off.toggledOn, await names()]).toEqual([false, []]);
  });

  it('award notes and work items too', async () => {
    const { id } = await thread();
    const number = Number(id.split('/').at(-1));
    await done(owner, 'awardEmojiAdd', { awardableId: id, name: 'rocket' });
    expect((await rest(`/merge_requests/1/notes/${number}/award_emoji`)).map(({ name }: Json) => name)).toEqual([
      'rocket',
    ]);
    await done(owner, 'awardEmojiToggle', { awardableId: issue.replace('Issue', 'WorkItem'), name: 'rocket' });
    expect(await names()).toEqual([['rocket', owner.username]]);
    await done(owner, 'awardEmojiRemove', { awardableId: issue.replace('Issue', 'WorkItem'), name: 'rocket' });
  });

  it.each(['awardEmojiAdd', 'awardEmojiRemove', 'awardEmojiToggle'])(
    '%s: wrong names, IDs and people',
    async (name) => {
      const input = { awardableId: issue, name: 'thumbsup' };
      if (name !== 'awardEmojiRemove') await refused(guest, name, { ...input, name: 'no_such_emoji' }, 'awardEmoji');
      if (name === 'awardEmojiRemove') await missing(guest, name, input);
      for (const who of [outsider, undefined]) await missing(who, name, input);
      await missing(guest, name, { ...input, awardableId: gid('Issue', 999_999) });
      await wrongClass(
        guest,
        name,
        { ...input, awardableId: gid('Project', project.id) },
        gid('Project', project.id),
        'Awardable',
      );
      expect(await names()).toEqual([]);
    },
  );

  it('awardEmojiAdd says in the payload that somebody gave it already', async () => {
    const input = { awardableId: mergeRequest, name: 'tada' };
    await done(developer, 'awardEmojiAdd', input);
    await refused(developer, 'awardEmojiAdd', input, 'awardEmoji');
  });
});
