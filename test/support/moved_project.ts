import { expect } from 'vitest';
import type { Json } from './http.ts';
import type { Api } from './world.ts';

/** What a test tells of the place where a project was moved to. */
interface Moved {
  api: Api;
  id: number;
  /** Who has an account here, with the address of the author of issue 1. */
  author: string;
  /** What the source does not have, and other servers do: comments on several lines and on commits, and approval by code owners. */
  lacks?: readonly ('ranges' | 'code owners' | 'commit comments')[];
  /** Attached files besides those of releases, by their names and sizes. */
  attached?: readonly { filename: string; size: number }[];
}

/** Records with these keys alone. */
function only(list: Json, ...keys: string[]): Json {
  return list.map((one: Json) => Object.fromEntries(keys.map((key) => [key, one[key]])));
}

/**
 * What `hello-world` has (github_server.ts), by the REST API, once it was moved in by an administrator: the same by each way. Who has no
 * account here is left to whoever tests that.
 */
export async function expectHelloWorld({ api, id, author, lacks = [], attached = [] }: Moved): Promise<void> {
  const get = async (rest: string): Promise<Json> => {
    const { status, body } = await api.get(`/projects/${id}${rest}`);
    expect([rest, status]).toEqual([rest, 200]);
    return body;
  };
  expect(await get('')).toMatchObject({
    description: 'My first repository\n\nhttps://hello.example',
    default_branch: 'main',
    topics: ['octocat', 'api'],
    visibility: 'public',
    remove_source_branch_after_merge: true,
    import_status: 'finished',
  });
  expect(only(await get('/labels'), 'name', 'color', 'description')).toEqual([
    { name: 'bug', color: '#f29513', description: 'Something is not working' },
    { name: 'feature', color: '#00ff00', description: null },
  ]);
  const [milestone] = await get('/milestones');
  expect(milestone).toMatchObject({
    iid: 1,
    title: 'v1.0',
    description: 'Tracking milestone, see !3',
    due_date: '2024-10-09',
    created_at: '2024-03-01T10:00:00.000Z',
  });
  await expectIssues(get, author);
  await expectMergeRequests(get, author, !lacks.includes('ranges'));
  if (!lacks.includes('commit comments')) await expectCommitComment(get);
  await expectRest(get, !lacks.includes('code owners'), attached);
}

type Get = (rest: string) => Promise<Json>;

async function expectCommitComment(get: Get): Promise<void> {
  const comments: Json[] = [];
  for (const { id } of await get('/repository/commits?ref_name=main'))
    comments.push(...(await get(`/repository/commits/${id}/comments`)));
  expect(only(comments, 'note', 'path', 'line', 'created_at')).toEqual([
    { note: 'A start, see #1', path: null, line: null, created_at: '2024-03-01T10:34:00.000Z' },
  ]);
}

async function expectIssues(get: Get, author: string): Promise<void> {
  const [first, second] = await get('/issues?sort=asc');
  expect(first).toMatchObject({
    iid: 1,
    title: 'Found a bug',
    state: 'opened',
    author: { username: author },
    labels: ['bug', 'feature'],
    milestone: { title: 'v1.0' },
    created_at: '2024-03-01T10:02:00.000Z',
    updated_at: '2024-03-01T10:50:00.000Z',
  });
  expect(first.description).toMatch(
    /^`@hubot` broke it in !3 and !4, see !3 but not `#3` `@octocat`\.\n\n```\n#3 @hubot\n```\n!\[shot\]\(/,
  );
  expect(second).toMatchObject({
    iid: 2,
    state: 'closed',
    discussion_locked: true,
    created_at: '2024-03-01T10:03:00.000Z',
    closed_at: '2024-03-01T10:30:00.000Z',
  });
  expect(second.description ?? '').not.toContain('null');
  const notes = await get('/issues/1/notes?sort=asc');
  expect(notes).toMatchObject([{ system: false, created_at: '2024-03-01T10:11:00.000Z' }]);
  expect(notes[0].body).toMatch(/Me too, as in !4$/);
  expect(await get('/issues/1/resource_label_events')).toMatchObject([
    { action: 'add', label: { name: 'bug' }, user: { username: author }, created_at: '2024-03-01T10:06:00.000Z' },
  ]);
}

async function expectMergeRequests(get: Get, author: string, hasRanges: boolean): Promise<void> {
  const [open, merged] = await get('/merge_requests?state=all&sort=asc');
  expect(open).toMatchObject({
    iid: 3,
    title: 'Draft: Shout',
    description: 'Fixes #1',
    state: 'opened',
    source_branch: 'topic',
    target_branch: 'main',
    author: { username: author },
    labels: ['feature'],
  });
  expect(open.source_project_id).toBe(open.target_project_id);
  expect(merged).toMatchObject({
    iid: 4,
    state: 'merged',
    source_project_id: null,
    merged_at: '2024-03-01T10:40:00.000Z',
    merge_user: { username: author },
  });
  expect(merged.merge_commit_sha).toMatch(/^[0-9a-f]{40}$/);
  const [change] = (await get('/merge_requests/3/changes')).changes;
  expect(change.diff).toContain('\n-two\n-three\n+TWO\n+THREE\n');
  expect(only(await get('/merge_requests/4/commits'), 'title')).toEqual([{ title: 'Change b.txt' }]);
  expect(
    (await get('/merge_requests/4/reviewers')).map(({ user, state }: Json) => [user.username, state]),
  ).toContainEqual([author, 'requested_changes']);
  const review = await get('/merge_requests/4/notes');
  expect(review).toMatchObject([{ body: 'Not like this, see #1', author: { username: author } }]);
  const threads = (await get('/merge_requests/3/discussions')).filter((one: Json) => !one.individual_note);
  const shown = threads.map(({ notes }: Json) => ({
    bodies: notes.map(({ body }: Json) => body.split('\n').at(-1)),
    line: [notes[0].position?.position_type, notes[0].position?.old_line, notes[0].position?.new_line],
  }));
  expect(shown).toEqual([
    { bodies: ['```', 'Why?'], line: ['text', null, 3] },
    { bodies: ['Gone'], line: ['text', 2, null] },
    { bodies: ['All of it'], line: ['file', null, null] },
  ]);
  const [suggestion] = threads[0].notes[0].suggestions;
  expect(suggestion).toMatchObject({
    from_line: hasRanges ? 2 : 3,
    to_line: 3,
    from_content: hasRanges ? 'TWO\nTHREE\n' : 'THREE\n',
    to_content: 'Two\nThree\n',
  });
  if (!hasRanges) return;
  expect(threads[0].notes[0].position.line_range).toMatchObject({ start: { new_line: 2 }, end: { new_line: 3 } });
}

async function expectRest(get: Get, hasCodeOwners: boolean, attached: NonNullable<Moved['attached']>): Promise<void> {
  const [release] = await get('/releases');
  expect(release).toMatchObject({ tag_name: 'v1.0', name: 'The first', released_at: '2024-03-01T10:46:00.000Z' });
  expect(release.description).toMatch(/^Notes, see !4 and \/uploads\/[0-9a-f]{32}\/hello\.zip$/);
  expect(release.assets.links).toMatchObject([{ name: 'hello.zip', external: false }]);
  expect(only(await get('/uploads'), 'filename', 'size')).toEqual([{ filename: 'hello.zip', size: 9 }, ...attached]);
  expect(await get('/protected_branches')).toMatchObject([
    {
      name: 'main',
      push_access_levels: [{ access_level: 0 }],
      merge_access_levels: [{ access_level: 40 }],
      allow_force_push: false,
      code_owner_approval_required: hasCodeOwners,
    },
  ]);
  expect(only(await get('/wikis'), 'slug')).toEqual([{ slug: 'home' }]);
}
