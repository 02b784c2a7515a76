import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { compatOf } from '../support/compat.ts';
import { LONG } from '../support/long.ts';
import { opened, withTopic } from '../support/merge_requests.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ask = compatOf(world);
const owner = await world.user();
const other = await world.user();
let project: ProjectRow;
let hidden: ProjectRow;
let issue: Awaited<ReturnType<typeof world.issue>>;
let merge: Awaited<ReturnType<typeof opened>>;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  hidden = await world.project({ owner, visibility: 'private' });
  await withTopic(world, project, owner);
  merge = await opened(world, project, owner, { title: 'Add b' });
  issue = await world.issue(project, owner, { title: 'It fails', dueDate: '2031-02-03' });
  await world.label(project, owner, 'bug');
});

/** What a query answers, which has no errors. */
async function data(query: string, variables: object = {}, user: typeof owner | null = owner) {
  const { status, body } = await ask(query, variables, user);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.data;
}

/** The messages of the errors of an answer. */
async function errors(query: string, variables: object = {}, user: typeof owner | null = owner): Promise<string[]> {
  const { status, body } = await ask(query, variables, user);
  expect(status).toBe(200);
  return (body.errors ?? []).map(({ message }: { message: string }) => message);
}

const MISSING =
  "The resource that you are attempting to access does not exist or you don't have permission to perform this action";

describe('What is not there', () => {
  it('is null without an error in queries, and so is what the caller cannot see', async () => {
    const query = `query ($path: ID!, $hidden: ID!) {
      a: project(fullPath: $path) { mergeRequest(iid: "99") { id } issue(iid: "99") { id } pipeline(iid: "9") { id } repository { commit(ref: "none") { sha } } }
      b: project(fullPath: "no/where") { id }
      c: project(fullPath: $hidden) { id }
      d: group(fullPath: "nowhere") { id }
      e: namespace(fullPath: "nowhere") { id }
      f: user(username: "nobody-here") { id }
      g: mergeRequest(id: "gid://gitlab/MergeRequest/99999") { id }
      h: issue(id: "gid://gitlab/Issue/99999") { id }
      i: project(fullPath: "1") { id }
    }`;
    const found = await data(query, { path: project.fullPath, hidden: hidden.fullPath }, other);
    const none = { mergeRequest: null, issue: null, pipeline: null, repository: { commit: null } };
    expect(found).toEqual({ a: none, b: null, c: null, d: null, e: null, f: null, g: null, h: null, i: null });
  });

  it('is an error beside the data in mutations, as is what the caller may not do', async () => {
    const mutation = `mutation ($input: MergeRequestSetDraftInput!) { mergeRequestSetDraft(input: $input) { errors mergeRequest { id } } }`;
    const inputs = [
      { projectPath: 'no/where', iid: '1', draft: true },
      { projectPath: project.fullPath, iid: '99', draft: true },
      { projectPath: project.fullPath, iid: String(merge.iid), draft: true },
    ];
    for (const input of inputs) {
      const { body } = await ask(mutation, { input }, other);
      expect(body.data).toEqual({ mergeRequestSetDraft: null });
      expect(body.errors).toMatchObject([{ message: MISSING, path: ['mergeRequestSetDraft'] }]);
    }
    expect((await world.db.mergeRequest.findUniqueOrThrow({ where: { id: merge.id } })).title).toBe('Add b');
  });
});

describe('A mutation', () => {
  const NOTE = `mutation ($input: CreateNoteInput!) { createNote(input: $input) { clientMutationId errors note { id body url author { username } discussion { id replyId } } } }`;

  it('answers with the record, no errors, and what the client called it', LONG, async () => {
    const noteableId = `gid://gitlab/MergeRequest/${merge.id}`;
    const { createNote } = await data(NOTE, { input: { noteableId, body: 'Fine', clientMutationId: 'x' } });
    expect(createNote).toMatchObject({ clientMutationId: 'x', errors: [], note: { body: 'Fine' } });
    const { id, url, discussion } = createNote.note;
    const number = id.split('/').at(-1);
    expect([id, url]).toEqual([
      expect.stringMatching(/^gid:\/\/gitlab\/Note\/\d+$/),
      expect.stringMatching(`#note_${number}$`),
    ]);
    expect(discussion.id).toMatch(/^gid:\/\/gitlab\/Discussion\/[0-9a-f]{40}$/);
    expect(discussion.replyId).toBe(discussion.id);
    const answer = await data(NOTE, { input: { noteableId, body: 'Yes', discussionId: discussion.id } });
    expect(answer.createNote.note.discussion.id).toBe(discussion.id);
    expect(answer.createNote.note.id).toMatch(/DiscussionNote\/\d+$/);
  });

  it('takes the global ID of an issue and of a work item for one another', async () => {
    for (const type of ['Issue', 'WorkItem']) {
      const { createNote } = await data(NOTE, {
        input: { noteableId: `gid://gitlab/${type}/${issue.id}`, body: type },
      });
      expect(createNote.note.body).toBe(type);
    }
  });

  it('tells wrong values in its payload alone', async () => {
    const noteableId = `gid://gitlab/Issue/${issue.id}`;
    const { createNote } = await data(NOTE, { input: { noteableId, body: '', clientMutationId: 'y' } });
    expect(createNote).toMatchObject({ clientMutationId: 'y', note: null });
    expect(createNote.errors).toEqual([expect.stringMatching(/can't be blank/)]);
  });

  it('may be there twice with the same input', async () => {
    const input = `{ noteableId: "gid://gitlab/Issue/${issue.id}", body: "Again" }`;
    const found = await data(
      `mutation { a: createNote(input: ${input}) { note { id } } b: createNote(input: ${input}) { note { id } } }`,
    );
    expect(found.a.note.id).not.toBe(found.b.note.id);
  });
});

describe('Global IDs', () => {
  it('of another class, or malformed ones, are refused by their text', async () => {
    const query = 'query ($id: MergeRequestID!) { mergeRequest(id: $id) { iid } }';
    for (const id of [
      `gid://gitlab/Issue/${issue.id}`,
      'x',
      'gid://gitlab/MergeRequest/x',
      'gid://gitlab/MergeRequest/1/2',
      '1',
    ]) {
      expect(await errors(query, { id })).toEqual([`"${id}" does not represent an instance of MergeRequest`]);
      expect(await errors(`{ mergeRequest(id: "${id}") { iid } }`)).toEqual([
        expect.stringContaining(`"${id}" does not represent an instance of MergeRequest`),
      ]);
    }
    const { mergeRequest } = await data(query, { id: `gid://gitlab/MergeRequest/${merge.id}` });
    expect(mergeRequest).toEqual({ iid: String(merge.iid) });
  });

  it('have the exact classes', async () => {
    const group = await world.group({ owner });
    const found = await data(
      `query ($path: ID!, $group: ID!, $user: ID!) {
      currentUser { id namespace { id fullPath } }
      group(fullPath: $group) { id }
      g: namespace(fullPath: $group) { id fullName }
      u: namespace(fullPath: $user) { id fullPath }
      p: namespace(fullPath: $path) { id }
      project(fullPath: $path) { id labels { nodes { id } } issue(iid: "${issue.iid}") { id } workItems { nodes { id } } mergeRequest(iid: "${merge.iid}") { id } }
    }`,
      { path: project.fullPath, group: group.fullPath, user: owner.username },
    );
    const label = await world.db.label.findFirstOrThrow({ where: { title: 'bug' } });
    const { namespaceId } = { namespaceId: found.currentUser.namespace.id };
    expect(namespaceId).toMatch(/^gid:\/\/gitlab\/Namespaces::UserNamespace\/\d+$/);
    expect(found).toMatchObject({
      currentUser: { id: `gid://gitlab/User/${owner.id}`, namespace: { fullPath: owner.username } },
      group: { id: `gid://gitlab/Group/${group.id}` },
      g: { id: `gid://gitlab/Group/${group.id}`, fullName: group.name },
      u: { id: namespaceId, fullPath: owner.username },
      p: { id: `gid://gitlab/Namespaces::ProjectNamespace/${project.id}` },
      project: {
        id: `gid://gitlab/Project/${project.id}`,
        labels: { nodes: [{ id: `gid://gitlab/ProjectLabel/${label.id}` }] },
        issue: { id: `gid://gitlab/Issue/${issue.id}` },
        workItems: { nodes: [{ id: `gid://gitlab/WorkItem/${issue.id}` }] },
        mergeRequest: { id: `gid://gitlab/MergeRequest/${merge.id}` },
      },
    });
  });

  it('are not numbers: a number for a text is refused', async () => {
    const query = 'query ($path: ID!, $iid: String!) { project(fullPath: $path) { mergeRequest(iid: $iid) { iid } } }';
    expect(await errors(query, { path: project.fullPath, iid: merge.iid })).toHaveLength(1);
    expect((await data(query, { path: project.fullPath, iid: String(merge.iid) })).project.mergeRequest.iid).toBe(
      String(merge.iid),
    );
  });
});

describe('Lists', () => {
  it('are cut to a hundred, and have as many where no size is given', async () => {
    const many = await world.project({ owner });
    const data2 = Array.from({ length: 130 }, (_, n) => ({ projectId: many.id, title: `l${n}`, color: '#ff0000' }));
    await world.db.label.createMany({ data: data2 });
    const found = await data(
      `query ($path: ID!) { project(fullPath: $path) {
      a: labels(first: 1000) { nodes { title } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } }
      b: labels { nodes { title } }
      c: labels(last: 500) { nodes { title } }
      d: labels(first: 2, after: "") { nodes { title } edges { cursor node { title } } }
      e: labels(searchTerm: "nothing like it") { nodes { title } pageInfo { endCursor hasNextPage } }
    } }`,
      { path: many.fullPath },
    );
    const { a, b, c, d, e } = found.project;
    expect([a.nodes.length, b.nodes.length, c.nodes.length, d.nodes.length]).toEqual([100, 100, 100, 2]);
    expect(a.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false, endCursor: expect.any(String) });
    expect(e).toEqual({ nodes: [], pageInfo: { endCursor: null, hasNextPage: false } });
    expect(d.edges.map(({ node }: { node: object }) => node)).toEqual(d.nodes);
    const query =
      'query ($path: ID!, $after: String) { project(fullPath: $path) { labels(after: $after) { nodes { title } pageInfo { hasNextPage } } } }';
    const { project: rest } = await data(query, { path: many.fullPath, after: a.pageInfo.endCursor });
    expect([rest.labels.nodes.length, rest.labels.pageInfo.hasNextPage]).toEqual([30, false]);
  });

  it('are counted whatever the page, without reading a record', async () => {
    const query =
      'query ($path: ID!) { project(fullPath: $path) { mergeRequests(state: opened) { count } issues { count } } }';
    await data(query, { path: project.fullPath });
    let found: { project?: unknown } = {};
    const statements = await world.statements(async () => {
      found = await data(query, { path: project.fullPath });
    });
    expect(found.project).toEqual({ mergeRequests: { count: 1 }, issues: { count: 1 } });
    expect(statements.filter((text) => /It fails|Add b/.test(text))).toEqual([]);
    expect(statements.length).toBeLessThanOrEqual(8);
  });

  it('are sorted by the names of both times', async () => {
    const second = await world.issue(project, owner, { title: 'A later one' });
    const query = (sort: string) =>
      `query ($path: ID!) { project(fullPath: $path) { issues(sort: ${sort}) { nodes { iid } } } }`;
    const order = async (sort: string) =>
      (await data(query(sort), { path: project.fullPath })).project.issues.nodes.map(({ iid }: { iid: string }) => iid);
    const [first, last] = [String(issue.iid), String(second.iid)];
    for (const sort of ['created_asc', 'CREATED_ASC', 'TITLE_DESC']) expect(await order(sort)).toEqual([first, last]);
    for (const sort of ['created_desc', 'CREATED_DESC', 'WEIGHT_DESC'])
      expect(await order(sort)).toEqual([last, first]);
    await world.db.issue.update({ where: { id: second.id }, data: { deletedAt: new Date() } });
  });

  it('made of plain ones have pages, too', async () => {
    const people = await Promise.all([world.user(), world.user(), world.user()]);
    await world.db.issueAssignee.createMany({
      data: people.map(({ id }, position) => ({ issueId: issue.id, userId: id, position: position + 1 })),
    });
    const query = `query ($path: ID!, $after: String) { project(fullPath: $path) { issue(iid: "${issue.iid}") { assignees(first: 2, after: $after) { nodes { username } pageInfo { hasNextPage endCursor } } } } }`;
    const { assignees } = (await data(query, { path: project.fullPath })).project.issue;
    const rest = (await data(query, { path: project.fullPath, after: assignees.pageInfo.endCursor })).project.issue
      .assignees;
    const all = (
      await data(
        `query ($path: ID!) { project(fullPath: $path) { issue(iid: "${issue.iid}") { assignees { nodes { username } } } } }`,
        { path: project.fullPath },
      )
    ).project.issue.assignees;
    expect([...assignees.nodes, ...rest.nodes]).toEqual(all.nodes);
  });
});

describe('Values', () => {
  it('are spelled as clients know them', async () => {
    const found = await data(
      `query ($path: ID!) { project(fullPath: $path) {
      issue(iid: "${issue.iid}") { state createdAt dueDate type severity webUrl weight }
      mergeRequest(iid: "${merge.iid}") { state draft mergeStatusEnum conflicts approved approvalsRequired reference full: reference(full: true) createdAt
        author { __typename username state: username } project { maxAccessLevel { integerValue stringValue } userPermissions { pushCode adminOperations } }
        userPermissions { canMerge canApprove createNote updateMergeRequest } diffStatsSummary { additions fileCount } commitCount defaultMergeCommitMessage }
    } }`,
      { path: project.fullPath },
    );
    const { issue: one, mergeRequest } = found.project;
    const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
    expect(one).toMatchObject({
      state: 'opened',
      createdAt: expect.stringMatching(seconds),
      type: 'ISSUE',
      weight: null,
    });
    expect(one.dueDate).toBe('2031-02-03');
    expect(mergeRequest).toMatchObject({
      state: 'opened',
      reference: `!${merge.iid}`,
      full: `${project.fullPath}!${merge.iid}`,
      approved: true,
      approvalsRequired: 0,
      createdAt: expect.stringMatching(seconds),
      author: { __typename: 'MergeRequestAuthor', username: owner.username },
      project: {
        maxAccessLevel: { stringValue: 'OWNER', integerValue: 50 },
        userPermissions: { pushCode: true, adminOperations: true },
      },
      userPermissions: { canMerge: true, createNote: true, updateMergeRequest: true },
      diffStatsSummary: { additions: 1, fileCount: 1 },
      commitCount: 1,
      defaultMergeCommitMessage: expect.stringContaining("Merge branch 'topic' into 'master'"),
    });
    const visitor = await data(
      `query ($path: ID!) { project(fullPath: $path) { maxAccessLevel { integerValue stringValue } userPermissions { pushCode downloadCode } } }`,
      { path: project.fullPath },
      null,
    );
    expect(visitor.project).toEqual({
      maxAccessLevel: { integerValue: 0, stringValue: 'NO_ACCESS' },
      userPermissions: { pushCode: false, downloadCode: true },
    });
  });

  it('of a repository are files by path, folders without folders, and names by a pattern', async () => {
    const { repository } = (
      await data(
        `query ($path: ID!) { project(fullPath: $path) { repository { empty rootRef
        blobs(paths: ["b.txt", "none", "a.txt"], ref: "topic") { nodes { rawBlob rawTextBlob id: rawBlob } }
        branchNames(searchPattern: "to*", offset: 0, limit: 10)
        tree(ref: "topic") { blobs { nodes { name path type sha } } lastCommit { title id: sha } }
        none: tree(path: "nothing") { blobs { nodes { name } } }
        commits(ref: "topic", first: 1) { nodes { fullTitle description } }
      } } }`,
        { path: project.fullPath },
      )
    ).project;
    expect(repository).toMatchObject({
      empty: false,
      rootRef: 'master',
      blobs: { nodes: [{ rawBlob: 'b.txt\n' }, { rawBlob: 'a\n' }] },
      branchNames: ['topic'],
      tree: {
        blobs: { nodes: [{ name: 'a.txt', type: 'blob' }, { name: 'b.txt' }] },
        lastCommit: { title: 'Change b.txt' },
      },
      none: null,
      commits: { nodes: [{ fullTitle: 'Change b.txt', description: '' }] },
    });
  });

  it('of work items are widgets and features of the same record', async () => {
    const found = await data(
      `query ($path: ID!) { namespace(fullPath: $path) {
      workItemTypes { nodes { id name } }
      workItem(iid: "${issue.iid}") { id state workItemType { id name } namespace { fullPath }
        features { labels { labels { nodes { title } } } hierarchy { hasChildren hasParent } weight { weight } startAndDueDate { dueDate } }
        widgets(onlyTypes: [LABELS, HIERARCHY]) { __typename type ... on WorkItemWidgetHierarchy { hasChildren children { nodes { iid } } parent { iid } } ... on WorkItemWidgetNotes { discussions { nodes { id } } } } }
    } }`,
      { path: project.fullPath },
    );
    const { workItem, workItemTypes } = found.namespace;
    expect(workItemTypes.nodes).toEqual([
      { id: 'gid://gitlab/WorkItems::Type/1', name: 'Issue' },
      { id: 'gid://gitlab/WorkItems::Type/2', name: 'Incident' },
      { id: 'gid://gitlab/WorkItems::Type/5', name: 'Task' },
    ]);
    expect(workItem).toMatchObject({
      id: `gid://gitlab/WorkItem/${issue.id}`,
      state: 'OPEN',
      workItemType: { id: 'gid://gitlab/WorkItems::Type/1', name: 'Issue' },
      namespace: { fullPath: project.fullPath },
      features: { hierarchy: { hasChildren: false, hasParent: false }, weight: null },
    });
    expect(workItem.widgets).toEqual([
      {
        __typename: 'WorkItemWidgetHierarchy',
        type: 'HIERARCHY',
        hasChildren: false,
        children: { nodes: [] },
        parent: null,
      },
      { __typename: 'WorkItemWidgetLabels', type: 'LABELS' },
    ]);
  });
});

describe('A document', () => {
  it('with an unknown field is told so in the words that clients look for', async () => {
    expect(await errors('mutation { mergeRequestRequestChanges(input: {}) { errors } }')).toEqual([
      "Field 'mergeRequestRequestChanges' doesn't exist on type 'Mutation'",
    ]);
  });

  it('of the other graph is told where that is', async () => {
    const told = await errors('{ viewer { username } }');
    expect(told).toEqual(["Field 'viewer' doesn't exist on type 'Query'", expect.stringContaining('/graphql')]);
    expect((await errors('{ nothing }')).some((message) => message.includes('/graphql'))).toBe(false);
  });

  it('is freed of what its client wants from later servers alone, before anything is looked at', async () => {
    const query = `query ($a: ID!, $later: UnknownID) {
      project(fullPath: $a) { name soon(id: $later) @gl_introduced(version: "18.6.0") { deep } description @gl_introduced(version: "17.11.0") ...Later @gl_introduced(version: "17.12") }
      currentUser { ... on Nothing @gl_introduced(version: "18.0") { x } }
    } fragment Later on Unheard { anything }`;
    const found = await data(query, { a: project.fullPath });
    expect(found.project).toEqual({ name: project.name, description: project.description ?? null });
    expect(await errors('{ currentUser { soon @gl_introduced(version: "9.0") } }')).toEqual([
      "Field 'soon' doesn't exist on type 'CurrentUser'",
    ]);
  });

  it('keeps aliases apart, and includes and skips what it says', async () => {
    const query = `query ($path: ID!, $yes: Boolean!, $no: Boolean = false) { project(fullPath: $path) {
      a: mergeRequests(state: opened) { count } b: mergeRequests(state: merged) { count }
      name @include(if: $no) path @skip(if: $no) ...More @include(if: $yes) ... @skip(if: $yes) { description }
    } } fragment More on Project { id: fullPath archived }`;
    const found = (await data(query, { path: project.fullPath, yes: true })).project;
    expect(found).toEqual({
      a: { count: 1 },
      b: { count: 0 },
      path: project.path,
      id: project.fullPath,
      archived: false,
    });
  });

  it('may have so many fields by who sends it, whatever the lists', async () => {
    const fields = (n: number) =>
      `{ ${Array.from({ length: n }, (_, at) => `a${at}: metadata { version }`).join(' ')} }`;
    const admin = await world.user({ admin: true });
    const told = (n: number, most: number) => [`Query has complexity of ${n}, which exceeds max complexity of ${most}`];
    expect(await errors(fields(100), {}, null)).toEqual([]);
    expect(await errors(fields(101), {}, null)).toEqual(told(202, 200));
    expect(await errors(fields(125))).toEqual([]);
    expect(await errors(fields(126))).toEqual(told(252, 250));
    expect(await errors(fields(150), {}, admin)).toEqual([]);
    expect(await errors(fields(151), {}, admin)).toEqual(told(302, 300));
    const deep = `{ group(fullPath: "a") { ${'parent { '.repeat(20)}id${' }'.repeat(20)} } }`;
    expect(await errors(deep)).toEqual([
      expect.stringMatching(/^Query has depth of 22, which exceeds max depth of 20$/),
    ]);
  });

  it('may ask what there is, whoever sends it', async () => {
    const mixed = await data('{ type: __type(name: "WorkItemWidgetType") { name } metadata { version } }', {}, null);
    expect(mixed).toEqual({ type: { name: 'WorkItemWidgetType' }, metadata: null });
    const { __schema } = await data('{ __schema { queryType { name } types { name description } } }', {}, null);
    expect(__schema.queryType.name).toBe('Query');
    expect(__schema.types.find(({ name }: { name: string }) => name === 'CiJob').description).toMatch(/\S/);
  });
});

describe('Paid features', () => {
  it('are constants, so that probes leave no errors', async () => {
    const found = await data(
      `query ($path: ID!) {
      currentUser { duoChatAvailable duoCodeSuggestionsAvailable duoChatAvailableFeatures codeSuggestionsContexts }
      project(fullPath: $path) { duoFeaturesEnabled duoAgenticChatAvailable terraformStates { nodes { name } } }
      metadata { enterprise featureFlags(names: ["a", "b"]) { name enabled } }
      featureFlagEnabled(name: "x")
    }`,
      { path: project.fullPath },
    );
    expect(found).toEqual({
      currentUser: {
        duoChatAvailable: false,
        duoCodeSuggestionsAvailable: false,
        duoChatAvailableFeatures: [],
        codeSuggestionsContexts: [],
      },
      project: { duoFeaturesEnabled: false, duoAgenticChatAvailable: false, terraformStates: { nodes: [] } },
      metadata: {
        enterprise: false,
        featureFlags: [
          { name: 'a', enabled: false },
          { name: 'b', enabled: false },
        ],
      },
      featureFlagEnabled: false,
    });
  });
});
