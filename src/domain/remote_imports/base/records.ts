import { type LeftOut, SourceInvalid, type StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import {
  type Given,
  idIn,
  isGiven,
  objectsIn,
  requiredTime,
  textIn,
  timeIn,
  titleIn,
} from '#src/domain/remote_imports/base/values.ts';

/* Records that GitHub's API has, and those that were modelled on it. */

export function timesOf(given: Given) {
  const created = requiredTime(given, 'created_at');
  return { created_at: created, updated_at: timeIn(given, 'updated_at') ?? created };
}

export function labelRecord(given: Given): StagedRecord {
  const color = textIn(given, 'color', 7).replace('#', '');
  const record = {
    id: idIn(given, 'id'),
    title: titleIn(given, 'name'),
    color: `#${/^[0-9a-f]{6}$/i.test(color) ? color : '428bca'}`,
    description: textIn(given, 'description') || null,
  };
  return { kind: 'labels', record };
}

/** How a source writes what issues and pull requests have. */
export interface SubjectReader {
  /** The ID of a user, whose record comes along. */
  user(given: Given, key: string): number;
  milestone(given: Given): StagedRecord;
  text(given: Given): string;
  isLocked(given: Given): boolean;
}

/** What issues and pull requests have alike: their own columns, and the records around them. */
export function subjectOf(
  given: Given,
  kind: 'issues' | 'merge_requests',
  records: StagedRecord[],
  reader: SubjectReader,
) {
  const id = idIn(given, 'number');
  const of = kind === 'issues' ? 'issue' : 'merge_request';
  const own = { [`${of}_id`]: id };
  for (const label of objectsIn(given, 'labels')) {
    // Those of an organization may be in no list of the repository.
    records.push(labelRecord(label));
    records.push({ kind: `${of}_labels`, record: { ...own, label_id: idIn(label, 'id') } });
  }
  const milestone = isGiven(given.milestone) ? reader.milestone(given.milestone) : null;
  if (milestone) records.push(milestone);
  for (const [position, user] of objectsIn(given, 'assignees').entries()) {
    records.push({ kind: `${of}_assignees`, record: { ...own, user_id: reader.user({ user }, 'user'), position } });
  }
  return {
    id,
    iid: id,
    title: titleIn(given, 'title'),
    description: reader.text(given) || null,
    author_id: reader.user(given, 'user'),
    milestone_id: milestone?.record.id ?? null,
    discussion_locked: reader.isLocked(given),
    ...timesOf(given),
  };
}

/** Who was asked to review a merge request. */
export function requestedReviewer(mergeRequest: number, user: number): StagedRecord {
  return {
    kind: 'merge_request_reviewers',
    record: { merge_request_id: mergeRequest, user_id: user, state: 'unreviewed' },
  };
}

/** A review as it is told: by its text, or else by a system note. */
export interface ReviewNote {
  id: number;
  mergeRequest: number;
  author: number;
  body: string;
  /** What a review without a text says; null for nothing. */
  system: string | null;
  created: string;
}

/** The note of a review; none for one that says nothing. */
export function reviewNotes({ id, mergeRequest, author, body, system, created }: ReviewNote): StagedRecord[] {
  const text = body !== '' ? body : system;
  if (text === null) return [];
  const on = { subject_type: 'MergeRequest', subject_id: mergeRequest, author_id: author };
  const times = { created_at: created, updated_at: created };
  return [{ kind: 'notes', record: { id, ...on, body: text, system: body === '', ...times } }];
}

/** A release without its files, and when it was made. */
export function releaseOf(given: Given, author: number) {
  const tag = titleIn(given, 'tag_name');
  const created = requiredTime(given, 'created_at');
  return {
    id: idIn(given, 'id'),
    tag,
    name: textIn(given, 'name', 255).trim() || tag,
    description: textIn(given, 'body'),
    author_id: author,
    released_at: timeIn(given, 'published_at') ?? created,
    created_at: created,
  };
}

/** A collaborator with the level that they have here. */
export function memberRecord(user: number, level: number): StagedRecord {
  return { kind: 'members', record: { id: user, user_id: user, access_level: level } };
}

/** A webhook, which stays behind. It is named by its host: the rest of its address may be a secret. */
export function webhookLeftOut({ config }: Given): LeftOut {
  const address = isGiven(config) ? textIn(config, 'url', 2_000) : '';
  const name = URL.canParse(address) ? new URL(address).host : null;
  return { kind: 'webhooks', name, message: 'Set it up anew: its secret stays at the source.' };
}

/** The path of a repository, which becomes part of addresses that are asked. Throws SourceInvalid for none. */
export function repositoryPath(given: Given): string {
  const path = textIn(given, 'full_name', 255);
  if (!/^[\w.-]+\/[\w.-]+$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part))) {
    throw new SourceInvalid('The source answered with a repository whose full_name is not a path.');
  }
  return path;
}

/** The description of a repository with its web site, for which projects here have no field. */
export function descriptionWith(given: Given, site: 'homepage' | 'website'): string | null {
  const parts = [textIn(given, 'description', 1_500).trim(), textIn(given, site, 400).trim()];
  return parts.filter((part) => part !== '').join('\n\n') || null;
}

/** The number at the end of the first of some addresses that is there. Throws SourceInvalid for none. */
export function numberAtEnd(given: Given, ...keys: string[]): number {
  for (const key of keys) {
    const [, number] = /\/(\d{1,15})$/.exec(textIn(given, key, 2_000)) ?? [];
    if (number !== undefined) return idIn({ [key]: Number(number) }, key);
  }
  return idIn({}, keys[0] ?? '');
}
