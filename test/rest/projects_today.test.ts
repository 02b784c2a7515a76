// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const api = world.api(owner);
const idsOf = (body: Json) => (body as { id: number }[]).map(({ id }) => id);

describe('The record of a project', () => {
  it('says where its parts are, and whether it has a branch', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const group = await world.group({ owner });
    await api.post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30, expires_at: '2999-01-02' });
    const { body } = await api.get(`/projects/${project.id}`);
    const self = `${world.url}/api/v4/projects/${project.id}`;
    expect(body).toMatchObject({
      empty_repo: true,
      build_timeout: 3600,
      updated_at: expect.stringMatching(/^\d{4}-/),
      shared_with_groups: [{ group_id: group.id, group_full_path: group.fullPath, expires_at: '2999-01-02' }],
      _links: {
        self,
        issues: `${self}/issues`,
        merge_requests: `${self}/merge_requests`,
        repo_branches: `${self}/repository/branches`,
        labels: `${self}/labels`,
        events: `${self}/events`,
        members: `${self}/members`,
      },
    });
    for (const link of Object.values(body._links as Record<string, string>))
      expect((await api.get(link.replace(`${world.url}/api/v4`, ''))).status).toBe(200);
    await api.put(`/projects/${project.id}`, { issues_enabled: false, merge_requests_enabled: false });
    await api.post(`/projects/${project.id}/repository/files/a`, { branch: 'b', content: 'x', commit_message: 'x' });
    const later = (await api.get(`/projects/${project.id}`)).body;
    expect([later.empty_repo, 'issues' in later._links, 'merge_requests' in later._links]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is short for anonymous callers and on request, with what clients of today read', async () => {
    const project = await world.project({ owner, visibility: 'public', tagList: ['one'] });
    const { body } = await world.api().get(`/projects/${project.id}`);
    expect(body).toMatchObject({ topics: ['one'], star_count: 0, namespace: { path: owner.username } });
    expect(
      (await api.get(`/projects?simple=true&id_after=${project.id - 1}&id_before=${project.id + 1}`)).body,
    ).toEqual([body]);
  });
});

describe('Lists of projects', () => {
  it('are paged behind the last record with `pagination=keyset`, in either direction', LONG, async () => {
    const person = await world.user();
    const group = await world.group({ owner: person });
    const made: number[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await world.project({ owner: person, namespaceId: group.id })).id);
    await world.project({ owner, visibility: 'public' });
    const own = world.api(person);
    for (const [path, sort, parameter] of [
      [`/groups/${group.id}/projects`, 'asc', 'id_after'],
      ['/projects', 'desc', 'id_before'],
    ] as const) {
      const seen: number[] = [];
      let next: string | null = `${path}?membership=true&pagination=keyset&order_by=id&sort=${sort}&per_page=2`;
      let pages = 0;
      while (next) {
        const { body, headers, status } = await own.get(next);
        expect(status).toBe(200);
        expect([headers['x-total'] ?? null, headers['x-page'] ?? null, headers['x-next-page'] ?? null]).toEqual([
          null,
          null,
          null,
        ]);
        seen.push(...idsOf(body));
        pages += 1;
        const link: string | null = (headers.link as string | undefined) ?? null;
        if (link) expect(link).toContain(`${parameter}=${seen.at(-1)}`);
        next = link && (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? '').replace(`${world.url}/api/v4`, '');
      }
      expect([pages, seen]).toEqual([3, sort === 'asc' ? made : made.toReversed()]);
    }
    expect((await own.get(`/users/${person.id}/projects?pagination=keyset&order_by=id`)).headers.link ?? null).toBe(
      null,
    );
  });

  it('have numbered pages in every other order', async () => {
    await world.project({ owner });
    const { headers } = await api.get('/projects?pagination=keyset&order_by=name&per_page=1');
    expect([headers['x-page'] ?? null, (headers['x-total'] ?? null) === null]).toEqual(['1', false]);
    expect((await api.get('/projects?pagination=keyset')).headers['x-page'] ?? null).toBe('1');
  });

  it('are filtered by the time of the last change in the order of that time alone', async () => {
    const person = await world.user();
    const [old, late] = [await world.project({ owner: person }), await world.project({ owner: person })];
    const at = async (id: number, updatedAt: string) =>
      world.db.$executeRaw`UPDATE projects SET updated_at = ${new Date(updatedAt)} WHERE id = ${id}`;
    await at(old.id, '2020-01-01T00:00:00Z');
    await at(late.id, '2021-01-01T00:00:00Z');
    const found = async (query: string) => idsOf((await world.api(person).get(`/projects?owned=true&${query}`)).body);
    expect(await found('order_by=updated_at&updated_after=2020-06-01T00:00:00Z')).toEqual([late.id]);
    expect(await found('order_by=updated_at&updated_before=2020-01-01T00:00:00Z')).toEqual([old.id]);
    expect(await api.get('/projects?updated_after=2020-06-01T00:00:00Z')).toMatchObject({
      status: 400,
      body: { message: '`updated_at` filter and `updated_at` sorting must be paired' },
    });
  });

  it('have the archived ones, the others, and those that the caller had imported', async () => {
    const person = await world.user();
    const [plain, archived, imported, foreign] = [
      await world.project({ owner: person }),
      await world.project({ owner: person }),
      await world.project({ owner: person }),
      await world.project({ owner, visibility: 'public' }),
    ];
    await world.db.project.update({ where: { id: archived.id }, data: { archived: true } });
    await world.db.project.updateMany({
      where: { id: { in: [imported.id, foreign.id] } },
      data: { importStatus: 'finished' },
    });
    const found = async (query: string) => idsOf((await world.api(person).get(`/projects?${query}&sort=asc`)).body);
    expect(await found('owned=true&active=true')).toEqual([plain.id, imported.id]);
    expect(await found('owned=true&active=false')).toEqual([archived.id]);
    expect(await found('imported=true')).toEqual([imported.id]);
    expect((await world.api().get('/projects?imported=true')).body).toEqual([]);
  });
});
