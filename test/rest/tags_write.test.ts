// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { git, gitLines } from '../support/git_program.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const TAG_KEYS = ['name', 'message', 'commit', 'release', 'target', 'protected', 'created_at'];
const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const reporter = await world.user();
const guest = await world.user();
const api = world.api(owner);
let project: ProjectRow;
let at: string;
let directory: string;
let tip: string;

const tagAt = (name: string) => `${at}/tags/${encodeURIComponent(name)}`;
const tags = () => gitLines(directory, ['tag']);

beforeAll(async () => {
  project = await world.project({ owner });
  await world.member(project, developer, 'developer');
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
  at = `/projects/${project.id}/repository`;
  directory = world.repositories.directory(project);
  await api.post(`${at}/files/a`, { branch: 'master', commit_message: 'First', content: '1' });
  tip = git(directory, ['rev-parse', 'master']).trim();
});

describe('POST /projects/:id/repository/tags', () => {
  it.each(['v1.0', 'release/2.0', 'ünï', '100%'])('creates the lightweight tag %s', async (name) => {
    const { status, body } = await world.api(developer).post(`${at}/tags`, { tag_name: name, ref: 'master' });
    expect([status, Object.keys(body)]).toEqual([201, TAG_KEYS]);
    expect(body).toMatchObject({ name, message: null, commit: { id: tip }, release: null });
    expect(git(directory, ['cat-file', '-t', `refs/tags/${name}`]).trim()).toBe('commit');
    expect((await api.get(tagAt(name))).body).toEqual(body);
  });

  it('creates an annotated tag with a release', LONG, async () => {
    const given = {
      tag_name: 'v2',
      ref: tip.slice(0, 8),
      message: ' Second\n\nwith notes ',
      release_description: '*New*',
    };
    const answer = await api.post(`${at}/tags`, given);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        message: 'Second\n\nwith notes',
        commit: { id: tip },
        release: { tag_name: 'v2', description: '*New*' },
      },
    });
    const shown = git(directory, ['for-each-ref', '--format=%(objecttype) %(taggername) %(contents)', 'refs/tags/v2']);
    expect(shown.trim()).toBe(`tag Name of ${owner.username} Second\n\nwith notes`);
    expect(git(directory, ['fsck', '--strict', '--no-dangling'])).toBe('');
    expect((await api.get(`/projects/${project.id}/events`)).body[0]).toMatchObject({
      action_name: 'pushed new',
      data: { object_kind: 'tag_push', ref: 'refs/tags/v2', checkout_sha: tip, commits: [{ id: tip }] },
    });
  });

  it.each([
    ['v1.0', 'master', 'Tag v1.0 already exists'],
    ['new', 'nowhere', 'Target nowhere is invalid'],
    ['new', '', 'Target  is invalid'],
    ['a..b', 'master', 'Tag name invalid'],
    ['-x', 'master', 'Tag name invalid'],
    ['', 'master', 'Tag name invalid'],
    ['v1.0/below', 'master', 'Tag name invalid'],
  ])('answers 405 to %j at %j: %s', async (name, ref, message) => {
    const before = tags();
    const { status, headers, body } = await api.post(`${at}/tags`, { tag_name: name, ref, release_description: 'x' });
    expect({ status, body }).toEqual({ status: 405, body: { message } });
    expect(headers.allow).toBe('HEAD, GET, POST, OPTIONS');
    expect(tags()).toEqual(before);
    expect(await world.db.release.count({ where: { tag: name } })).toBe(0);
  });

  it('refuses missing parameters, and who may not push', async () => {
    const given = { tag_name: 'no', ref: 'master' };
    expect(await api.post(`${at}/tags`, {})).toMatchObject({
      status: 400,
      body: { error: 'tag_name is missing, ref is missing' },
    });
    const tried = async (who: TestUser | undefined) => (await world.api(who).post(`${at}/tags`, given)).status;
    expect(await tried(reporter)).toBe(403);
    expect(await tried(guest)).toBe(403);
    expect(await tried(undefined)).toBe(401);
    expect(await tried(await world.user())).toBe(404);
    expect(tags()).not.toContain('no');
  });

  it('creates one tag when many ask for the same at once', LONG, async () => {
    const asked = Array.from({ length: 8 }, (_, number) =>
      api.post(`${at}/tags`, { tag_name: 'race', ref: 'master', message: `${number}` }),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body]).toEqual([405, { message: 'Tag race already exists' }]);
    }
  });
});

describe('DELETE /projects/:id/repository/tags/:tag_name', () => {
  it.each(['gone', 'gone/too', 'gone.json'])('deletes %s and its release', LONG, async (name) => {
    await api.post(`${at}/tags`, { tag_name: name, ref: 'master', message: 'x', release_description: 'notes' });
    const { status, body } = await world
      .api(developer)
      .delete(name === 'gone/too' ? `${at}/tags/${name}` : tagAt(name));
    expect([status, body]).toEqual([204, null]);
    expect(tags()).not.toContain(name);
    expect(await world.db.release.count({ where: { projectId: project.id, tag: name } })).toBe(0);
    expect((await api.get(`/projects/${project.id}/events`)).body[0]).toMatchObject({ action_name: 'deleted' });
  });

  it('refuses missing tags and who may not push', LONG, async () => {
    await api.post(`${at}/tags`, { tag_name: 'stays', ref: 'master' });
    expect(await api.delete(tagAt('nowhere'))).toMatchObject({ status: 404, body: { message: 'No such tag' } });
    expect((await world.api(reporter).delete(tagAt('stays'))).status).toBe(403);
    expect((await world.api().delete(tagAt('stays'))).status).toBe(401);
    expect((await world.api(await world.user()).delete(tagAt('stays'))).status).toBe(404);
    expect(tags()).toContain('stays');
  });
});

describe('Releases', () => {
  it('are created once and changed later', LONG, async () => {
    await api.post(`${at}/tags`, { tag_name: 'noted', ref: 'master' });
    const path = `${tagAt('noted')}/release`;
    expect(await api.put(path, { description: 'x' })).toMatchObject({
      status: 404,
      body: { message: 'Release does not exist' },
    });
    const created = await world.api(developer).post(path, { description: 'First' });
    expect([created.status, created.body]).toEqual([201, { tag_name: 'noted', description: 'First' }]);
    expect(await api.post(path, { description: 'Again' })).toMatchObject({
      status: 409,
      body: { message: 'Release already exists' },
    });
    const changed = await api.put(path, { description: 'Second' });
    expect([changed.status, changed.body]).toEqual([200, { tag_name: 'noted', description: 'Second' }]);
    expect((await api.get(tagAt('noted'))).body.release).toEqual({ tag_name: 'noted', description: 'Second' });
  });

  it('are created once when many ask at once', LONG, async () => {
    await api.post(`${at}/tags`, { tag_name: 'with/slash', ref: 'master' });
    const path = `${at}/tags/with/slash/release`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.post(path, { description: 'x' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it.each(['post', 'put'] as const)('%s refuses missing tags, missing notes and who may not push', async (verb) => {
    const path = `${tagAt('v1.0')}/release`;
    const given = { description: 'x' };
    expect(await api[verb](`${tagAt('nowhere')}/release`, given)).toMatchObject({
      status: 404,
      body: { message: 'Tag does not exist' },
    });
    expect(await api[verb](path, {})).toMatchObject({ status: 400, body: { error: 'description is missing' } });
    expect((await world.api(reporter)[verb](path, given)).status).toBe(403);
    expect((await world.api()[verb](path, given)).status).toBe(401);
    expect((await world.api(await world.user())[verb](path, given)).status).toBe(404);
    expect(await world.db.release.count({ where: { projectId: project.id, tag: 'v1.0' } })).toBe(0);
  });
});

describe('Tags', () => {
  it('are written through GraphQL by the same rules', async () => {
    const run = (name: string, type: string, input: Json, what: string, who = owner) =>
      world.graphql(
        `mutation ($input: ${type}!) { ${name}(input: $input) { ${what} } }`,
        { input: { project: project.id, ...input } },
        who,
      );
    const create = { name: 'via-graphql', ref: 'master', message: 'Said so' };
    const created = await run('createTag', 'CreateTagInput', create, 'tag { name message }');
    expect(created.body.data.createTag.tag).toEqual({ name: 'via-graphql', message: 'Said so' });
    const again = await run('createTag', 'CreateTagInput', create, 'tag { name }');
    expect(again.body.errors[0].extensions.code).toBe('CONFLICT');
    const notes = { tag: 'via-graphql', description: 'Notes' };
    const noted = await run('createRelease', 'CreateReleaseInput', notes, 'release { tagName description }');
    expect(noted.body.data.createRelease.release).toEqual({ tagName: 'via-graphql', description: 'Notes' });
    const twice = await run('createRelease', 'CreateReleaseInput', notes, 'release { tagName }');
    expect(twice.body.errors[0].extensions.code).toBe('CONFLICT');
    const changed = await run('updateRelease', 'UpdateReleaseInput', notes, 'release { description }');
    expect(changed.body.data.updateRelease.release).toEqual({ description: 'Notes' });
    const refused = await run('deleteTag', 'DeleteTagInput', { name: 'via-graphql' }, 'deletedTagName', reporter);
    expect(refused.body.errors[0].extensions.code).toBe('FORBIDDEN');
    const gone = await run('deleteTag', 'DeleteTagInput', { name: 'via-graphql' }, 'deletedTagName');
    expect(gone.body.data.deleteTag).toEqual({ deletedTagName: 'via-graphql' });
  });
});
