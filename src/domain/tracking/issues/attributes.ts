import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { projectAccessLevel, projectVisible } from '#src/access/permissions/visibility.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { maySetTimestamps } from '#src/domain/tracking/issues/timestamps.ts';
import { ensureLabels, MOST_LABELS } from '#src/domain/tracking/labels/ensure.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { lengthError } from '#src/platform/text.ts';

/** What reporters may set beside title and description. */
export interface IssueAttributes {
  assigneeId?: number | null | undefined;
  milestoneId?: number | null | undefined;
  /** Names; those that do not exist are created. */
  labels?: readonly string[] | null | undefined;
  dueDate?: string | null | undefined;
  /** Whether what cannot be set is left out without an error, as the REST API does (behaviour.md 6). */
  ignoreForbidden?: boolean | undefined;
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

const FOR_REPORTERS = ['assigneeId', 'milestoneId', 'labels', 'dueDate'] as const;

/**
 * The attributes that the actor may set on an issue, or on a merge request. 0 clears as null does. Throws Forbidden for others,
 * unless they are to be ignored.
 */
export function permittedAttributes(
  actor: Actor,
  project: ProjectRow,
  given: IssueAttributes,
  ability: 'admin_issue' | 'admin_merge_request' = 'admin_issue',
): IssueAttributes {
  const { assigneeId, milestoneId, labels, dueDate, ignoreForbidden } = given;
  if (!can(actor, ability, project)) {
    const refused = FOR_REPORTERS.filter((name) => given[name] !== undefined);
    refuse(refused, 'reporters of the project', ignoreForbidden);
    return { ignoreForbidden };
  }
  return {
    assigneeId: assigneeId || zeroAsNull(assigneeId),
    milestoneId: milestoneId || zeroAsNull(milestoneId),
    labels,
    dueDate,
    ignoreForbidden,
  };
}

/** When the issue was made or changed, if the actor may say so. Throws Forbidden if not, unless that is to be ignored. */
export function permittedTimestamp(
  actor: Actor,
  project: ProjectRow,
  name: 'createdAt' | 'updatedAt',
  { at, ignoreForbidden }: { at: Date | null | undefined; ignoreForbidden: boolean | undefined },
): Date | null {
  if (at == null || maySetTimestamps(actor, project)) return at ?? null;
  refuse([name], 'administrators and the owner of the personal namespace', ignoreForbidden);
  return null;
}

function refuse(refused: readonly string[], whom: string, ignoreForbidden = false): void {
  if (ignoreForbidden || refused.length === 0) return;
  throw new Forbidden(`${refused.join(', ')} can be set only by ${whom}`);
}

/**
 * An assignee must be able to read the project, a milestone must be the project's own. Returns the columns that change; others
 * are taken as none where what cannot be set is to be ignored. Throws ValidationFailed.
 */
export async function resolveAttributes({ db }: Context, project: ProjectRow, attributes: IssueAttributes) {
  const { assigneeId, milestoneId, dueDate, ignoreForbidden = false } = attributes;
  const assignee = assigneeId ? await assignable(db, project, assigneeId) : null;
  const milestone = milestoneId
    ? await db.milestone.findFirst({ where: { id: milestoneId, projectId: project.id }, select: { id: true } })
    : null;
  const errors: FieldErrors = {};
  if (assigneeId && assignee === null) errors.assignee_id = ['is not a user who can read the project'];
  if (milestoneId && milestone === null) errors.milestone_id = ['is not a milestone of the project'];
  if (!ignoreForbidden && Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return {
    ...(assigneeId === undefined ? {} : { assigneeId: assignee }),
    ...(milestoneId === undefined ? {} : { milestoneId: milestone?.id ?? null }),
    ...(dueDate === undefined ? {} : { dueDate: dueDate === null ? null : new Date(`${dueDate}T00:00:00Z`) }),
  };
}

const LABELLED = {
  Issue: { pairs: Prisma.raw('issue_labels'), subject: Prisma.raw('issue_id') },
  MergeRequest: { pairs: Prisma.raw('merge_request_labels'), subject: Prisma.raw('merge_request_id') },
} as const;

/** Makes the named labels the only ones of an issue or merge request, and returns the IDs of those that it gained and lost. */
export async function setLabels(
  tx: Transaction,
  projectId: number,
  { type, id }: { type: keyof typeof LABELLED; id: number },
  names: readonly string[],
): Promise<{ added: number[]; removed: number[] }> {
  const wanted = await ensureLabels(tx, projectId, names);
  const { pairs, subject } = LABELLED[type];
  const removed = await tx.$queryRaw<{ id: number }[]>`
    DELETE FROM ${pairs} WHERE ${subject} = ${id} AND NOT label_id = ANY(${wanted}::int[]) RETURNING label_id AS id`;
  const added = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO ${pairs} (${subject}, label_id) SELECT ${id}, unnest(${wanted}::int[])
    ON CONFLICT DO NOTHING RETURNING label_id AS id`;
  return { added: added.map((label) => label.id), removed: removed.map((label) => label.id) };
}

/** A label to take off and one to put on; null for none. */
export interface LabelSwap {
  remove: number | null;
  add: number | null;
}

/** Takes one label of the project off the issue and puts another on. Tells what changed. Throws ValidationFailed. */
export async function swapIssueLabels(
  tx: Transaction,
  projectId: number,
  issueId: number,
  { remove, add }: LabelSwap,
): Promise<{ added: number[]; removed: number[] }> {
  const removed =
    remove === null || remove === add
      ? []
      : await tx.$queryRaw<{ id: number }[]>`
        DELETE FROM issue_labels WHERE issue_id = ${issueId} AND label_id = ${remove} RETURNING label_id AS id`;
  const added = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO issue_labels (issue_id, label_id)
    SELECT ${issueId}, id FROM labels WHERE id = ${add}::int AND project_id = ${projectId}
    ON CONFLICT DO NOTHING RETURNING label_id AS id`;
  const [{ count } = { count: 0n }] = await tx.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM issue_labels WHERE issue_id = ${issueId}`;
  if (added.length > 0 && count > MOST_LABELS) {
    throw new ValidationFailed({ labels: [`has too many names (maximum is ${MOST_LABELS})`] });
  }
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
}

/** The ID of the user if they can read the project and so be assigned what is in it; null otherwise. */
export async function assignable(db: Context['db'], project: ProjectRow, userId: number): Promise<number | null> {
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
