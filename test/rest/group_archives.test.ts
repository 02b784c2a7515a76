import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { expireGroupExports } from '#src/domain/group_archives/export.ts';
import { cleanUpGroupImports } from '#src/domain/group_archives/import.ts';
import { groupExportsStore, groupImportsStore } from '#src/domain/uploads/archives.ts';
import { git } from '../support/git_program.ts';
import { archiveState, downloadGroup, exportedGroup, importedGroup, sendGroup } from '../support/group_archives.ts';
import type { Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { PNG, packed, records, unpacked } from '../support/project_archives.ts';
import { sendForm } from '../support/upload.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const developer = await world.user();
const admin = await world.user({ admin: true });
const stranger = await world.user();

/** Requires that a request succeeds. */
async function done(answer: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await answer;
  expect([status < 300, body]).toEqual([true, expect.anything()]);
  return body;
}

/** A group with a group in it that has one in it, each with something of everything that an archive has. */
async function richGroup(): Promise<{ id: number; fullPath: string }> {
  const api = world.api(owner);
  const top = await world.group({ owner, visibility: 'public' });
  const at = `/groups/${top.id}`;
  await done(
    api.put(at, { description: 'All of it', request_access_enabled: true, project_creation_level: 'developer' }),
  );
  const form = new FormData();
  form.append('avatar', new File([PNG], 'logo.png'));
  await done(sendForm(world, `/api/v4${at}`, form, owner, 'PUT'));
  const label = await done(api.post(`${at}/labels`, { name: 'bug', color: '#ff0000', description: 'Broken' }));
  await done(api.post(`${at}/milestones`, { title: 'First', due_date: '2027-01-31' }));
  const closed = await done(api.post(`${at}/milestones`, { title: 'Second' }));
  await done(api.put(`${at}/milestones/${closed.id}`, { state_event: 'close' }));
  const board = await done(api.post(`${at}/boards`, { name: 'Work' }));
  await done(api.post(`${at}/boards/${board.id}/lists`, { label_id: label.id }));
  await done(
    api.post(`${at}/badges`, {
      link_url: 'https://example.org/%{project_path}',
      image_url: 'https://example.org/b.svg',
    }),
  );
  await done(api.post(`${at}/members`, { user_id: developer.id, access_level: 30, expires_at: '2099-01-01' }));
  await done(api.post(`${at}/wikis`, { title: 'Home', content: 'Welcome' }));
  await done(api.post(`${at}/variables`, { key: 'SECRET_KEY', value: 'never told' }));
  await done(api.post(`${at}/hooks`, { url: 'https://user:word@hooks.example.org/secret/path?token=secret' }));
  await done(world.api(admin).put(`${at}/custom_attributes/cost`, { value: '17' }));
  const inner = await done(
    api.post('/groups', { name: 'Inner', path: 'inner', parent_id: top.id, visibility: 'internal' }),
  );
  await done(api.post(`/groups/${inner.id}/labels`, { name: 'small', color: '#00ff00' }));
  const deep = await done(
    api.post('/groups', { name: 'Deep', path: 'deep', parent_id: inner.id, visibility: 'private' }),
  );
  await done(api.post(`/groups/${deep.id}/milestones`, { title: 'Down here' }));
  await done(api.post(`/groups/${deep.id}/members`, { user_id: developer.id, access_level: 40 }));
  await world.project({ owner, namespaceId: inner.id });
  return top;
}

/** What the lists of a group tell, without what is another's there: IDs, addresses, and when. */
async function told(id: number): Promise<Json> {
  const api = world.api(admin);
  const { body } = await api.get(`/groups/${id}`);
  const settings = ['description', 'visibility', 'request_access_enabled', 'project_creation_level', 'lfs_enabled'];
  const lists = ['labels', 'milestones', 'boards', 'badges', 'members', 'custom_attributes', 'wikis?with_content=1'];
  const found = await Promise.all(lists.map(async (list) => [list, (await api.get(`/groups/${id}/${list}`)).body]));
  const pick = settings.map((name) => [name, body[name]]);
  return plain({ ...Object.fromEntries(pick), ...Object.fromEntries(found), avatar: body.avatar_url !== null });
}

function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const gone = /(^|_)id$|_url$|^(created_at|updated_at|created_by|group|rendered_.*|web_url|membership_state)$/;
  return Object.fromEntries(Object.entries(value).flatMap(([key, one]) => (gone.test(key) ? [] : [[key, plain(one)]])));
}

const child = async (id: number) => (await world.api(admin).get(`/groups/${id}/subgroups`)).body[0];

let source: { id: number; fullPath: string };
/** Of the administrator, with addresses of mail; and of the owner, without. */
let whole: Buffer;
let own: Buffer;

beforeAll(async () => {
  source = await richGroup();
  whole = await exportedGroup(world, admin, source);
  own = await exportedGroup(world, owner, source);
});

describe('Exporting a group', () => {
  it('makes an archive of it and the groups in it, with no secret in it', async () => {
    const directory = unpacked(own);
    expect(JSON.parse(readFileSync(path.join(directory, 'version.json'), 'utf8'))).toEqual({
      format: 'gantry-group',
      version: 1,
    });
    expect(records(directory, 'groups').map(({ path: name, parent_id }) => [name, parent_id !== null])).toEqual([
      [source.fullPath, false],
      ['inner', true],
      ['deep', true],
    ]);
    expect(records(directory, 'left_out').map(({ kind, name }) => [kind, name])).toEqual([
      ['variable', 'SECRET_KEY'],
      ['webhook', 'hooks.example.org'],
    ]);
    expect(readFileSync(path.join(directory, 'avatars', String(source.id)))).toEqual(PNG);
    expect(readdirSync(path.join(directory, 'wikis'))).toEqual([`${source.id}.bundle`]);
    for (const name of readdirSync(path.join(directory, 'tree'))) {
      const text = readFileSync(path.join(directory, 'tree', name), 'utf8');
      expect([name, text]).toEqual([name, expect.not.stringMatching(/never told|word@|secret\/path/)]);
    }
    rmSync(directory, { recursive: true });
  });

  it('has custom attributes and addresses of mail for administrators alone', async () => {
    const [ofAdmin, ofOwner] = [unpacked(whole), unpacked(own)];
    expect(records(ofAdmin, 'custom_attributes')).toMatchObject([{ key: 'cost', value: '17' }]);
    expect(existsSync(path.join(ofOwner, 'tree', 'custom_attributes.ndjson'))).toBe(false);
    const email = (directory: string) => records(directory, 'users').find(({ id }) => id === developer.id)?.email;
    expect([email(ofAdmin), email(ofOwner)]).toEqual([`${developer.username}@example.org`, null]);
    for (const place of [ofAdmin, ofOwner]) rmSync(place, { recursive: true });
  });

  it('is an export of the caller alone, and is gone after a day', LONG, async () => {
    const group = await world.group({ owner });
    await world.member(group, developer, 'master');
    expect((await downloadGroup(world, owner, group.id)).status).toBe(404);
    await exportedGroup(world, owner, group);
    expect((await downloadGroup(world, admin, group.id)).status).toBe(404);
    expect((await world.api(developer).post(`/groups/${group.id}/export`)).status).toBe(403);
    expect((await downloadGroup(world, developer, group.id)).status).toBe(403);
    const where = { groupId: group.id };
    await world.db.groupExport.updateMany({ where, data: { finishedAt: new Date(Date.now() - 25 * 3_600_000) } });
    await expireGroupExports(world);
    expect(await (await downloadGroup(world, owner, group.id)).json()).toEqual({
      message: '404 Not found or has expired',
    });
    const left = [];
    for await (const { projectId } of groupExportsStore(world).list()) left.push(projectId);
    expect(left).not.toContain(group.id);
  });

  it('is refused with 429 to those who ask again and again', async () => {
    const eager = await world.user();
    const group = await world.group({ owner: eager });
    const answers = [];
    for (let time = 0; time < 7; time++)
      answers.push((await world.api(eager).post(`/groups/${group.id}/export`)).status);
    expect(answers).toEqual([202, 202, 202, 202, 202, 202, 429]);
  });
});

describe('Importing a group', () => {
  it('gives an administrator every record as it was, within what the parent allows', LONG, async () => {
    const parent = await world.group({ owner: admin, visibility: 'public' });
    const made = await importedGroup(world, admin, { archive: whole, path: 'copy', parent: parent.id });
    expect(made).toMatchObject({ status: 'FINISHED', error: null, visibility: 'PUBLIC' });
    expect(made.leftOut).toEqual([
      { groupPath: `${parent.fullPath}/copy`, kind: 'VARIABLE', name: 'SECRET_KEY' },
      { groupPath: `${parent.fullPath}/copy`, kind: 'WEBHOOK', name: 'hooks.example.org' },
    ]);
    const [before, after] = [await told(source.id), await told(made.id)];
    // The importer owns the new one; the owner comes along as one.
    const members = (list: Json) => list.filter(({ username }: Json) => username !== admin.username);
    after.members = members(after.members);
    expect(after).toEqual(before);
    const [inner, innerBefore] = [await child(made.id), await child(source.id)];
    // Who is an owner already does not become one again in the groups in it.
    const noOwners = ({ members: list, ...rest }: Json) => ({
      ...rest,
      members: list.filter((one: Json) => one.access_level < 50),
    });
    expect(noOwners(await told(inner.id))).toEqual(noOwners(await told(innerBefore.id)));
    const [deep, deepBefore] = [await child(inner.id), await child(innerBefore.id)];
    expect(deep).toMatchObject({
      full_path: `${parent.fullPath}/copy/inner/deep`,
      full_name: expect.stringMatching(/Deep$/),
    });
    expect(noOwners(await told(deep.id))).toEqual(noOwners(await told(deepBefore.id)));
    expect((await world.api(admin).get(`/groups/${made.id}/projects?include_subgroups=true`)).body).toEqual([]);
    const [board] = (await world.api(admin).get(`/groups/${made.id}/boards`)).body;
    expect(board.lists.map(({ label }: Json) => label.name)).toEqual(['bug']);
    const directory = world.repositories.directory({
      id: made.id,
      repositoryStorage: 'default',
      owner: 'group',
      wiki: true,
    });
    expect(git(directory, ['show', 'HEAD:Home.md'])).toBe('Welcome');
    expect((await world.api(admin).post(`/groups/${made.id}/milestones`, { title: 'Third' })).body.iid).toBe(3);
  });

  it(
    'makes nothing visible at the top, and members of those alone whose address the importer knows',
    LONG,
    async () => {
      const made = await importedGroup(world, stranger, { archive: whole, path: world.unique('at-the-top') });
      expect(made).toMatchObject({ status: 'FINISHED', visibility: 'PRIVATE' });
      expect((await child(made.id)).visibility).toBe('private');
      const members = async () =>
        (await world.api(stranger).get(`/groups/${made.id}/members`)).body.map(({ username, access_level }: Json) => [
          username,
          access_level,
        ]);
      expect(await members()).toEqual([[stranger.username, 50]]);
      // Administrators alone have custom attributes, and nobody smuggles them in.
      expect(await world.db.customAttribute.count({ where: { namespaceId: made.id } })).toBe(0);
    },
  );

  it('is for those who can create groups there', async () => {
    const parent = await world.group({ owner });
    await world.member(parent, developer, 'developer');
    const path = world.unique('refused');
    expect((await sendGroup(world, developer, { archive: own, path, parent: parent.id })).status).toBe(403);
    expect((await sendGroup(world, stranger, { archive: own, path, parent: parent.id })).status).toBe(404);
    const taken = await sendGroup(world, owner, { archive: own, path: source.fullPath });
    expect(taken).toEqual({
      status: 400,
      body: { message: 'Failed to save group {:path=>["has already been taken"]}' },
    });
    const plainText = Buffer.from('no archive');
    expect((await sendGroup(world, owner, { archive: plainText, path })).status).toBe(400);
    expect(await world.db.namespace.count({ where: { path } })).toBe(0);
    await cleanUpGroupImports(world);
  });

  /** What an import of an archive says whose unpacked files were changed. */
  async function refusal(change: (directory: string) => void): Promise<string> {
    const directory = unpacked(whole);
    // Each has turns of their own.
    const who = await world.user();
    change(directory);
    const made = await importedGroup(world, who, { archive: packed(directory), path: world.unique('evil') });
    rmSync(directory, { recursive: true });
    expect(made.status).toBe('FAILED');
    expect((await world.api(admin).get(`/groups/${made.id}/labels`)).body).toEqual([]);
    expect((await world.api(admin).get(`/groups/${made.id}/subgroups`)).body).toEqual([]);
    return made.error;
  }

  const rewrite = (kind: string, change: (record: Json) => Json) => (directory: string) => {
    const lines = records(directory, kind).map((record) => JSON.stringify(change(record)));
    writeFileSync(path.join(directory, 'tree', `${kind}.ndjson`), `${lines.join('\n')}\n`);
  };

  itEveryNth(6, [
    [
      'another format',
      (at: string) => writeFileSync(path.join(at, 'version.json'), '{"format":"gantry-project","version":1}'),
      /not one of a group/,
    ],
    [
      'a later version',
      (at: string) => writeFileSync(path.join(at, 'version.json'), '{"format":"gantry-group","version":9}'),
      /version 9/,
    ],
    ['a file that is none of it', (at: string) => writeFileSync(path.join(at, 'evil.sh'), 'x'), /evil\.sh/],
    [
      'a path that leads outside',
      rewrite('groups', (one) => ({ ...one, path: one.path === 'deep' ? '../up' : one.path })),
      /path/,
    ],
    [
      'a group in itself',
      rewrite('groups', (one) => (one.path === 'inner' ? { ...one, parent_id: one.id } : one)),
      /parent_id/,
    ],
    ['a group twice', rewrite('groups', (one) => ({ ...one, id: 7 })), /no ID of its own/],
    ['no groups', (at: string) => writeFileSync(path.join(at, 'tree/groups.ndjson'), ''), /no groups/],
    ['a level that there is not', rewrite('members', (one) => ({ ...one, access_level: 60 })), /access_level/],
    ['labels of a group elsewhere', rewrite('labels', (one) => ({ ...one, group_id: 1 })), /group_id/],
    [
      'a list of a group elsewhere',
      (at: string) => {
        const inner = records(at, 'groups')[1].id;
        rewrite('board_lists', (one) => ({ ...one, group_id: inner }))(at);
      },
      /another group/,
    ],
    ['a picture that is none', (at: string) => writeFileSync(path.join(at, 'avatars', String(source.id)), 'text'), /./],
    [
      'a wiki of a group that it lacks',
      (at: string) => {
        const bundle = readFileSync(path.join(at, 'wikis', `${source.id}.bundle`));
        writeFileSync(path.join(at, 'wikis', '99.bundle'), bundle);
      },
      /99 of groups/,
    ],
    ['a wiki that is none', (at: string) => writeFileSync(path.join(at, 'wikis', `${source.id}.bundle`), 'text'), /./],
    ['something else that it names', rewrite('left_out', (one) => ({ ...one, kind: 'password' })), /left_out/],
  ] as const)('is refused as a whole with %s', async (_what, change, message) => {
    expect(await refusal(change)).toMatch(message);
  });

  it('is refused with links, and with groups that are nested too deep', LONG, async () => {
    const links = unpacked(whole);
    rmSync(path.join(links, 'tree', 'labels.ndjson'));
    symlinkSync('/etc/passwd', path.join(links, 'tree', 'labels.ndjson'));
    const made = await importedGroup(world, admin, { archive: packed(links), path: world.unique('links') });
    expect(made.status).toBe('FAILED');
    const [deep] = [unpacked(whole)];
    const [top] = records(deep, 'groups');
    const nested = Array.from({ length: 21 }, (_, at) => ({
      ...top,
      id: at + 1,
      parent_id: at || null,
      path: `g${at}`,
    }));
    for (const name of readdirSync(path.join(deep, 'tree'))) rmSync(path.join(deep, 'tree', name));
    for (const name of ['wikis', 'avatars']) rmSync(path.join(deep, name), { recursive: true });
    writeFileSync(path.join(deep, 'tree', 'groups.ndjson'), nested.map((one) => JSON.stringify(one)).join('\n'));
    mkdirSync(path.join(deep, 'wikis'));
    const tooDeep = await importedGroup(world, stranger, { archive: packed(deep), path: world.unique('deep') });
    expect(tooDeep.error).toMatch(/more than 20 levels/);
    expect((await world.api(admin).get(`/groups/${tooDeep.id}/subgroups`)).body).toEqual([]);
  });

  it('leaves no archive behind, and tells those who do not own the group nothing but that it failed', async () => {
    const made = await importedGroup(world, owner, { archive: gzipSync(''), path: world.unique('empty') });
    expect(made).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/version\.json/) });
    const left = [];
    for await (const { secret } of groupImportsStore(world).list()) left.push(secret);
    expect(left).toEqual([]);
    await done(world.api(owner).post(`/groups/${made.id}/members`, { user_id: stranger.id, access_level: 30 }));
    expect((await archiveState(world, stranger, made.id)).import).toEqual({
      status: 'FAILED',
      error: null,
      leftOut: [],
    });
  });
});
