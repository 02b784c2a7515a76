import { readFileSync } from 'node:fs';
import { isInterfaceType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { CONDITIONS, EXISTING_ROWS } from '#src/platform/errors.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const stranger = await world.user();
const admin = await world.user({ admin: true });
let group: GroupRow;
let hidden: ProjectRow;

beforeAll(async () => {
  group = await world.group({ owner, visibility: 'public' });
  // Like the next one only for a pattern, and made before it.
  await world.project({ owner, namespaceId: group.id, path: 'axb', name: 'axb', visibility: 'public' });
  hidden = await world.project({ owner, namespaceId: group.id, path: 'a_b', name: 'a_b', visibility: 'private' });
});

async function errorOf(name: string, input: object, who?: TestUser) {
  const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Input`;
  const { body } = await world.graphql(
    `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`,
    { input },
    who,
  );
  return body.errors[0];
}

describe('docs/graphql.md', () => {
  it('lists each condition with its code and meaning, and no other', () => {
    const text = readFileSync(packagePath('docs/graphql.md'), 'utf8');
    const [, section = ''] = text.split('### Errors by condition\n');
    const table = section.slice(0, section.indexOf('\n\nWhat is so already'));
    const rows = [...table.matchAll(/^\| ([a-z ]+) \| `([A-Z_]+)` \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    const told = Object.entries(CONDITIONS).map(([name, { code, meaning }]) => [
      name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      code,
      meaning,
    ]);
    expect(rows).toEqual(told);
  });
});

describe('What exists already', () => {
  it('is a node of the schema, wherever it is a row', () => {
    const types = EXISTING_ROWS.map((name) => schema.getType(name));
    const node = schema.getType('Node');
    expect(
      isInterfaceType(node) && types.every((type) => isObjectType(type) && type.getInterfaces().includes(node)),
    ).toBe(true);
  });

  it('is named to those who can see it, whatever the case and the wildcards in its name', async () => {
    for (const who of [owner, admin]) {
      const { extensions } = await errorOf('createProject', { name: 'A_B', path: 'A_B', namespace: group.id }, who);
      expect(extensions).toMatchObject({
        code: 'CONFLICT',
        fields: { 'input.name': ['has already been taken'], 'input.path': ['has already been taken'] },
        existing: { type: 'Project', id: toGlobalId('Project', hidden.id), path: hidden.fullPath },
      });
    }
  });

  it('is withheld from those who cannot see it, of which the error says only that it is taken', async () => {
    const secret = await world.group({ owner, visibility: 'private' });
    const open = await world.group({ owner, visibility: 'public' });
    const create = (path: string, who?: TestUser) => errorOf('createGroup', { name: 'Mine', path }, who);
    const taken = { code: 'CONFLICT', fields: { 'input.path': ['has already been taken'] } };
    expect((await create(secret.path, stranger)).extensions).toEqual(taken);
    const id = toGlobalId('Group', secret.id);
    expect((await create(secret.path, owner)).extensions).toMatchObject({ ...taken, existing: { type: 'Group', id } });
    expect((await create(open.path, stranger)).extensions.existing).toMatchObject({ path: open.fullPath });
  });

  it('is not told by a place that somebody may not write to, nor to visitors', async () => {
    const again = { name: hidden.name, path: hidden.path, namespace: group.id };
    for (const [who, code] of [
      [stranger, 'VALIDATION_FAILED'],
      [undefined, 'UNAUTHENTICATED'],
    ] as const) {
      const { message, extensions } = await errorOf('createProject', again, who);
      expect(extensions.code).toBe(code);
      expect(extensions.existing).toBeUndefined();
      expect(`${message} ${JSON.stringify(extensions)}`).not.toMatch(/taken|a_b/);
    }
    const signUp = {
      name: 'New',
      username: owner.username,
      email: 'new@example.com',
      password: 'a long new passphrase',
    };
    await world.db.applicationSettings.update({ where: { id: 1 }, data: { signupEnabled: true } });
    forgetSettings(world.db);
    const { extensions } = await errorOf('signUp', signUp);
    expect(extensions).toEqual({ code: 'CONFLICT', fields: { 'input.username': ['has already been taken'] } });
  });

  it('does not tell whose an address or a key is', async () => {
    const email = `${world.unique('address')}@example.com`;
    await world.db.email.create({ data: { userId: owner.id, email, confirmedAt: new Date() } });
    const { extensions } = await errorOf('createEmail', { email }, stranger);
    expect(extensions).toEqual({ code: 'CONFLICT', fields: { 'input.email': ['has already been taken'] } });
    const own = await errorOf('createEmail', { email }, owner);
    expect(own.extensions).toMatchObject({ code: 'CONFLICT', existing: { type: 'Email' } });
  });
});
