import type { Actor } from '#src/access/permissions/actor.ts';
import { seenPlaces, within } from '#src/access/permissions/places.ts';
import { issueVisible } from '#src/access/permissions/visibility.ts';
import { Prisma } from '#src/platform/database/db.ts';
import { type Alias, alias, table } from '#src/platform/records/alias.ts';

const { sql } = Prisma;
const [issue, mergeRequest] = [alias('Issue', 'si'), alias('MergeRequest', 'sm')];

/** What stands in place of the type of a source for internal notes; servers that know none show them to nobody. */
export const INTERNAL = 'Internal';

/**
 * Whether the actor can see the source of a note, such as an issue of another project that mentions the subject; internal notes
 * are for their authors and those who see confidential issues. If the source is gone, the note is visible to no one. Requires
 * `places`, from sourcePlaces.
 */
export function isSourceVisible(note: Alias<'Note'>, actor: Actor | null): Prisma.Sql {
  const { sourceType, sourceId, sourceProjectId, authorId } = note;
  const visible = issueVisible(issue, actor, within(sourceProjectId, 'confidential'));
  return sql`(CASE WHEN ${sourceType} IS NULL THEN TRUE
    WHEN ${sourceType} = 'Issue' THEN ${within(sourceProjectId, 'issues')} AND EXISTS (SELECT 1 FROM ${table(issue)}
      WHERE ${issue.id} = ${sourceId} AND ${issue.deletedAt} IS NULL AND ${visible})
    WHEN ${sourceType} = 'MergeRequest' THEN ${within(sourceProjectId, 'merge_requests')} AND EXISTS (
      SELECT 1 FROM ${table(mergeRequest)} WHERE ${mergeRequest.id} = ${sourceId})
    WHEN ${sourceType} = 'Commit' THEN ${within(sourceProjectId, 'commits')}
    WHEN ${sourceType} = ${INTERNAL} THEN ${authorId} = ${actor?.id ?? null} OR ${within(sourceProjectId, 'confidential')} ELSE FALSE END)`;
}

/** Whether it is no internal note, for what is the same for all readers. */
export function isOpenNote({ sourceType }: Pick<Alias<'Note'>, 'sourceType'>): Prisma.Sql {
  return sql`${sourceType} IS DISTINCT FROM ${INTERNAL}`;
}

/** The subquery `places` with the source projects of notes that the actor can see; a condition selects the notes (`n`). */
export function sourcePlaces(actor: Actor | null, notes: Prisma.Sql): Prisma.Sql {
  return seenPlaces(
    actor,
    sql`p.id IN (SELECT sn.source_project_id FROM notes sn WHERE sn.source_project_id IS NOT NULL AND ${notes})`,
  );
}
