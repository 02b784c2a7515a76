import { hash } from 'node:crypto';
import { TYPES } from '#src/domain/gitlab_archives/relations/issues.ts';
import { REVIEWS } from '#src/domain/gitlab_archives/relations/merge_requests.ts';
import { stateOf } from '#src/domain/gitlab_archives/relations/tracked.ts';
import { integer, labelColor, oneOf } from '#src/domain/gitlab_archives/relations/values.ts';
import { memberRecord, requestedReviewer, timesOf } from '#src/domain/remote_imports/base/records.ts';
import type { PhaseContext, StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  optionalId,
  requiredTime,
  shaIn,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';
import { dayIn, optionalUser, textWithFiles, userIn, usersIn } from '#src/domain/remote_imports/gitlab/values.ts';

/** A number for what has only a name. */
export function numberOf(name: string): number {
  return Number.parseInt(hash('sha256', name).slice(0, 12), 16) + 1;
}

/** A label, with its title as `key`. */
export function labelRecord(given: Given, key: 'name' | 'title' = 'name'): StagedRecord {
  const title = titleIn(given, key);
  const priority = integer(given.priority);
  const record = {
    id: optionalId(given, 'id') ?? numberOf(title),
    title,
    color: labelColor(given),
    description: textIn(given, 'description') || null,
    priority: priority === null || priority < 0 || priority >= 2 ** 31 ? null : priority,
    archived: given.archived === true,
  };
  return { kind: 'labels', record };
}

export function milestoneRecord(given: Given, context: PhaseContext, records: StagedRecord[]): StagedRecord {
  const record = {
    id: idIn(given, 'id'),
    // Those of groups have numbers of their own.
    ...(given.group_id == null && { iid: iidIn(given) }),
    title: titleIn(given, 'title'),
    description: textWithFiles(given, 'description', context, records) || null,
    state: given.state === 'closed' ? 'closed' : 'active',
    start_date: dayIn(given, 'start_date'),
    due_date: dayIn(given, 'due_date'),
    ...timesOf(given),
  };
  return { kind: 'milestones', record };
}

/** A number that records of a project have. Throws SourceInvalid. */
function iidIn(given: Given): number {
  const iid = idIn(given, 'iid');
  return iid < 2 ** 31 ? iid : idIn({}, 'iid');
}

const labels = new WeakMap<PhaseContext, Promise<Map<string, number>>>();

/** The labels that were staged, by their titles. */
async function labelsOf(context: PhaseContext): Promise<Map<string, number>> {
  const found = labels.get(context) ?? readLabels(context);
  labels.set(context, found);
  return found;
}

async function readLabels({ staged }: PhaseContext): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { id, title } of staged('labels'))
    found.set(title as string, found.get(title as string) ?? (id as number));
  return found;
}

/** What issues and merge requests have alike, and the records around them. */
async function subjectOf(
  given: Given,
  kind: 'issues' | 'merge_requests',
  context: PhaseContext,
  records: StagedRecord[],
) {
  const id = iidIn(given);
  const of = kind === 'issues' ? 'issue' : 'merge_request';
  const own = { [`${of}_id`]: id };
  const known = await labelsOf(context);
  const after: StagedRecord[] = [];
  for (const label of Array.isArray(given.labels) ? given.labels : []) {
    // Servers of before 12.7 give titles alone.
    const whole = isGiven(label) ? labelRecord(label) : null;
    if (whole) records.push(whole);
    const labelId = whole ? whole.record.id : known.get(String(label));
    if (labelId !== undefined) after.push({ kind: `${of}_labels`, record: { ...own, label_id: labelId } });
  }
  const milestone = isGiven(given.milestone) ? milestoneRecord(given.milestone, context, records) : null;
  if (milestone) records.push(milestone);
  for (const [position, user] of usersIn(given, 'assignees', 'assignee', records).entries()) {
    after.push({ kind: `${of}_assignees`, record: { ...own, user_id: user, position } });
  }
  const author = userIn(given, 'author', records);
  const stats = isGiven(given.time_stats) ? given.time_stats : {};
  const seconds = secondsIn(stats.total_time_spent);
  if (seconds > 0) {
    const log = { ...own, user_id: author, seconds, summary: SPENT, created_at: requiredTime(given, 'created_at') };
    after.push({ kind: 'timelogs', record: log });
  }
  const subject = {
    id,
    iid: id,
    title: titleIn(given, 'title'),
    description: textWithFiles(given, 'description', context, records) || null,
    author_id: author,
    milestone_id: milestone?.record.id ?? null,
    time_estimate: secondsIn(stats.time_estimate),
    discussion_locked: given.discussion_locked === true,
    ...timesOf(given),
  };
  return { subject, after };
}

/** The API tells the sum alone. */
const SPENT = 'All time that was spent at the source.';

function secondsIn(value: unknown): number {
  const seconds = integer(value) ?? 0;
  return seconds > 0 && seconds < 2 ** 31 ? seconds : 0;
}

export async function issueRecords(given: Given, context: PhaseContext): Promise<StagedRecord[]> {
  const records: StagedRecord[] = [];
  const { subject, after } = await subjectOf(given, 'issues', context, records);
  const record = {
    ...subject,
    state: stateOf(given.state) === 'closed' ? 'closed' : 'opened',
    closed_at: timeIn(given, 'closed_at'),
    closed_by_id: optionalUser(given, 'closed_by', records),
    due_date: dayIn(given, 'due_date'),
    confidential: given.confidential === true,
    type: oneOf(given.issue_type, TYPES) ?? 'issue',
  };
  return [...records, { kind: 'issues', record }, ...after];
}

export async function mergeRequestRecords(given: Given, context: PhaseContext): Promise<StagedRecord[]> {
  const records: StagedRecord[] = [];
  const { subject, after } = await subjectOf(given, 'merge_requests', context, records);
  const state = stateOf(given.state) ?? 'opened';
  // Servers of before 11.0 do not tell when it was merged or closed.
  const merged = state === 'merged' ? (timeIn(given, 'merged_at') ?? subject.updated_at) : null;
  const closed = state === 'closed' ? (timeIn(given, 'closed_at') ?? subject.updated_at) : null;
  const merger = optionalUser(given, 'merge_user', records) ?? optionalUser(given, 'merged_by', records);
  for (const user of usersIn(given, 'reviewers', 'reviewer', records)) {
    after.push(requestedReviewer(subject.id, user));
  }
  const record = {
    ...subject,
    state,
    source_branch: titleIn(given, 'source_branch'),
    target_branch: titleIn(given, 'target_branch'),
    source_project_id: optionalId(given, 'source_project_id'),
    sha: shaIn(given, 'sha'),
    merge_commit_sha: shaIn(given, 'merge_commit_sha'),
    squash_commit_sha: shaIn(given, 'squash_commit_sha'),
    squash: given.squash === true,
    merged_at: merged,
    finished_at: merged,
    merge_user_id: merged === null ? null : merger,
    closed_at: closed,
    closed_by_id: optionalUser(given, 'closed_by', records),
    allow_collaboration: given.allow_collaboration === true,
    force_remove_source_branch: given.force_remove_source_branch === true,
  };
  return [...records, { kind: 'merge_requests', record }, ...after];
}

/** A reviewer with what they decided, for servers of 14.9 and later. */
export function reviewerRecords(given: Given, number: number): StagedRecord[] {
  const records: StagedRecord[] = [];
  const user = optionalUser(given, 'user', records);
  if (user === null) return [];
  const [state, created] = [oneOf(given.state, REVIEWS) ?? 'unreviewed', timeIn(given, 'created_at')];
  const record = { merge_request_id: number, user_id: user, state, created_at: created };
  return [...records, { kind: 'reviewer_states', record }];
}

/** Who approved a merge request. */
export function approvalRecords(given: Given, number: number): StagedRecord[] {
  const records: StagedRecord[] = [];
  const approvals = Array.isArray(given.approved_by) ? given.approved_by.filter(isGiven) : [];
  return approvals.flatMap((one) => {
    const user = optionalUser(one, 'user', records);
    const created = timeIn(one, 'approved_at');
    const own = { merge_request_id: number, user_id: user, ...(created !== null && { created_at: created }) };
    return user === null ? [] : [...records.splice(0), { kind: 'merge_request_approvals', record: own }];
  });
}

/** A version of a merge request: lists have the last one first, and of several the first counts. */
export function versionRecords(given: Given, number: number): StagedRecord[] {
  const head = shaIn(given, 'head_commit_sha');
  const start = shaIn(given, 'start_commit_sha') ?? shaIn(given, 'base_commit_sha');
  if (head === null) return [];
  const record = { merge_request_id: number, head, start, merge: null, created_at: requiredTime(given, 'created_at') };
  return [{ kind: 'versions', record }];
}

/** Another issue of the project that an issue is related to. */
export function issueLinkRecords(given: Given, number: number, { project }: PhaseContext): StagedRecord[] {
  if (given.project_id !== project.id) return [];
  const type = oneOf(given.link_type, LINK_TYPES) ?? 'relates_to';
  const other = iidIn(given);
  // Each of the two tells of it.
  const [source, target] = type === 'is_blocked_by' ? [other, number] : [number, other];
  if (type === 'relates_to' && source > target) return [];
  const record = {
    id: numberOf(`${source} ${target}`),
    source_id: source,
    target_id: target,
    type: type === 'is_blocked_by' ? 'blocks' : type,
  };
  return [{ kind: 'issue_links', record: { ...record, ...linkTimes(given) } }];
}

const LINK_TYPES = { 0: 'relates_to', 1: 'blocks', 2: 'is_blocked_by' };

function linkTimes(given: Given) {
  const created = timeIn(given, 'link_created_at');
  return created === null ? {} : { created_at: created, updated_at: timeIn(given, 'link_updated_at') ?? created };
}

/** A member of the project itself. */
export function memberRecords(given: Given): StagedRecord[] {
  const records: StagedRecord[] = [];
  const user = optionalUser({ user: given }, 'user', records);
  if (user === null || (given.state !== undefined && given.state !== 'active')) return [];
  const level = LEVELS.filter((one) => one <= (integer(given.access_level) ?? 0)).at(-1);
  if (level === undefined) return [];
  const { kind, record } = memberRecord(user, level);
  return [...records, { kind, record: { ...record, expires_at: dayIn(given, 'expires_at') } }];
}

/** Levels that members can have here. Owners of a project, and levels in between, become the one below. */
const LEVELS = [10, 20, 30, 40];
