// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { graphqlForm, sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const api = world.api(owner);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

function form(file: File | string, more: Record<string, string> = {}) {
  const made = new FormData();
  for (const [name, value] of Object.entries(more)) made.append(name, value);
  made.append('avatar', file);
  return made;
}

const picture = () => new File([PNG], 'logo.png');
const put = (id: number, sent: FormData, who = owner) => sendForm(world, `/api/v4/projects/${id}`, sent, who, 'PUT');
const load = (url: string) => fetch(url.startsWith('http') ? url : world.url + url);

describe('The picture of a project', () => {
  it('is uploaded, shown in its record, served and removed', async () => {
    const project = await world.project({ owner, visibility: 'public' });
    const { status, body } = await put(project.id, form(picture(), { description: 'With a picture' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      description: 'With a picture',
      avatar_url: expect.stringMatching(`/uploads/-/system/project/avatar/${project.id}/[0-9a-f]{32}\\.png$`),
    });
    const shown = await load(new URL(body.avatar_url).pathname);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(PNG);
    const saved = await load(`/api/v4/projects/${project.id}/avatar`);
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="[0-9a-f]{32}\.png"$/);
    expect(Buffer.from(await saved.arrayBuffer())).toEqual(PNG);
    expect((await api.put(`/projects/${project.id}`, { name: 'Renamed' })).body.avatar_url).toBe(body.avatar_url);
    expect((await put(project.id, form(''))).body.avatar_url).toBeNull();
    expect((await load(new URL(body.avatar_url).pathname)).status).toBe(404);
    expect(await world.api().get(`/projects/${project.id}/avatar`)).toMatchObject({
      status: 404,
      body: { message: '404 Avatar Not Found' },
    });
  });

  it('comes with a new project, too', async () => {
    const { status, body } = await sendForm(
      world,
      '/api/v4/projects',
      form(picture(), { name: world.unique('pictured') }),
      owner,
    );
    expect([status, typeof body.avatar_url]).toEqual([201, 'string']);
    const none = await api.post('/projects', { name: world.unique('plain') });
    expect([none.status, none.body.avatar_url]).toEqual([201, null]);
  });

  it('is removed by null in JSON', async () => {
    const project = await world.project({ owner });
    await put(project.id, form(picture()));
    expect((await api.put(`/projects/${project.id}`, { avatar: null })).body.avatar_url).toBeNull();
    expect(await world.db.projectAvatar.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('must be a picture of at most 200 KB', async () => {
    const project = await world.project({ owner });
    const large = new File([PNG, Buffer.alloc(200 * 1024)], 'large.png');
    for (const [file, message] of [
      [large, 'is too large (maximum is 200 KB)'],
      [new File(['<svg/>'], 'a.png'), 'must be a PNG, JPEG, GIF or WebP image'],
    ] as const) {
      expect(await put(project.id, form(file))).toEqual({ status: 400, body: { message: { avatar: [message] } } });
    }
    expect((await api.get(`/projects/${project.id}`)).body.avatar_url).toBeNull();
  });

  it('is changed by masters alone, and read by whoever sees the project', async () => {
    const project = await world.project({ owner });
    await world.member(project, developer, 'developer');
    expect((await put(project.id, form(picture()), developer)).status).toBe(403);
    await put(project.id, form(picture()));
    expect((await world.api(developer).get(`/projects/${project.id}`)).body.avatar_url).toContain('/avatar/');
    expect((await load(`/api/v4/projects/${project.id}/avatar`)).status).toBe(404);
  });

  it('is uploaded through GraphQL, too', async () => {
    const project = await world.project({ owner });
    const query = `mutation($avatar: Upload!) { updateProject(input: { project: ${project.id}, avatar: $avatar }) { project { avatarUrl } } }`;
    const { body } = await sendForm(
      world,
      '/graphql',
      graphqlForm(query, { avatar: null }, 'avatar', picture()),
      owner,
    );
    expect(body.data.updateProject.project.avatarUrl).toContain(`/project/avatar/${project.id}/`);
  });
});
