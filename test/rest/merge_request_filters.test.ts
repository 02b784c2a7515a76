// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Json } from '../support/http.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const ann = await world.user({ username: 'Ann' });
const ben = await world.user({ username: 'ben' });
const api = world.api(ann);
let project: ProjectRow;
let at: string;

/** The merge requests by title, the oldest first; what each filter must not show stands among them. */
beforeAll(async () => {
  project = await world.project({ owner: ann, visibility: 'public' });
  at = `/projects/${project.id}/merge_requests`;
  const [bug, ui] = [await world.label(project, ann, 'bug'), await world.label(project, ann, 'ui')];
  const milestone = await world.milestone(project, ann, { title: '1.0' });
  const later = await world.milestone(project, ann, { title: '2.0' });
  const made: [title: string, labels: { id: number }[], values: Json][] = [
    ['one', [bug, ui], { sourceBranch: 'topic', targetBranch: 'main', authorId: ann.id, milestoneId: milestone.id }],
    ['two', [bug], { sourceBranch: 'Topic', targetBranch: 'stable', authorId: ben.id, assigneeId: ann.id }],
    ['Draft: three', [ui], { sourceBranch: 'topic-3', targetBranch: 'main', authorId: ann.id, assigneeId: ben.id }],
    ['[WIP] four', [], { sourceBranch: 'topic-4', targetBranch: 'main', authorId: ben.id, milestoneId: later.id }],
    [
      'five',
      [],
      { sourceBranch: 'topic', targetBranch: 'main', authorId: ben.id, description: 'as one', state: 'closed' },
    ],
  ];
  for (const [n, [title, labels, values]] of made.entries()) {
    const times = { createdAt: new Date(`2030-01-0${n + 1}`), updatedAt: new Date(`2030-02-0${5 - n}`) };
    const { id } = await world.db.mergeRequest.create({
      data: { iid: n + 1, title, targetProjectId: project.id, sourceProjectId: project.id, ...times, ...values },
    });
    const pairs = labels.map((label) => ({ mergeRequestId: id, labelId: label.id }));
    await world.db.mergeRequestLabel.createMany({ data: pairs });
  }
  const elsewhere = await world.project({ owner: ann });
  await world.mergeRequest(elsewhere, ann, { iid: 1, sourceBranch: 'topic' });
});

/** Numbers of the merge requests in the list, the oldest first; its total says the same. */
async function listed(query: string): Promise<string> {
  const { status, headers, body } = await api.get(`${at}?sort=asc&${query}`);
  expect([query, status]).toEqual([query, 200]);
  expect(headers['x-total']).toBe(String(body.length));
  return body.map(({ iid }: Json) => iid).join('');
}

describe('GET /projects/:id/merge_requests', () => {
  it.each([
    ['source_branch=topic', '15'],
    ['source_branch=topic&state=opened', '1'],
    ['source_branch=top', ''],
    ['source_branch=nowhere', ''],
    ['target_branch=stable', '2'],
    ['source_branch=topic&target_branch=stable', ''],
    ['labels=bug', '12'],
    ['labels=bug,ui', '1'],
    ['labels[]=bug&labels[]=ui', '1'],
    ['labels=None', '45'],
    ['labels=none', '45'],
    ['labels=No%20Label', '45'],
    ['labels=Any', '123'],
    ['labels=unknown', ''],
    ['not[labels]=ui', '245'],
    ['not[labels]=bug,ui', '45'],
    ['not[labels][]=bug&not[labels][]=unknown', '345'],
    ['not[labels]=None', '123'],
    ['labels=bug&not[labels]=ui', '2'],
    ['milestone=1.0', '1'],
    ['milestone=None', '235'],
    ['milestone=any', '14'],
    ['milestone=3.0', ''],
    ['not[milestone]=1.0', '2345'],
    ['not[milestone]=None', '14'],
    [`author_id=${ann.id}`, '13'],
    ['author_username=ANN', '13'],
    ['author_username=nobody', ''],
    ['author_id=2147483000', ''],
    ['not[author_username]=ann', '245'],
    ['not[author_username]=nobody', '12345'],
    [`not[author_id]=${ben.id}`, '13'],
    [`assignee_id=${ann.id}`, '2'],
    ['assignee_id=None', '145'],
    ['assignee_id=none', '145'],
    ['assignee_id=0', '145'],
    ['assignee_id=Any', '23'],
    ['assignee_username=BEN', '3'],
    ['assignee_username[]=ben', '3'],
    [`not[assignee_id]=${ann.id}`, '1345'],
    ['not[assignee_id]=Any', '145'],
    ['scope=all', '12345'],
    ['scope=created_by_me', '13'],
    ['scope=created-by-me', '13'],
    ['scope=assigned_to_me', '2'],
    ['scope=assigned-to-me&state=closed', ''],
    ['search=ONE', '15'],
    ['search=one&in=title', '1'],
    ['search=one&in=description', '5'],
    ['search=one&in=title,description', '15'],
    ['search=one&in=', '15'],
    ['search=%20', '12345'],
    ['in=title', '12345'],
    ['created_after=2030-01-03T00:00:00Z', '345'],
    ['created_before=2030-01-03', '123'],
    ['created_after=2030-01-03&created_before=2030-01-03T00:00:00.000Z', '3'],
    ['updated_after=2030-02-04T01:00:00%2B01:00', '12'],
    ['updated_before=2030-02-02', '45'],
    ['wip=yes', '34'],
    ['wip=no', '125'],
    ['iids[]=1&iids[]=2', '12'],
    ['iids=1,2', '12'],
    ['nonsense=1&weight=3', '12345'],
    ['source_branch=&labels=&author_id=&scope=&wip=&not[labels]=&not=', '12345'],
  ])('with %s', async (query, expected) => {
    expect(await listed(query)).toBe(expected);
  });

  it.each([
    ['scope=mine', 'scope does not have a valid value'],
    ['wip=true', 'wip does not have a valid value'],
    ['view=full', 'view does not have a valid value'],
    ['in=title,labels', 'in does not have a valid value'],
    ['author_id=ann', 'author_id is invalid'],
    ['assignee_id=someone', 'assignee_id is invalid'],
    ['created_after=soon', 'created_after is invalid'],
    ['iids=1,x', 'iids is invalid'],
    ['not[author_id]=ann', 'not[author_id] is invalid'],
    ['not=bug', 'not is invalid'],
    ['author_id=1&author_username=ann', 'author_id, author_username are mutually exclusive'],
    ['assignee_id=None&assignee_username=ann', 'assignee_id, assignee_username are mutually exclusive'],
    ['assignee_username[]=ann&assignee_username[]=ben', 'assignee_username allows one value, but found 2: ann, ben'],
  ])('refuses %s', async (query, error) => {
    expect(await api.get(`${at}?${query}`)).toMatchObject({ status: 400, body: { error } });
  });

  it('refuses more labels than a record can have', async () => {
    const labels = Array.from({ length: 101 }, (_, n) => n).join();
    for (const name of ['labels', 'not[labels]']) {
      expect(await api.get(`${at}?${name}=${labels}`)).toMatchObject({ status: 400 });
    }
  });

  it('takes the same filters as JSON', async () => {
    const headers = { 'PRIVATE-TOKEN': ann.token };
    const body = { labels: ['bug'], not: { labels: ['ui'] }, sort: 'asc' };
    const answer = await world.send('GET', `/api/v4${at}`, { headers, body });
    expect(answer.body.map(({ iid }: Json) => iid)).toEqual([2]);
  });

  it('shows nine keys of each with view=simple', async () => {
    const { body } = await api.get(`${at}?view=simple&source_branch=topic&state=opened`);
    expect(body).toEqual([
      {
        id: expect.any(Number),
        iid: 1,
        project_id: project.id,
        title: 'one',
        description: null,
        state: 'opened',
        created_at: '2030-01-01T00:00:00.000Z',
        updated_at: '2030-02-05T00:00:00.000Z',
        web_url: expect.stringMatching(/\/merge_requests\/1$/),
      },
    ]);
  });

  it('keeps the filter in the links to further pages', async () => {
    const { headers, body } = await api.get(`${at}?not[labels]=ui&wip=no&per_page=1&sort=asc`);
    const next = /<([^>]+)>; rel="next"/.exec(`${headers.link}`)?.[1] ?? '';
    const second = await world.send('GET', next.slice(world.url.length), { headers: { 'PRIVATE-TOKEN': ann.token } });
    expect([body[0].iid, second.body[0].iid, second.headers['x-total']]).toEqual([2, 5, '2']);
  });
});

describe('Merge requests by the deployments of their merge commits', () => {
  let owned: ProjectRow;
  let group: GroupRow;
  const guest = world.user();

  /** one: to two places; two: to one; three: not at all; four: a commit of it, but not the merge; five: in a project without jobs. */
  beforeAll(async () => {
    group = await world.group({ owner: ann, visibility: 'public' });
    owned = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
    const off = await world.project({ owner: ann, namespaceId: group.id, visibility: 'public' });
    const sha = (n: number) => `${n}`.repeat(40);
    const merged = async (of: ProjectRow, iid: number) => {
      const { id } = await world.mergeRequest(of, ann, { iid, sourceBranch: `topic-${iid}` });
      const data = { title: `${iid}`, mergeCommitSha: sha(iid), sha: sha(iid + 5), state: 'merged' } as const;
      await world.db.mergeRequest.update({
        where: { id },
        data: { ...data, createdAt: new Date(Date.UTC(2030, 0, iid)) },
      });
    };
    let number = 0;
    const deploy = async (of: ProjectRow, name: string, commit: string, day: number) => {
      const where = { projectId_name: { projectId: of.id, name } };
      const { id: environmentId } = await world.db.environment.upsert({
        where,
        create: { projectId: of.id, name, slug: name },
        update: {},
      });
      number += 1;
      const data = { iid: number, projectId: of.id, environmentId, ref: 'main', sha: commit, userId: ann.id };
      const finishedAt = new Date(Date.UTC(2030, 5, day));
      await world.db.deployment.create({ data: { ...data, finishedAt } });
    };
    for (const iid of [1, 2, 3, 4]) await merged(owned, iid);
    await merged(off, 5);
    await deploy(owned, 'production', sha(1), 10);
    await deploy(owned, 'staging', sha(1), 1);
    await deploy(owned, 'staging', sha(2), 5);
    await deploy(owned, 'production', sha(9), 5);
    await deploy(off, 'production', sha(5), 5);
    await deploy(off, 'production', sha(3), 5);
    await world.db.project.update({ where: { id: off.id }, data: { jobsEnabled: false } });
  });

  const found = async (who: TestUser, path: string) => {
    const { status, headers, body } = await world.api(who).get(path);
    expect([path, status, headers['x-total']]).toEqual([path, 200, String(body.length)]);
    return body.map(({ title }: Json) => title).join('');
  };

  it.each([
    ['environment=production', '1'],
    ['environment=staging', '12'],
    ['environment=Staging', ''],
    ['environment=nowhere', ''],
    ['deployed_after=2030-06-06', '1'],
    ['deployed_before=2030-06-05', '12'],
    ['deployed_before=2030-06-04', '1'],
    ['environment=production&deployed_before=2030-06-09', ''],
    ['environment=staging&deployed_after=2030-06-02&deployed_before=2030-06-05T00:00:00Z', '2'],
    ['environment=&deployed_after=&search=3', '3'],
  ])('are found with %s by those who can see deployments', async (query, expected) => {
    for (const place of ['', `/groups/${group.id}`, `/projects/${owned.id}`]) {
      expect(await found(ann, `${place}/merge_requests?scope=all&sort=asc&${query}`)).toBe(expected);
      if (/=[^&]/.test(query) && !query.includes('search'))
        expect(await found(await guest, `${place}/merge_requests?scope=all&${query}`)).toBe('');
    }
  });

  it.each([
    ['deployed_after=soon', 'deployed_after is invalid'],
    ['deployed_before=soon', 'deployed_before is invalid'],
  ])('refuse %s', async (query, error) => {
    expect(await api.get(`/merge_requests?${query}`)).toMatchObject({ status: 400, body: { error } });
  });
});

describe('Project.mergeRequests', () => {
  const query = `query ($ref: ProjectRef!, $filter: MergeRequestFilter) { project(ref: $ref) {
    mergeRequests(filter: $filter, sort: ASC) { totalCount nodes { iid } } } }`;

  it.each([
    [{}, [1, 2, 3, 4, 5]],
    [null, [1, 2, 3, 4, 5]],
    [{ state: null }, [1, 2, 3, 4, 5]],
    [{ sourceBranch: 'topic', state: 'OPENED' }, [1]],
    [{ draft: true }, [3, 4]],
    [{ assigneeId: 'NONE' }, [1, 4, 5]],
    [{ assigneeId: ann.id }, [2]],
    [{ assigneeId: Buffer.from(`User:${ann.id}`).toString('base64url') }, [2]],
    [{ not: { labels: ['bug'], authorUsername: 'ben' } }, [3]],
    [{ authorId: `${ann.id}`, authorUsername: 'ben' }, []],
    [{ search: 'one', in: ['TITLE'] }, [1]],
  ])('with %j', async (filter, expected) => {
    const { body } = await world.graphql(query, { ref: project.id, filter }, ann);
    expect(body.data.project.mergeRequests).toEqual({
      totalCount: expected.length,
      nodes: expected.map((iid) => ({ iid })),
    });
  });

  it('refuses what is no user', async () => {
    for (const assigneeId of ['nobody', Buffer.from('Project:1').toString('base64url'), true, 1.5]) {
      const { body } = await world.graphql(query, { ref: project.id, filter: { assigneeId } }, ann);
      expect(body.errors[0].extensions).toMatchObject({
        code: 'VALIDATION_FAILED',
        fields: { 'filter.assigneeId': ['is neither the ID of a user, nor NONE or ANY'] },
      });
    }
  });

  it('pages through what a filter keeps by cursors', async () => {
    const page = `query ($ref: ProjectRef!, $after: String) { project(ref: $ref) {
      mergeRequests(filter: { not: { labels: ["ui"] } }, first: 2, after: $after, sort: ASC) {
        nodes { iid } pageInfo { endCursor hasNextPage } } } }`;
    const first = (await world.graphql(page, { ref: project.id }, ann)).body.data.project.mergeRequests;
    const after = first.pageInfo.endCursor;
    const second = (await world.graphql(page, { ref: project.id, after }, ann)).body.data.project.mergeRequests;
    expect([first.nodes, second.nodes]).toEqual([[{ iid: 2 }, { iid: 4 }], [{ iid: 5 }]]);
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
  });
});
