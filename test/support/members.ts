import type { GroupRow } from '#src/domain/groups/find.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { startWorld } from './world.ts';

export const forbidden = { status: 403, body: { message: '403 Forbidden' } };
export const noMember = { status: 404, body: { message: '404 Not found' } };

/** A day so many days from now. */
export const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

export const KINDS = ['projects', 'groups'] as const;

/** A world with users of each standing, and places whose members they are. */
export async function startMemberWorld() {
  const world = await startWorld();
  const owner = await world.user();
  const admin = await world.user({ admin: true });
  const master = await world.user();
  const developer = await world.user();
  const outsider = await world.user();

  /** A project or group of the owner with a master and a developer, under the path of its kind. */
  async function place(kind: 'projects' | 'groups', visibility: 'private' | 'internal' | 'public' = 'private') {
    const source: ProjectRow | GroupRow =
      kind === 'projects' ? await world.project({ owner, visibility }) : await world.group({ owner, visibility });
    await world.member(source, master, 'master');
    await world.member(source, developer, 'developer');
    const where = kind === 'projects' ? { projectId: source.id } : { namespaceId: source.id };
    const levels = async () =>
      (await world.db.member.findMany({ where, orderBy: { userId: 'asc' } })).map(({ userId, accessLevel }) => [
        userId,
        accessLevel,
      ]);
    return { id: source.id, at: `/${kind}/${source.id}/members`, where, levels, source };
  }

  return { world, owner, admin, master, developer, outsider, place };
}
