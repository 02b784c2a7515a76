import { beforeAll, describe, expect, it } from 'vitest';
import { gid, numberIn } from '../../support/client_documents.ts';
import { mutator } from '../../support/compat_mutations.ts';
import type { Json } from '../../support/http.ts';
import { LONG } from '../../support/long.ts';
import { commitTo } from '../../support/merge_requests.ts';
import { startWorld } from '../../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const [developer, reporter, guest, outsider] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const { done, refused, missing, wrongClass } = mutator(world);
const group = await world.group({ owner });
const project = await world.project({ owner });
const at = `/projects/${project.id}`;
const api = world.api(owner);
const projectPath = project.fullPath;
const raw = async (path: string, ref = 'master') =>
  (await api.get(`${at}/repository/files/${encodeURIComponent(path)}/raw?ref=${ref}`)).body;

beforeAll(async () => {
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  await commitTo(world, project, owner, 'master', 'first.txt', 'first\n');
  await api.post(`${at}/repository/branches?branch=work&ref=master`);
});

describe('commitCreate', () => {
  const input = (actions: Json[], changes: Json = {}) => ({
    projectPath,
    branch: 'work',
    message: 'Change files',
    actions,
    ...changes,
  });

  it('commits every kind of action at once', async () => {
    const created = input([
      { action: 'CREATE', filePath: 'a.txt', content: 'a\n' },
      { action: 'CREATE', filePath: 'b.bin', content: Buffer.from('bytes').toString('base64'), encoding: 'BASE64' },
    ]);
    const { commit } = await done(developer, 'commitCreate', created, 'commit { sha title shortId }');
    const { body } = await api.get(`${at}/repository/commits/work`);
    expect(commit).toEqual({ sha: body.id, title: 'Change files', shortId: body.short_id });
    expect([await raw('a.txt', 'work'), await raw('b.bin', 'work')]).toEqual(['a\n', 'bytes']);
    const changed = input([
      { action: 'UPDATE', filePath: 'a.txt', content: 'b\n', lastCommitId: commit.sha },
      { action: 'MOVE', filePath: 'c.bin', previousPath: 'b.bin' },
      { action: 'CHMOD', filePath: 'first.txt', executeFilemode: true },
    ]);
    await done(developer, 'commitCreate', changed);
    expect([await raw('a.txt', 'work'), await raw('c.bin', 'work')]).toEqual(['b\n', 'bytes']);
    await done(developer, 'commitCreate', input([{ action: 'DELETE', filePath: 'a.txt' }]));
    expect((await api.get(`${at}/repository/files/a.txt?ref=work`)).status).toBe(404);
  });

  it('tells of actions that cannot be in the payload', LONG, async () => {
    for (const actions of [
      [],
      [{ action: 'UPDATE', filePath: 'none.txt', content: 'x' }],
      [{ action: 'CREATE', filePath: 'first.txt', content: 'x' }],
      [{ action: 'CREATE', filePath: '../x', content: 'x' }],
    ]) {
      await refused(developer, 'commitCreate', input(actions), 'commit');
    }
    await refused(
      developer,
      'commitCreate',
      input([{ action: 'CREATE', filePath: 'x', content: 'x' }], { branch: 'none' }),
      'commit',
    );
  });

  it('is for developers, on protected branches for maintainers', async () => {
    const actions = [{ action: 'CREATE', filePath: 'mine.txt', content: 'x' }];
    for (const who of [reporter, guest, outsider, undefined]) await missing(who, 'commitCreate', input(actions));
    await refused(developer, 'commitCreate', input(actions, { branch: 'master' }), 'commit');
    await missing(owner, 'commitCreate', input(actions, { projectPath: 'no/project' }));
    expect((await api.get(`${at}/repository/files/mine.txt?ref=work`)).status).toBe(404);
  });
});

describe('createBranch', () => {
  it('creates one at a ref', async () => {
    const { branch } = await done(
      developer,
      'createBranch',
      { projectPath, name: 'feature/new', ref: 'master' },
      'branch { name }',
    );
    expect(branch).toEqual({ name: 'feature/new' });
    expect((await api.get(`${at}/repository/branches/feature%2Fnew`)).status).toBe(200);
  });

  it('tells of names and refs that cannot be in the payload', async () => {
    for (const wrong of [{ name: 'master' }, { name: 'a..b' }, { name: '' }, { ref: 'none' }]) {
      await refused(developer, 'createBranch', { projectPath, name: 'other', ref: 'master', ...wrong }, 'branch');
    }
  });

  it('is for developers', async () => {
    for (const who of [reporter, guest, outsider, undefined])
      await missing(who, 'createBranch', { projectPath, name: 'mine', ref: 'master' });
    await missing(owner, 'createBranch', { projectPath: 'no/project', name: 'mine', ref: 'master' });
    expect((await api.get(`${at}/repository/branches/mine`)).status).toBe(404);
  });
});

describe('createSnippet and updateSnippet', () => {
  const blobActions = [
    { action: 'create', filePath: 'a.txt', content: 'a' },
    { action: 'create', filePath: 'b.txt', content: 'b' },
  ];
  const input = (changes: Json = {}) => ({
    title: 'Notes',
    description: 'What',
    visibilityLevel: 'private',
    blobActions,
    ...changes,
  });

  it('create snippets of projects and of people, with several files', async () => {
    for (const path of [projectPath, null]) {
      const { snippet } = await done(
        developer,
        'createSnippet',
        input({ projectPath: path }),
        'snippet { id title webUrl }',
      );
      const id = numberIn(snippet.id, path ? 'ProjectSnippet' : 'PersonalSnippet');
      const { body } = await world.api(developer).get(`${path ? at : ''}/snippets/${id}`);
      expect([snippet.title, snippet.webUrl, body.description]).toEqual(['Notes', body.web_url, 'What']);
      expect((await world.db.snippet.findUniqueOrThrow({ where: { id } })).visibility).toBe('private');
      expect(body.files.map((file: Json) => file.path)).toEqual(['a.txt', 'b.txt']);
    }
  });

  it('change the files of one', LONG, async () => {
    for (const path of [projectPath, null]) {
      const { snippet } = await done(developer, 'createSnippet', input({ projectPath: path }), 'snippet { id }');
      const actions = [
        { action: 'update', filePath: 'a.txt', content: 'changed' },
        { action: 'move', filePath: 'c.txt', previousPath: 'b.txt' },
        { action: 'create', filePath: 'd.txt', content: 'd' },
      ];
      const shown = 'snippet { id blobs { nodes { path rawPlainData } } }';
      const changed = await done(developer, 'updateSnippet', { id: snippet.id, blobActions: actions }, shown);
      const texts = Object.fromEntries(changed.snippet.blobs.nodes.map((blob: Json) => [blob.path, blob.rawPlainData]));
      expect(texts).toEqual({ 'a.txt': 'changed', 'c.txt': 'b', 'd.txt': 'd' });
      await done(developer, 'updateSnippet', {
        id: snippet.id,
        blobActions: [{ action: 'delete', filePath: 'd.txt' }],
      });
      for (const who of [guest, outsider, undefined])
        await missing(who, 'updateSnippet', { id: snippet.id, blobActions: actions });
      await refused(
        developer,
        'updateSnippet',
        { id: snippet.id, blobActions: [{ action: 'update', filePath: 'none', content: 'x' }] },
        'snippet',
      );
    }
  });

  it('tell of wrong values, and are not for everyone', async () => {
    for (const wrong of [
      { title: '' },
      { blobActions: [] },
      { blobActions: undefined },
      { blobActions: [{ action: 'create', filePath: 'x', content: '' }] },
    ]) {
      await refused(developer, 'createSnippet', input({ projectPath, ...wrong }), 'snippet');
    }
    for (const who of [guest, outsider, undefined]) await missing(who, 'createSnippet', input({ projectPath }));
    await missing(undefined, 'createSnippet', input());
    await missing(owner, 'createSnippet', input({ projectPath: 'no/project' }));
    await missing(owner, 'updateSnippet', { id: gid('PersonalSnippet', 999_999), blobActions: [] });
    await wrongClass(owner, 'updateSnippet', { id: gid('Note', 1) }, gid('Note', 1), 'Snippet');
  });
});

describe('runnerCreate', () => {
  const shown = 'runner { id description runnerType tagList ephemeralAuthenticationToken runUntagged }';

  it('registers a runner of a project, of a group, or of all, with the token that is shown once', async () => {
    const admin = await world.user({ admin: true });
    const kinds: [typeof owner, Json][] = [
      [owner, { runnerType: 'PROJECT_TYPE', projectId: gid('Project', project.id) }],
      [owner, { runnerType: 'GROUP_TYPE', groupId: gid('Group', group.id) }],
      [admin, { runnerType: 'INSTANCE_TYPE' }],
    ];
    for (const [who, kind] of kinds) {
      const input = { ...kind, description: 'Wheel', tagList: ['linux'], runUntagged: false, maximumTimeout: null };
      const { runner } = await done(who, 'runnerCreate', input, shown);
      expect(runner).toMatchObject({
        description: 'Wheel',
        runnerType: kind.runnerType,
        tagList: ['linux'],
        runUntagged: false,
      });
      const verified = await world.send('POST', '/api/v4/runners/verify', {
        body: { token: runner.ephemeralAuthenticationToken },
      });
      expect([verified.status, verified.body.id]).toEqual([200, numberIn(runner.id, 'Ci::Runner')]);
    }
  });

  it('tells of wrong values in the payload, and is for masters and owners', async () => {
    const input = { runnerType: 'PROJECT_TYPE', projectId: gid('Project', project.id) };
    const before = await world.db.runner.count();
    await refused(owner, 'runnerCreate', { ...input, maximumTimeout: 1 }, 'runner');
    await refused(
      owner,
      'runnerCreate',
      { ...input, tagList: Array.from({ length: 51 }, (_, n) => `t${n}`) },
      'runner',
    );
    for (const who of [developer, guest, outsider, undefined]) await missing(who, 'runnerCreate', input);
    await missing(owner, 'runnerCreate', { ...input, projectId: gid('Project', 999_999) });
    await missing(owner, 'runnerCreate', { runnerType: 'INSTANCE_TYPE' });
    await wrongClass(owner, 'runnerCreate', { ...input, projectId: gid('Group', 1) }, gid('Group', 1), 'Project');
    expect(await world.db.runner.count()).toBe(before);
  });
});
