import { beforeAll, describe, expect, it } from 'vitest';
import { toGlobalId } from '#schema/node/types.ts';
import { projectWithCommit } from '../support/ci.ts';
import type { Json } from '../support/http.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user({ username: 'ada' });
const member = await world.user({ username: 'ben' });
const outsider = await world.user({ username: 'cleo' });

const ask = async (query: string, who?: TestUser): Promise<Json> => {
  const { body } = await world.graphql(query, {}, who);
  expect(body.errors).toBeUndefined();
  return body.data;
};
const code = async (query: string, who?: TestUser) => {
  const { body } = await world.graphql(query, {}, who);
  return body.errors?.[0]?.extensions?.code;
};
const statements = async (query: string, who: TestUser) => {
  await ask(query, who);
  return (await world.statements(() => ask(query, who))).length;
};
const names = (list: { nodes: { name: string }[] }) => list.nodes.map(({ name }) => name).sort();

describe('From users the graph leads to', () => {
  const places = {} as Record<'top' | 'inner', { id: number }>;

  beforeAll(async () => {
    places.top = await world.group({ owner, name: 'Top', path: 'top', visibility: 'private' });
    places.inner = await world.group({
      owner,
      name: 'Inner',
      path: 'inner',
      parentId: places.top.id,
      visibility: 'private',
    });
    await world.project({ owner, name: 'personal', visibility: 'public' });
    await world.project({ owner, name: 'hidden', visibility: 'private' });
    const open = await world.project({ owner: outsider, name: 'open', visibility: 'internal' });
    await world.member(open, owner, 'developer');
    await world.project({ owner, name: 'inside', namespaceId: places.inner.id, visibility: 'private' });
    for (const project of await world.db.project.findMany({ where: { name: { in: ['hidden', 'open'] } } })) {
      await world.db.projectStar.create({ data: { projectId: project.id, userId: owner.id } });
    }
    await world.member(await world.db.namespace.findUniqueOrThrow({ where: { id: places.inner.id } }), member, 'guest');
  });

  const projects = async (args: string, who: TestUser) =>
    names((await ask(`{ user(username: "ADA") { projects${args} { nodes { name } } } }`, who)).user.projects);

  it('their projects, by what they have to do with them and by who asks', LONG, async () => {
    expect(await projects('', owner)).toEqual(['hidden', 'inside', 'open', 'personal']);
    expect(await projects('(affiliations: [OWNER])', owner)).toEqual(['hidden', 'personal']);
    // Who creates a personal project is a member of it too.
    expect(await projects('(affiliations: [MEMBER])', owner)).toEqual(['hidden', 'open', 'personal']);
    expect(await projects('(affiliations: [GROUP_MEMBER])', owner)).toEqual(['inside']);
    expect(await projects('(affiliations: [])', owner)).toEqual([]);
    expect(await projects('', outsider)).toEqual(['open', 'personal']);
    expect(await projects('', member)).toEqual(['inside', 'open', 'personal']);
    expect(await projects('(filter: { search: "pers" })', member)).toEqual(['personal']);
  });

  it('what they starred and their groups, as far as the caller sees them', async () => {
    const query =
      '{ user(username: "ada") { starredProjects { totalCount nodes { name } } groups { nodes { name } } } }';
    const seen = async (who: TestUser) => {
      const { user } = await ask(query, who);
      return [names(user.starredProjects), user.starredProjects.totalCount, names(user.groups)];
    };
    expect(await seen(owner)).toEqual([['hidden', 'open'], 2, ['Inner', 'Top']]);
    expect(await seen(outsider)).toEqual([['open'], 1, []]);
    expect(await seen(member)).toEqual([['open'], 1, ['Inner', 'Top']]);
  });

  it('issues that they opened or that are assigned to them', async () => {
    const open = await world.db.project.findFirstOrThrow({ where: { name: 'open' } });
    const project = await world.as(outsider).db.project.findUniqueOrThrow({ where: { id: open.id } });
    await world.issue(project as never, outsider, { title: 'Assigned', assigneeId: owner.id });
    await world.issue(project as never, owner, { title: 'Opened' });
    const titles = async (args: string) =>
      (await ask(`{ viewer { issues${args} { nodes { title } } } }`, owner)).viewer.issues.nodes;
    expect(await titles('')).toEqual([{ title: 'Opened' }]);
    expect(await titles('(role: ASSIGNEE)')).toEqual([{ title: 'Assigned' }]);
    expect(await titles('(role: ASSIGNEE, orderBy: UPDATED_AT, sort: ASC, filter: { state: CLOSED })')).toEqual([]);
  });

  it('what is public for visitors', async () => {
    const query =
      '{ user(username: "ada") { projects(sort: ASC) { nodes { name } } starredProjects { nodes { name } } groups { nodes { name } } } }';
    const { user } = await ask(query);
    expect([names(user.projects), names(user.starredProjects), names(user.groups)]).toEqual([['personal'], [], []]);
  });

  it('a user by one of ID and username', async () => {
    const { user } = await ask('{ user(username: "Ben") { databaseId } }', owner);
    expect(user).toEqual({ databaseId: member.id });
    expect(await code('{ user(username: "nobody") { id } }', owner)).toBe('NOT_FOUND');
    expect(await code('{ user { id } }', owner)).toBe('BAD_REQUEST');
    expect(await code(`{ user(id: ${member.id}, username: "ben") { id } }`, owner)).toBe('BAD_REQUEST');
    expect(await ask('{ user(username: "ben") { databaseId } }')).toEqual({ user: { databaseId: member.id } });
  });
});

describe('Groups', () => {
  it('have the group around them, where the caller sees it', async () => {
    const query =
      '{ group(ref: "top/inner") { parentId parent { name parent { name } subgroups { nodes { name } } } } }';
    expect((await ask(query, owner)).group.parent).toEqual({
      name: 'Top',
      parent: null,
      subgroups: { nodes: [{ name: 'Inner' }] },
    });
    const lone = await world.group({ owner, path: 'lone', name: 'Lone', visibility: 'private' });
    const below = await world.group({ owner, path: 'below', name: 'Below', parentId: lone.id, visibility: 'private' });
    await world.member(below, outsider, 'guest');
    expect(await ask('{ group(ref: "lone/below") { parentId parent { name } } }', outsider)).toEqual({
      group: { parentId: lone.id, parent: null },
    });
  });

  it('are found as namespaces of projects, by the statement that finds these', async () => {
    const namespace = `namespace { __typename fullPath kind ... on Group { description viewerAccessLevel
      viewerCanCreateProject } ... on PersonalNamespace { owner { username } } }`;
    const query = `{ projects(sort: ASC) { nodes { name ${namespace} } } }`;
    const { nodes } = (await ask(query, owner)).projects;
    const of = (wanted: string) => nodes.find(({ name }: { name: string }) => name === wanted).namespace;
    expect(of('inside')).toEqual({
      __typename: 'Group',
      fullPath: 'top/inner',
      kind: 'GROUP',
      description: '',
      viewerAccessLevel: 'OWNER',
      viewerCanCreateProject: true,
    });
    expect(of('personal')).toEqual({
      __typename: 'PersonalNamespace',
      fullPath: 'ada',
      kind: 'USER',
      owner: { username: 'ada' },
    });
    // The other one finds who asks.
    expect(await statements(query, owner)).toBe(2);
  });

  it('that are public show visitors what is public in them', async () => {
    const group = await world.group({ owner, visibility: 'public', name: 'Public', path: 'for-all' });
    const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
    const at = (fields: string) => `{ project(ref: ${project.id}) { namespace { ${fields} } } }`;
    expect(await ask(at('__typename name fullPath'))).toEqual({
      project: { namespace: { __typename: 'Group', name: 'Public', fullPath: 'for-all' } },
    });
    await world.issue(project, owner, { title: 'Seen' });
    await world.issue(project, owner, { title: 'Secret', confidential: true });
    const hidden = await world.project({ owner, namespaceId: group.id, visibility: 'internal' });
    await world.issue(hidden, owner, { title: 'Inside' });
    const seen = await ask(at('... on Group { visibility issues { totalCount nodes { title } } }'));
    expect(seen.project.namespace).toEqual({
      visibility: 'PUBLIC',
      issues: { totalCount: 1, nodes: [{ title: 'Seen' }] },
    });
    expect(await code(at('... on Group { webhooks { totalCount } }'))).toBe('UNAUTHENTICATED');
  });
});

describe('Several nodes', () => {
  const made = {} as Record<string, string>;

  beforeAll(async () => {
    const project = await world.project({ owner, visibility: 'internal' });
    const hidden = await world.project({ owner, visibility: 'private' });
    for (const [word, at] of [
      ['seen', project],
      ['unseen', hidden],
    ] as const) {
      const label = await world.label(at, owner);
      const milestone = await world.milestone(at, owner);
      const issue = await world.issue(at, owner, { labels: [label.title], title: `${word} issue` });
      const second = await world.issue(at, owner, { confidential: word === 'seen' });
      made[`${word} project`] = toGlobalId('Project', at.id);
      made[`${word} label`] = toGlobalId('Label', label.id);
      made[`${word} milestone`] = toGlobalId('Milestone', milestone.id);
      made[`${word} issue`] = toGlobalId('Issue', issue.id);
      made[`${word} second`] = toGlobalId('Issue', second.id);
    }
    made.user = toGlobalId('User', member.id);
  });

  const query = (
    ids: string[],
  ) => `{ nodes(ids: ${JSON.stringify(ids)}) { __typename id ... on Issue { title labelTitles }
    ... on Label { title openIssuesCount viewerCanDelete } ... on Project { fullPath viewerCanPush } ... on User { username } } }`;

  it('come in the order of their IDs, with null for what the caller may not see', LONG, async () => {
    const ids = [...Object.values(made).reverse(), 'nothing', toGlobalId('Issue', 999_999), made.user ?? ''];
    const whole = (await ask(query(ids), owner)).nodes;
    expect(whole.map((node: Json) => node?.id ?? null)).toEqual([...ids.slice(0, -3), null, null, made.user]);
    const part = (await ask(query(ids), outsider)).nodes;
    const hidden = new Set(Object.entries(made).flatMap(([name, id]) => (/unseen|second/.test(name) ? id : [])));
    expect(part.map((node: Json) => node?.id ?? null)).toEqual(
      ids.map((id, index) => (hidden.has(id) || index === ids.length - 3 || index === ids.length - 2 ? null : id)),
    );
    for (const id of ids) {
      const { node } = await ask(query([id]).replace(/nodes\(ids: \[(.*?)\]\)/, 'node(id: $1)'), outsider);
      expect(node).toEqual(part[ids.indexOf(id)]);
    }
  });

  it('take as many statements for many of a type as for one', async () => {
    const issues = [made['seen issue'] ?? '', made['seen second'] ?? ''];
    expect(await statements(query(issues), owner)).toBe(await statements(query(issues.slice(1)), owner));
    const labels = [made['seen label'] ?? '', made['unseen label'] ?? ''];
    expect(await statements(query(labels), owner)).toBe(await statements(query(labels.slice(1)), owner));
    // Issues, and the projects that tell who sees them; and who asks.
    expect(await statements(query(issues), owner)).toBeLessThanOrEqual(3);
  });

  it(
    'are topics for everyone, and badges, distributions and entries of time for who sees what they are of',
    LONG,
    async () => {
      const group = await world.group({ owner, visibility: 'private' });
      const found: [id: string, whom: (TestUser | undefined)[]][] = [];
      const topic = await world.db.topic.create({ data: { name: 'pomology', title: 'Pomology' } });
      found.push([toGlobalId('Topic', topic.id), [owner, outsider, undefined]]);
      const urls = { linkUrl: 'https://example.org/%{project_path}', imageUrl: 'https://example.org/a.svg' };
      const signed = { codename: 'sid', publicKey: 'x', privateKeyEncrypted: Buffer.from('x') };
      for (const [visibility, whom] of [
        ['private', [owner]],
        ['public', [owner, outsider, undefined]],
      ] as const) {
        const project = await world.project({ owner, visibility });
        const badge = await world.db.badge.create({ data: { ...urls, projectId: project.id } });
        found.push([toGlobalId('Badge', badge.id), [...whom]]);
        const distribution = await world.db.debianDistribution.create({ data: { ...signed, projectId: project.id } });
        found.push([toGlobalId('DebianDistribution', distribution.id), [...whom]]);
        const times = { userId: owner.id, seconds: 60 };
        for (const confidential of [false, true]) {
          const { id: issueId } = await world.issue(project, owner, { confidential });
          const { id } = await world.db.timelog.create({ data: { ...times, issueId } });
          found.push([toGlobalId('Timelog', id), confidential ? [owner] : [...whom]]);
        }
        const { id: mergeRequestId } = await world.mergeRequest(project, owner, { iid: 1 });
        const { id } = await world.db.timelog.create({ data: { ...times, mergeRequestId } });
        found.push([toGlobalId('Timelog', id), [...whom]]);
      }
      const dist = await world.db.debianDistribution.create({ data: { ...signed, groupId: group.id } });
      found.push([toGlobalId('DebianDistribution', dist.id), [owner]]);
      const ofGroup = await world.db.badge.create({ data: { ...urls, groupId: group.id } });
      found.push([toGlobalId('Badge', ofGroup.id), [owner]]);
      const text = `{ nodes(ids: ${JSON.stringify(found.map(([id]) => id))}) { id ... on Topic { title }
      ... on Badge { kind renderedLinkUrl } ... on DebianDistribution { codename signingKey } ... on Timelog { seconds user { username } } } }`;
      for (const who of [owner, outsider, undefined]) {
        const { nodes } = await ask(text, who);
        expect(nodes.map((node: Json) => node?.id ?? null)).toEqual(
          found.map(([id, whom]) => (whom.includes(who) ? id : null)),
        );
      }
    },
  );

  it('are a hundred at most, and cost by their number', LONG, async () => {
    const many = Array.from({ length: 101 }, (_, n) => toGlobalId('Issue', n));
    expect(await code(query(many), owner)).toBe('BAD_REQUEST');
    expect(await ask(query(many.slice(1, 2)))).toEqual({ nodes: [null] });
    const costOf = async (ids: string[]) => {
      const headers = { 'PRIVATE-TOKEN': owner.token, 'GraphQL-Cost': '1' };
      const body = { query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', variables: { ids } };
      return (await world.send('POST', '/graphql', { headers, body })).body.extensions.cost.cost.used;
    };
    expect([await costOf(many.slice(0, 3)), await costOf(many.slice(0, 30))]).toEqual([2, 4]);
  });
});

describe('A search', () => {
  beforeAll(async () => {
    const group = await world.group({ owner, name: 'Quaternion team', path: 'rotations', visibility: 'private' });
    const hidden = await world.project({ owner, name: 'quaternions', namespaceId: group.id, visibility: 'private' });
    const open = await world.project({ owner, name: 'open-quaternions', visibility: 'public' });
    for (const project of [hidden, open]) {
      await world.issue(project, owner, { title: `Quaternion of ${project.name}` });
      await world.issue(project, owner, { title: 'Secret', description: 'about QUATERNIONS', confidential: true });
      await world.milestone(project, owner, { title: `Quaternions of ${project.name}` });
    }
    await world.user({ username: 'quaternion' });
  });

  const found = async (type: string, who?: TestUser, query = 'quaternion') => {
    const fields = `totalCount nodes { __typename ... on Project { path } ... on Group { fullPath } ... on User { username }
      ... on Issue { text: title } ... on Milestone { goal: title } }`;
    const { search } = await ask(`{ search(query: "${query}", type: ${type}) { ${fields} } }`, who);
    expect(search.totalCount).toBe(search.nodes.length);
    return search.nodes.map(({ __typename, ...rest }: Json) => `${__typename} ${Object.values(rest)[0]}`);
  };

  it('finds what the caller sees, of the type that is asked for', async () => {
    expect(await found('PROJECT', owner)).toEqual(['Project open-quaternions', 'Project quaternions']);
    expect(await found('PROJECT', outsider)).toEqual(['Project open-quaternions']);
    expect(await found('PROJECT')).toEqual(['Project open-quaternions']);
    expect([await found('GROUP', owner), await found('GROUP', outsider)]).toEqual([['Group rotations'], []]);
    expect(await found('USER', outsider)).toEqual(['User quaternion']);
    expect(await found('ISSUE', owner)).toHaveLength(4);
    expect(await found('ISSUE', outsider)).toEqual(['Issue Quaternion of open-quaternions']);
    expect(await found('MILESTONE', outsider)).toEqual(['Milestone Quaternions of open-quaternions']);
    expect(await found('MILESTONE', owner)).toHaveLength(2);
    expect(await found('ISSUE', owner, 'zyxxyz')).toEqual([]);
  });

  it('leads on from what it found, by one statement for a level', LONG, async () => {
    const query = (first: number) =>
      `{ search(query: "quaternion", type: ISSUE, first: ${first}) { nodes { ... on Issue { title author { username }
        project { fullPath } labels { nodes { title } } viewerCanUpdate } } } }`;
    expect(await statements(query(4), owner)).toBe(await statements(query(1), owner));
  });

  it('finds what is public for visitors, but no people, and takes three letters', async () => {
    expect(await found('GROUP')).toEqual([]);
    expect(await found('ISSUE')).toEqual(['Issue Quaternion of open-quaternions']);
    expect(await found('MILESTONE')).toEqual(['Milestone Quaternions of open-quaternions']);
    expect(await code('{ search(query: "quaternion", type: USER) { totalCount } }')).toBe('UNAUTHENTICATED');
    for (const query of ['', 'ab', '. . .', 'x'.repeat(256)]) {
      expect(await code(`{ search(query: "${query}", type: PROJECT) { totalCount } }`, owner)).toBe('BAD_REQUEST');
    }
  });
});

describe('Labels', () => {
  it('are on issues with all that they show, and lead back to the issues that the caller sees', async () => {
    const project = await world.project({ owner, visibility: 'internal' });
    await world.label(project, owner, 'zebra');
    await world.issue(project, owner, { title: 'One', labels: ['zebra', 'ant'] });
    await world.issue(project, owner, { title: 'Two', labels: ['zebra'], confidential: true });
    const query = `{ project(ref: ${project.id}) { issues(sort: ASC, first: 5) { nodes { title labelTitles labels(first: 5) { totalCount nodes {
      title color openIssuesCount viewerSubscribed viewerCanUpdate project { fullPath }
      issues(sort: ASC, first: 5) { totalCount nodes { title } } } } } } } }`;
    const [one, two] = (await ask(query, owner)).project.issues.nodes;
    expect(one.labels.nodes.map(({ title }: { title: string }) => title)).toEqual(['ant', 'zebra']);
    expect(one.labels.nodes[1]).toEqual({
      title: 'zebra',
      color: expect.stringMatching(/^#/),
      openIssuesCount: 2,
      viewerSubscribed: false,
      viewerCanUpdate: true,
      project: { fullPath: project.fullPath },
      issues: { totalCount: 2, nodes: [{ title: 'One' }, { title: 'Two' }] },
    });
    expect([one.labelTitles, two.labelTitles, two.labels.totalCount]).toEqual([['ant', 'zebra'], ['zebra'], 1]);
    const [seen, ...rest] = (await ask(query, outsider)).project.issues.nodes;
    expect(rest).toEqual([]);
    expect(seen.labels.nodes[1]).toMatchObject({
      openIssuesCount: 1,
      viewerCanUpdate: false,
      issues: { totalCount: 1, nodes: [{ title: 'One' }] },
    });
  });
});

describe('Commits', () => {
  it('lead to the user who confirmed the address of the author, for signed-in callers', LONG, async () => {
    const { project, sha } = await projectWithCommit(world, owner, { visibility: 'public' });
    const query = `{ project(ref: ${project.id}) { repository { branches { nodes { commit { sha authorEmail
      authorUser { username } committerUser { username } project { databaseId } } viewerCanPush viewerCanDelete } } } } }`;
    const { nodes } = (await ask(query, owner)).project.repository.branches;
    expect(nodes).toEqual([
      {
        commit: {
          sha,
          authorEmail: 'ada@example.org',
          authorUser: { username: 'ada' },
          committerUser: { username: 'ada' },
          project: { databaseId: project.id },
        },
        viewerCanPush: true,
        viewerCanDelete: false,
      },
    ]);
    const author = async (who?: TestUser) =>
      (await ask(query, who)).project.repository.branches.nodes[0].commit.authorUser;
    expect([await author(outsider), await author()]).toEqual([{ username: 'ada' }, null]);
    await world.db.user.update({ where: { id: owner.id }, data: { confirmedAt: null } });
    expect(await author(outsider)).toBeNull();
    await world.db.user.update({
      where: { id: owner.id },
      data: { confirmedAt: new Date(), email: 'new@example.org' },
    });
    const { id } = await world.db.email.create({ data: { userId: member.id, email: 'ada@example.org' } });
    expect(await author(outsider)).toBeNull();
    await world.db.email.update({ where: { id }, data: { confirmedAt: new Date() } });
    expect(await author(outsider)).toEqual({ username: 'ben' });
  });
});

describe('What the caller may do', () => {
  it('is told of projects and issues as the commands decide', async () => {
    const project = await world.project({ owner, visibility: 'internal' });
    await world.member(project, member, 'reporter');
    const own = await world.issue(project, outsider, { title: 'Own' });
    const query = `{ project(ref: ${project.id}) { viewerHasStarred viewerCanUpdate viewerCanDelete viewerCanPush
      viewerCanCreateIssue viewerCanManageLabels issue(iid: ${own.iid}) { viewerCanUpdate viewerCanManage viewerCanDelete
      viewerSubscribed } } }`;
    const seen = async (who: TestUser) => Object.values((await ask(query, who)).project);
    expect(await seen(owner)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
      expect.objectContaining({ viewerCanDelete: true }),
    ]);
    expect(await seen(member)).toEqual([
      ...[false, false, false, false, true, true],
      { viewerCanUpdate: true, viewerCanManage: true, viewerCanDelete: false, viewerSubscribed: false },
    ]);
    expect(await seen(outsider)).toEqual([
      ...[false, false, false, false, true, false],
      { viewerCanUpdate: true, viewerCanManage: false, viewerCanDelete: false, viewerSubscribed: true },
    ]);
    await world.db.projectStar.create({ data: { projectId: project.id, userId: outsider.id } });
    await world.db.project.update({ where: { id: project.id }, data: { archived: true, issuesEnabled: false } });
    const flags = `{ project(ref: ${project.id}) { viewerHasStarred viewerCanPush viewerCanCreateIssue } }`;
    expect(Object.values((await ask(flags, outsider)).project)).toEqual([true, false, false]);
    expect(Object.values((await ask(flags, owner)).project)).toEqual([false, false, false]);
  });
});
