import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { part } from '../support/repository.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user({ username: 'ann-quokka' });
const ben = await world.user({ username: 'ben' });
const guest = await world.user();
const stranger = await world.user({ username: 'Quokka-elsewhere' });
let group: GroupRow;
let inner: GroupRow;
/** Public in the group, private in a group inside, archived in the group, public elsewhere. */
let open: ProjectRow;
let hidden: ProjectRow;
let old: ProjectRow;
let elsewhere: ProjectRow;
let sha: string;

const FILES: Record<string, string> = {
  'src/web/button.ts': 'one\ntwo\nthree\nfour\nthe Quokka jumps\nsix\n',
  'src/button.css': 'quokka {}\n',
  'docs/quokka.md': 'A page\nof text\n',
  'binary.bin': 'quokka\0',
  'other.txt': 'nothing\n',
};

beforeAll(async () => {
  group = await world.group({ owner: ann, visibility: 'public' });
  inner = await world.group({ owner: ann, parentId: group.id, visibility: 'private' });
  open = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public', name: 'Open quokka' });
  hidden = await world.project({ owner: ann, namespaceId: inner.id, visibility: 'private', name: 'Hidden quokka' });
  old = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public', name: 'Old quokka' });
  elsewhere = await world.project({ owner: ann, visibility: 'public', name: 'Quokka elsewhere' });
  await world.member(open, guest, 'guest');
  for (const project of [open, hidden, old, elsewhere]) {
    const named = `of ${project.name}`;
    await world.issue(project, ann, { title: `Issue ${named}` });
    await world.issue(project, ann, { title: 'Decoy', description: 'wombat' });
    await world.mergeRequest(project, ann, { iid: 1, title: 'Decoy', sourceBranch: 'a' });
    await world.mergeRequest(project, ann, { iid: 2, title: `Request ${named}`, sourceBranch: 'b' });
    await world.milestone(project, ann, { title: `Milestone ${named}` });
    await world.milestone(project, ann, { title: 'Decoy', description: 'wombat' });
    const text = { project: project.id, fileName: 'quokka.txt', content: 'quokka' };
    await createSnippet(world.as(ann), { ...text, title: `Snippet ${named}`, visibility: 'public' });
    await createSnippet(world.as(ann), { ...text, title: 'Decoy', visibility: 'public' });
  }
  const secret = { title: 'A secret quokka', confidential: true };
  await world.issue(open, ann, secret);
  await world.db.issue.updateMany({ where: { title: 'Issue of Open quokka' }, data: { state: 'closed' } });
  await world.api(ann).post(`/groups/${inner.id}/milestones`, { title: 'Milestone of quokka group' });
  for (const visibility of ['public', 'private'] as const) {
    const text = { title: `A ${visibility} quokka`, fileName: 'a.txt', content: 'text' };
    await createSnippet(world.as(ann), { ...text, visibility });
  }
  const actions = Object.entries(FILES).map(([file_path, content]) => ({
    action: 'create',
    file_path,
    content: Buffer.from(content).toString('base64'),
    encoding: 'base64',
  }));
  const commit = async (project: ProjectRow, more: Json) => {
    const { status, body } = await world.api(ann).post(`/projects/${project.id}/repository/commits`, more);
    expect(status).toBe(201);
    return body.id as string;
  };
  const first = { branch: 'master', actions };
  sha = await commit(open, { ...first, commit_message: 'Add a Quokka\n\nand more' });
  await commit(open, { branch: 'master', commit_message: 'Decoy', actions: [change('other.txt')] });
  const aside = { branch: 'aside', start_branch: 'master', commit_message: 'A quokka aside', actions: [change('x')] };
  await commit(open, { ...aside, actions: [{ action: 'create', file_path: 'aside.txt', content: 'quokka aside' }] });
  await commit(hidden, { ...first, commit_message: 'Hide a quokka' });
  await world.db.project.update({ where: { id: old.id }, data: { archived: true } });
});

const change = (file_path: string) => ({ action: 'update', file_path, content: 'changed' });

const search = (at: string, scope: string, text: string, more = '', who: TestUser = ann) =>
  world.api(who).get(`${at}?scope=${scope}&search=${part(text)}${more}`);
const names = async (...args: Parameters<typeof search>) => {
  const { status, body } = await search(...args);
  expect([status, body]).toEqual([200, expect.any(Array)]);
  return body.map((one: Json) => one.title ?? one.filename ?? one.body ?? one.username ?? one.name);
};
const at = (project: ProjectRow) => `/projects/${project.id}/search`;

describe('GET /search', () => {
  it('finds of each scope what the caller can see, newest first, but what is archived only on request', async () => {
    const everywhere = ['Quokka elsewhere', 'Hidden quokka', 'Open quokka'];
    const seen = ['Quokka elsewhere', 'Open quokka'];
    expect(await names('/search', 'projects', 'quokka')).toEqual(everywhere);
    expect(await names('/search', 'projects', 'quokka', '', ben)).toEqual(seen);
    for (const [scope, kind] of [
      ['merge_requests', 'Request'],
      ['snippet_titles', 'Snippet'],
    ] as const) {
      const titled = (projects: string[]) => projects.map((name) => `${kind} of ${name}`);
      const own = scope === 'snippet_titles' ? ['A private quokka', 'A public quokka'] : [];
      expect(await names('/search', scope, 'quokka')).toEqual([...own, ...titled(everywhere)]);
      const others = own.filter((title) => title.includes('public'));
      expect(await names('/search', scope, 'quokka', '', ben)).toEqual([...others, ...titled(seen)]);
      const archived = await names('/search', scope, 'Old quokka', '&include_archived=true');
      expect(archived).toEqual([`${kind} of Old quokka`]);
      expect(await names('/search', scope, 'Old quokka')).toEqual([]);
    }
    expect(await names('/search', 'issues', 'quokka')).toEqual([
      'A secret quokka',
      ...everywhere.map((name) => `Issue of ${name}`),
    ]);
    expect(await names('/search', 'issues', 'quokka', '', ben)).toEqual(seen.map((name) => `Issue of ${name}`));
    expect(await names('/search', 'issues', 'Old quokka', '&include_archived=true')).toEqual(['Issue of Old quokka']);
    expect(await names('/search', 'milestones', 'quokka', '', ben)).toEqual(seen.map((name) => `Milestone of ${name}`));
    expect(await names('/search', 'milestones', 'quokka')).toContain('Milestone of quokka group');
    expect(await names('/search', 'milestones', 'Old quokka')).toEqual([]);
    expect(await names('/search', 'milestones', 'Old', '&include_archived=true')).toEqual(['Milestone of Old quokka']);
    expect(await names('/search', 'projects', 'Old quokka', '&include_archived=true')).toEqual(['Old quokka']);
    expect(await names('/search', 'users', 'quokka')).toEqual([stranger.username, 'ann-quokka']);
  });

  it('narrows issues by state and whether they are confidential, merge requests by state, and takes a direction', async () => {
    expect(await names('/search', 'issues', 'open quokka', '&state=opened')).toEqual([]);
    expect(await names('/search', 'issues', 'open quokka', '&state=closed')).toEqual(['Issue of Open quokka']);
    expect(await names('/search', 'issues', 'quokka', '&confidential=true')).toEqual(['A secret quokka']);
    expect(await names('/search', 'merge_requests', 'quokka', '&state=merged')).toEqual([]);
    const oldest = await names('/search', 'projects', 'quokka', '&sort=asc&order_by=created_at&search_type=basic');
    expect(oldest).toEqual(['Open quokka', 'Hidden quokka', 'Quokka elsewhere']);
  });

  it('finds texts that no index helps with, and nothing of fewer than two characters', async () => {
    expect(await names('/search', 'milestones', 'qu', '', ben)).toHaveLength(2);
    expect(await names('/search', 'snippet_titles', 'qu', '', ben)).toHaveLength(3);
    for (const scope of ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'users'])
      expect(await names('/search', scope, ' q ')).toEqual([]);
  });

  it('pages, and says that the search is a basic one', async () => {
    const { headers, body } = await search('/search', 'projects', 'quokka', '&per_page=1&page=2');
    expect(body).toMatchObject([{ name: 'Hidden quokka' }]);
    expect(headers).toMatchObject({ 'x-total': '3', 'x-next-page': '3', 'x-search-type': 'basic' });
    expect(headers['x-search-limited']).toBeUndefined();
  });

  it('shows projects with their namespace and numbers', async () => {
    const { body } = await search('/search', 'projects', 'Open quokka');
    expect(Object.keys(body[0])).toEqual(
      expect.arrayContaining(['description', 'topics', 'tag_list', 'default_branch', 'star_count', 'last_activity_at']),
    );
    expect(body[0].namespace).toMatchObject({ id: group.id, full_path: group.fullPath });
  });

  it('401 for anonymous callers, 400 for scopes that there are not and for texts that are too long or missing', async () => {
    expect(await world.api().get('/search?scope=users&search=quokka')).toMatchObject({ status: 401 });
    const invalid = { status: 400, body: { error: 'scope does not have a valid value' } };
    for (const scope of ['snippet_blobs', 'nothing', 'toString'])
      expect(await search('/search', scope, 'quokka')).toMatchObject(invalid);
    expect(await search('/search', 'users', 'x'.repeat(4097))).toMatchObject({ status: 400 });
    expect(await names('/search', 'users', 'x'.repeat(4096))).toEqual([]);
    const missing = { status: 400, body: { error: 'scope is missing, search is missing' } };
    expect(await world.api(ann).get('/search')).toMatchObject(missing);
    expect(await world.api(ann).get('/search?scope=users')).toMatchObject({ body: { error: 'search is missing' } });
    const state = { status: 400, body: { error: 'state does not have a valid value' } };
    expect(await search('/search', 'issues', 'quokka', '&state=odd')).toMatchObject(state);
  });
});

describe('GET /groups/:id/search', () => {
  it('finds of each scope what is in the group or a group inside', LONG, async () => {
    const there = `/groups/${group.id}/search`;
    expect(await names(there, 'projects', 'quokka')).toEqual(['Hidden quokka', 'Open quokka']);
    expect(await names(there, 'projects', 'quokka', '', ben)).toEqual(['Open quokka']);
    expect(await names(there, 'issues', 'quokka', '', ben)).toEqual(['Issue of Open quokka']);
    expect(await names(there, 'issues', 'Old quokka', '&include_archived=true')).toEqual(['Issue of Old quokka']);
    const requests = ['Request of Hidden quokka', 'Request of Open quokka'];
    expect(await names(there, 'merge_requests', 'quokka')).toEqual(requests);
    expect(await names(there, 'milestones', 'quokka', '', ben)).toEqual(['Milestone of Open quokka']);
    const milestones = ['Milestone of quokka group', 'Milestone of Hidden quokka', 'Milestone of Open quokka'];
    expect(await names(there, 'milestones', 'quokka')).toEqual(milestones);
    expect(await names(`/groups/${part(group.fullPath)}/-/search`, 'users', 'quokka')).toEqual(['ann-quokka']);
  });

  it('finds the members of the group, and of projects that the caller can see in it', async () => {
    const hiddenMember = await world.user({ username: 'hidden-numbat' });
    const openMember = await world.user({ username: 'open-numbat' });
    await world.user({ username: 'other-numbat' });
    await world.member(hidden, hiddenMember, 'guest');
    await world.member(open, openMember, 'guest');
    const there = `/groups/${group.id}/search`;
    expect(await names(there, 'users', 'numbat')).toEqual(['open-numbat', 'hidden-numbat']);
    expect(await names(there, 'users', 'numbat', '', ben)).toEqual(['open-numbat']);
  });

  it('400 for scopes of the server or of projects only, 404 for a group that the caller cannot see', async () => {
    for (const scope of ['snippet_titles', 'nothing'])
      expect(await search(`/groups/${group.id}/search`, scope, 'quokka')).toMatchObject({ status: 400 });
    const missing = { status: 404, body: { message: '404 Group Not Found' } };
    expect(await search(`/groups/${inner.id}/search`, 'issues', 'quokka', '', stranger)).toMatchObject(missing);
  });
});

describe('Commits, wikis and comments of many projects', () => {
  const places = () => ['/search', `/groups/${group.id}/search`];

  it('are commits of default branches that the caller may read, newest first', LONG, async () => {
    for (const place of places()) {
      const found = await names(place, 'commits', 'QUOKKA');
      expect([place, found]).toEqual([place, ['Hide a quokka', 'Add a Quokka']]);
      expect(await names(place, 'commits', 'quokka', '', ben)).toEqual(['Add a Quokka']);
      expect(await names(place, 'commits', 'and more', '', ben)).toEqual(['Add a Quokka']);
      const { body, headers } = await search(place, 'commits', 'quokka', '&per_page=1&page=2');
      expect(body).toMatchObject([{ id: sha, project_id: open.id }]);
      expect(headers['x-search-limited']).toBeUndefined();
    }
    const [first] = places();
    expect(await names(`/groups/${inner.id}/search`, 'commits', 'quokka')).toEqual(['Hide a quokka']);
    expect(await names(first ?? '', 'commits', 'quokka', '', guest)).not.toContain('Hide a quokka');
  });

  it('are files of the wikis of projects and groups that the caller may read', LONG, async () => {
    const page = (title: string) => ({ title, content: `About ${title}\n\nA thylacine\n` });
    await world.api(ann).post(`/projects/${open.id}/wikis`, page('Open'));
    await world.api(ann).post(`/projects/${open.id}/wikis`, { title: 'Decoy', content: 'wombat' });
    await world.api(ann).post(`/projects/${hidden.id}/wikis`, page('Hidden'));
    await world.api(ann).post(`/projects/${elsewhere.id}/wikis`, page('Elsewhere'));
    await world.api(ann).post(`/groups/${inner.id}/wikis`, page('Inner'));
    await world.api(ann).put(`/projects/${elsewhere.id}`, { wiki_access_level: 'private' });
    const found = async (place: string, who?: TestUser) =>
      (await names(place, 'wiki_blobs', 'Thylacine', '', who)).sort();
    expect(await found('/search')).toEqual(['Elsewhere.md', 'Hidden.md', 'Inner.md', 'Open.md']);
    expect(await found('/search', ben)).toEqual(['Open.md']);
    expect(await found(`/groups/${group.id}/search`)).toEqual(['Hidden.md', 'Inner.md', 'Open.md']);
    const { body } = await search(`/groups/${inner.id}/search`, 'wiki_blobs', 'thylacine');
    expect(body).toEqual([
      expect.objectContaining({ path: 'Hidden.md', project_id: hidden.id, group_id: null, ref: expect.any(String) }),
      expect.objectContaining({
        path: 'Inner.md',
        project_id: null,
        group_id: inner.id,
        startline: 1,
        basename: 'Inner',
      }),
    ]);
  });

  it('are comments on what the caller can see, without system notes and internal ones of others', LONG, async () => {
    const member = await world.user();
    const project = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
    await world.member(project, member, 'reporter');
    const issue = await world.issue(project, ann);
    const secret = await world.issue(project, ann, { confidential: true });
    const deleted = await world.issue(project, ann);
    await world.db.issue.update({ where: { id: deleted.id }, data: { deletedAt: new Date() } });
    const apart = await world.issue(hidden, ann);
    const away = await world.issue(elsewhere, ann);
    const past = await world.issue(old, ann);
    const request = await world.mergeRequest(project, ann, { iid: 1 });
    const text = { project: project.id, title: 'Text', fileName: 'a.txt', content: 'text' };
    const { id: snippetId } = await createSnippet(world.as(ann), { ...text, visibility: 'private' });
    const subject = { authorId: ann.id, subjectId: issue.id, subjectType: 'Issue' };
    const internal = { sourceType: 'Internal', sourceProjectId: project.id };
    await world.db.note.createMany({
      data: [
        { ...subject, body: 'A bilby on an issue' },
        { ...subject, body: 'A wombat' },
        { ...subject, body: 'A system bilby', system: true },
        { ...subject, body: 'An internal bilby', ...internal },
        { ...subject, body: 'A secret bilby', subjectId: secret.id },
        { ...subject, body: 'A deleted bilby', subjectId: deleted.id },
        { ...subject, body: 'A hidden bilby', subjectId: apart.id },
        { ...subject, body: 'A bilby elsewhere', subjectId: away.id },
        { ...subject, body: 'An old bilby', subjectId: past.id },
        { ...subject, body: 'A BILBY on a request', subjectType: 'MergeRequest', subjectId: request.id },
        { ...subject, body: 'A bilby on a snippet', subjectType: 'Snippet', subjectId: snippetId },
      ],
    });
    await world.db.commitComment.create({
      data: { projectId: project.id, authorId: ann.id, sha, note: 'A bilby on a commit' },
    });
    const everyone = ['A BILBY on a request', 'A bilby on a commit', 'A bilby on an issue'];
    const reporters = [...everyone, 'A secret bilby', 'An internal bilby'];
    const owners = [...reporters, 'A bilby on a snippet', 'A hidden bilby'].sort();
    const there = `/groups/${group.id}/search`;
    for (const words of ['bilby', 'lb']) {
      const found = async (place: string, who?: TestUser, more = '') =>
        (await names(place, 'notes', words, more, who)).filter((body: string) => /bilby/i.test(body)).sort();
      expect(await found(there, ben)).toEqual(everyone);
      expect(await found(there, member)).toEqual(reporters);
      expect(await found(there)).toEqual(owners);
      expect(await found(there, ann, '&include_archived=true')).toEqual([...owners, 'An old bilby'].sort());
      expect(await found('/search', ben)).toEqual([...everyone, 'A bilby elsewhere'].sort());
      expect(await found('/search')).toEqual([...owners, 'A bilby elsewhere'].sort());
    }
    const query =
      '{ find(search: "bilby") { notes { totalCount nodes { body } } commits { limited } wikiFiles { limited } } }';
    const { body } = await world.graphql(query, {});
    expect(body.data.find.notes.totalCount).toBe(4);
  });
});

describe('GET /projects/:id/search', () => {
  it('finds issues, merge requests and milestones of the project, by text or number', LONG, async () => {
    expect(await names(at(open), 'issues', 'quokka')).toEqual(['A secret quokka', 'Issue of Open quokka']);
    expect(await names(at(open), 'issues', 'quokka', '', guest)).toEqual(['Issue of Open quokka']);
    expect(await names(at(open), 'issues', '#1')).toEqual(['Issue of Open quokka']);
    expect(await names(at(open), 'issues', '#3', '', guest)).toEqual([]);
    expect(await names(at(open), 'merge_requests', 'quokka')).toEqual(['Request of Open quokka']);
    expect(await names(at(open), 'merge_requests', '!1')).toEqual(['Decoy']);
    expect(await names(at(open), 'milestones', 'quokka')).toEqual(['Milestone of Open quokka']);
    expect(await names(`/projects/${open.id}/-/search`, 'users', 'quokka')).toEqual(['ann-quokka']);
  });

  it('finds commits by message and by the beginning of their hash', LONG, async () => {
    expect(await names(at(open), 'commits', 'QUOKKA')).toEqual(['Add a Quokka']);
    expect(await names(at(open), 'commits', 'and more')).toEqual(['Add a Quokka']);
    expect(await names(at(open), 'commits', 'quokka', '&ref=aside')).toEqual(['A quokka aside', 'Add a Quokka']);
    const { body } = await search(at(open), 'commits', sha.slice(0, 8).toUpperCase());
    expect(body).toMatchObject([{ id: sha, project_id: open.id, stats: { additions: expect.any(Number) } }]);
  });

  it('finds text files by a line, with the lines around it, and by their path', LONG, async () => {
    const { status, body, headers } = await search(at(open), 'blobs', 'quokka');
    expect(status).toBe(200);
    const record = { id: null, ref: 'master', project_id: open.id };
    const button = { path: 'src/web/button.ts', filename: 'src/web/button.ts', basename: 'src/web/button' };
    const page = { path: 'docs/quokka.md', filename: 'docs/quokka.md', basename: 'docs/quokka' };
    const style = { path: 'src/button.css', filename: 'src/button.css', basename: 'src/button' };
    expect(body).toEqual([
      { ...record, ...style, data: 'quokka {}\n', startline: 1 },
      { ...record, ...button, data: 'two\nthree\nfour\nthe Quokka jumps\nsix\n', startline: 2 },
      { ...record, ...page, data: 'A page\nof text\n', startline: 1 },
    ]);
    expect(headers).toMatchObject({ 'x-total': '3', 'x-search-type': 'basic' });
    expect(await names(at(open), 'blobs', 'quokka aside')).toEqual([]);
    expect(await names(at(open), 'blobs', 'quokka aside', '&ref=aside')).toEqual(['aside.txt']);
  });

  it('narrows files by name, path and extension, in which * stands for anything', LONG, async () => {
    expect(await names(at(open), 'blobs', 'quokka extension:ts')).toEqual(['src/web/button.ts']);
    expect(await names(at(open), 'blobs', 'quokka filename:BUTTON.*')).toEqual(['src/button.css', 'src/web/button.ts']);
    expect(await names(at(open), 'blobs', 'path:src/*b filename:*.ts quokka')).toEqual(['src/web/button.ts']);
    expect(await names(at(open), 'blobs', 'extension:md')).toEqual(['docs/quokka.md']);
    expect(await names(at(open), 'blobs', 'quokka extension:txt')).toEqual([]);
  });

  it('finds nothing of what the caller may not read, of what is off, in wikis and in empty repositories', async () => {
    const closed = await world.project({ owner: ann, visibility: 'private' });
    await world.member(closed, guest, 'guest');
    await world.issue(closed, ann, { title: 'A quokka' });
    await world.mergeRequest(closed, ann, { iid: 1, title: 'A quokka' });
    const settings = { issuesEnabled: false, mergeRequestsEnabled: false };
    await world.db.project.update({ where: { id: closed.id }, data: settings });
    for (const scope of ['issues', 'merge_requests', 'blobs', 'commits', 'notes', 'wiki_blobs']) {
      expect(await names(at(closed), scope, 'quokka', '', guest)).toEqual([]);
      expect(await names(at(closed), scope, 'quokka')).toEqual([]);
    }
    await world.member(hidden, guest, 'guest');
    expect(await names(at(hidden), 'issues', 'quokka', '', guest)).toEqual(['Issue of Hidden quokka']);
    expect(await names(at(hidden), 'blobs', 'quokka')).not.toEqual([]);
    for (const scope of ['blobs', 'commits', 'merge_requests'])
      expect(await names(at(hidden), scope, 'quokka', '', guest)).toEqual([]);
  });

  it('404 for a project that the caller cannot see and for a ref that there is not, 401 for anonymous callers', async () => {
    const missing = { status: 404, body: { message: '404 Project Not Found' } };
    expect(await search(at(hidden), 'blobs', 'quokka', '', stranger)).toMatchObject(missing);
    expect(await search(at(open), 'blobs', 'quokka', '&ref=nowhere')).toMatchObject({ status: 404 });
    expect(await world.api().get(`${at(open)}?scope=blobs&search=quokka`)).toMatchObject({ status: 401 });
  });

  it('finds comments on what the caller can see, without system notes and internal ones of others', async () => {
    const project = await world.project({ owner: ann, visibility: 'public' });
    const reporter = await world.user();
    await world.member(project, reporter, 'reporter');
    const issue = await world.issue(project, ann);
    const secret = await world.issue(project, ann, { confidential: true });
    const request = await world.mergeRequest(project, ann, { iid: 1 });
    const subject = { authorId: ann.id, subjectId: issue.id, subjectType: 'Issue' };
    const internal = { sourceType: 'Internal', sourceProjectId: project.id };
    const { id: snippetId } = await createSnippet(world.as(ann), {
      project: project.id,
      title: 'Text',
      fileName: 'a.txt',
      content: 'text',
      visibility: 'private',
    });
    const other = await world.issue(open, ann);
    await world.db.note.createMany({
      data: [
        { ...subject, body: 'A quoll on an issue' },
        { ...subject, body: 'A wombat' },
        { ...subject, body: 'A system quoll', system: true },
        { ...subject, body: 'An internal quoll', ...internal },
        { ...subject, body: 'A secret quoll', subjectId: secret.id },
        { ...subject, body: 'A QUOLL on a request', subjectType: 'MergeRequest', subjectId: request.id },
        { ...subject, body: 'A quoll on a private snippet', subjectType: 'Snippet', subjectId: snippetId },
        { ...subject, body: 'A quoll elsewhere', subjectId: other.id },
      ],
    });
    const comment = { projectId: project.id, authorId: ann.id, sha, note: 'A quoll on a commit' };
    await world.db.commitComment.create({ data: comment });
    const open_ = ['A QUOLL on a request', 'A quoll on a commit', 'A quoll on an issue'];
    const ofReporters = [...open_, 'A secret quoll', 'An internal quoll'];
    for (const text of ['quoll', 'qu']) {
      expect((await names(at(project), 'notes', text, '', ben)).sort()).toEqual(open_);
      expect((await names(at(project), 'notes', text, '', reporter)).sort()).toEqual(ofReporters);
      expect((await names(at(project), 'notes', text)).sort()).toEqual(
        [...ofReporters, 'A quoll on a private snippet'].sort(),
      );
    }
    const { body } = await search(at(project), 'notes', 'quoll', '&per_page=1&page=2&sort=asc', ben);
    expect(body).toHaveLength(1);
    const [found] = (await search(at(project), 'notes', 'on an issue', '', ben)).body;
    expect(found).toMatchObject({ noteable_type: 'Issue', noteable_iid: issue.iid, project_id: project.id });
  });
});

describe('Project.find in GraphQL', () => {
  it('finds all kinds at once, and says whether a search of files or commits is complete', LONG, async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { find(search: "quokka") {
      issues { nodes { title } pageInfo { hasNextPage } } mergeRequests { nodes { title } } notes { totalCount }
      files(first: 1) { limited totalCount nodes { path startLine } pageInfo { hasNextPage endCursor } }
      commits { limited nodes { title } } wikiFiles { limited nodes { path } } } } }`;
    const { body } = await world.graphql(query, { ref: open.id }, ann);
    expect(body.errors).toBeUndefined();
    expect(body.data.project.find).toMatchObject({
      issues: { nodes: [{ title: 'A secret quokka' }, { title: 'Issue of Open quokka' }] },
      files: { limited: false, totalCount: 3, nodes: [{ path: 'src/button.css' }], pageInfo: { hasNextPage: true } },
      commits: { limited: false, nodes: [{ title: 'Add a Quokka' }] },
      wikiFiles: { limited: false, nodes: [] },
    });
  });

  it('finds for visitors what is public', async () => {
    const query = `query ($ref: ProjectRef!) { project(ref: $ref) { find(search: "quokka") { issues { totalCount nodes { confidential } } } } }`;
    const { body } = await world.graphql(query, { ref: open.id });
    const { nodes } = body.data.project.find.issues;
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes.filter(({ confidential }: { confidential: boolean }) => confidential)).toEqual([]);
  });
});
