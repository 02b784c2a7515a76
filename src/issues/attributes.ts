import { can } from '#src/access/abilities.ts';
import type { Actor, Context } from '#src/access/actor.ts';
import { projectAccessLevel, projectVisible } from '#src/access/visibility.ts';
import { ensureLabels } from '#src/labels/ensure.ts';
import type { Transaction } from '#src/platform/db.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { lengthError } from '#src/platform/text.ts';
import type { ProjectRow } from '#src/projects/find.ts';

/** What reporters may set beside title and description. */
export interface IssueAttributes {
  assigneeId?: number | null | undefined;
  milestoneId?: number | null | undefined;
  /** Names; those that do not exist are created. */
  labels?: readonly string[] | null | undefined;
  dueDate?: string | null | undefined;
}

export const TITLE_LENGTH = 255;

/** Refuses titles that are blank or too long, and descriptions that are too long. */
export function checkTexts(title: string | null | undefined, description: string | null | undefined): void {
  const errors: FieldErrors = {};
  if (title !== undefined) {
    if (title === null || title.trim() === '') errors.title = ["can't be blank"];
    else if ([...title].length > TITLE_LENGTH) errors.title = [`is too long (maximum is ${TITLE_LENGTH} characters)`];
  }
  const wrong = lengthError(description);
  if (wrong) errors.description = [wrong];
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
}

/** The attributes that the actor may set; the others are dropped silently (behaviour.md 6). 0 clears as null does. */
export function permittedAttributes(actor: Actor, project: ProjectRow, given: IssueAttributes): IssueAttributes {
  if (!can(actor, 'admin_issue', project)) return {};
  const { assigneeId, milestoneId, labels, dueDate } = given;
  return {
    assigneeId: assigneeId || zeroAsNull(assigneeId),
    milestoneId: milestoneId || zeroAsNull(milestoneId),
    labels,
    dueDate,
  };
}

/**
 * An assignee must be able to read the project, a milestone must be the project's own: others are taken as none.
 * Returns the columns that change.
 */
export async function resolveAttributes({ db }: Context, project: ProjectRow, attributes: IssueAttributes) {
  const { assigneeId, milestoneId, dueDate } = attributes;
  const assignee = assigneeId ? await assignable(db, project, assigneeId) : null;
  const milestone = milestoneId
    ? await db.milestone.findFirst({ where: { id: milestoneId, projectId: project.id }, select: { id: true } })
    : null;
  return {
    ...(assigneeId === undefined ? {} : { assigneeId: assignee }),
    ...(milestoneId === undefined ? {} : { milestoneId: milestone?.id ?? null }),
    ...(dueDate === undefined ? {} : { dueDate: dueDate === null ? null : new Date(`${dueDate}T00:00:00Z`) }),
  };
}

/** Makes the named labels the issue's only ones. */
export async function setLabels(
  tx: Transaction,
  projectId: number,
  issueId: number,
  names: readonly string[],
): Promise<void> {
  const ids = await ensureLabels(tx, projectId, names);
  await tx.$executeRaw`DELETE FROM issue_labels WHERE issue_id = ${issueId} AND NOT label_id = ANY(${ids}::int[])`;
  await tx.$executeRaw`INSERT INTO issue_labels (issue_id, label_id) SELECT ${issueId}, unnest(${ids}::int[]) ON CONFLICT DO NOTHING`;
}

async function assignable(db: Context['db'], project: ProjectRow, userId: number): Promise<number | null> {
  const user = await db.user.findFirst({ where: { id: userId, state: 'active' } });
  if (!user) return null;
  const [p, n] = [alias('Project', 'p'), alias('Namespace', 'n')];
  const [sees] = await db.$queryRaw<unknown[]>`
    SELECT 1 FROM ${table(p)} JOIN ${table(n)} ON ${n.id} = ${p.namespaceId} WHERE ${p.id} = ${project.id}
      AND ${projectVisible(user, p, projectAccessLevel(user, p, n))}`;
  return sees ? userId : null;
}

function zeroAsNull(value: number | null | undefined): null | undefined {
  return value === undefined ? undefined : null;
}
