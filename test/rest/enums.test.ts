import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { snakeCase } from '#rest/engine/coerce.ts';
import type { Endpoint } from '#rest/engine/compile.ts';
import { schema } from '#schema/index.ts';
import { endpoints } from '../access/matrix.ts';
import { everyNth } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const logged: Record<string, unknown>[] = [];
const world = await startWorld({ log: (line) => void (Number(line.level) >= 50 && logged.push(line)) });
const admin = await world.user({ admin: true });
const group = await world.group({ owner: admin, visibility: 'public' });
const project = await world.project({ owner: admin, namespaceId: group.id, visibility: 'public' });
const api = world.api(admin);
await api.post(`/projects/${project.id}/repository/commits`, {
  branch: 'main',
  commit_message: 'Begin',
  actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
});

/** What no word of an enum is. */
const ODD: readonly unknown[] = ['', ' ', null, 7, 0.5, true, 'no_such_word', [], [''], [null], [7], {}, { a: 1 }];

type Keys = readonly string[];

/** Where the enums of a type are, as keys from a value of it; `[]` is each value of a list. */
function placesOf(type: GraphQLInputType, spelled: (name: string) => string, depth = 0): Keys[] {
  const bare = getNullableType(type);
  if (isListType(bare)) return placesOf(bare.ofType, spelled, depth).map((keys) => ['[]', ...keys]);
  if (isEnumType(bare)) return [[]];
  if (!isInputObjectType(bare) || depth > 3) return [];
  return Object.values(bare.getFields()).flatMap((field) =>
    placesOf(field.type, spelled, depth + 1).map((keys) => [spelled(field.name), ...keys]),
  );
}

/** A value of a type that could be good, with the odd value where the keys lead to. */
function valueWith(
  type: GraphQLInputType,
  keys: Keys | null,
  odd: unknown,
  spelled: (name: string) => string,
): unknown {
  if (keys?.length === 0) return odd;
  const bare = getNullableType(type);
  if (isListType(bare)) return [valueWith(bare.ofType, keys?.slice(1) ?? null, odd, spelled)];
  if (isInputObjectType(bare)) {
    const fields = Object.values(bare.getFields()).flatMap((field) => {
      const name = spelled(field.name);
      const isThere = keys?.[0] === name;
      if (!isThere && !isNonNullType(field.type)) return [];
      return [[name, valueWith(field.type, isThere ? keys.slice(1) : null, odd, spelled)] as const];
    });
    return Object.fromEntries(fields);
  }
  if (isEnumType(bare)) return spelled === snakeCase ? bare.getValues()[0]?.value : bare.getValues()[0]?.name;
  const { name } = getNamedType(bare);
  if (name === 'ProjectRef') return project.id;
  if (name === 'GroupRef' || name === 'NamespaceRef') return group.fullPath;
  if (name === 'Int' || name === 'Float' || name === 'ID') return 999_999;
  if (name === 'Boolean') return true;
  return name.startsWith('Date') ? '2031-01-01' : 'main';
}

async function tellOfRoute(key: string, { route, parameters }: Endpoint): Promise<void> {
  const failed: string[] = [];
  const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  for (const parameter of parameters) {
    for (const keys of placesOf(parameter.type, snakeCase)) {
      for (const odd of ODD) {
        const given = Object.fromEntries(
          parameters.flatMap(({ name, type, required }) => {
            if (name === parameter.name) return [[name, valueWith(type, keys, odd, snakeCase)]];
            return required ? [[name, valueWith(type, null, odd, snakeCase)]] : [];
          }),
        );
        const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
          const value = given[name];
          delete given[name];
          return encodeURIComponent(typeof value === 'object' ? 'x' : String(value || 'x'));
        });
        const text = typeof odd === 'object' && odd !== null ? JSON.stringify(odd) : String(odd ?? '');
        const query = new URLSearchParams({ [parameter.name]: text });
        const { status } = await (method === 'get' ? api.get(`${path}?${query}`) : api[method](path, given));
        if (status >= 500) failed.push(`${parameter.name}.${keys.join('.')} ${JSON.stringify(odd)}: ${status}`);
      }
    }
  }
  expect([key, failed]).toEqual([key, []]);
}

const withEnums = [...endpoints].filter(([, { parameters }]) =>
  parameters.some(({ type }) => placesOf(type, snakeCase).length > 0),
);

const same = (name: string) => name;
const fields = [
  ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ['mutation', field] as const),
  ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ['query', field] as const),
].flatMap(([kind, field]) =>
  field.args.flatMap((arg) => placesOf(arg.type, same).map((keys) => ({ kind, field, arg, keys }))),
);

/** The fewest fields that select something of a type. */
function selectionOf({ type }: GraphQLField<unknown, unknown>): string {
  const named = getNamedType(type);
  return isObjectType(named) || 'getFields' in named ? '{ __typename }' : '';
}

describe('A word that an enum does not have', () => {
  for (const [options, some] of everyNth(18, withEnums)) it.each(some)('is no failure of %s', options, tellOfRoute);

  it('is looked for in records of parameters, too', () => {
    const nested = withEnums.flatMap(([key, { parameters }]) =>
      parameters.flatMap(({ name, type }) =>
        placesOf(type, snakeCase).flatMap((keys) => (keys.length > 1 ? [`${key} ${name} ${keys.join('.')}`] : [])),
      ),
    );
    expect(nested).toContain('POST /projects/:id/repository/commits actions [].action');
  });

  const places = fields.map(
    (one) => [`${one.kind} ${one.field.name}(${[one.arg.name, ...one.keys].join('.')})`, one] as const,
  );
  const refuses = async (place: string, { kind, field, arg, keys }: (typeof fields)[number]) => {
    const failed: string[] = [];
    const others = field.args.filter((other) => other !== arg && isNonNullType(other.type));
    const declared = [arg, ...others].map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const passed = [arg, ...others].map(({ name }) => `${name}: $${name}`).join(', ');
    const document = `${kind} Odd(${declared}) { ${field.name}(${passed}) ${selectionOf(field)} }`;
    for (const odd of ODD) {
      const variables = Object.fromEntries([
        [arg.name, valueWith(arg.type, keys, odd, same)],
        ...others.map(({ name, type }) => [name, valueWith(type, null, odd, same)]),
      ]);
      const { status, body } = await world.graphql(document, variables, admin);
      const codes = (body.errors ?? []).map((error: { extensions: { code: string } }) => error.extensions.code);
      if (status >= 500 || codes.includes('INTERNAL_SERVER_ERROR') || codes.includes(undefined)) {
        failed.push(`${JSON.stringify(odd)}: ${status} ${codes}`);
      }
    }
    expect([place, failed]).toEqual([place, []]);
  };
  for (const [options, some] of everyNth(18, places)) {
    it.each(some)('is refused or nothing, and no failure: %s', options, refuses);
  }

  it('leaves no error in the log', () => {
    expect(logged).toEqual([]);
  });
});

describe('An action of a commit', () => {
  const commit = (action: unknown) =>
    api.post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Change',
      actions: [{ action, file_path: 'b.txt', content: 'b' }],
    });

  it.each(['', ' ', null])('that is blank is unknown: %j', async (blank) => {
    const { status, body } = await commit(blank);
    expect([status, body]).toEqual([400, { message: 'Unknown action type ``.' }]);
  });

  it('that is a number is unknown, and a list is none', async () => {
    expect(await commit(7)).toMatchObject({ status: 400, body: { message: 'Unknown action type `7`.' } });
    expect(await commit(['create'])).toMatchObject({ status: 400, body: { error: 'actions is invalid' } });
    expect((await api.get(`/projects/${project.id}/repository/files/b.txt?ref=main`)).status).toBe(404);
  });
});
