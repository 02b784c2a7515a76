// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const api = world.api(owner);
const link = 'https://example.org/%{project_path}/%{project_id}';
const image = 'https://%{gitlab_server}/%{default_branch}.svg?sha=%{commit_sha}';
const urls = { link_url: link, image_url: image };

describe('Badges of projects', () => {
  it('are created, shown with values for their placeholders, changed and deleted', LONG, async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const at = `/projects/${project.id}/badges`;
    const { status, body } = await api.post(at, { ...urls, name: 'build' });
    expect(status).toBe(201);
    const host = new URL(world.url).hostname;
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'build',
      ...urls,
      rendered_link_url: `https://example.org/${project.fullPath}/${project.id}`,
      rendered_image_url: `https://${host}/%{default_branch}.svg?sha=%{commit_sha}`,
      kind: 'project',
    });
    const file = { branch: 'a#b', content: 'x', commit_message: 'First' };
    await api.post(`/projects/${project.id}/repository/files/a`, file);
    const [commit] = (await api.get(`/projects/${project.id}/repository/commits`)).body;
    const rendered = `https://${host}/a%23b.svg?sha=${commit.id}`;
    expect((await world.api().get(`${at}/${body.id}`)).body).toEqual({ ...body, rendered_image_url: rendered });
    expect((await api.put(`${at}/${body.id}`, { name: 'other' })).body).toMatchObject({ name: 'other', ...urls });
    expect((await api.delete(`${at}/${body.id}`)).status).toBe(204);
    expect(await api.get(`${at}/${body.id}`)).toMatchObject({ status: 404, body: { message: '404 Badge Not Found' } });
  });

  it('come with those of the groups around, which are changed in the group alone', LONG, async () => {
    const top = await world.group({ owner, visibility: 'public' });
    const inner = await world.group({ owner, parentId: top.id, visibility: 'public' });
    const project = await world.project({ owner, namespaceId: inner.id, visibility: 'public' });
    const elsewhere = await world.project({ owner });
    await api.post(`/projects/${elsewhere.id}/badges`, urls);
    const ofTop = (await api.post(`/groups/${top.id}/badges`, { ...urls, name: 'Top' })).body;
    const own = (await api.post(`/projects/${project.id}/badges`, { ...urls, name: 'top' })).body;
    const ids = async (path: string) => (await api.get(path)).body.map(({ id }: Json) => id);
    expect(await ids(`/projects/${project.id}/badges`)).toEqual([ofTop.id, own.id]);
    expect(await ids(`/projects/${project.id}/badges?name=Top`)).toEqual([ofTop.id]);
    expect(await ids(`/groups/${top.id}/badges`)).toEqual([ofTop.id]);
    expect(await ids(`/groups/${inner.id}/badges`)).toEqual([]);
    expect(ofTop).toMatchObject({
      kind: 'group',
      rendered_link_url: `https://example.org/${project.fullPath}/${project.id}`,
    });
    expect((await api.get(`/projects/${project.id}/badges/${ofTop.id}`)).body.kind).toBe('group');
    expect((await api.put(`/projects/${project.id}/badges/${ofTop.id}`, { name: 'x' })).status).toBe(404);
    expect((await api.delete(`/projects/${project.id}/badges/${ofTop.id}`)).status).toBe(404);
    expect((await api.get(`/projects/${elsewhere.id}/badges/${own.id}`)).status).toBe(404);
  });

  it('do not tell of projects that the caller cannot see', async () => {
    const group = await world.group({ owner, visibility: 'public' });
    await world.project({ owner, namespaceId: group.id });
    await api.post(`/groups/${group.id}/badges`, urls);
    const [badge] = (await world.api(guest).get(`/groups/${group.id}/badges`)).body;
    expect(badge.rendered_link_url).toBe(link);
    const project = await world.project({ owner });
    await world.member(project, guest, 'guest');
    await api.post(`/projects/${project.id}/repository/files/a`, { branch: 'main', content: 'x', commit_message: 'x' });
    await api.post(`/projects/${project.id}/badges`, { ...urls, image_url: 'https://a/%{default_branch}' });
    const [seen] = (await world.api(guest).get(`/projects/${project.id}/badges`)).body;
    expect(seen.rendered_image_url).toBe('https://a/%{default_branch}');
  });

  it('have addresses over HTTP or HTTPS', async () => {
    const project = await world.project({ owner });
    for (const link_url of ['javascript:alert(1)', 'ftp://example.org', 'no url', '%{project_path}', 'https://']) {
      expect((await api.post(`/projects/${project.id}/badges`, { ...urls, link_url })).body).toEqual({
        message: { link_url: ['must be a valid URL'] },
      });
    }
    expect(await world.db.badge.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('are tried before they are created', async () => {
    const project = await world.project({ owner });
    const query = new URLSearchParams({ link_url: link, image_url: 'http://a/%{project_name}/%{unknown}' });
    expect((await api.get(`/projects/${project.id}/badges/render?${query}`)).body).toEqual({
      name: null,
      link_url: link,
      image_url: 'http://a/%{project_name}/%{unknown}',
      rendered_link_url: `https://example.org/${project.fullPath}/${project.id}`,
      rendered_image_url: `http://a/${project.path}/%{unknown}`,
    });
    expect((await api.get(`/projects/${project.id}/badges/render?link_url=x&image_url=x`)).status).toBe(400);
    await world.member(project, guest, 'developer');
    expect((await world.api(guest).get(`/projects/${project.id}/badges/render?${query}`)).status).toBe(403);
  });
});
