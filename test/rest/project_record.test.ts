// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { licenseTexts } from '#src/domain/administration/templates/license.ts';
import { recognizeLicense } from '#src/domain/administration/templates/recognize.ts';
import { encrypt } from '#src/platform/secrets.ts';
import type { Json } from '../support/http.ts';
import { SECRET, startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const [owner, developer, guest, stranger] = [
  await world.user(),
  await world.user(),
  await world.user(),
  await world.user(),
];
const api = world.api(owner);

/** A project with these files on its default branch. */
async function projectWith(files: Record<string, string>, visibility: 'private' | 'internal' | 'public' = 'private') {
  const project = await world.project({ owner, visibility });
  await world.member(project, developer, 'developer');
  await world.member(project, guest, 'guest');
  const actions = Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content }));
  const commit = { branch: 'master', commit_message: 'First', actions };
  expect((await api.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201);
  await world.idle();
  return project;
}

const get = async (who: TestUser | undefined, path: string): Promise<Json> =>
  (await world.api(...(who ? [who] : [])).get(path)).body;

const texts = await licenseTexts();
const mit = texts.find(({ key }) => key === 'mit')?.content ?? '';
const held = mit.replace('<year> <copyright holders>', '2019 Ann Field and others').replaceAll('\n\n', '\r\n\r\n');

describe('Projects tell their readme', () => {
  it('by the address of its page, to all who can read the repository, alone and in lists', async () => {
    const named = await projectWith({ 'docs/README.md': 'Not this one', 'README.txt': 'Hello' }, 'public');
    const without = await projectWith({ 'docs/README.md': 'Not this one', 'README.exe': 'Nor this one' }, 'public');
    const page = `${(await get(owner, `/projects/${named.id}`)).web_url}/-/blob/master/README.txt`;
    for (const who of [owner, guest, stranger, undefined]) {
      expect((await get(who, `/projects/${named.id}`)).readme_url).toBe(page);
      expect((await get(who, `/projects/${without.id}`)).readme_url).toBeNull();
      const listed = await get(who, '/projects');
      const found = (id: number) => listed.find((one: Json) => one.id === id).readme_url;
      expect([found(named.id), found(without.id)]).toEqual([page, null]);
    }
    expect((await get(owner, '/projects?simple=true')).find(({ id }: Json) => id === named.id).readme_url).toBe(page);
    expect((await fetch(page)).status).toBe(200);
  });

  it('not to guests of a private project, who cannot read files', async () => {
    const project = await projectWith({ 'README.md': 'Hello', LICENSE: held });
    expect((await get(developer, `/projects/${project.id}`)).readme_url).toMatch(/README\.md$/);
    const record = await get(guest, `/projects/${project.id}?license=true`);
    expect([record.id, record.readme_url, record.license_url, record.license]).toEqual([project.id, null, null, null]);
    const query = `{ project(ref: "${project.id}") { readmeUrl licenseUrl license { key } } }`;
    const { data } = (await world.graphql(query, {}, guest)).body;
    expect(data.project).toEqual({ readmeUrl: null, licenseUrl: null, license: null });
  });

  it('as the default branch has it, also after another one became that, and in forks', async () => {
    const project = await projectWith({ 'README.md': 'Main' });
    const actions = [{ action: 'move', previous_path: 'README.md', file_path: 'readme.txt', content: 'New' }];
    const commit = { branch: 'new/look#1', start_branch: 'master', commit_message: 'New', actions };
    expect((await api.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201);
    await api.put(`/projects/${project.id}`, { default_branch: 'new/look#1' });
    await world.idle();
    const before = await get(owner, `/projects/${project.id}`);
    expect(before.readme_url).toBe(`${before.web_url}/-/blob/new/look%231/readme.txt`);
    await api.put(`/projects/${project.id}`, { default_branch: 'master' });
    await world.idle();
    expect((await get(owner, `/projects/${project.id}`)).readme_url).toMatch(/\/-\/blob\/master\/README\.md$/);
    const fork = (await world.api(developer).post(`/projects/${project.id}/fork`)).body;
    await world.idle();
    const copied = await get(developer, `/projects/${fork.id}`);
    expect(copied.readme_url).toBe(`${copied.web_url}/-/blob/master/README.md`);
  });
});

describe('GET /projects/:id?license=true', () => {
  it('tells the license that a file of the root directory is', async () => {
    const project = await projectWith({ LICENSE: held, 'lib/COPYING': 'All mine' }, 'public');
    for (const who of [owner, undefined]) {
      const { license, license_url, web_url } = await get(who, `/projects/${project.id}?license=true`);
      expect(license_url).toBe(`${web_url}/-/blob/master/LICENSE`);
      expect(license).toEqual({
        key: 'mit',
        name: 'MIT License',
        nickname: null,
        html_url: 'https://choosealicense.com/licenses/mit/',
        source_url: expect.stringMatching(/^https:/),
      });
      const plain = Object.keys(await get(who, `/projects/${project.id}`));
      expect(plain.filter((key) => key.startsWith('license'))).toEqual([]);
    }
  });

  it('is null for a text that is no known license, and for a license elsewhere', async () => {
    const own = `${held}\n${'You owe the author a fish for each copy. '.repeat(20)}`;
    for (const [name, content] of [
      ['LICENSE', own],
      ['docs/LICENSE', held],
      ['LICENSES.md', held],
    ] as const) {
      const project = await projectWith({ [name]: content });
      const { license, license_url } = await get(owner, `/projects/${project.id}?license=true`);
      expect([license, license_url]).toEqual([null, null]);
    }
  });

  it('knows each license of the templates from all others, with names filled in and lines broken elsewhere', async () => {
    for (const { key, content } of texts) {
      const filled = content.replace(/[<[](?:year|yyyy)[>\]]/gi, '2020').replace(/<copyright holders>/gi, 'Ann Field');
      const broken = filled.replace(/([^\n]{40,60}) /g, '$1\n');
      expect((await recognizeLicense(broken))?.key).toBe(key);
    }
    expect(await recognizeLicense('')).toBeNull();
    expect(await recognizeLicense('word '.repeat(20_000))).toBeNull();
  });
});

describe('can_create_merge_request_in', () => {
  const told = async (who: TestUser, id: number) =>
    (await get(who, `/projects/${id}`)).can_create_merge_request_in as boolean;

  it('is true for those who can push, and those who can read and fork', async () => {
    const [open, closed] = [await projectWith({ a: '1' }, 'public'), await projectWith({ a: '1' })];
    expect([await told(developer, open.id), await told(stranger, open.id)]).toEqual([true, true]);
    expect([await told(developer, closed.id), await told(guest, closed.id)]).toEqual([true, false]);
    expect('can_create_merge_request_in' in (await get(undefined, `/projects/${open.id}`))).toBe(false);
  });

  it('is false in archived projects, and where merge requests are switched off', async () => {
    const [archived, off] = [await projectWith({ a: '1' }, 'public'), await projectWith({ a: '1' }, 'public')];
    await api.post(`/projects/${archived.id}/archive`);
    await api.put(`/projects/${off.id}`, { merge_requests_enabled: false });
    expect([await told(owner, archived.id), await told(owner, off.id)]).toEqual([false, false]);
  });
});

describe('What a project mirrors', () => {
  it('is told in its record, the URL without credentials and to masters alone', async () => {
    const [project, decoy] = [await world.project({ owner }), await world.project({ owner })];
    await world.member(project, developer, 'developer');
    const urlEncrypted = Buffer.from(encrypt('https://ann:secret@git.example.com/a/b.git', SECRET));
    const how = { triggersPipelines: true, onlyProtectedBranches: true, overwritesDiverged: true };
    await world.db.pullMirror.create({ data: { projectId: project.id, userId: developer.id, urlEncrypted, ...how } });
    const mirror = {
      mirror: true,
      mirror_user_id: developer.id,
      mirror_trigger_builds: true,
      only_mirror_protected_branches: true,
      mirror_overwrites_diverged_branches: true,
    };
    const url = 'https://git.example.com/a/b.git';
    expect(await get(owner, `/projects/${project.id}`)).toMatchObject({ ...mirror, import_url: url });
    expect(await get(developer, `/projects/${project.id}`)).toMatchObject({ ...mirror, import_url: null });
    expect((await get(owner, '/projects')).find(({ id }: Json) => id === project.id)).toMatchObject(mirror);
    expect(await get(owner, `/projects/${decoy.id}`)).toMatchObject({
      mirror: false,
      mirror_user_id: null,
      mirror_trigger_builds: false,
      only_mirror_protected_branches: false,
      mirror_overwrites_diverged_branches: false,
      import_url: null,
      import_type: null,
    });
    await world.db.pullMirror.update({ where: { projectId: project.id }, data: { enabled: false } });
    expect((await get(owner, `/projects/${project.id}`)).mirror).toBe(false);
  });

  it('is another thing than where it was imported from, which masters see', async () => {
    const project = await world.project({ owner });
    await world.member(project, developer, 'developer');
    await world.db.project.update({ where: { id: project.id }, data: { importStatus: 'finished' } });
    expect((await get(owner, `/projects/${project.id}`)).import_type).toBe('git');
    expect((await get(developer, `/projects/${project.id}`)).import_type).toBeNull();
  });
});

describe('topics and tag_list', () => {
  it('are two names of one list, of which topics wins when both are sent', async () => {
    const both = { tag_list: 'old', topics: ['new', 'newer'] };
    const { status, body } = await api.post('/projects', { name: world.unique('both'), ...both });
    expect([status, body.topics, body.tag_list]).toEqual([201, ['new', 'newer'], ['new', 'newer']]);
    expect((await api.put(`/projects/${body.id}`, { topics: '', tag_list: ['old'] })).body.topics).toEqual([]);
    expect((await api.put(`/projects/${body.id}`, { tag_list: ['old'] })).body.topics).toEqual(['old']);
  });
});
