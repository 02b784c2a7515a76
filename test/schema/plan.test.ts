import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  getOperationAST,
  Kind,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { graphqlContext } from '#schema/context.ts';
import { schema } from '#schema/index.ts';
import { planOf } from '#schema/plan/known.ts';
import { Plan } from '#schema/plan/plan.ts';
import * as operations from '#src/generated/operations.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { randomFrom, randomQuery, type Values } from '../support/random_documents.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const other = await world.user({ admin: true });
const group = await world.group({ owner, visibility: 'public' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
const milestone = await world.milestone(project, owner);
const label = await world.label(project, owner);
for (let n = 0; n < 3; n++) {
  await world.issue(project, owner, { labels: [label.title], milestoneId: milestone.id, assigneeId: other.id });
}
const actions = [{ action: 'create', file_path: 'docs/a.txt', content: 'a' }];
const committed = await world.api(owner).post(`/projects/${project.id}/repository/commits`, {
  branch: 'main',
  commit_message: 'First',
  actions,
});
await world.api(owner).post(`/projects/${project.id}/statuses/${committed.body.id}`, { state: 'success' });
await world.idle();

const about = { baseUrl: 'http://gantry.test', ssh: null, version: '1', revision: '1', avatars: true };
const planned = (document: DocumentNode) => {
  const operation = getOperationAST(document);
  return operation ? Plan.of(schema, document, operation) : null;
};
/** @param isSlow whether repositories are found a moment later, as on a busy disk */
const contextOf = (who: TestUser | null, isSlow = false) => {
  const actor = who?.actor ?? null;
  return graphqlContext({ ...world.as(owner), actor, ...(isSlow && { repositories: slowRepositories }) }, about);
};
const slowRepositories = new Proxy(world.repositories, {
  get(store, name) {
    const value = Reflect.get(store, name, store);
    if (name === 'open')
      return (...args: Parameters<typeof store.open>) => setImmediate().then(() => store.open(...args));
    return typeof value === 'function' ? value.bind(store) : value;
  },
});

/** What clients are told; several errors come in no order that anybody may rely on. */
function told({ data, errors = [] }: ExecutionResult): { data: unknown; errors: string[] } {
  const texts = errors.map((error: GraphQLError) => JSON.stringify(error));
  // Others write to the disk, too.
  const same = (key: string, value: unknown) => (key === 'freeSpace' && value !== null ? 'free' : value);
  return { data: JSON.parse(JSON.stringify(data ?? null, same)), errors: texts.sort() };
}

async function both(
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  who: TestUser | null,
  isSlow = false,
) {
  const plan = planned(document);
  expect(plan).not.toBeNull();
  const expected = await execute({ schema, document, variableValues, contextValue: contextOf(who, isSlow) });
  const answer = await plan?.execute(variableValues, contextOf(who, isSlow));
  return { expected: told(expected as ExecutionResult), answer: told(answer as ExecutionResult) };
}

/**
 * What both answer. Of several errors that each take the whole answer, the one that comes first is told, and which is first
 * database and disk decide: such a document is asked for again, with a slow disk every other time, until both have told the same.
 */
async function agreed(document: DocumentNode, variables: Record<string, unknown>, who: TestUser | null, text: string) {
  const seen = { expected: new Set<string>(), answer: new Set<string>() };
  for (let attempt = 1; ; attempt++) {
    const { expected, answer } = await both(document, variables, who, attempt % 2 === 0);
    seen.expected.add(JSON.stringify(expected));
    seen.answer.add(JSON.stringify(answer));
    if ([...seen.answer].some((one) => seen.expected.has(one))) return expected;
    const isRace = [expected, answer].every(({ errors }) => errors.length > 0);
    if (!isRace || attempt === 8) expect(answer, text).toEqual(expected);
  }
}

const documents = Object.entries(operations).filter(([name]) => name.endsWith('Document')) as [string, DocumentNode][];
const kindOf = (document: DocumentNode) =>
  document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)?.operation;

/** Plausible values of variables, by name and by type. */
const GIVEN: Record<string, unknown> = {
  id: project.id,
  ProjectRef: project.id,
  GroupRef: group.id,
  limit: 20,
  offset: 0,
  issue_iid: 1,
  sha: 'main',
  ref: 'main',
  branch: 'main',
  from: 'main',
  to: 'main',
  file_path: 'docs/a.txt',
  search: 'a',
  milestone_id: milestone.id,
  user_id: owner.id,
  Int: 1,
  String: 'main',
  Boolean: true,
  Float: 1,
  ID: '1',
  DateTime: '2026-01-01T00:00:00Z',
  Date: '2026-01-01',
};

function variablesOf(document: DocumentNode, fill: (name: string, type: string) => unknown): Record<string, unknown> {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return {};
  return Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, type, defaultValue }) => {
      const isNeeded = type.kind === Kind.NON_NULL_TYPE && !defaultValue;
      const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
      if (!isNeeded && !['limit', 'offset'].includes(variable.name.value)) return [];
      const name = named.kind === Kind.NAMED_TYPE ? named.name.value : 'List';
      return [[variable.name.value, fill(variable.name.value, name)]];
    }),
  );
}

describe('A plan answers as graphql-js does', () => {
  const queries = documents.filter(([, document]) => kindOf(document) === 'query');

  itEveryNth(4, queries)('%s', async (_name, document) => {
    const variables = variablesOf(
      document,
      (name, type) => GIVEN[name === 'id' ? type : name] ?? GIVEN[type] ?? GIVEN[name],
    );
    for (const who of [owner, other, null]) {
      const { expected, answer } = await both(document, variables, who);
      expect(answer).toEqual(expected);
    }
  });

  it('whatever is wrong with the variables', LONG, async () => {
    for (const [, document] of documents) {
      const { expected, answer } = await both(
        document,
        variablesOf(document, () => ({ odd: true })),
        owner,
      );
      expect(answer).toEqual(expected);
      const without = await both(document, {}, owner);
      if (Object.keys(variablesOf(document, () => 1)).length > 0) expect(without.answer).toEqual(without.expected);
    }
  });

  it('mutations that are refused', LONG, async () => {
    for (const [name, document] of documents.filter(([, one]) => kindOf(one) === 'mutation')) {
      const nowhere = (variable: string, type: string) =>
        /Ref$/.test(type) || /id/i.test(variable) ? 999_999_999 : (GIVEN[variable] ?? GIVEN[type] ?? []);
      const { expected, answer } = await both(document, variablesOf(document, nowhere), null);
      expect(answer, name).toEqual(expected);
    }
  });

  it('fields that go by names that objects of JavaScript have', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then'];
    const fields = `${names.map((name) => `${name}: name`)} __proto__: name`;
    const document = parse(
      `{ project(ref: ${project.id}) { ${fields} } __proto__: project(ref: ${project.id}) { path } }`,
    );
    const { expected, answer } = await both(document, {}, owner);
    expect(JSON.stringify(answer)).toBe(JSON.stringify(expected));
    const keys = JSON.stringify(answer).match(/"\w+":/g);
    for (const name of names) expect(keys).toContain(`"${name}":`);
    expect(keys?.filter((key) => key === '"__proto__":')).toHaveLength(2);
  });

  it('the rest of an answer in which look-ups and mutations fail', async () => {
    const queries = `{
      gone: project(ref: 999999999) { name }
      found: project(ref: ${project.id}) { name gone: issue(iid: 999) { title } repository { gone: commit(ref: "nowhere") { sha } } }
      nobody: user(id: 999999) { username }
    }`;
    const remove = (title: string) =>
      `deleteLabel(input: { project: ${project.id}, label: { title: "${title}" } }) { deletedLabelId }`;
    const mutations = `mutation { one: ${remove('none')} two: ${remove('nor this one')} }`;
    for (const [text, failures] of [
      [queries, 4],
      [mutations, 2],
    ] as const) {
      const { expected, answer } = await both(parse(text), {}, owner);
      expect(answer).toEqual(expected);
      expect(expected.errors).toHaveLength(failures);
      expect(expected.data).not.toBeNull();
    }
  });

  // The same ten first in every run.
  const amounts = [
    { wanted: 10, options: {} },
    { wanted: 200, options: LONG },
  ];
  for (const { wanted, options } of amounts)
    it(`${wanted} queries over the whole schema, for members, administrators and nobody`, {
      ...options,
      timeout: 180_000,
    }, async () => {
      const id = (type: string, number: number) => `"${Buffer.from(`${type}:${number}`).toString('base64url')}"`;
      const often = (value: string) => Array<string>(8).fill(value);
      const values: Values = {
        ProjectRef: [...often(`${project.id}`), `"${project.fullPath}"`, '999999999'],
        GroupRef: [...often(`${group.id}`), `"${group.fullPath}"`, '999999999'],
        databaseId: [`${owner.id}`],
        userId: [`${owner.id}`],
        iid: ['1'],
        path: ['"docs"', '"docs/a.txt"'],
        sha: ['"main"'],
        id: [id('Project', project.id), id('Issue', 1), id('User', owner.id), id('User', 999), '"nonsense"'],
        Int: ['1', '$two', `${owner.id}`],
        limit: ['$two', '3'],
        offset: ['0', '1'],
        first: ['2'],
        last: [],
        before: [],
        after: [],
        search: ['"a"'],
        milestone: ['"none"'],
        ref: ['"main"', '"nowhere"'],
        String: ['"main"', '"docs/a.txt"', `"${owner.username}"`, '"nothing"'],
        Boolean: ['true', '$no'],
      };
      const variables = { yes: true, no: false, two: 2 };
      const random = randomFrom(7);
      let [fields, failures] = [0, 0];
      let valid = 0;
      for (let seed = 1; valid < wanted; seed++) {
        const text = randomQuery(schema, values, seed, [
          'project',
          'projects',
          'group',
          'groups',
          'viewer',
          'user',
          'users',
        ]);
        const document = parse(text);
        if (validate(schema, document).length > 0) continue;
        valid += 1;
        const who = [owner, owner, other, other, other, null][Math.floor(random() * 6)] ?? null;
        const expected = await agreed(document, variables, who, text);
        const { data, errors } = expected;
        fields += JSON.stringify(data).split(':').length;
        failures += errors.length;
      }
      // They did find something, and did meet errors.
      expect(fields).toBeGreaterThan(3.75 * wanted);
      expect(failures).toBeGreaterThan(wanted / 8);
    });
});

describe('A plan', () => {
  const noted = async (text: string, variables: Record<string, unknown> = {}) => {
    const plan = planned(parse(text));
    return plan?.execute(variables, contextOf(owner));
  };

  it('is made when a document comes for the second time, but not of one that its fragments make large', () => {
    const twice = (text: string) => {
      const document = parse(text);
      const operation = getOperationAST(document);
      return [1, 2].map(() => operation && planOf(schema, document, operation, false) !== null);
    };
    expect(twice('{ project(ref: 1) { name } }')).toEqual([false, true]);
    // Each fragment has the one below twice: 12 of them stand for 4,096 fields.
    const levels = Array.from(
      { length: 12 },
      (_, n) => `fragment F${n} on Group { a: parent { ...F${n + 1} } ...F${n + 1} }`,
    );
    expect(twice(`{ group(ref: 1) { ...F0 } } ${levels.join(' ')} fragment F12 on Group { name }`)).toEqual([
      false,
      false,
    ]);
    expect(
      twice(`{ project(ref: 1) { ${Array.from({ length: 3_000 }, (_, n) => `a${n}: name`).join(' ')} } }`),
    ).toEqual([false, false]);
  });

  it('is not made of introspection, which graphql-js answers', () => {
    expect(planned(parse('{ __schema { queryType { name } } }'))).toBeNull();
  });

  it('executes a mutation once, also where a part of its answer fails', async () => {
    const title = world.unique('once');
    const text = `mutation ($project: ProjectRef!, $title: String!) {
      first: createLabel(input: { project: $project, title: $title, color: "#112233" }) { label { title } }
      second: createLabel(input: { project: $project, title: $title, color: "#112233" }) { label { title } }
    }`;
    const answer = await noted(text, { project: project.id, title });
    expect(answer?.errors?.map(({ extensions }) => extensions.code)).toEqual(['CONFLICT']);
    expect(await world.db.label.count({ where: { title } })).toBe(1);
  });

  it('ends with the signal, and asks for nothing more', async () => {
    const controller = new AbortController();
    const plan = planned(parse(`{ project(ref: ${project.id}) { issues(limit: 2) { nodes { title } } } }`));
    const statements = await world.statements(async () => {
      const answer = plan?.execute({}, contextOf(owner), controller.signal);
      controller.abort(new Error('enough'));
      await expect(answer).rejects.toThrow('enough');
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    expect(statements.filter((statement) => statement.includes('i.title'))).toEqual([]);
  });
});
