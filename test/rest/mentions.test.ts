// One part in depth, which the long run has.
// @module-tag long
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { mentionedUsers } from '#src/domain/tracking/references/mentioned_users.ts';
import { LONG } from '../support/long.ts';
import { startWorld, type TestUser } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const reporter = await world.user();
const guest = await world.user();
const outsider = await world.user();
let project: ProjectRow;
let at: string;

beforeAll(async () => {
  project = await world.project({ owner, visibility: 'public' });
  at = `/projects/${project.id}/issues`;
  await world.member(project, reporter, 'reporter');
  await world.member(project, guest, 'guest');
});

const bodies = async (path: string, who: TestUser = owner): Promise<string[]> =>
  (await world.api(who).get(`${path}/notes?per_page=100`)).body.map(({ body }: { body: string }) => body);

describe('What a text mentions', () => {
  it('gets a system note, once for each source', LONG, async () => {
    const target = await world.issue(project, owner);
    const path = `${at}/${target.iid}`;
    const source = await world.issue(project, guest, { description: `like #${target.iid}` });
    expect(await bodies(path)).toEqual([`mentioned in issue #${source.iid}`]);
    await world.api(owner).post(`${at}/${source.iid}/notes`, { body: `see #${target.iid}, #${source.iid}, #999999` });
    await world.api(owner).put(`${at}/${source.iid}`, { description: `still #${target.iid}`, title: `#${target.iid}` });
    expect(await bodies(path)).toEqual([`mentioned in issue #${source.iid}`]);
    expect(await bodies(`${at}/${source.iid}`)).not.toContain(`mentioned in issue #${source.iid}`);
    const other = await world.issue(project, owner);
    await world.api(guest).post(`${at}/${other.iid}/notes`, { body: `\`#${target.iid}\` and #${target.iid}` });
    expect(await bodies(path)).toEqual([`mentioned in issue #${source.iid}`, `mentioned in issue #${other.iid}`]);
  });

  it('in another project gets it with the path of the source, seen by those who see that', async () => {
    const hidden = await world.project({ owner });
    const target = await world.issue(project, owner);
    const reference = `${project.fullPath}#${target.iid}`;
    const source = await world.issue(hidden, owner, { description: `see ${reference}` });
    expect(await bodies(`${at}/${target.iid}`)).toEqual([`mentioned in issue ${hidden.fullPath}#${source.iid}`]);
    expect(await bodies(`${at}/${target.iid}`, reporter)).toEqual([]);
  });

  it('gets none of what is confidential to those who do not see it', async () => {
    const target = await world.issue(project, owner);
    const source = await world.issue(project, owner, { confidential: true, description: `see #${target.iid}` });
    expect(await bodies(`${at}/${target.iid}`, reporter)).toEqual([`mentioned in issue #${source.iid}`]);
    expect(await bodies(`${at}/${target.iid}`, guest)).toEqual([]);
  });

  it('gets none where the writer does not see it', async () => {
    const hidden = await world.project({ owner });
    const [secret, confidential] = [
      await world.issue(hidden, owner),
      await world.issue(project, owner, { confidential: true }),
    ];
    const description = `${hidden.fullPath}#${secret.iid} and #${confidential.iid}`;
    await world.issue(project, guest, { description });
    const subjects = { subjectType: 'Issue', subjectId: { in: [secret.id, confidential.id] } };
    expect(await world.db.note.count({ where: subjects })).toBe(0);
  });

  it('of merge requests gets it likewise', async () => {
    const request = await world.mergeRequest(project, owner, { iid: 77 });
    const source = await world.issue(project, guest, { description: 'as in !77' });
    const notes = await world.db.note.findMany({ where: { subjectType: 'MergeRequest', subjectId: request.id } });
    expect(notes.map(({ body }) => body)).toEqual([`mentioned in issue #${source.iid}`]);
  });

  it('is noted once when it is mentioned by many notes at once', LONG, async () => {
    const [target, source] = [await world.issue(project, owner), await world.issue(project, owner)];
    const path = `${at}/${source.iid}/notes`;
    const body = `see #${target.iid}`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.api(guest).post(path, { body })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(await bodies(`${at}/${target.iid}`)).toHaveLength(1);
  });
});

describe('The users whom a text mentions', () => {
  const meant = async (subject: { id: number; confidential?: boolean }, text: string, of = project) =>
    (await mentionedUsers(world.db, owner.actor, { type: 'Issue', id: subject.id, project: of }, text)).map(
      ({ id, isAddressed }) => [id, isAddressed],
    );

  it('are those who see the subject, whether they are addressed or not', async () => {
    const issue = await world.issue(project, owner);
    const blocked = await world.user({ blocked: true });
    const text = `@${guest.username} please ask @${outsider.username} or @${blocked.username} or @nobody-of-that-name`;
    expect(await meant(issue, text)).toEqual([
      [guest.id, true],
      [outsider.id, false],
    ]);
    const secret = await world.issue(project, owner, { confidential: true });
    expect(await meant(secret, `${text} @${reporter.username}`)).toEqual([[reporter.id, false]]);
    const hidden = await world.project({ owner });
    expect(await meant(await world.issue(hidden, owner), `${text} @${owner.username}`, hidden)).toEqual([
      [owner.id, false],
    ]);
  });

  it('are those of a group, and everybody in the project', async () => {
    const member = await world.user();
    const group = await world.group({ owner, visibility: 'public' });
    await world.member(group, member, 'guest');
    const issue = await world.issue(project, owner);
    const ids = async (text: string) => (await meant(issue, text)).map(([id]) => id);
    expect(await ids(`ask @${group.fullPath}`)).toEqual([owner.id, member.id].sort((a, b) => a - b));
    expect(await ids('@all')).toEqual(expect.arrayContaining([reporter.id, guest.id]));
    expect(await ids('@all')).not.toContain(outsider.id);
  });
});
