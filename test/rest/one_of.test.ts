import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { endpoints } from '../access/matrix.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const admin = await world.user({ admin: true });
const group = await world.group({ owner: admin });
const project = await world.project({ owner: admin, namespaceId: group.id });
const api = world.api(admin);

/** Parameters of which one names the record: whatever of them is sent, and however empty. */
const waysToSend = (names: readonly string[]): Record<string, unknown>[] => {
  const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
  return [{}, ...['', ' ', null, [], {}, 'x', 1].map(all), ...names.map((name) => ({ ...all(null), [name]: '' }))];
};

describe('Parameters of which exactly one is needed', () => {
  const choosing = [...endpoints].filter(([, { route }]) => route.alternatives !== undefined);

  it.each(choosing)('of %s are asked for where none or all of them are sent, and nothing fails', async (_key, one) => {
    const { alternatives = [], path, method } = one.route;
    const at = path.replace(':id', String(path.startsWith('/groups') ? group.id : project.id));
    for (const sent of waysToSend(alternatives)) {
      for (const other of [{}, { new_name: 'y', access_level: 30 }]) {
        const answer = await api[method.toLowerCase() as 'put' | 'post' | 'delete'](at, { ...other, ...sent });
        expect([answer.status, sent, answer.body]).toEqual([400, sent, { error: expect.any(String) }]);
      }
    }
  });

  it('name a label where the other one is sent empty', async () => {
    const { id, title } = await world.label(project, admin, 'one of two');
    const at = `/projects/${project.id}/labels`;
    for (const empty of ['', ' ', null]) {
      const byName = await api.put(at, { name: title, label_id: empty, color: '#112233' });
      const byId = await api.put(at, { name: empty, label_id: id, color: '#112233' });
      expect([byName, byId]).toMatchObject([
        { status: 200, body: { id } },
        { status: 200, body: { id } },
      ]);
    }
    expect(await api.put(at, { name: '', label_id: null, color: '#112233' })).toMatchObject({
      status: 400,
      body: { error: 'name is invalid' },
    });
  });
});

describe('Inputs with exactly one of their fields', () => {
  const types = Object.values(schema.getTypeMap()).filter((type) => isInputObjectType(type) && type.isOneOf);
  const operations = [
    ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ['mutation', field] as const),
    ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ['query', field] as const),
  ];

  /** The inputs of that kind within a type, by the path that leads to them: `label`; empty for the type itself. */
  function within(type: GraphQLInputType, path: readonly string[] = []): [path: readonly string[], names: string[]][] {
    const input = getNamedType(type);
    if (!isInputObjectType(input) || path.length > 3) return [];
    const fields = Object.values(input.getFields());
    if (input.isOneOf) reached.add(input.name);
    const own = fields.map(({ name }) => name);
    return [
      ...(input.isOneOf ? [[path, own] as [readonly string[], string[]]] : []),
      ...fields.flatMap((field) => within(field.type, [...path, field.name])),
    ];
  }
  const reached = new Set<string>();
  const cases = operations.flatMap(([kind, field]) =>
    field.args.flatMap((arg) =>
      within(arg.type).map(([path, names]) => ({
        at: `${field.name}(${[arg.name, ...path].join('.')})`,
        query: `${kind} ($v: ${arg.type}) { ${field.name}(${arg.name}: $v) { __typename } }`,
        path,
        names,
      })),
    ),
  );

  // Null is as good as none here: the token may be of anything, an award may be named by its ID, and a service account is of the server.
  const OPTIONAL = [
    'createServiceAccount(input.owner)',
    'rotateCurrentAccessToken(input.owner)',
    'takeAwardBack(input.on)',
  ];

  it('are all reached by the cases below, but those of subscriptions', () => {
    const others = types.map(({ name }) => name).filter((name) => !reached.has(name));
    expect(others.sort()).toEqual(['JobTraceScope', 'SubscriptionScope']);
  });

  it.each(cases)('$at: are refused empty, with all fields and with null, and nothing fails', async (one) => {
    const all = (value: unknown) => Object.fromEntries(one.names.map((name) => [name, value]));
    const none = OPTIONAL.includes(one.at) ? [] : [null];
    for (const sent of [{}, ...none, all('1'), all(null), { [one.names[0] ?? '']: null }]) {
      const v = one.path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), sent);
      const { body } = await world.graphql(one.query, { v }, admin);
      const codes = (body.errors ?? []).map((error: { extensions?: { code?: string } }) => error.extensions?.code);
      expect([sent, codes]).toEqual([sent, [expect.stringMatching(/VALIDATION_FAILED|BAD_USER_INPUT/)]]);
    }
  });
});
