import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { toGlobalId } from '#schema/node/types.ts';
import { recordEvent } from '#src/domain/activity/record_event.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { createLabel } from '#src/domain/tracking/labels/save.ts';
import { createMilestone } from '#src/domain/tracking/milestones/save.ts';
import { pipelineOf } from '../support/ci.ts';
import { withQuery } from '../support/endpoints.ts';
import type { Answer, Json } from '../support/http.ts';
import { itEveryNth, LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';
import { endpoints } from './matrix.ts';

/** Part of the name of everything that only its owner may see, and of what external users may not. */
const SECRET = 'zqsecret';
const INTERNAL = 'zqinternal';

const world = await startWorld({ pagesHost: 'pages.example.test' });
const owner = await world.user({ username: 'the-owner' });
const readers: Record<string, TestUser | undefined> = {
  anonymous: undefined,
  outsider: await world.user(),
  external: await world.user({ external: true }),
  guest: await world.user(),
  former: await world.user(),
  blocked: await world.user({ blocked: true }),
};
const places = {} as {
  open: ProjectRow;
  internal: ProjectRow;
  hidden: ProjectRow;
  openGroup: GroupRow;
  hiddenGroup: GroupRow;
};
const numbers = {} as {
  issue: number;
  milestone: number;
  groupMilestone: number;
  groupBoard: number;
  pipeline: number;
  schedule: number;
  deployment: number;
  note: number;
  snippet: number;
  mergeRequest: number;
  board: number;
};

beforeAll(async () => {
  const named = (name: string) => ({ name, path: name, description: name });
  places.openGroup = await world.group({ owner, visibility: 'public', ...named('open-group') });
  places.hiddenGroup = await world.group({ owner, visibility: 'private', ...named(`${SECRET}-group`) });
  const inOpen = { owner, namespaceId: places.openGroup.id };
  places.open = await world.project({ ...inOpen, visibility: 'public', ...named('open') });
  places.internal = await world.project({ ...inOpen, visibility: 'internal', ...named(`${INTERNAL}-project`) });
  places.hidden = await world.project({ ...inOpen, visibility: 'private', ...named(`${SECRET}-in-open-group`) });
  const inHidden = await world.project({
    owner,
    namespaceId: places.hiddenGroup.id,
    ...named(`${SECRET}-in-hidden-group`),
  });
  const personal = await world.project({ owner, ...named(`${SECRET}-personal`) });
  for (const [group, word] of [
    [places.openGroup, 'open'],
    [places.hiddenGroup, SECRET],
  ] as const) {
    await createLabel(world.as(owner), { group: group.id }, { title: `${word} label of group`, color: 'red' });
    const milestone = { title: `${word} milestone of group` };
    const { id } = await createMilestone(world.as(owner), { group: group.id }, milestone);
    const board = await world.db.board.create({ data: { groupId: group.id, name: `${word} board` } });
    if (group === places.openGroup) Object.assign(numbers, { groupMilestone: id, groupBoard: board.id });
  }
  const { id: milestoneId } = await world.milestone(places.open, owner, { title: 'open milestone' });
  numbers.milestone = milestoneId;
  numbers.issue = (await world.issue(places.open, owner, { title: 'open issue', milestoneId })).iid;
  await world.issue(places.open, owner, {
    title: `${SECRET} confidential`,
    confidential: true,
    milestoneId,
    labels: ['open label'],
  });
  await listLabels(places.open);
  numbers.board = (await world.db.board.findFirstOrThrow({ where: { projectId: places.open.id } })).id;
  await world.issue(places.internal, owner, { title: `${INTERNAL} issue` });
  // From a fork that nobody but its owner sees.
  const fork = await world.project({ owner, ...named(`${SECRET}-fork`) });
  const { id: mergeRequestId, iid } = await world.mergeRequest(places.open, owner, { iid: 1, milestoneId });
  await world.db.mergeRequest.update({ where: { id: mergeRequestId }, data: { sourceProjectId: fork.id } });
  numbers.mergeRequest = iid;
  numbers.pipeline = (await pipelineOf(world, owner, places.open, 'open-pipeline')).id;
  const ofOpen = { where: { projectId: places.open.id } };
  numbers.schedule = (await world.db.pipelineSchedule.findFirstOrThrow(ofOpen)).id;
  numbers.deployment = (await world.db.deployment.findFirstOrThrow(ofOpen)).id;
  for (const place of [{ projectId: places.open.id }, { namespaceId: places.openGroup.id }, {}]) {
    const url = `http://127.0.0.1:9/${SECRET}`;
    const { id } = await world.db.hook.create({ data: { ...place, url, disabledAt: new Date() } });
    const event = { create: { kind: 'push', facts: {}, payload: JSON.stringify({ text: SECRET }) } };
    await world.db.hookDelivery.create({ data: { hook: { connect: { id } }, event, state: 'delivered' } });
  }
  await world.db.trigger.updateMany({ data: { description: `${SECRET} of masters` } });
  await pipelineOf(world, owner, places.internal, `${INTERNAL}-pipeline`);
  for (const project of [places.open, places.internal, places.hidden, inHidden, personal]) {
    const list = { projectId: project.id, iid: 1, name: `${SECRET} users`, userXids: SECRET };
    await world.db.featureFlagUserList.create({ data: list });
    const flag = { projectId: project.id, iid: 1, name: `${SECRET}-flag`, description: SECRET };
    const strategies = { create: { name: 'userWithId', parameters: { userIds: SECRET } } };
    await world.db.featureFlag.create({ data: { ...flag, strategies } });
  }
  for (const project of [places.hidden, inHidden, personal]) {
    await pipelineOf(world, owner, project, `${SECRET}-pipeline`);
    await world.issue(project, owner, { title: `${SECRET} issue`, labels: [`${SECRET} label`] });
    await listLabels(project);
    await world.milestone(project, owner, { title: `${SECRET} milestone` });
    const { id } = await world.mergeRequest(project, owner, { iid: 1, sourceBranch: `${SECRET}-branch` });
    await world.db.mergeRequest.update({ where: { id }, data: { title: `${SECRET} merge request` } });
    const target = { type: 'MergeRequest', id, title: `${SECRET} merge request` } as const;
    await recordEvent(world.db, { projectId: project.id, authorId: owner.id, action: 'opened', target });
    await world.db.projectStar.create({ data: { projectId: project.id, userId: owner.id } });
  }
  const kept = (title: string) => ({ title, fileName: title, content: title });
  for (const project of [places.open.id, places.hidden.id, null]) {
    const secret = { ...kept(`${SECRET} snippet`), visibility: 'private' } as const;
    await createSnippet(world.as(owner), { project, ...secret });
    const internal = { ...kept(`${INTERNAL} snippet`), visibility: 'internal' } as const;
    if (project !== places.hidden.id) await createSnippet(world.as(owner), { project, ...internal });
  }
  await createVariable(world.as(owner), { project: places.open.id, key: `${SECRET}_key`, value: `${SECRET} value` });
  await world.db.projectShare.create({
    data: { projectId: places.open.id, groupId: places.hiddenGroup.id, groupAccess: 30 },
  });
  await world.db.projectShare.create({
    data: { projectId: places.hidden.id, groupId: places.openGroup.id, groupAccess: 10 },
  });
  for (const [project, word] of [
    [places.internal, INTERNAL],
    [places.hidden, SECRET],
    [inHidden, SECRET],
  ] as const) {
    const { id } = await world.db.commitComment.create({
      data: { projectId: project.id, authorId: owner.id, sha: '1'.repeat(40), note: `${word} note` },
    });
    const target = { type: 'Note', id, title: `${word} commit` } as const;
    await recordEvent(world.db, { projectId: project.id, authorId: owner.id, action: 'commented on', target });
  }
  const openSnippet = { ...kept('open snippet'), visibility: 'public' } as const;
  numbers.snippet = (await createSnippet(world.as(owner), { project: places.open.id, ...openSnippet })).id;
  const { id: openIssue } = await world.db.issue.findFirstOrThrow({ where: { title: 'open issue' } });
  const { id: confidential } = await world.db.issue.findFirstOrThrow({ where: { title: `${SECRET} confidential` } });
  const { id: inside } = await world.db.issue.findFirstOrThrow({ where: { title: `${INTERNAL} issue` } });
  const { id: secret } = await world.db.issue.findFirstOrThrow({ where: { projectId: places.hidden.id } });
  const said = { subjectType: 'Issue', subjectId: openIssue, authorId: owner.id };
  const links = [confidential, inside, secret].map((targetId) => ({ sourceId: openIssue, targetId }));
  await world.db.issueLink.createMany({ data: links });
  numbers.note = (await world.db.note.create({ data: { ...said, body: 'open note' } })).id;
  const from = (sourceProjectId: number, sourceId: number | null, body: string) => {
    const sourceType = sourceId === null ? 'Commit' : 'Issue';
    return { ...said, system: true, sourceType, sourceId, sourceProjectId, body };
  };
  await world.db.note.createMany({
    data: [
      from(places.hidden.id, secret, `${SECRET} mentioned in issue`),
      from(places.hidden.id, null, `${SECRET} mentioned in commit`),
      from(places.open.id, confidential, `${SECRET} mentioned in confidential`),
      from(places.internal.id, inside, `${INTERNAL} mentioned in issue`),
      from(places.internal.id, null, `${INTERNAL} mentioned in commit`),
      { ...said, subjectId: confidential, body: `${SECRET} note` },
      { ...said, subjectId: secret, body: `${SECRET} note` },
    ],
  });
  await world.db.project.update({ where: { id: places.open.id }, data: { forkedFromId: places.hidden.id } });
  await world.member(places.open, readers.guest as TestUser, 'guest');
  const past = new Date('2020-01-01');
  for (const where of [{ projectId: places.hidden.id }, { namespaceId: places.hiddenGroup.id }]) {
    await world.db.member.create({
      data: { ...where, userId: (readers.former as TestUser).id, accessLevel: 30, expiresAt: past },
    });
  }
}, 60_000);

/** What the reader must not find anywhere. */
const forbidden = (who: string) => (['external', 'anonymous', 'blocked'].includes(who) ? [SECRET, INTERNAL] : [SECRET]);

describe('Every list of the REST API', () => {
  const lists = [...endpoints].filter(([key, { paginated }]) => key.startsWith('GET') && paginated);

  it('is among those that are tried', () => {
    expect(lists.length).toBeGreaterThan(15);
  });

  itEveryNth(15, lists)(
    '%s holds neither in its records nor in its totals what the reader may not see',
    async (_key, { route, parameters }) => {
      for (const [who, reader] of Object.entries(readers)) {
        for (const path of pathsOf(route.path)) {
          const searches = parameters.filter(({ name }) => ['search', 'query'].includes(name)).map(({ name }) => name);
          const isSearch = parameters.some(({ name, required }) => name === 'search' && required);
          const queries = [
            ...(isSearch ? [] : ['']),
            ...searches.flatMap((name) => forbidden(who).map((word) => `&${name}=${word}`)),
          ];
          for (const query of queries) {
            const { status, headers, body } = await world.api(reader).get(withQuery(path, `per_page=100${query}`));
            const about = `${who}: ${path}${query}`;
            for (const word of forbidden(who)) expect(JSON.stringify(body), about).not.toContain(word);
            if (status === 200) expect([about, Number(headers['x-total'])]).toEqual([about, body.length]);
            else expect([about, [401, 403, 404].includes(status)]).toEqual([about, true]);
            if (query !== '' && status === 200) expect([about, body]).toEqual([about, []]);
          }
        }
      }
    },
  );
});

/** Makes a list of the board for each label of the project. */
async function listLabels({ id: projectId }: { id: number }): Promise<void> {
  for (const { id } of await world.db.label.findMany({ where: { projectId } })) {
    await createBoardList(world.as(owner), { project: projectId }, null, id);
  }
}

/** The paths of a list, for each place that its parameters may name. */
function pathsOf(template: string): string[] {
  const ids = template.startsWith('/groups')
    ? [places.openGroup.id, places.hiddenGroup.id]
    : template.startsWith('/users')
      ? [owner.id]
      : [places.open.id, places.internal.id, places.hidden.id];
  const others: Record<string, number | string> = {
    type: 'issues',
    milestone_id: template.startsWith('/groups') ? numbers.groupMilestone : numbers.milestone,
    issue_iid: numbers.issue,
    merge_request_iid: numbers.mergeRequest,
    pipeline_id: numbers.pipeline,
    pipeline_schedule_id: numbers.schedule,
    deployment_id: numbers.deployment,
    board_id: template.startsWith('/groups') ? numbers.groupBoard : numbers.board,
    user_id: owner.id,
    note_id: numbers.note,
    snippet_id: numbers.snippet,
  };
  return ids.map((id) => template.replace(/:(\w+)/g, (_, name: string) => String(name === 'id' ? id : others[name])));
}

/** A way through the schema: field after field, with the arguments that each needs. */
interface Way {
  /** `projects(limit: 100) { nodes { issues(limit: 100) { … } } }`, with a place for what is selected at the end. */
  around(selection: string): string;
  name: string;
  /** Its last step: type, field with arguments, and type of what is there. */
  step: string;
  type: GraphQLObjectType;
}

const isConnection = (type: GraphQLObjectType) => type.name.endsWith('Connection');

/** The types that an object may have where a type of the schema stands, with what selects from just those. */
function objectsOf(type: unknown): { type: GraphQLObjectType; within(selection: string): string }[] {
  if (isObjectType(type)) return [{ type, within: (selection) => selection }];
  if (!isAbstractType(type)) return [];
  return schema.getPossibleTypes(type).map((object) => ({
    type: object,
    within: (selection) => `... on ${object.name} { ${selection} }`,
  }));
}

/** Arguments by the names of fields of the query, with the one type of what they lead to where it may be of several. */
type Known = Record<string, { args: string; only?: string }[]>;

/** Every field that leads on from a type to objects and needs no argument that nobody could guess. */
function onward(
  type: GraphQLObjectType,
  known: Known = {},
): { field: string; target: GraphQLNamedType; only?: string | undefined }[] {
  return Object.values(type.getFields()).flatMap((field: GraphQLField<unknown, unknown>) => {
    const target = getNamedType(field.type);
    if (!isCompositeType(target) || ['pageInfo', 'edges'].includes(field.name)) return [];
    const needed = field.args
      .filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
      .map(({ name }) => name);
    const given = known[field.name];
    if (needed.length > 0 && given === undefined) return [];
    const limit = field.args.some(({ name }) => name === 'limit') ? '(limit: 100)' : '';
    return (given ?? [{ args: limit }]).map(({ args, only }) => ({ field: `${field.name}${args}`, target, only }));
  });
}

/**
 * Ways of at most that many steps, of which no two end with the same two: from a record to others it goes the same wherever the record
 * was found. A connection and its nodes are one step.
 */
function ways(from: Way, steps: number, known?: Known, walked = new Set<string>()): Way[] {
  if (steps === 0) return [];
  return onward(from.type, known).flatMap(({ field, target, only }) => {
    const connection = isObjectType(target) && isConnection(target) ? target : undefined;
    const inner = connection ? getNamedType(connection.getFields().nodes?.type) : target;
    const possible = objectsOf(inner).filter(({ type }) => only === undefined || type.name === only);
    return possible.flatMap(({ type, within }) => {
      const step = `${from.type.name}.${field} ${type.name}`;
      const way: Way = {
        name: `${from.name}.${field.replace(/\(limit.*/, '')}`,
        step,
        type,
        around: (selection) => {
          const inside = within(selection);
          return from.around(`${field} { ${connection ? `totalCount nodes { __typename ${inside} }` : inside} }`);
        },
      };
      const lastTwo = `${from.step} ${step}`;
      if (walked.has(lastTwo)) return [];
      walked.add(lastTwo);
      return [way, ...ways(way, steps - 1, undefined, walked)];
    });
  });
}

/** The fields of a type that are values themselves. */
function values(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).filter(
    (field) => isLeafType(getNamedType(field.type)) && field.args.length === 0,
  );
  return ['__typename', ...fields.map(({ name }) => name)].join(' ');
}

/** Every pair of a total and its records in an answer. */
function totals(data: Json): [number, number][] {
  if (Array.isArray(data)) return data.flatMap(totals);
  if (typeof data !== 'object' || data === null) return [];
  const own: [number, number][] = Array.isArray(data.nodes) ? [[data.totalCount, data.nodes.length]] : [];
  return [...own, ...Object.values(data).flatMap(totals)];
}

/** The answers to one batch that reads all values at the end of each way. */
async function askAlong(batch: Way[], reader?: { token: string } | null) {
  const headers: Record<string, string> = reader ? { 'PRIVATE-TOKEN': reader.token } : {};
  const body = batch.map((way) => ({ query: way.around(values(way.type)) }));
  const answer: Answer = await world.send('POST', '/graphql', { headers, body });
  return answer.body;
}

describe('Every way through the GraphQL schema', () => {
  const query = schema.getQueryType();
  const start: Way = {
    name: 'Query',
    step: '',
    type: query as GraphQLObjectType,
    around: (selection) => `{ ${selection} }`,
  };
  const searches = ['Project', 'Group', 'User', 'Issue', 'Milestone'].flatMap((only) =>
    ['open', SECRET, INTERNAL].map((word) => {
      return { args: `(query: "${word}", type: ${only.toUpperCase()}, limit: 100)`, only };
    }),
  );
  const known = (): Known => ({
    project: [{ args: `(ref: ${places.open.id})` }],
    group: [{ args: `(ref: ${places.openGroup.id})` }],
    user: [{ args: `(id: ${owner.id})` }],
    node: [places.internal, places.hidden].map(({ id }) => {
      return { args: `(id: "${toGlobalId('Project', id)}")`, only: 'Project' };
    }),
    search: searches,
    find: [{ args: '(search: "open")' }],
  });

  // A user who is blocked is answered nothing at all, as the lists show.
  it.each(Object.entries(readers).filter(([who]) => who !== 'blocked'))(
    'leads %s neither to records nor to totals of what they may not see',
    // Each relation of the graph adds ways.
    { ...LONG, timeout: 300_000 },
    async (who, reader) => {
      const all = ways(start, 3, known());
      expect(all.length).toBeGreaterThan(100);
      let records = 0;
      for (let at = 0; at < all.length; at += 10) {
        const batch = all.slice(at, at + 10);
        const answers = await askAlong(batch, reader);
        batch.forEach((way, index) => {
          const { data, errors } = answers[index];
          for (const word of forbidden(who))
            expect(JSON.stringify(data ?? null), `${who}: ${way.name}`).not.toContain(word);
          for (const error of errors ?? [])
            expect(error.extensions?.code, `${who}: ${way.name} ${JSON.stringify(error)}`).not.toBe(
              'INTERNAL_SERVER_ERROR',
            );
          for (const [total, length] of totals(data)) expect([way.name, total]).toEqual([way.name, length]);
          records += totals(data).reduce((sum, [, length]) => sum + length, 0);
        });
      }
      if (reader) expect(records).toBeGreaterThan(10);
    },
  );

  it('leads the owner to what is hidden from the others', { ...LONG, timeout: 300_000 }, async () => {
    const all = ways(start, 2, known());
    let found = 0;
    for (let at = 0; at < all.length; at += 10) {
      const answers = await askAlong(all.slice(at, at + 10), owner);
      found += answers.filter((answer: unknown) => JSON.stringify(answer).includes(SECRET)).length;
    }
    expect(found).toBeGreaterThan(3);
  });
});
