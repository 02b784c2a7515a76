import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofOrAround } from '#src/domain/projects/groups_around.ts';
import { maySetTimestamps } from '#src/domain/tracking/issues/timestamps.ts';
import { ensureLabels, MOST_LABELS } from '#src/domain/tracking/labels/ensure.ts';
import { involvable, namedPeople } from '#src/domain/tracking/subjects/assignees.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';
import { lengthError } from '#src/platform/text.ts';

/** Attributes that reporters may set besides title and description. */
export interface IssueAttributes {
  assigneeId?: number | null | undefined;
  /** All assignees; wins over `assigneeId`, which names a single one. */
  assigneeIds?: readonly number[] | null | undefined;
  /** All reviewers; of merge requests alone. */
  reviewerIds?: readonly number[] | null | undefined;
  milestoneId?: number | null | undefined;
  /** Titles; missing ones are created. */
  labels?: readonly string[] | null | undefined;
  dueDate?: string | null | undefined;
  /** Whether to skip attributes that the actor may not set, without an error, as the REST API does (behaviour.md 6). */
  ignoreForbidden?: boolean | undefined;
}

export const TITLE_LENGTH = 255;

/** Rejects titles that are blank or too long, and descriptions that are too long. */
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

const FOR_REPORTERS = ['assigneeId', 'assigneeIds', 'reviewerIds', 'milestoneId', 'labels', 'dueDate'] as const;

/** The attributes that the actor may set. 0 clears like null. Throws Forbidden for others, unless they are to be skipped. */
export function permittedAttributes(
  actor: Actor,
  project: ProjectRow,
  given: IssueAttributes,
  ability: 'admin_issue' | 'admin_merge_request' = 'admin_issue',
): IssueAttributes {
  const { reviewerIds, milestoneId, labels, dueDate, ignoreForbidden } = given;
  if (!can(actor, ability, project)) {
    const refused = FOR_REPORTERS.filter((name) => given[name] !== undefined);
    refuse(refused, 'reporters of the project', ignoreForbidden);
    return { ignoreForbidden };
  }
  return {
    ...assigneesIn(given),
    ...(reviewerIds !== undefined && { reviewerIds: namedPeople(reviewerIds ?? [], 'reviewer_ids') }),
    milestoneId: milestoneId || zeroAsNull(milestoneId),
    labels,
    dueDate,
    ignoreForbidden,
  };
}

/** The users to assign to, under the name that they are given by. */
function assigneesIn({
  assigneeId,
  assigneeIds,
}: IssueAttributes): Pick<IssueAttributes, 'assigneeId' | 'assigneeIds'> {
  if (assigneeIds !== undefined) return { assigneeIds: namedPeople(assigneeIds ?? [], 'assignee_ids') };
  return { assigneeId: assigneeId || zeroAsNull(assigneeId) };
}

/** The IDs of the users that a new record is to be assigned to. */
export function assigneesGiven({ assigneeId, assigneeIds }: IssueAttributes): readonly number[] {
  return assigneeIds ?? (assigneeId ? [assigneeId] : []);
}

/** The creation or update time, if the actor may set it. Throws Forbidden if not, unless it is to be skipped. */
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
 * Validates that assignees can read such records of the project, and that a milestone belongs to it or to a group around it.
 * Returns the columns that change, and assignees and reviewers if they do; invalid ones are left out if they are to be skipped.
 * Throws ValidationFailed.
 */
export async function resolveAttributes(
  { db }: Context,
  project: ProjectRow,
  attributes: IssueAttributes,
  type: keyof typeof LABELLED = 'Issue',
) {
  const { assigneeId, milestoneId, dueDate, ignoreForbidden = false } = attributes;
  const wanted = attributes.assigneeIds ?? (assigneeId === undefined ? undefined : assigneesGiven(attributes));
  const assigneeIds = wanted && (await involvable(db, type, project, wanted));
  const reviewers = attributes.reviewerIds ?? undefined;
  const reviewerIds = reviewers && (await involvable(db, type, project, reviewers));
  const milestone = milestoneId ? await milestoneThere(db, project.id, milestoneId) : null;
  const errors: FieldErrors = {};
  if (assigneeIds && assigneeIds.length !== wanted.length) {
    if (attributes.assigneeIds) errors.assignee_ids = ['has users who cannot read the project'];
    else errors.assignee_id = ['is not a user who can read the project'];
  }
  if (reviewerIds && reviewerIds.length !== reviewers.length) {
    errors.reviewer_ids = ['has users who cannot read the project'];
  }
  if (milestoneId && milestone === null) errors.milestone_id = ['is not a milestone of the project'];
  if (!ignoreForbidden && Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  const columns = {
    ...(assigneeIds === undefined ? {} : { assigneeId: assigneeIds[0] ?? null }),
    ...(milestoneId === undefined ? {} : { milestoneId: milestone?.id ?? null }),
    ...(dueDate === undefined ? {} : { dueDate: dueDate === null ? null : new Date(`${dueDate}T00:00:00Z`) }),
  };
  return { columns, assigneeIds, reviewerIds };
}

const [label, milestone] = [alias('Label', 'l'), alias('Milestone', 'm')];

/** The milestone with that ID, if the project or a group around it has it. */
async function milestoneThere(db: Context['db'], projectId: number, id: number): Promise<{ id: number } | null> {
  const [found] = await db.$queryRaw<{ id: number }[]>`
    SELECT ${milestone.id} FROM ${table(milestone)} WHERE ${milestone.id} = ${id} AND ${ofOrAround(milestone, projectId)}`;
  return found ?? null;
}

const LABELLED = {
  Issue: { pairs: Prisma.raw('issue_labels'), subject: Prisma.raw('issue_id') },
  MergeRequest: { pairs: Prisma.raw('merge_request_labels'), subject: Prisma.raw('merge_request_id') },
} as const;

/** Replaces the labels of an issue or merge request, and returns the IDs of those added and removed. */
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

/** A label to remove and one to add; null for none. */
export interface LabelSwap {
  remove: number | null;
  add: number | null;
}

/** Removes one label from the issue and adds another, of the project or of a group around it. Returns what changed. Throws ValidationFailed. */
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
    SELECT ${issueId}, ${label.id} FROM ${table(label)} WHERE ${label.id} = ${add}::int AND ${ofOrAround(label, projectId)}
    ON CONFLICT DO NOTHING RETURNING label_id AS id`;
  const [{ count } = { count: 0n }] = await tx.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM issue_labels WHERE issue_id = ${issueId}`;
  if (added.length > 0 && count > MOST_LABELS) {
    throw new ValidationFailed({ labels: [`has too many names (maximum is ${MOST_LABELS})`] });
  }
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
}

function zeroAsNull(value: number | null | undefined): null | undefined {
  return value === undefined ? undefined : null;
}
