import { type ExecutionResult, execute, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { graphqlContext } from '#schema/context.ts';
import { schema } from '#schema/index.ts';
import { groupRegistrationTokens } from '#src/domain/ci/runners/registration_tokens.ts';
import { createVariable } from '#src/domain/ci/variables/save.ts';
import { createServiceAccount } from '#src/domain/members/service_accounts/save.ts';
import { openSnippetRepository } from '#src/domain/snippets/repository.ts';
import { createSnippet } from '#src/domain/snippets/save.ts';
import { createBoardList } from '#src/domain/tracking/boards/save_list.ts';
import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import { createLabel } from '#src/domain/tracking/labels/save.ts';
import { createMilestone } from '#src/domain/tracking/milestones/save.ts';
import { select } from '#src/platform/records/selection.ts';
import { pipelineOf, projectWithCommit } from '../support/ci.ts';
import { recordedImage } from '../support/container_records.ts';
import { ENDPOINTS, withQuery } from '../support/endpoints.ts';
import { itEveryNth } from '../support/long.ts';
import { documentOf, type ListField, listFields } from '../support/schema_lists.ts';
import { startWorld } from '../support/world.ts';

/** How many records there are of everything, at the least, but of what a project with few holds. */
const MANY = 10;

const world = await startWorld();
const admin = await world.user({ admin: true });
const owner = await world.user();
const others = await Promise.all(Array.from({ length: MANY }, () => world.user()));
const top = await world.group({ owner, name: 'Top' });
// The first by name has groups around and inside, as many have.
const home = await world.group({ owner, name: 'A home', parentId: top.id });
const inner = await world.group({ owner, name: 'Below', parentId: home.id });
const inmost = await world.group({ owner, name: 'Inmost', parentId: inner.id });
for (const { id: groupId, lineage: groupLineage } of [top, home, inner, inmost]) {
  // Its members have access to two others, which have parents.
  const data = [home, inmost].filter(({ id }) => id !== groupId).map(({ id: namespaceId }) => ({ namespaceId }));
  await world.db.groupShare.createMany({
    data: data.map((one) => ({ ...one, groupId, groupLineage, groupAccess: 10 })),
  });
}

for (const [n, { id: userId }] of others.entries()) {
  const fingerprint = `finger ${n}`;
  const key = { userId, title: `Key ${n}`, key: `key ${n}`, fingerprint, fingerprintSha256: fingerprint };
  await world.db.sshKey.create({ data: key });
  await world.db.email.create({ data: { userId, email: `second${n}@example.org` } });
  await world.db.identity.create({ data: { userId, provider: 'other', externUid: `${n}` } });
}

/** So many notes on a record, and as many awards on it and on the first of them. */
async function talkAbout(subjectType: string, subjectId: number, count: number) {
  const authorId = owner.id;
  const note = { subjectType, subjectId, authorId, body: 'Said' };
  const { id } = await world.db.note.create({ data: note });
  await world.db.note.createMany({ data: Array.from({ length: count - 1 }, () => note) });
  for (const on of [
    { subjectType, subjectId },
    { subjectType: 'Note', subjectId: id },
  ]) {
    const awards = others.slice(0, count).map(({ id: userId }) => ({ ...on, userId, name: 'heart' }));
    await world.db.awardEmoji.createMany({ data: awards });
  }
}

/** A project with so many of everything. */
async function filled(count: number, { id: namespaceId } = home) {
  const { project, sha } = await projectWithCommit(world, owner, { namespaceId });
  // The first person among those who take part opens one too.
  await world.mergeRequest(project, owner, { iid: count + 1 });
  for (const [n, other] of others.slice(0, count).entries()) {
    const [label, milestone] = [await world.label(project, owner), await world.milestone(project, owner)];
    await world.member(project, other, 'developer');
    const values = { labels: [label.title], milestoneId: milestone.id };
    const issue = await world.issue(project, other, values);
    await world.db.issue.update({ where: { id: issue.id }, data: { assigneeId: owner.id } });
    const request = await world.mergeRequest(project, other, { iid: n + 1, milestoneId: milestone.id });
    await createBoardList(world.as(owner), { project: project.id }, null, label.id);
    const about = { authorId: other.id, projectId: project.id, issueId: issue.id, action: 'marked' } as const;
    for (const userId of [owner.id, admin.id]) await world.db.todo.create({ data: { ...about, userId } });
    await world.db.timelog.create({ data: { issueId: issue.id, userId: other.id, seconds: 60 } });
    await pipelineOf(world, owner, project, `word${n}`);
    await createVariable(world.as(owner), { project: project.id, key: `KEY_${n}`, value: 'value' });
    for (const place of [{ projectId: project.id }, { namespaceId }, {}]) {
      const off = { url: 'http://127.0.0.1/', disabledAt: new Date() };
      const { id: hookId } = await world.db.hook.create({ data: { ...place, ...off } });
      const event = { create: { kind: 'push', facts: {}, payload: '{}' } };
      for (let told = 0; told < count; told += 1) {
        await world.db.hookDelivery.create({ data: { hook: { connect: { id: hookId } }, event, state: 'delivered' } });
      }
    }
    const snippet = { project: project.id, title: `Text ${n}`, fileName: 'a.txt', content: 'text' };
    const { id: snippetId } = await createSnippet(world.as(owner), { ...snippet, visibility: 'public' });
    await talkAbout('Issue', issue.id, count);
    await talkAbout('Snippet', snippetId, count);
    await talkAbout('MergeRequest', request.id, count);
    await world.db.release.create({
      data: {
        ...{ projectId: project.id, tag: `v${n}`, description: 'Notes', authorId: other.id },
        links: { create: { name: 'link', url: 'https://example.org' } },
        milestones: { create: { milestoneId: milestone.id } },
      },
    });
    const tags = Array.from({ length: count }, (_, at) => `v${at}`);
    await recordedImage(world, project, { tags });
    const content = { size: 1, md5: 'm', sha1: 's', sha256: 's', storedAs: 'a' };
    await world.db.package.create({
      data: {
        ...{ projectId: project.id, type: 'generic', name: 'app', version: String(n) },
        files: {
          create: Array.from({ length: count }, (_, at) => ({
            ...{ ...content, projectId: project.id, fileName: `f${at}`, secret: world.unique('secret') },
          })),
        },
      },
    });
    await world.db.featureFlag.create({
      data: {
        ...{ projectId: project.id, iid: n + 1, name: `flag${n}` },
        strategies: { create: { name: 'default', scopes: { create: { environmentScope: '*' } } } },
      },
    });
    const list = { projectId: project.id, iid: n + 1, name: `list ${n}`, userXids: '1' };
    await world.db.featureFlagUserList.create({ data: list });
    const data = { projectId: project.id, authorId: other.id, sha, note: `Note ${n}` };
    await world.db.commitComment.create({ data });
  }
  return { project, sha };
}

/** Runners, of which each has run a job, and a few are in the lists of all projects. */
async function runJobs(projectId: number) {
  for (const [n, job] of (await world.db.job.findMany({ where: { projectId } })).entries()) {
    const data = { description: `runner ${n}`, isShared: n < 3, tokenHash: Buffer.from(`runner ${n}`) };
    const { id: runnerId } = await world.db.runner.create({ data: { ...data, projects: { create: [{ projectId }] } } });
    await world.db.job.update({ where: { id: job.id }, data: { runnerId } });
  }
}

/** Answers to the first note on a record. */
async function answer(subjectType: string, subjectId: number, discussionId: number) {
  const data = { subjectType, subjectId, discussionId, authorId: owner.id, body: 'Answered' };
  await world.db.note.createMany({ data: Array.from({ length: MANY }, () => data) });
}

const { project, sha } = await filled(MANY);
await runJobs(project.id);
for (let n = 1; n < MANY; n += 1) await filled(1);
for (const group of [top, inner, inmost]) await filled(1, group);
// Each project has somebody who asks for access: what is read of users is then read below the first one, too.
const everywhere = await world.db.project.findMany({ select: { id: true } });
for (const { id: userId } of others) {
  await world.db.accessRequest.createMany({ data: everywhere.map(({ id: projectId }) => ({ projectId, userId })) });
}

// Labels, milestones and boards of a group are in one behind those of which lists of groups are read: projects inherit them, and lists
// that have records of both kinds read those of projects by other statements than those of groups.
for (let n = 0; n < MANY; n += 1) await world.group({ owner, name: `Behind ${n}` });
const planning = await world.group({ owner, name: 'Planning' });
const movedIn = await world.db.bulkImport.create({
  data: {
    ...{ userId: admin.id, url: 'https://git.example.org' },
    entities: {
      create: Array.from({ length: MANY }, (_, n) => ({
        ...{ userId: admin.id, kind: 'project' as const, sourceFullPath: `a/b${n}`, destinationSlug: `b${n}` },
        ...{ destinationNamespace: 'a', correlationId: 'c' },
      })),
    },
  },
});
// The tokens of groups are made when they are first read.
await groupRegistrationTokens(
  world.as(owner),
  (await world.db.namespace.findMany({ select: { id: true } })).map(({ id }) => id),
);
for (let n = 0; n < MANY; n += 1) {
  const title = world.unique('of group');
  await createLabel(world.as(owner), { group: planning.id }, { title, color: 'red' });
  await createMilestone(world.as(owner), { group: planning.id }, { title });
  await world.db.board.create({ data: { groupId: planning.id } });
}
const ofPlanning = { where: { groupId: planning.id } };
const planned = {
  milestone_id: (await world.db.milestone.findFirstOrThrow(ofPlanning)).id,
  board_id: (await world.db.board.findFirstOrThrow(ofPlanning)).id,
};
const [milestone] = await world.db.milestone.findMany({ where: { projectId: project.id } });
const [pipeline] = await world.db.pipeline.findMany({ where: { projectId: project.id } });
const [hook] = await world.db.hook.findMany({ where: { projectId: project.id } });
const [somebody] = others;
const issue = await world.db.issue.findFirstOrThrow({ where: { projectId: project.id } });
// The first participant of all issues has one, too, below which there is something to read.
await world.db.issue.update({ where: { id: issue.id }, data: { authorId: owner.id } });
// Repositories of snippets are made when they are first read.
for (const { id } of await world.db.snippet.findMany({ select: { id: true } })) {
  await openSnippetRepository(world.as(owner), id);
}
const snippet = await world.db.snippet.findFirstOrThrow({ where: { projectId: project.id } });
const firstNote = async (subjectType: string, subjectId: number) =>
  (await world.db.note.findFirstOrThrow({ where: { subjectType, subjectId }, orderBy: { id: 'asc' } })).id;
const request = await world.db.mergeRequest.findFirstOrThrow({ where: { targetProjectId: project.id } });
const notes = {
  issues: await firstNote('Issue', issue.id),
  snippets: await firstNote('Snippet', snippet.id),
  merge_requests: await firstNote('MergeRequest', request.id),
};
await answer('Issue', issue.id, notes.issues);
await answer('Snippet', snippet.id, notes.snippets);
await answer('MergeRequest', request.id, notes.merge_requests);
const { id: commentId } = await world.db.commitComment.findFirstOrThrow({
  where: { projectId: project.id, sha },
  orderBy: { id: 'asc' },
});
const comment = { projectId: project.id, authorId: owner.id, sha, note: 'Answered', discussionId: commentId };
await world.db.commitComment.createMany({ data: Array.from({ length: MANY }, () => comment) });
const [issue_iid, snippet_id, merge_request_iid] = [issue.iid, snippet.id, request.iid];
const board = await world.db.board.findFirstOrThrow({ where: { projectId: project.id } });
const pack = await world.db.package.findFirstOrThrow({ where: { projectId: project.id } });
await world.db.release.create({
  data: {
    ...{ projectId: project.id, tag: 'released', description: 'Notes', authorId: owner.id },
    links: {
      create: Array.from({ length: MANY }, (_, n) => ({ name: `link ${n}`, url: `https://example.org/${n}` })),
    },
  },
});
// Every job has run: what is read of runners is then read of the first one, too.
const elsewhere = { description: 'elsewhere', tokenHash: Buffer.from('elsewhere') };
const { id: runnerId } = await world.db.runner.create({ data: elsewhere });
await world.db.job.updateMany({ where: { runnerId: null }, data: { runnerId } });
const schedule = await world.db.pipelineSchedule.findFirstOrThrow({ where: { projectId: project.id } });
const { key } = await world.db.resourceGroup.findFirstOrThrow({ where: { projectId: project.id } });
await world.db.job.updateMany({
  where: { projectId: project.id },
  data: { resourceGroup: key, status: 'waiting_for_resource' },
});
const ofSchedule = {
  projectId: project.id,
  userId: owner.id,
  ref: 'master',
  sha: '1'.repeat(40),
  source: 'schedule',
  scheduleId: schedule.id,
} as const;
await world.db.pipeline.createMany({ data: Array.from({ length: MANY }, () => ofSchedule) });
const deployment = await world.db.deployment.findFirstOrThrow({ where: { projectId: project.id } });
const images = await world.db.containerRepository.findFirstOrThrow({ where: { projectId: project.id } });
const manifest = await world.db.containerManifest.findFirstOrThrow({ where: { repositoryId: images.id } });
await world.db.containerTag.create({
  data: { repositoryId: images.id, name: 'released', manifestId: manifest.id },
});
const given = {
  feature_flag_name: 'flag0',
  iid: 1,
  type: 'dockerfiles',
  deployment_id: deployment.id,
  pipeline_schedule_id: schedule.id,
  tag_name: 'released',
  key,
  repository_id: images.id,
  package_id: pack.id,
  board_id: board.id,
  milestone_id: milestone?.id,
  pipeline_id: pipeline?.id,
  hook_id: hook?.id,
  sha,
  commit_id: sha,
  user_id: somebody?.id,
  issue_iid,
  snippet_id,
  merge_request_iid,
};

const about = { baseUrl: 'http://gantry.test', ssh: null, version: '1', revision: '1', avatars: true };
const count = async (work: () => Promise<unknown>) => (await world.statements(work)).length;

/** The fewest statements of two times: some requests read what is kept for the next ones, for a while. */
const fewest = async (work: () => Promise<unknown>) => Math.min(await count(work), await count(work));

/** Lists that are read by themselves for each record above; the rooms of which are to be read by selections yet. */
const ONE_BY_ONE = new Set([
  'Group.badges',
  'Group.issues',
  'Group.events',
  'Project.badges',
  'Project.events',
  'Project.repository.branches',
  'Project.users',
  'User.authorizedApplications',
  'User.events',
  'User.impersonationTokens',
  'User.memberships',
  'User.personalAccessTokens',
  'User.secondaryEmails',
  'User.sshKeys',
]);

/** Read for all records above that git has answered for by then: by one statement for each at most. */
const AS_GIT_ANSWERS = new Set([
  'Deployment.mergeRequests',
  'Project.repository.contributors',
  'Project.repository.tree',
  'Snippet.commits',
]);

/** Lists that the server has without a database. */
const OWN = new Set(['Query.licenseTemplates']);

const lists = listFields(3).filter(({ edges }) => !edges.some((edge) => OWN.has(edge)));
const isApart = ({ edges }: ListField) => edges.some((edge) => ONE_BY_ONE.has(edge) || AS_GIT_ANSWERS.has(edge));
const named = (some: ListField[]) => some.map((list) => [list.name, list] as const);

/**
 * How many are asked for in place of ten, where those would have more parents below them than the hundred that one statement is
 * for (`loadBelow`): ten issues or merge requests have up to eleven participants each. The default messages of merge requests are read by
 * git, which one caller has done for so many at once.
 */
const FEWER = new Map<string, number>([
  ...['contributedProjects', 'projects'].map((above) => [`users > ${above} > mergeRequests`, 5] as const),
  ...['issues', 'mergeRequests'].flatMap((list) => [
    ...['projects', 'contributedProjects'].map((below) => [`${list} > participants > ${below}`, 5] as const),
    // Merge requests have lists and rights that are read for a hundred at once.
    ...['authoredMergeRequests', 'assignedMergeRequests', 'reviewRequestedMergeRequests'].map(
      (below) => [`${list} > participants > ${below}`, 4] as const,
    ),
  ]),
]);

/** The groups around a project: the topmost comes last of the four, and is read for what is in it, unless it is listed itself. */
const AROUND = /([pP]rojects|forks) > groups/;

/** The statements for one record on each level, and for many; past the server, which limits the cost of documents. */
async function statementsOf(list: ListField): Promise<{ few: number; many: number }> {
  const ask = async (first: number) => {
    const document = parse(`{ ${documentOf(list, first)} }`);
    const result = await execute({ schema, document, contextValue: graphqlContext(world.as(admin), about) });
    expect((result as ExecutionResult).errors).toBeUndefined();
  };
  await ask(1);
  return {
    few: await count(() => ask(1)),
    many: await count(() => ask(FEWER.get(list.name) ?? (AROUND.test(list.name) ? 3 : MANY))),
  };
}

describe('However many records are above it and in it, there are as many statements for', () => {
  itEveryNth(36, named(lists.filter((list) => !isApart(list))))('%s', async (_, list) => {
    const { few, many } = await statementsOf(list);
    // Where the topmost group is listed itself, it is not read once more for the groups below it.
    if (AROUND.test(list.name)) expect(many).toBeLessThanOrEqual(few);
    else expect(many).toBe(few);
    expect(few).toBeGreaterThan(0);
  });
});

/** The lists of the schema at which these edges end; not below service accounts, of which the server has none here. */
function endingAt(edges: Set<string>): ListField[] {
  return [...edges].map((last) => {
    const list = lists.find((one) => one.edges.at(-1) === last && !one.name.startsWith('serviceAccounts >'));
    if (!list) throw new Error(`${last} is no list of the schema`);
    return list;
  });
}

describe('Not yet read together, and to be taken off the list once it is:', () => {
  itEveryNth(27, named(endingAt(ONE_BY_ONE)))('%s', async (_, list) => {
    const { few, many } = await statementsOf(list);
    expect(many).toBeGreaterThan(few);
  });
});

describe('However many rows each list has, there is one statement more at most for each record above it for', () => {
  itEveryNth(6, named(endingAt(AS_GIT_ANSWERS)))('%s', async (_, list) => {
    const { few, many } = await statementsOf(list);
    expect(many).toBeLessThan(few + MANY);
  });
});

describe('However long it is, the same statements make the list', () => {
  const paths = [...ENDPOINTS.values()]
    .filter(({ route, paginated }) => route.method === 'GET' && paginated)
    .map(({ route }) => (route.path.includes('scope=') ? withQuery(route.path, 'search=te') : route.path));

  itEveryNth(12, paths)('%s', async (path) => {
    const isPlanned = /^\/groups\/:id\/(labels|milestones|boards)/.test(path);
    const id = path.startsWith('/bulk_imports')
      ? movedIn.id
      : isPlanned
        ? planning.id
        : path.startsWith('/groups')
          ? home.id
          : path.startsWith('/users')
            ? somebody?.id
            : project.id;
    const note_id = Reflect.get(notes, path.split('/')[3] ?? '');
    const [kind, thread] = path.includes('/commits/')
      ? (['CommitDiscussion', commentId] as const)
      : (['Discussion', note_id ?? 0] as const);
    const discussion_id = threadKey(kind, thread);
    const place = path.startsWith('/groups') ? { group: home.id } : { project: project.id };
    const account = path.includes('/service_accounts/')
      ? { user_id: (await createServiceAccount(world.as(admin), place, {}, select('User', { id: true }))).id }
      : {};
    const of = { ...given, ...account, ...(isPlanned && planned), note_id, discussion_id };
    const at = path.replace(/:(\w+)/g, (_, name) => String(name === 'id' ? id : Reflect.get(of, name)));
    const ask = async (length: number) => {
      const { status, body } = await world.api(admin).get(withQuery(at, `per_page=${length}`));
      expect([status, Array.isArray(body)]).toEqual([200, true]);
    };
    expect(await fewest(() => ask(100))).toBe(await fewest(() => ask(3)));
  });
});

describe('The threads of a merge request', () => {
  it('take three statements besides those for the caller, the project and the merge request', async () => {
    const { id: noteId } = await world.db.note.create({
      data: {
        subjectType: 'MergeRequest',
        subjectId: request.id,
        authorId: owner.id,
        body: 'Why?',
        startsThread: true,
      },
    });
    const of = { id: noteId, noteId, mergeRequestId: request.id };
    await world.db.discussion.create({ data: { ...of, resolvedAt: new Date(), resolvedById: owner.id } });
    const path = `/projects/${project.id}/merge_requests/${request.iid}/discussions?per_page=100`;
    const { body } = await world.api(admin).get(path);
    expect(body.at(-1)).toMatchObject({ notes: [{ resolved: true, resolved_by: { id: owner.id } }] });
    expect(await fewest(() => world.api(admin).get(path))).toBeLessThanOrEqual(6);
  });
});
