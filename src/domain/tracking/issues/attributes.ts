import { can } from '#src/access/permissions/abilities.ts';
import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { lengthError } from '#src/base/text.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { ofProjectOrAncestorGroups } from '#src/domain/projects/groups_around.ts';
import { maySetTimestamps } from '#src/domain/tracking/issues/timestamps.ts';
import { findOrCreateLabels, MAX_LABELS, requireFewLabels, tooManyLabels } from '#src/domain/tracking/labels/ensure.ts';
import { milestoneTitled } from '#src/domain/tracking/milestones/list.ts';
import { involvable, namedPeople, usersNamed } from '#src/domain/tracking/subjects/assignees.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, Forbidden, ValidationFailed } from '#src/platform/errors.ts';
import { alias, table } from '#src/platform/records/alias.ts';

/** Attributes that reporters may set besides title and description. */
export interface IssueAttributes {
  assigneeId?: number | null | undefined;
  /** All assignees; wins over `assigneeId`, which names a single one. */
  assigneeIds?: readonly number[] | null | undefined;
  /** All assignees by their usernames, where no `assigneeIds` are given; wins over `assigneeId`. */
  assigneeUsernames?: readonly string[] | null | undefined;
  /** All reviewers; of merge requests alone. */
  reviewerIds?: readonly number[] | null | undefined;
  /** All reviewers by their usernames, where no `reviewerIds` are given. */
  reviewerUsernames?: readonly string[] | null | undefined;
  milestoneId?: number | null | undefined;
  /** Title of a milestone of the project or of a group around it, where no `milestoneId` is given; blank for none. */
  milestone?: string | null | undefined;
  /** Titles; missing ones are created. */
  labels?: readonly string[] | null | undefined;
  /** Titles of labels that it gets besides; missing ones are created. */
  addLabels?: readonly string[] | null | undefined;
  /** Titles of labels that it loses, of those to add, too. */
  removeLabels?: readonly string[] | null | undefined;
  dueDate?: string | null | undefined;
  /** The lists as the input has them, for errors that name positions. */
  asGiven?: Pick<IssueAttributes, 'assigneeIds' | 'reviewerIds'> | undefined;
  /** Whether to skip attributes that the actor may not set, without an error, as the REST API does (behaviour.md 6). */
  ignoreForbidden?: boolean | undefined;
}

const { sql } = Prisma;

export const TITLE_LENGTH = 255;

/** The errors of titles that are blank or too long, and of descriptions that are too long. */
export function textErrors(title: string | null | undefined, description: string | null | undefined): FieldErrors {
  const errors: FieldErrors = {};
  if (title !== undefined) {
    if (title === null || title.trim() === '') errors.title = ["can't be blank"];
    else if ([...title].length > TITLE_LENGTH) errors.title = [`is too long (maximum is ${TITLE_LENGTH} characters)`];
  }
  const wrong = lengthError(description);
  if (wrong) errors.description = [wrong];
  return errors;
}

const FOR_REPORTERS = [
  'assigneeId',
  'assigneeIds',
  'assigneeUsernames',
  'reviewerIds',
  'reviewerUsernames',
  'milestoneId',
  'milestone',
  'labels',
  'addLabels',
  'removeLabels',
  'dueDate',
] as const;

/** The attributes that the actor may set. 0 clears like null. Throws Forbidden for others, unless they are to be skipped. */
export function permittedAttributes(
  actor: Actor,
  project: ProjectRow,
  given: IssueAttributes,
  ability: 'admin_issue' | 'admin_merge_request' = 'admin_issue',
): IssueAttributes {
  const { milestoneId, milestone, labels, addLabels, removeLabels, dueDate, ignoreForbidden } = given;
  if (!can(actor, ability, project)) {
    const refused = FOR_REPORTERS.filter((name) => given[name] !== undefined);
    refuse(refused, 'reporters of the project', ignoreForbidden);
    return { ignoreForbidden };
  }
  return {
    asGiven: { assigneeIds: given.assigneeIds, reviewerIds: given.reviewerIds },
    ...assigneesIn(given),
    ...reviewersIn(given),
    milestoneId: milestoneId || zeroAsNull(milestoneId),
    milestone,
    labels,
    addLabels,
    removeLabels,
    dueDate,
    ignoreForbidden,
  };
}

/** The users to assign to, under the name that they are given by. */
function assigneesIn({
  assigneeId,
  assigneeIds,
  assigneeUsernames,
}: IssueAttributes): Pick<IssueAttributes, 'assigneeId' | 'assigneeIds' | 'assigneeUsernames'> {
  if (assigneeIds !== undefined) return { assigneeIds: namedPeople(assigneeIds ?? [], 'assignee_ids') };
  if (assigneeUsernames !== undefined) {
    return { assigneeUsernames: namedPeople(assigneeUsernames ?? [], 'assignee_usernames') };
  }
  return { assigneeId: assigneeId || zeroAsNull(assigneeId) };
}

/** The users to ask for a review, under the name that they are given by. */
function reviewersIn({
  reviewerIds,
  reviewerUsernames,
}: IssueAttributes): Pick<IssueAttributes, 'reviewerIds' | 'reviewerUsernames'> {
  if (reviewerIds !== undefined) return { reviewerIds: namedPeople(reviewerIds ?? [], 'reviewer_ids') };
  if (reviewerUsernames === undefined) return {};
  return { reviewerUsernames: namedPeople(reviewerUsernames ?? [], 'reviewer_usernames') };
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

/** Whether to lock the discussion, if the actor may decide that: reporters may. Throws Forbidden if not, unless it is to be skipped. */
export function permittedLock(
  actor: Actor,
  project: ProjectRow,
  {
    discussionLocked,
    ignoreForbidden,
  }: { discussionLocked?: boolean | null | undefined; ignoreForbidden?: boolean | undefined },
): boolean | null {
  if (discussionLocked == null || can(actor, 'admin_issue', project)) return discussionLocked ?? null;
  refuse(['discussionLocked'], 'reporters of the project', ignoreForbidden);
  return null;
}

/** Throws Forbidden, which names the fields and who can set them, unless they are to be skipped. */
export function refuse(refused: readonly string[], whom: string, ignoreForbidden = false): void {
  if (ignoreForbidden || refused.length === 0) return;
  throw new Forbidden(`Only ${whom} can set ${refused.join(', ')}`);
}

/** The errors with those of lists by the positions of the users who do not fit. */
function byItem(
  errors: FieldErrors,
  lists: Readonly<
    Record<string, { given: readonly number[] | null | undefined; fitting: readonly number[] | undefined }>
  >,
): FieldErrors {
  const items = Object.entries(errors).flatMap(([name, messages]): [string, string[]][] => {
    const { given, fitting } = lists[name] ?? {};
    const wrong = (given ?? []).flatMap((id, at) => (id === 0 || fitting?.includes(id) ? [] : [`${name}.${at}`]));
    if (wrong.length === 0) return [[name, messages]];
    return wrong.map((place) => [place, ['is not a user who can read the project']]);
  });
  return Object.fromEntries(items);
}

/**
 * Validates that assignees can read such records of the project, and that a milestone belongs to it or to a group around it.
 * Returns the columns that change, and assignees and reviewers if they do; invalid ones are left out if they are to be skipped.
 * Throws ValidationFailed, also for the errors `found` so far, which are told together.
 */
export async function resolveAttributes(
  { db }: Context,
  project: ProjectRow,
  attributes: IssueAttributes,
  found: FieldErrors,
  type: keyof typeof LABELLED = 'Issue',
) {
  const { assigneeId, dueDate, ignoreForbidden = false } = attributes;
  const named = attributes.assigneeUsernames && (await usersNamed(db, attributes.assigneeUsernames));
  const wanted = named ?? attributes.assigneeIds ?? (assigneeId === undefined ? undefined : assigneesGiven(attributes));
  const assigneeIds = wanted && (await involvable(db, type, project, wanted));
  const namedReviewers = attributes.reviewerUsernames && (await usersNamed(db, attributes.reviewerUsernames));
  const reviewers = namedReviewers ?? attributes.reviewerIds ?? undefined;
  const reviewerIds = reviewers && (await involvable(db, type, project, reviewers));
  const errors: FieldErrors = {};
  const isUnknown = named && named.length !== attributes.assigneeUsernames?.length;
  if (assigneeIds && (isUnknown || assigneeIds.length !== wanted.length)) {
    if (named) errors.assignee_usernames = ['has users who cannot read the project'];
    else if (attributes.assigneeIds) errors.assignee_ids = ['has users who cannot read the project'];
    else errors.assignee_id = ['is not a user who can read the project'];
  }
  const wantedReviewers = attributes.reviewerUsernames ?? reviewers;
  if (reviewerIds && reviewerIds.length !== wantedReviewers?.length) {
    errors[namedReviewers ? 'reviewer_usernames' : 'reviewer_ids'] = ['has users who cannot read the project'];
  }
  const milestoneId = await milestoneGiven(db, project.id, attributes, errors);
  const wrong = ignoreForbidden ? found : { ...found, ...errors };
  if (Object.keys(wrong).length > 0) {
    const { asGiven } = attributes;
    const lists = {
      assignee_ids: { given: asGiven?.assigneeIds, fitting: assigneeIds },
      reviewer_ids: { given: asGiven?.reviewerIds, fitting: reviewerIds },
    };
    throw new ValidationFailed(wrong, byItem(wrong, lists));
  }
  const columns = {
    ...(assigneeIds === undefined ? {} : { assigneeId: assigneeIds[0] ?? null }),
    ...(milestoneId === undefined ? {} : { milestoneId }),
    ...(dueDate === undefined ? {} : { dueDate: dueDate === null ? null : new Date(`${dueDate}T00:00:00Z`) }),
  };
  return { columns, assigneeIds, reviewerIds };
}

const [label, milestone] = [alias('Label', 'l'), alias('Milestone', 'm')];

/**
 * The milestone that is given by ID or title, if the project or a group around it has it: null clears it, undefined leaves it, as
 * an unknown title does. Unknown milestones are added to `errors`.
 */
async function milestoneGiven(
  db: Context['db'],
  projectId: number,
  { milestoneId: id, milestone: title }: IssueAttributes,
  errors: FieldErrors,
): Promise<number | null | undefined> {
  if (id) {
    const [found] = await db.$queryRaw<{ id: number }[]>`
      SELECT ${milestone.id} FROM ${table(milestone)} WHERE ${milestone.id} = ${id} AND ${ofProjectOrAncestorGroups(milestone, projectId)}`;
    if (!found) errors.milestone_id = ['is not a milestone of the project'];
    return found?.id ?? null;
  }
  if (title == null || title.trim() === '') return title === undefined ? id : null;
  const [found] = await db.$queryRaw<{ id: number }[]>(milestoneTitled(projectId, title));
  if (!found) errors.milestone = ['is not the title of a milestone of the project'];
  return found?.id;
}

const LABELLED = {
  Issue: { pairs: Prisma.raw('issue_labels'), subject: Prisma.raw('issue_id') },
  MergeRequest: { pairs: Prisma.raw('merge_request_labels'), subject: Prisma.raw('merge_request_id') },
} as const;

/** The labels that are given for a new record: those to add among them, without those to remove. */
export function labelsGiven({ labels, addLabels, removeLabels }: IssueAttributes): string[] {
  const removed = new Set(trimmed(removeLabels));
  return trimmed([...(labels ?? []), ...(addLabels ?? [])]).filter((title) => !removed.has(title));
}

/** What labels a record got and lost, by ID. */
interface LabelChange {
  added: number[];
  removed: number[];
}

/**
 * Replaces the labels of an issue or merge request, which is locked, or only adds and removes some, and returns what changed. Throws
 * ValidationFailed.
 */
export async function setLabels(
  tx: Transaction,
  projectId: number,
  { type, id }: { type: keyof typeof LABELLED; id: number },
  given: Pick<IssueAttributes, 'labels' | 'addLabels' | 'removeLabels'>,
): Promise<LabelChange> {
  const { labels, addLabels, removeLabels } = given;
  if (labels === undefined && !addLabels?.length && !removeLabels?.length) return { added: [], removed: [] };
  requireFewLabels(removeLabels ?? [], 'remove_labels');
  const wanted = await findOrCreateLabels(tx, projectId, labelsGiven(given));
  const { pairs, subject } = LABELLED[type];
  const goes =
    labels === undefined
      ? sql`label_id IN (SELECT ${label.id} FROM ${table(label)} WHERE ${label.title} = ANY(${trimmed(removeLabels)}::text[])
          AND ${ofProjectOrAncestorGroups(label, projectId)})`
      : sql`NOT label_id = ANY(${wanted}::int[])`;
  const removed = await tx.$queryRaw<{ id: number }[]>`
    DELETE FROM ${pairs} WHERE ${subject} = ${id} AND ${goes} RETURNING label_id AS id`;
  const added = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO ${pairs} (${subject}, label_id) SELECT ${id}, unnest(${wanted}::int[])
    ON CONFLICT DO NOTHING RETURNING label_id AS id`;
  if (labels === undefined && added.length > 0) await requireFewOn(tx, { type, id });
  return { added: added.map((label) => label.id), removed: removed.map((label) => label.id) };
}

function trimmed(titles: readonly string[] | null | undefined): string[] {
  return (titles ?? []).map((title) => title.trim());
}

/** Throws ValidationFailed if the record has too many labels. */
async function requireFewOn(tx: Transaction, { type, id }: { type: keyof typeof LABELLED; id: number }): Promise<void> {
  const { pairs, subject } = LABELLED[type];
  const [{ count } = { count: 0n }] = await tx.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM ${pairs} WHERE ${subject} = ${id}`;
  if (count > MAX_LABELS) throw tooManyLabels();
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
): Promise<LabelChange> {
  const removed =
    remove === null || remove === add
      ? []
      : await tx.$queryRaw<{ id: number }[]>`
        DELETE FROM issue_labels WHERE issue_id = ${issueId} AND label_id = ${remove} RETURNING label_id AS id`;
  const added = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO issue_labels (issue_id, label_id)
    SELECT ${issueId}, ${label.id} FROM ${table(label)} WHERE ${label.id} = ${add}::int AND ${ofProjectOrAncestorGroups(label, projectId)}
    ON CONFLICT DO NOTHING RETURNING label_id AS id`;
  if (added.length > 0) await requireFewOn(tx, { type: 'Issue', id: issueId });
  return { added: added.map(({ id }) => id), removed: removed.map(({ id }) => id) };
}

function zeroAsNull(value: number | null | undefined): null | undefined {
  return value === undefined ? undefined : null;
}
