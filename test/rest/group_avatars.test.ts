// One part in depth, which the long run has.
// @module-tag long
import { describe, expect, it } from 'vitest';
import { PNG } from '../support/project_archives.ts';
import { graphqlForm, sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const master = await world.user();

function form(file: File | string, more: Record<string, string> = {}) {
  const made = new FormData();
  for (const [name, value] of Object.entries(more)) made.append(name, value);
  made.append('avatar', file);
  return made;
}

const picture = () => new File([PNG], 'logo.png');
const put = (id: number, sent: FormData, who = owner) => sendForm(world, `/api/v4/groups/${id}`, sent, who, 'PUT');
const load = (path: string, who = owner) => fetch(world.url + path, { headers: { 'PRIVATE-TOKEN': who.token } });

describe('The picture of a group', () => {
  it('is uploaded, shown wherever the group is, served and removed', async () => {
    const group = await world.group({ owner });
    const decoy = await world.group({ owner });
    const { status, body } = await put(group.id, form(picture(), { description: 'Pictured' }));
    const url = expect.stringMatching(`/uploads/-/system/group/avatar/${group.id}/[0-9a-f]{32}\\.png$`);
    expect([status, body]).toEqual([200, expect.objectContaining({ description: 'Pictured', avatar_url: url })]);
    const api = world.api(owner);
    const listed = (await api.get('/groups')).body.filter(({ id }: { id: number }) =>
      [group.id, decoy.id].includes(id),
    );
    const shown = listed.map(({ id, avatar_url }: { id: number; avatar_url: string | null }) => [id, avatar_url]);
    expect(shown).toEqual(
      expect.arrayContaining([
        [group.id, body.avatar_url],
        [decoy.id, null],
      ]),
    );
    expect((await api.get(`/namespaces/${group.id}`)).body.avatar_url).toBe(body.avatar_url);
    const served = await fetch(world.url + new URL(body.avatar_url).pathname);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(PNG);
    const saved = await load(`/api/v4/groups/${group.id}/avatar`);
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="[0-9a-f]{32}\.png"$/);
    expect(Buffer.from(await saved.arrayBuffer())).toEqual(PNG);
    expect((await put(group.id, form(''))).body.avatar_url).toBeNull();
    expect((await fetch(world.url + new URL(body.avatar_url).pathname)).status).toBe(404);
    expect(await api.get(`/groups/${group.id}/avatar`)).toMatchObject({
      status: 404,
      body: { message: '404 Avatar Not Found' },
    });
  });

  it('comes with a new group, too, over both APIs', async () => {
    const path = world.unique('pictured');
    const { status, body } = await sendForm(world, '/api/v4/groups', form(picture(), { name: path, path }), owner);
    expect([status, body.avatar_url]).toEqual([201, expect.stringMatching(/\.png$/)]);
    const query = 'mutation ($input: UpdateGroupInput!) { updateGroup(input: $input) { group { avatarUrl } } }';
    const input = { group: body.full_path, avatar: null };
    const sent = await sendForm(world, '/graphql', graphqlForm(query, { input }, 'input.avatar', picture()), owner);
    expect(sent.body.data.updateGroup.group.avatarUrl).toBe(body.avatar_url);
  });

  it('is an image of at most 200 KB, which owners set', async () => {
    const group = await world.group({ owner });
    await world.member(group, master, 'master');
    expect((await put(group.id, form(picture()), master)).status).toBe(403);
    expect((await put(group.id, form(new File(['<svg/>'], 'a.png')))).status).toBe(400);
    expect((await put(group.id, form(new File([PNG, new Uint8Array(200 * 1024)], 'a.png')))).status).toBe(400);
    expect((await world.api(owner).get(`/groups/${group.id}`)).body.avatar_url).toBeNull();
    expect(await world.db.groupAvatar.count({ where: { groupId: group.id } })).toBe(0);
    const stranger = await world.user();
    expect((await load(`/api/v4/groups/${group.id}/avatar`, stranger)).status).toBe(404);
  });
});
