import { expect, it } from 'vitest';
import { removeNamespace } from '#src/domain/lifecycle/remove_group.ts';
import { LONG } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const { db } = world;

/** Groups inside each other, each with a project that has an issue with a note, an award and followers. */
async function tree(depth: number) {
  const ids: { groups: number[]; projects: number[] } = { groups: [], projects: [] };
  for (let n = 0; n < depth; n += 1) {
    const group = await world.group({ owner, ...(n === 0 ? {} : { parentId: ids.groups.at(-1) }) });
    const project = await world.project({ owner, namespaceId: group.id });
    const label = await world.label(project, owner);
    const issue = await world.issue(project, owner, { labels: [label.title] });
    const subject = { subjectType: 'Issue', subjectId: issue.id } as const;
    await db.note.create({ data: { ...subject, authorId: owner.id, body: 'x' } });
    await db.awardEmoji.create({ data: { ...subject, userId: owner.id, name: 'tada' } });
    await db.subscription.create({ data: { ...subject, userId: owner.id, subscribed: true } });
    ids.groups.push(group.id);
    ids.projects.push(project.id);
  }
  return ids;
}

const leftovers = async () => [
  await db.note.count(),
  await db.awardEmoji.count(),
  await db.subscription.count(),
  await db.member.count(),
  await db.projectCounters.count(),
];

/** Marks as deletion does, without the job that removes. */
async function mark({ groups, projects }: Awaited<ReturnType<typeof tree>>) {
  await db.project.updateMany({ where: { id: { in: projects } }, data: { deletedAt: new Date() } });
  await db.namespace.updateMany({ where: { id: { in: groups } }, data: { deletedAt: new Date() } });
}

it('removes a deep tree with everything that hangs on it, and nothing else', LONG, async () => {
  const kept = await tree(2);
  const before = await leftovers();
  const doomed = await tree(5);
  await mark(doomed);
  await removeNamespace(world, doomed.groups[0] ?? 0);
  expect(await db.namespace.count({ where: { id: { in: doomed.groups } } })).toBe(0);
  expect(await db.project.count({ where: { id: { in: doomed.projects } } })).toBe(0);
  expect(await leftovers()).toEqual(before);
  expect(await db.project.count({ where: { id: { in: kept.projects } } })).toBe(2);
});

it('does nothing to what is not marked', async () => {
  const kept = await tree(2);
  await removeNamespace(world, kept.groups[0] ?? 0);
  await removeNamespace(world, 999_999);
  expect(await db.namespace.count({ where: { id: { in: kept.groups } } })).toBe(2);
});

it('may run twice, one after the other and at the same time', LONG, async () => {
  const doomed = await tree(4);
  await mark(doomed);
  const [top = 0] = doomed.groups;
  await Promise.all([removeNamespace(world, top), removeNamespace(world, top)]);
  await removeNamespace(world, top);
  expect(await db.namespace.count({ where: { id: { in: doomed.groups } } })).toBe(0);
});
