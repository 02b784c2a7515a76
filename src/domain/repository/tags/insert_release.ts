import { type ChangeContext, recordChange } from '#src/domain/changes/record.ts';
import { linkColumns, type NewReleaseLink } from '#src/domain/repository/tags/release_values.ts';
import type { Transaction } from '#src/platform/database/db.ts';

/** A release as it is recorded. */
export interface ReleaseValues {
  tag: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  releasedAt?: Date | null | undefined;
  /** IDs of milestones of the project. */
  milestoneIds?: readonly number[];
  links?: readonly NewReleaseLink[];
}

/** Records a release, in the transaction of the caller, who has checked everything, and returns its ID. There must be none of the tag. */
export async function insertRelease(
  tx: Transaction,
  context: ChangeContext,
  { actor, project }: { actor: { id: number }; project: { id: number } },
  { tag, name, description, releasedAt, milestoneIds = [], links = [] }: ReleaseValues,
): Promise<number> {
  const { id: releaseId } = await tx.release.create({
    data: {
      projectId: project.id,
      authorId: actor.id,
      tag,
      name: name?.trim() || null,
      description: description ?? '',
      ...(releasedAt && { releasedAt }),
    },
    select: { id: true },
  });
  if (milestoneIds.length > 0) {
    await tx.releaseMilestone.createMany({ data: milestoneIds.map((milestoneId) => ({ releaseId, milestoneId })) });
  }
  if (links.length > 0) {
    const data = links.map((link) => ({ releaseId, name: link.name, url: link.url, ...linkColumns(link) }));
    await tx.releaseLink.createMany({ data });
  }
  await recordChange(tx, context, { type: 'releaseChanged', project, release: { id: releaseId }, action: 'create' });
  return releaseId;
}
