// One part in depth, which the long run has.
// @module-tag long
import { expect, it } from 'vitest';
import { alertsOn, Browser } from '../support/browser.ts';
import { signedIn } from '../support/oauth.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();

async function startIssue(input: { confidential?: boolean; description?: string } = {}) {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const issue = await world.issue(project, owner, input);
  const path = `/${project.fullPath}/-/issues/${issue.iid}`;
  const write = async (author: TestUser, body: string, more: Record<string, unknown> = {}) =>
    (await world.api(author).post(`/projects/${project.id}/issues/${issue.iid}/notes`, { body, ...more })).body as {
      id: number;
    };
  return { owner, project, issue, path, write };
}

/** A new snippet of a project. */
async function startSnippetOf(project: { id: number }, author: TestUser, visibility: 'public' | 'private' = 'public') {
  const fields = { title: 'Tool', file_name: 'tool.js', code: 'x', visibility };
  return (await world.api(author).post(`/projects/${project.id}/snippets`, fields)).body as { id: number };
}

const globalId = (type: string, id: number) => Buffer.from(`${type}:${id}`).toString('base64url');

it('comments on an issue, and shows comments with who wrote them, escaped and without scripts', async () => {
  const { owner, issue, path } = await startIssue();
  const browser = await signedIn(world, owner);
  await browser.get(path);
  expect(browser.page).toContain('name="body"');
  await browser.submit(`${path}/notes`, {
    on: globalId('Issue', issue.id),
    body: 'It **breaks** <script>alert(1)</script>',
  });
  const note = await world.db.note.findFirstOrThrow({ where: { subjectId: issue.id, system: false } });
  expect(browser.answer.headers.location).toBe(`${path}#note_${note.id}`);
  await browser.follow();
  expect(browser.page).toContain(`id="note_${note.id}"`);
  expect(browser.page).toContain('<strong>breaks</strong>');
  expect(browser.page).not.toContain('<script>alert');
  expect(browser.page).toContain(`<strong>Name of ${owner.username}</strong>`);
});

it('keeps a comment that was refused, and says why', async () => {
  const { owner, issue, path } = await startIssue();
  const browser = await signedIn(world, owner);
  await browser.get(path);
  const on = globalId('Issue', issue.id);
  await browser.submit(`${path}/notes`, { on, body: '  ' });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual(['Comment can&#39;t be blank']);
  expect(await world.db.note.count({ where: { subjectId: issue.id } })).toBe(0);
});

it('answers in a thread, which then holds both', async () => {
  const { owner, issue, path, write } = await startIssue();
  const note = await write(owner, 'First');
  const browser = await signedIn(world, owner);
  await browser.get(path);
  const fields = { on: globalId('Issue', issue.id), thread: globalId('Discussion', note.id) };
  expect(browser.page).toContain(`name="thread" value="${fields.thread}"`);
  await browser.submit(`${path}/notes`, { ...fields, body: '' });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual(['Your reply can&#39;t be blank']);
  expect(browser.page.includes('<details class="reply" open>')).toBe(true);
  await browser.submit(`${path}/notes`, { ...fields, body: 'Second' });
  const answer = await world.db.note.findFirstOrThrow({ where: { discussionId: note.id } });
  expect(browser.answer.headers.location).toBe(`${path}#note_${answer.id}`);
});

it('shows internal notes to reporters only, marked, and offers them to nobody else', async () => {
  const { owner, issue, path, project, write } = await startIssue();
  await write(owner, 'For the team', { internal: true });
  const browser = await signedIn(world, owner);
  await browser.get(path);
  expect(browser.page).toContain('For the team');
  expect(browser.page).toContain('class="comment internal"');
  expect(browser.page).toContain('name="internal"');
  const visitor = await signedIn(world, await world.user());
  await visitor.get(path);
  expect(visitor.page).not.toContain('For the team');
  expect(visitor.page).not.toContain('name="internal"');
  await visitor.submit(`${path}/notes`, { on: globalId('Issue', issue.id), body: 'Secret', internal: 'true' });
  expect(visitor.answer.status).toBe(422);
  await world.api(owner).put(`/projects/${project.id}/issues/${issue.iid}`, { discussion_locked: true });
  await visitor.get(path);
  expect(visitor.page).not.toContain('name="body"');
  expect(visitor.page).toContain('The discussion is locked');
});

it('offers to edit and delete a note to its author and masters alone', async () => {
  const { owner, project, path, write } = await startIssue();
  const [author, other] = [await world.user(), await world.user()];
  await world.member(project, author, 'guest');
  await world.member(project, other, 'developer');
  const note = await write(author, 'A <i>draft</i> & more');
  const address = `/${project.fullPath}/-/notes/${globalId('Note', note.id)}`;
  for (const who of [author, owner]) {
    const browser = await signedIn(world, who);
    await browser.get(path);
    expect(browser.page).toContain(`href="${address}/edit"`);
    await browser.get(`${address}/edit`);
    expect(browser.page).toContain('A &lt;i&gt;draft&lt;/i&gt; &amp; more</textarea>');
  }
  const browser = await signedIn(world, other);
  await browser.get(path);
  expect(browser.page).not.toContain(`${address}/edit`);
  expect((await browser.get(`${address}/edit`)).status).toBe(404);
  await browser.get(path);
  expect((await browser.submit(`${address}/edit`, { body: 'Mine' })).status).toBe(404);
  expect((await browser.confirm(`${address}/delete`)).status).toBe(403);
  expect(await world.db.note.findUniqueOrThrow({ where: { id: note.id } })).toMatchObject({
    body: 'A <i>draft</i> & more',
  });
});

it('edits a note, keeps a text that is refused, and leads back to the note on its page', async () => {
  const { owner, project, path, write } = await startIssue();
  const note = await write(owner, 'Before');
  const address = `/${project.fullPath}/-/notes/${globalId('Note', note.id)}/edit`;
  const browser = await signedIn(world, owner);
  await browser.get(`${address}?page=last`);
  await browser.submit(`${address}?page=last`, { body: 'x'.repeat(1_048_577) });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual([expect.stringMatching(/^Comment is too long/)]);
  await browser.submit(`${address}?page=last`, { body: 'After' });
  expect(browser.answer.headers.location).toBe(`${path}?page=last#note_${note.id}`);
  expect(await world.db.note.findUniqueOrThrow({ where: { id: note.id } })).toMatchObject({ body: 'After' });
});

it('asks before it deletes a note, and leads back to the issue and nowhere else', async () => {
  const { owner, project, path, write } = await startIssue();
  const [first, second] = [await write(owner, 'One'), await write(owner, 'Two')];
  const address = (id: number) => `/${project.fullPath}/-/notes/${globalId('Note', id)}/delete`;
  const browser = await signedIn(world, owner);
  await browser.get(address(first.id));
  expect(browser.page).toContain('Delete this comment?');
  expect(await world.db.note.count({ where: { id: first.id } })).toBe(1);
  await browser.confirm(address(first.id), { back: path });
  expect(browser.answer.headers.location).toBe(path);
  expect(await world.db.note.count({ where: { id: first.id } })).toBe(0);
  await browser.confirm(address(second.id), { back: 'https://elsewhere.example/' });
  expect(browser.answer.headers.location).toBe(`/${project.fullPath}`);
});

it('resolves a thread of a merge request and opens it again, for those who may', async () => {
  const { owner, project } = await startIssue();
  const request = await world.mergeRequest(project, owner, { iid: 1 });
  const made = await world
    .api(owner)
    .post(`/projects/${project.id}/merge_requests/1/discussions`, { body: 'Please change <b>this</b>' });
  const note = made.body.notes[0].id as number;
  const address = `/${project.fullPath}/-/discussions/${globalId('Discussion', note)}`;
  const browser = await signedIn(world, owner);
  await browser.get(address);
  expect(browser.page).toContain('Resolve thread');
  expect(browser.page).toContain(`/${project.fullPath}/-/merge_requests/${request.iid}`);
  await browser.submit(`${address}/resolve`, { resolved: 'true' });
  expect(browser.answer.headers.location).toBe(`/${project.fullPath}/-/merge_requests/1#note_${note}`);
  await browser.get(address);
  expect(browser.page).toContain('Unresolve thread');
  const stranger = await signedIn(world, await world.user());
  await stranger.get(address);
  expect(stranger.page).toContain('Resolved');
  expect(stranger.page).not.toContain('Unresolve thread');
  expect((await stranger.submit(`${address}/resolve`, { resolved: 'false' })).status).toBe(403);
  await browser.submit(`${address}/resolve`, { resolved: 'false' });
  expect(await world.db.discussion.findUniqueOrThrow({ where: { id: note } })).toMatchObject({ resolvedAt: null });
});

it('shows a long timeline in pages, and a long thread on a page of its own', async () => {
  const { owner, project, issue, path } = await startIssue();
  const note = (body: string, more = {}) => ({
    ...{ subjectType: 'Issue', subjectId: issue.id, authorId: owner.id, body, createdAt: new Date() },
    ...more,
  });
  await world.db.note.createMany({ data: Array.from({ length: 60 }, (_, at) => note(`Comment number ${at + 1}.`)) });
  const first = await world.db.note.findFirstOrThrow({ where: { body: 'Comment number 1.', subjectId: issue.id } });
  await world.db.note.createMany({
    data: Array.from({ length: 12 }, (_, at) => note(`Answer number ${at + 1}.`, { discussionId: first.id })),
  });
  const browser = await signedIn(world, owner);
  await browser.get(path);
  expect(browser.page).toContain('Comment number 50.');
  expect(browser.page).not.toContain('Comment number 51.');
  expect(browser.page).toContain('Answer number 9.');
  expect(browser.page).not.toContain('Answer number 10.');
  expect(browser.page).toContain(`action="${path}/notes?page=last"`);
  const [, more = ''] = /href="([^"]*\/-\/discussions\/[^"]*)">Show the rest/.exec(browser.page) ?? [];
  await browser.get(`${path}?page=last`);
  expect(browser.page).toContain('Comment number 60.');
  expect(browser.page).not.toContain('Comment number 10.');
  await browser.get(more);
  expect(browser.page).toContain('Answer number 12.');
  expect(browser.page).toContain(`href="${path}"`);
  expect((await (await signedIn(world, await world.user())).get(more)).status).toBe(200);
  await world.db.project.update({ where: { id: project.id }, data: { visibility: 'private' } });
  expect((await (await signedIn(world, await world.user())).get(more)).status).toBe(404);
});

it.each(['issues', 'merge_requests', 'snippets'] as const)(
  'leads from the address of a comment to the page of the discussion that shows it, on %s',
  async (kind) => {
    const { owner, project, issue } = await startIssue();
    const request = await world.mergeRequest(project, owner, { iid: 1 });
    const snippet = await startSnippetOf(project, owner);
    const subject = {
      issues: { ...issue, type: 'Issue' },
      merge_requests: { type: 'MergeRequest', ...request },
      snippets: { id: snippet.id, type: 'Snippet', iid: snippet.id },
    }[kind];
    const on = { subjectType: subject.type, subjectId: subject.id };
    const note = (body: string, more = {}) =>
      world.db.note.create({ data: { ...on, authorId: owner.id, body, createdAt: new Date(), ...more } });
    // Two of the same moment, of which one is sought, and one of another record.
    const moment = new Date();
    const notes: { id: number }[] = [];
    for (let at = 0; at < 120; at += 1) notes.push(await note(`Number ${at + 1}.`, { createdAt: moment }));
    const [first, , deep] = [notes[0], notes[1], notes[80]];
    const answers: { id: number }[] = [];
    for (let at = 0; at < 12; at += 1) answers.push(await note(`Answer ${at + 1}.`, { discussionId: deep?.id ?? 0 }));
    const elsewhere = await note('Elsewhere', { ...on, subjectId: subject.id + 1000 });
    const browser = await signedIn(world, owner);
    const path = `/${project.fullPath}/-/${kind}/${subject.iid}`;
    /** Where the address of a comment leads, after how many redirections. */
    const arriveAt = async (id: number) => {
      await browser.get(`${path}?note=${id}`);
      let steps = 0;
      for (; browser.answer.status === 302 && steps < 4; steps += 1) await browser.follow();
      expect([browser.answer.status, browser.page.includes(`id="note_${id}"`)]).toEqual([200, true]);
      return steps;
    };
    expect(await arriveAt(first?.id ?? 0)).toBe(0);
    expect(await arriveAt(deep?.id ?? 0)).toBe(1);
    expect(browser.page).toContain('Number 81.');
    expect(browser.page).not.toContain('Number 80.');
    expect(/rel="prev" href="([^"]*)"/.exec(browser.page)?.[1]).toMatch(/\?before=[\w-]+$/);
    expect(await arriveAt(answers[0]?.id ?? 0)).toBe(1);
    expect(await arriveAt(answers[11]?.id ?? 0)).toBe(2);
    expect(browser.page).toContain('Answer 12.');
    // Of a thread whose first comment is gone, the first that is left begins it.
    await world.db.note.delete({ where: { id: deep?.id ?? 0 } });
    expect(await arriveAt(answers[1]?.id ?? 0)).toBe(1);
    for (const absent of [String(elsewhere.id), '0', 'x', '99999999999']) {
      expect((await browser.get(`${path}?note=${absent}`)).status).toBe(200);
      expect(browser.page).toContain('Number 1.');
    }
  },
);

it('costs a timeline the same statements however many notes there are', async () => {
  const { owner, path, write } = await startIssue();
  const browser = await signedIn(world, owner);
  const counted = async () => (await world.statements(() => browser.get(path))).length;
  await write(owner, 'One');
  const few = await counted();
  for (let at = 0; at < 4; at += 1) await write(await world.user(), `Another ${at}`);
  expect(await counted()).toBe(few);
});

it('shows visitors a note, sends them to sign in before they change it, and hides internal ones', async () => {
  const { owner, project, path, write } = await startIssue();
  const note = await write(owner, 'Seen by everyone');
  await write(owner, 'Seen by members', { internal: true });
  const browser = new Browser(world.send);
  for (const address of [path, `/${project.fullPath}/-/discussions/${globalId('Discussion', note.id)}`]) {
    await browser.get(address);
    expect([address, browser.answer.status]).toEqual([address, 200]);
    expect(browser.page).toContain('Seen by everyone');
    expect(browser.page).not.toContain('Seen by members');
    expect(browser.page.includes('to comment.')).toBe(address === path);
  }
  const address = `/${project.fullPath}/-/notes/${globalId('Note', note.id)}/edit`;
  const { location } = (await browser.get(address)).headers;
  expect(location).toBe(`/users/sign_in?return_to=${encodeURIComponent(address)}`);
});

async function startSnippet(visibility: 'public' | 'private' = 'public') {
  const owner = await world.user();
  const project = await world.project({ owner, visibility: 'public' });
  const snippet = await startSnippetOf(project, owner, visibility);
  return { owner, project, snippet, path: `/${project.fullPath}/-/snippets/${snippet.id}` };
}

it('comments on a snippet, edits and deletes comments, and leads back to it', async () => {
  const { owner, project, snippet, path } = await startSnippet();
  const browser = await signedIn(world, owner);
  await browser.get(path);
  expect(browser.page).not.toContain('/close');
  await browser.submit(`${path}/notes`, { on: globalId('Snippet', snippet.id), body: '' });
  expect(browser.answer.status).toBe(422);
  expect(alertsOn(browser.page)).toEqual(['Comment can&#39;t be blank']);
  await browser.submit(`${path}/notes`, {
    on: globalId('Snippet', snippet.id),
    body: 'It **works** <script>x</script>',
  });
  const note = await world.db.note.findFirstOrThrow({ where: { subjectType: 'Snippet', subjectId: snippet.id } });
  expect(browser.answer.headers.location).toBe(`${path}#note_${note.id}`);
  await browser.follow();
  expect(browser.page).toContain('<strong>works</strong>');
  expect(browser.page).not.toContain('<script>x');
  const address = `/${project.fullPath}/-/notes/${globalId('Note', note.id)}`;
  expect(browser.page).toContain(`href="${address}/edit"`);
  await browser.get(`${address}/edit`);
  await browser.submit(`${address}/edit`, { body: 'It works *well*' });
  expect(browser.answer.headers.location).toBe(`${path}#note_${note.id}`);
  await browser.get(`${address}/delete`);
  expect(browser.page).toContain(`name="back" value="${path}"`);
  await browser.confirm(`${address}/delete`, { back: path });
  expect(browser.answer.headers.location).toBe(path);
  expect(await world.db.note.count({ where: { id: note.id } })).toBe(0);
});

it('shows comments on a snippet to all who see it, and offers only what each may', async () => {
  const { owner, project, snippet, path } = await startSnippet();
  const [writer, stranger] = [await world.user(), await world.user()];
  await world.api(writer).post(`/projects/${project.id}/snippets/${snippet.id}/notes`, { body: 'Well made' });
  const note = await world.db.note.findFirstOrThrow({ where: { subjectType: 'Snippet', subjectId: snippet.id } });
  const edit = `/${project.fullPath}/-/notes/${globalId('Note', note.id)}/edit`;
  const seen: unknown[] = [];
  for (const who of [owner, writer, stranger]) {
    const browser = await signedIn(world, who);
    await browser.get(path);
    seen.push([browser.page.includes('Well made'), browser.page.includes('name="body"'), browser.page.includes(edit)]);
  }
  expect(seen).toEqual([
    [true, true, true],
    [true, true, true],
    [true, true, false],
  ]);
  const visitor = new Browser(world.send);
  await visitor.get(path);
  expect(visitor.answer.status).toBe(200);
  expect(visitor.page).toContain('Well made');
  expect(visitor.page).not.toContain('name="body"');
  expect(visitor.page).toContain(`/users/sign_in?return_to=${encodeURIComponent(path)}`);
  const hidden = await startSnippet('private');
  const outside = await signedIn(world, stranger);
  await outside.get(path);
  const on = globalId('Snippet', hidden.snippet.id);
  expect((await outside.submit(`${hidden.path}/notes`, { on, body: 'Mine' })).status).toBe(404);
  expect((await outside.get(hidden.path)).status).toBe(404);
  expect(await world.db.note.count({ where: { subjectType: 'Snippet', subjectId: hidden.snippet.id } })).toBe(0);
});

it('costs the comments of a snippet the same statements however many there are', async () => {
  const { owner, project, snippet, path } = await startSnippet();
  const browser = await signedIn(world, owner);
  const counted = async () => (await world.statements(() => browser.get(path))).length;
  const write = async (who: TestUser) =>
    world.api(who).post(`/projects/${project.id}/snippets/${snippet.id}/notes`, { body: 'One more' });
  await write(owner);
  await counted();
  const few = await counted();
  for (let at = 0; at < 4; at += 1) await write(await world.user());
  expect(await counted()).toBe(few);
});
