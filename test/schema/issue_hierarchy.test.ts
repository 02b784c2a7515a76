import { describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const guest = await world.user();
const group = await world.group({ owner, visibility: 'public' });
const project = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
const sibling = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
const elsewhere = await world.project({ owner, visibility: 'public' });
await world.member(project, guest, 'guest');

const update = async (place: ProjectRow, iid: number, changes: object, who: TestUser = owner) =>
  (
    await world.graphql(
      `mutation ($input: UpdateIssueInput!) { updateIssue(input: $input) { issue {
        type severity parent { iid } children { totalCount nodes { iid } } } } }`,
      { input: { project: place.id, iid, ...changes } },
      who,
    )
  ).body;

const read = async (place: ProjectRow, iid: number, who: TestUser = owner) =>
  (
    await world.graphql(
      `query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) {
        type severity parent { iid } children { totalCount nodes { iid } } blockingIssuesCount blockedByIssuesCount } } }`,
      { ref: place.id, iid },
      who,
    )
  ).body.data.project.issue;

const task = (place: ProjectRow = project) => world.issue(place, owner, { type: 'task' });

describe('A task', () => {
  it('is a part of an issue of a project in the same tree of groups, and both tell of it', async () => {
    const parent = await world.issue(project, owner);
    const child = await task(sibling);
    await task(sibling);
    const { data } = await update(sibling, child.iid, { parentId: parent.id });
    expect(data.updateIssue.issue).toMatchObject({ type: 'TASK', parent: { iid: parent.iid } });
    expect((await read(project, parent.iid)).children).toEqual({ totalCount: 1, nodes: [{ iid: child.iid }] });
    const notes = async (place: ProjectRow, iid: number) =>
      (await world.api(owner).get(`/projects/${place.id}/issues/${iid}/notes`)).body.map(
        ({ body }: { body: string }) => body,
      );
    expect(await notes(project, parent.iid)).toEqual([`added ${sibling.fullPath}#${child.iid} as child task`]);
    expect(await notes(sibling, child.iid)).toEqual([`added ${project.fullPath}#${parent.iid} as parent`]);
    await update(sibling, child.iid, { parentId: null });
    expect((await read(project, parent.iid)).children.totalCount).toBe(0);
    expect((await notes(project, parent.iid)).length).toBe(2);
  });

  it('is refused a parent that is a task, no task, elsewhere, moved or unknown, and a second level', async () => {
    const parent = await world.issue(project, owner);
    const child = await task();
    const refused = async (place: ProjectRow, iid: number, parentId: number, who = owner) =>
      JSON.stringify((await update(place, iid, { parentId }, who)).errors);
    const other = await task();
    expect(await refused(project, child.iid, other.id)).toContain('tasks have no tasks');
    expect(await refused(project, child.iid, child.id)).toContain('tasks have no tasks');
    expect(await refused(project, parent.iid, (await world.issue(project, owner)).id)).toContain(
      'only be set for tasks',
    );
    expect(await refused(project, child.iid, (await world.issue(elsewhere, owner)).id)).toContain('another tree');
    expect(await refused(project, child.iid, 999_999)).toContain('is not an issue to which you can add tasks');
    await world.api(owner).post(`/projects/${project.id}/issues/${parent.iid}/move`, { to_project_id: sibling.id });
    expect(await refused(project, child.iid, parent.id)).toContain('was moved');
    expect((await read(project, child.iid)).parent).toBeNull();
  });

  it('takes rights on both ends', async () => {
    const parent = await world.issue(project, owner);
    const own = await world.issue(project, guest, { type: 'task' });
    const { errors } = await update(project, own.iid, { parentId: parent.id }, guest);
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
    const secret = await world.project({ owner, namespaceId: group.id, visibility: 'private' });
    const hidden = await world.issue(secret, owner);
    const reporter = await world.user();
    await world.member(project, reporter, 'reporter');
    const answer = await update(project, own.iid, { parentId: hidden.id }, reporter);
    expect(JSON.stringify(answer.errors)).toContain('is not an issue to which you can add tasks');
    await update(project, own.iid, { parentId: hidden.id });
    expect((await read(project, own.iid)).parent).toEqual({ iid: hidden.iid });
    expect((await read(project, own.iid, reporter)).parent).toBeNull();
  });

  it('hides from those who do not see it among the children of its issue', async () => {
    const parent = await world.issue(project, owner);
    const child = await world.issue(project, owner, { type: 'task', confidential: true, parentId: parent.id });
    const seen = await world.issue(project, owner, { type: 'task', parentId: parent.id });
    expect((await read(project, parent.iid)).children.totalCount).toBe(2);
    expect((await read(project, parent.iid, guest)).children).toEqual({ totalCount: 1, nodes: [{ iid: seen.iid }] });
    expect(child.iid).not.toBe(seen.iid);
  });

  it('follows its issue to another project of the tree, and leaves it beyond', LONG, async () => {
    const parent = await world.issue(project, owner);
    const child = await world.issue(project, owner, { type: 'task', parentId: parent.id });
    const move = async (place: ProjectRow, iid: number, to: ProjectRow) =>
      (await world.api(owner).post(`/projects/${place.id}/issues/${iid}/move`, { to_project_id: to.id })).body;
    const moved = await move(project, parent.iid, sibling);
    expect((await read(project, child.iid)).parent).toEqual({ iid: moved.iid });
    const copy = await move(project, child.iid, sibling);
    expect(await read(sibling, copy.iid)).toMatchObject({ type: 'TASK', parent: { iid: moved.iid } });
    expect((await read(project, child.iid)).parent).toBeNull();
    await move(sibling, moved.iid, elsewhere);
    expect((await read(sibling, copy.iid)).parent).toBeNull();
  });

  it('stays without a parent when that is deleted, and when its project leaves the tree', async () => {
    const parent = await world.issue(project, owner);
    const child = await world.issue(project, owner, { type: 'task', parentId: parent.id });
    await world.api(owner).delete(`/projects/${project.id}/issues/${parent.iid}`);
    expect((await read(project, child.iid)).parent).toBeNull();
    const leaving = await world.project({ owner, namespaceId: group.id, visibility: 'public' });
    const stays = await world.issue(leaving, owner);
    const [gone, kept] = [await task(sibling), await task(leaving)];
    await update(sibling, gone.iid, { parentId: stays.id });
    await update(leaving, kept.iid, { parentId: stays.id });
    const target = await world.group({ owner, visibility: 'public' });
    const { status } = await world.api(owner).put(`/projects/${leaving.id}/transfer`, { namespace: target.id });
    expect(status).toBe(200);
    expect((await read(sibling, gone.iid)).parent).toBeNull();
    expect((await read(leaving, kept.iid)).parent).toEqual({ iid: stays.iid });
  });

  it('cannot become an issue while it has a parent, and an issue with tasks cannot become a task', async () => {
    const parent = await world.issue(project, owner);
    const child = await world.issue(project, owner, { type: 'task', parentId: parent.id });
    expect(JSON.stringify((await update(project, child.iid, { type: 'ISSUE' })).errors)).toContain('must be task');
    expect(JSON.stringify((await update(project, parent.iid, { type: 'TASK' })).errors)).toContain('cannot be task');
    const { data } = await update(project, child.iid, { type: 'ISSUE', parentId: null });
    expect(data.updateIssue.issue).toMatchObject({ type: 'ISSUE', parent: null });
  });
});

describe('Types and severity', () => {
  it('are set and filtered over REST, for reporters', async () => {
    const place = await world.project({ owner, visibility: 'public' });
    const at = `/projects/${place.id}/issues`;
    const made = await world.api(owner).post(at, { title: 'Down', issue_type: 'incident', severity: 'HIGH' });
    expect(made.body).toMatchObject({ type: 'INCIDENT', issue_type: 'incident', severity: 'HIGH' });
    const plain = await world.api(guest).post(at, { title: 'x', issue_type: 'incident', severity: 'LOW' });
    expect(plain.body).toMatchObject({ type: 'ISSUE', issue_type: 'issue', severity: 'UNKNOWN' });
    expect((await world.api(guest).post(at, { title: 'y', issue_type: 'task' })).body.issue_type).toBe('task');
    for (const [type, count] of [
      ['issue', 1],
      ['incident', 1],
      ['task', 1],
      ['test_case', 0],
    ] as const) {
      const { body, headers } = await world.api(owner).get(`${at}?issue_type=${type}`);
      expect([type, body.length, headers['x-total']]).toEqual([type, count, String(count)]);
    }
    const changed = await world.api(owner).put(`${at}/${made.body.iid}`, { severity: 'CRITICAL' });
    expect(changed.body.severity).toBe('CRITICAL');
    expect((await world.api(owner).put(`${at}/${made.body.iid}`, { issue_type: 'issue' })).body).toMatchObject({
      issue_type: 'issue',
      severity: 'UNKNOWN',
    });
    const notes = (await world.api(owner).get(`${at}/${made.body.iid}/notes?sort=asc`)).body;
    expect(notes.map(({ body }: { body: string }) => body)).toEqual([
      'set the severity to **critical**',
      'changed type from incident to issue',
    ]);
    expect((await world.api(owner).put(`${at}/${made.body.iid}`, { severity: 'WORSE' })).status).toBe(400);
  });
});

describe('Links that block', () => {
  it('say which issue blocks which, and count the open ones that the caller sees', async () => {
    const [first, second, secret] = [
      await world.issue(project, owner),
      await world.issue(project, owner),
      await world.issue(project, owner, { confidential: true }),
    ];
    const at = (iid: number) => `/projects/${project.id}/issues/${iid}/links`;
    const link = (iid: number, other: number, type: string) =>
      world.api(owner).post(at(iid), { target_project_id: project.id, target_issue_iid: other, link_type: type });
    expect((await link(first.iid, second.iid, 'is_blocked_by')).status).toBe(201);
    expect((await link(secret.iid, first.iid, 'blocks')).status).toBe(201);
    const types = async (iid: number) =>
      (await world.api(owner).get(at(iid))).body.map((one: { link_type: string }) => one.link_type);
    expect(await types(first.iid)).toEqual(['is_blocked_by', 'is_blocked_by']);
    expect(await types(second.iid)).toEqual(['blocks']);
    expect(await read(project, first.iid)).toMatchObject({ blockingIssuesCount: 0, blockedByIssuesCount: 2 });
    expect(await read(project, first.iid, guest)).toMatchObject({ blockedByIssuesCount: 1 });
    expect((await read(project, second.iid)).blockingIssuesCount).toBe(1);
    await world.api(owner).put(`/projects/${project.id}/issues/${second.iid}`, { state_event: 'close' });
    expect((await read(project, first.iid)).blockedByIssuesCount).toBe(1);
    const { data } = (
      await world.graphql(
        'mutation ($input: DeleteIssueLinkInput!) { deleteIssueLink(input: $input) { issueLink { databaseId } } }',
        { input: { project: project.id, iid: first.iid, otherIssueId: secret.id } },
        owner,
      )
    ).body;
    expect(data.deleteIssueLink.issueLink.databaseId).toBeGreaterThan(0);
    expect(await types(first.iid)).toEqual(['is_blocked_by']);
  });
});

describe('An issue', () => {
  it('has the branches that begin with its number', LONG, async () => {
    const place = await world.project({ owner, visibility: 'public', initializeWithReadme: true });
    const { iid } = await world.issue(place, owner);
    for (const name of [`${iid}-fix`, `${iid}1-other`, `x-${iid}-fix`])
      expect(
        (await world.api(owner).post(`/projects/${place.id}/repository/branches`, { branch: name, ref: 'HEAD' }))
          .status,
      ).toBe(201);
    const { data } = (
      await world.graphql(
        'query ($ref: ProjectRef!, $iid: Int!) { project(ref: $ref) { issue(iid: $iid) { relatedBranches { name } } } }',
        { ref: place.id, iid },
        owner,
      )
    ).body;
    expect(data.project.issue.relatedBranches).toEqual([{ name: `${iid}-fix` }]);
  });

  it('has entries of time that the user who spent it and masters delete', async () => {
    const { iid } = await world.issue(project, guest);
    const spend = (who: TestUser, duration: string) =>
      world.api(who).post(`/projects/${project.id}/issues/${iid}/add_spent_time`, { duration });
    await spend(guest, '1h');
    await spend(owner, '2h');
    const entries = await world.db.timelog.findMany({
      where: { issue: { iid, projectId: project.id } },
      orderBy: { id: 'asc' },
    });
    const [ofGuest, ofOwner] = entries;
    if (!ofGuest || !ofOwner) throw new Error('There are two entries');
    const remove = async (who: TestUser, id: number) =>
      (
        await world.graphql(
          'mutation ($input: DeleteTimelogInput!) { deleteTimelog(input: $input) { timelog { seconds } } }',
          { input: { id } },
          who,
        )
      ).body;
    expect((await remove(guest, ofOwner.id)).errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await remove(guest, ofGuest.id)).data.deleteTimelog.timelog.seconds).toBe(3600);
    expect((await remove(owner, ofGuest.id)).errors[0].extensions.code).toBe('NOT_FOUND');
    const stats = await world.api(owner).get(`/projects/${project.id}/issues/${iid}/time_stats`);
    expect(stats.body.total_time_spent).toBe(7200);
  });

  it('gives awards that are toggled, and taken back by name', async () => {
    const { id } = await world.issue(project, owner);
    const on = { id: Buffer.from(`Issue:${id}`).toString('base64url') };
    const toggle = async () =>
      (
        await world.graphql(
          'mutation ($input: ToggleAwardInput!) { toggleAward(input: $input) { toggledOn award { name } deletedAwardId } }',
          { input: { on, name: 'tada' } },
          guest,
        )
      ).body.data.toggleAward;
    expect(await toggle()).toMatchObject({ toggledOn: true, award: { name: 'tada' }, deletedAwardId: null });
    expect(await toggle()).toMatchObject({ toggledOn: false, award: null });
    await toggle();
    const back = async () =>
      (
        await world.graphql(
          'mutation ($input: TakeAwardBackInput!) { takeAwardBack(input: $input) { deletedAwardId } }',
          { input: { on, name: 'tada' } },
          guest,
        )
      ).body;
    expect((await back()).data.takeAwardBack.deletedAwardId).toBeTruthy();
    expect((await back()).errors[0].extensions.code).toBe('NOT_FOUND');
  });
});
