import type { Actor } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { allows, type Level, type RemotePush } from '#src/domain/repository/protections/levels.ts';
import { matches } from '#src/domain/repository/protections/matches.ts';
import { type Db, Prisma, queryJson, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A protection of tags. */
export interface TagProtectionRow {
  /** May contain `*`, which matches any text. */
  name: string;
  levels: readonly Level[];
}

/** What somebody does with a tag. */
export type TagAction = 'create' | 'update' | 'delete';

/** Why an actor may not do something with a tag of a project, other than for lack of the right to push; null if they may. */
export type TagRefusals = (tag: string, action: TagAction) => string | null;

/** The message for those who may not create a protected tag. */
export const TAG_REFUSED = 'You are not allowed to create this tag as it is protected.';

/** The protections of the tags of a project, in one statement. */
export function listTagProtections(db: Db | Transaction, projectId: number): Promise<TagProtectionRow[]> {
  return queryJson<TagProtectionRow[]>(
    db,
    sql`(SELECT COALESCE(json_agg(p), '[]') FROM (SELECT t.name, COALESCE(json_agg(json_build_object('accessLevel', l.access_level, 'deployKeyId', l.deploy_key_id))
      FILTER (WHERE l.id IS NOT NULL), '[]') AS levels
    FROM protected_tags t LEFT JOIN protected_tag_levels l ON l.protected_tag_id = t.id
    WHERE t.project_id = ${projectId} GROUP BY t.id ORDER BY t.id) p)`,
  );
}

/** Those that match a tag. */
export function protectionsOfTag(protections: readonly TagProtectionRow[], tag: string): TagProtectionRow[] {
  return protections.filter(({ name }) => matches(name, tag));
}

/**
 * Why the actor may not create tags, for the API, releases and pushes alike. Protected tags are not changed or deleted by a push;
 * the API deletes them for masters.
 */
export async function tagRefusals(
  db: Db | Transaction,
  actor: Actor,
  project: ProjectRow,
  push?: RemotePush,
): Promise<TagRefusals> {
  const protections = await listTagProtections(db, project.id);
  return (tag, action) => {
    const matching = protectionsOfTag(protections, tag);
    if (matching.length === 0) return null;
    if (action === 'update') return 'Protected tags cannot be updated.';
    if (action === 'delete') return 'Protected tags cannot be deleted by a push.';
    const levels = matching.flatMap((protection) => protection.levels);
    return allows(levels, { actor, project, deployKeyId: push?.deployKeyId }) ? null : TAG_REFUSED;
  };
}
