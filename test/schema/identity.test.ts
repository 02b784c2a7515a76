// Takes long: the long run has it.
// @module-tag long
import { type GraphQLObjectType, isObjectType, parse } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { fromGlobalId, toGlobalId } from '#schema/node/global_id.ts';
import { executing, startSample, waysTo } from '../support/sample.ts';

const { world, whoIs } = await startSample();
const root = await whoIs('root');
const execute = executing(world);

type Who = Parameters<typeof execute>[1];

/** The IDs of records by their types, as the administrator is told them and as rows have them. */
const ids = new Map<string, string[]>();

beforeAll(async () => {
  const ways = await waysTo((document) => execute(document, root));
  const nodes = schema.getPossibleTypes(schema.getType('Node') as never);
  for (const { name } of nodes.filter((type): type is GraphQLObjectType => isObjectType(type))) {
    const way = ways.get(name);
    const told = way ? toldIn((await execute(parse(way('__typename told: id')), root)).data, name) : [];
    ids.set(name, [...new Set(told)].slice(0, 10));
  }
  for (const [type, id] of await addRows()) ids.set(type, [...(ids.get(type) ?? []), toGlobalId(type, id)]);
}, 300_000);

/** Rows of types that the sample data have none of, in a project. */
async function addRows(): Promise<[type: string, id: number][]> {
  const { db } = world;
  const project = await db.project.findFirstOrThrow({ orderBy: { id: 'asc' } });
  const request = await db.mergeRequest.findFirstOrThrow({ where: { targetProjectId: project.id } });
  const [userId, projectId] = [root.actor?.id ?? 0, project.id];
  const repository = await db.containerRepository.create({ data: { projectId, name: 'press' } });
  const reviewer = await db.mergeRequestReviewer.create({ data: { mergeRequestId: request.id, userId } });
  const upload = await db.upload.create({
    data: { projectId, userId, secret: 'b'.repeat(32), fileName: 'a.txt', size: 1n },
  });
  const hook = await db.hook.findFirstOrThrow({ where: { projectId } });
  const { deliveries } = await db.hookEvent.create({
    data: { kind: 'push', projectId, facts: {}, deliveries: { create: { hookId: hook.id } } },
    select: { deliveries: { select: { id: true } } },
  });
  const runner = await db.runner.create({
    data: { description: 'press', tokenHash: Buffer.from('c'), projects: { create: { projectId } } },
  });
  const manager = await db.runnerManager.create({ data: { runnerId: runner.id, systemId: 'press' } });
  return [
    ['ContainerRepository', repository.id],
    ['MergeRequestReviewer', reviewer.id],
    ['Upload', upload.id],
    ['WebhookDelivery', deliveries[0]?.id ?? 0],
    ['RunnerManager', manager.id],
  ];
}

/** The IDs that an answer tells of records of a type, as `told`. */
function toldIn(value: unknown, type: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => toldIn(one, type));
  const { __typename, told: id, ...rest } = value as Record<string, unknown>;
  const own = __typename === type && typeof id === 'string' ? [id] : [];
  return [...own, ...Object.values(rest).flatMap((one) => toldIn(one, type))];
}

async function found(all: readonly string[], who: Who): Promise<(string | null)[]> {
  const answers: (string | null)[] = [];
  for (let at = 0; at < all.length; at += 100) {
    const { data, errors } = await execute(
      parse(`{ nodes(ids: ${JSON.stringify(all.slice(at, at + 100))}) { id } }`),
      who,
    );
    expect(errors ?? []).toEqual([]);
    const nodes = (data?.nodes ?? []) as ({ id: string } | null)[];
    answers.push(...nodes.map((one) => one?.id ?? null));
  }
  return answers;
}

/** What everybody may see, or everybody with an account: people, and what belongs to nobody. */
const OPEN = ['FileTemplate', 'LicenseTemplate', 'Topic', 'User'];

it('Each id of each type is found by node for an administrator, and unique', async () => {
  const all = [...new Set([...ids.values()].flat())];
  const shared = [...ids].filter(([type]) => type !== 'Note').flatMap(([, some]) => some);
  // A comment on a commit is a note of a thread, too.
  expect(new Set(shared).size).toBe(shared.length);
  expect(await found(all, root)).toEqual(all);
  expect([...ids].filter(([, some]) => some.length > 0).length).toBeGreaterThan(50);
});

it('None of them is found by those who may see nothing of it', async () => {
  const { db } = world;
  await db.project.updateMany({ data: { visibility: 'private' } });
  await db.namespace.updateMany({ where: { kind: 'group' }, data: { visibility: 'private' } });
  await db.snippet.updateMany({ data: { visibility: 'private' } });
  const hidden = [...ids].filter(([type]) => !OPEN.includes(type)).flatMap(([, some]) => some);
  const stranger = await world.user();
  for (const who of [{ actor: null }, stranger]) {
    const seen = (await found(hidden, who as Who)).filter((id) => id !== null);
    expect(seen.map((id) => Buffer.from(id, 'base64url').toString())).toEqual([]);
  }
  expect(await found(hidden, root)).toEqual(hidden);
});

it('IDs that are none are not found, whatever is in them', async () => {
  const keys = [
    '',
    'Branch:[1,"nowhere"]',
    'Branch:[999999,"master"]',
    'Branch:["1","master"]',
    'Branch:[1,["master"]]',
    'Branch:[1]',
    'Branch:[',
    'Commit:[1,"master"]',
    'TreeEntry:[1,"master","README.md"]',
    `TreeEntry:[1,"${'0'.repeat(40)}","README.md"]`,
    'WikiPage:[1,"../../etc/passwd"]',
    'WikiPage:[1,"\\u0000"]',
    'GroupWikiPage:[1,"../../etc/passwd"]',
    `SnippetCommit:[1,"${'0'.repeat(40)}"]`,
    'Branch:[1,"\\u0000"]',
    'Tag:[1,"../HEAD"]',
    'FileTemplate:["../secrets","a"]',
    'LicenseTemplate:[{}]',
    'Nothing:[1]',
    'User:[1]',
    'Branch:1',
    `Branch:[1,"${'a'.repeat(20_000)}"]`,
  ].map((text) => Buffer.from(text).toString('base64url'));
  expect(await found(keys, root)).toEqual(keys.map(() => null));
});

it('A numeric key stays the ID that it was', () => {
  expect(Buffer.from(toGlobalId('Issue', 7), 'base64url').toString()).toBe('Issue:7');
  expect(fromGlobalId(toGlobalId('Issue', 7))).toEqual({ type: 'Issue', id: 7 });
  expect(fromGlobalId(toGlobalId('Branch', [7, 'main']))).toBeNull();
});
