// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { gitClient } from '../support/git_client.ts';
import { remotes } from '../support/git_remote.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const [owner, guest, outsider] = [await world.user(), await world.user(), await world.user()];
const { address, pushed } = remotes(world, owner);

describe('A feature for members alone', () => {
  it('is in the record of the project, with its switch on, and stays so until another level is set', async () => {
    const project = await world.project({ owner });
    const at = `/projects/${project.id}`;
    const api = world.api(owner);
    const put = async (change: object) => {
      const { status, body } = await api.put(at, change);
      expect(status).toBe(200);
      return [body.issues_enabled, body.issues_access_level];
    };
    expect(await put({ issues_access_level: 'private' })).toEqual([true, 'private']);
    expect(await put({ issues_enabled: true })).toEqual([true, 'private']);
    expect(await put({ wiki_access_level: 'private' })).toEqual([true, 'private']);
    expect(await put({ issues_enabled: false })).toEqual([false, 'disabled']);
    expect(await put({ issues_enabled: true })).toEqual([true, 'enabled']);
    expect(await put({ issues_enabled: false, issues_access_level: 'private' })).toEqual([true, 'private']);
    const { body } = await api.post('/projects', {
      name: world.unique('made'),
      snippets_access_level: 'private',
      repository_access_level: 'private',
    });
    expect(body).toMatchObject({
      snippets_enabled: true,
      snippets_access_level: 'private',
      repository_access_level: 'private',
      // Those show the repository.
      merge_requests_access_level: 'private',
      builds_access_level: 'private',
      issues_access_level: 'enabled',
    });
    expect((await api.put(at, { issues_access_level: 'public' })).status).toBe(400);
  });

  it('goes with a fork', async () => {
    const source = await world.project({ owner, visibility: 'public' });
    await world
      .api(owner)
      .put(`/projects/${source.id}`, { issues_access_level: 'private', wiki_access_level: 'disabled' });
    const { body } = await world
      .api(owner)
      .post(`/projects/${source.id}/fork`, { path: world.unique('fork'), name: world.unique('fork') });
    expect(body).toMatchObject({
      issues_access_level: 'private',
      wiki_access_level: 'disabled',
      builds_access_level: 'enabled',
    });
    await world.idle();
  });

  it('keeps merge requests and pipelines from those who do not see the repository', async () => {
    const project = await world.project({ owner });
    const levels = async (change: object) => {
      const { body } = await world.api(owner).put(`/projects/${project.id}`, change);
      return [body.repository_access_level, body.merge_requests_access_level, body.builds_access_level];
    };
    expect(await levels({ builds_access_level: 'disabled', repository_access_level: 'private' })).toEqual([
      'private',
      'private',
      'disabled',
    ]);
    expect(await levels({ merge_requests_access_level: 'enabled' })).toEqual(['private', 'private', 'disabled']);
    expect(await levels({ repository_access_level: 'disabled' })).toEqual(['disabled', 'disabled', 'disabled']);
    const open = { repository_access_level: 'enabled', merge_requests_access_level: 'enabled' };
    expect(await levels(open)).toEqual(['enabled', 'enabled', 'disabled']);
  });

  it('shows an outsider nothing of issues, and a guest what it showed before', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    await world.member(project, guest, 'guest');
    await world.issue(project, owner, { title: 'Numbat sighted' });
    const at = `/projects/${project.id}`;
    await world.api(owner).put(at, { issues_access_level: 'private' });
    const found = async (who: typeof guest) => {
      const api = world.api(who);
      const [one, all, searched] = [
        await api.get(`${at}/issues`),
        await api.get('/issues?scope=all&search=Numbat'),
        await api.get('/search?scope=issues&search=Numbat'),
      ];
      const { body: record } = await api.get(at);
      return [one.body.length, all.body.length, searched.body.length, record.open_issues_count];
    };
    expect(await found(guest)).toEqual([1, 1, 1, 1]);
    expect((await found(outsider)).slice(1)).toEqual([0, 0, undefined]);
    expect((await world.api(outsider).get(`${at}/issues/1`)).status).toBe(404);
  });

  it('is not cloned by others where it is the repository', async () => {
    const { project, work } = await pushed('public');
    const listed = (who?: typeof guest) => gitClient(work, 'ls-remote', address(project, who));
    for (const who of [undefined, outsider]) expect((await listed(who)).code).toBe(0);
    const member = await world.user();
    await world.member(project, member, 'reporter');
    await world.api(owner).put(`/projects/${project.id}`, { repository_access_level: 'private' });
    for (const who of [undefined, outsider]) expect((await listed(who)).code).not.toBe(0);
    for (const who of [member, owner]) expect((await listed(who)).code).toBe(0);
    await world.api(owner).put(`/projects/${project.id}`, { repository_access_level: 'disabled' });
    expect((await listed(owner)).code).not.toBe(0);
  });
});
