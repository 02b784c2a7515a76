import { SourceInvalid } from '#src/domain/remote_imports/base/source.ts';
import type { Staging } from '#src/domain/remote_imports/staging.ts';

/** What an event is on: `Either` where issues and merge requests share their numbers. */
export type SubjectType = 'Issue' | 'MergeRequest' | 'Either';

/** A change of the state of an issue or a merge request. */
interface StateChange {
  id: number;
  subject: number;
  type: SubjectType;
  userId: number | null;
  state: string;
  at: string | null;
}

/** A label that was put on an issue or a merge request, or taken off. */
interface Labeling {
  id: number;
  subject: number;
  type: SubjectType;
  userId: number | null;
  action: string;
  label: string;
  at: string | null;
}

/** What has to be known of all that was staged before the first record can be written. */
export interface Overview {
  issues: ReadonlySet<number>;
  mergeRequests: ReadonlySet<number>;
  /** The IDs of labels by their titles in lower case. */
  labels: ReadonlyMap<string, number>;
  /** Users by their IDs; a later record of the same user knows more. */
  users: ReadonlyMap<number, Readonly<Record<string, unknown>>>;
  /** In the order in which they happened. */
  states: readonly StateChange[];
  labelings: readonly Labeling[];
  /** Who merged merge requests, and who closed them last. */
  mergers: ReadonlyMap<number, number>;
  closers: ReadonlyMap<number, number>;
  /** The new addresses of files, by those in texts. */
  files: ReadonlyMap<string, string>;
}

/** Characters of what is kept of users, labels, events and files. */
const MAX_LENGTH = 128 * 1024 * 1024;
const KINDS = new Set(['issues', 'merge_requests', 'labels', 'users', 'state_events', 'label_events', 'uploads']);

/** Reads what was staged once. Throws SourceInvalid for more of it than memory should hold. */
export async function readOverview(staging: Staging): Promise<Overview> {
  const issues = new Set<number>();
  const mergeRequests = new Set<number>();
  const labels = new Map<string, number>();
  const users = new Map<number, Readonly<Record<string, unknown>>>();
  const states = new Map<string, StateChange>();
  const labelings = new Map<string, Labeling>();
  const files = new Map<string, string>();
  let length = 0;
  for await (const { kind, record } of staging.records(KINDS)) {
    const id = record.id as number;
    // Of issues and merge requests the number is kept, and users come with each record that names them.
    const isKept = kind === 'users' ? !users.has(id) : kind !== 'issues' && kind !== 'merge_requests';
    if (isKept) length += JSON.stringify(record).length;
    if (length > MAX_LENGTH)
      throw new SourceInvalid(`The source has more than ${MAX_LENGTH} characters of users and events.`);
    if (kind === 'issues') issues.add(id);
    else if (kind === 'merge_requests') mergeRequests.add(id);
    else if (kind === 'labels') {
      const title = String(record.title).toLowerCase();
      labels.set(title, labels.get(title) ?? id);
    } else if (kind === 'users') users.set(id, { ...record, email: record.email ?? users.get(id)?.email ?? null });
    else if (kind === 'uploads') files.set(String(record.address), `/uploads/${record.secret}/${record.file_name}`);
    else {
      const own = {
        id,
        subject: record.either_id as number,
        type: (record.subject_type as SubjectType | undefined) ?? 'Either',
        userId: record.user_id as number | null,
        at: record.created_at as string | null,
      };
      // Events of issues and those of merge requests may have numbers of their own.
      const key = `${own.type} ${id}`;
      if (kind === 'state_events') states.set(key, { ...own, state: String(record.state) });
      else labelings.set(key, { ...own, action: String(record.action), label: String(record.label).toLowerCase() });
    }
  }
  const inOrder = [...states.values()].sort(earlierFirst);
  const last = (state: string) =>
    new Map(
      inOrder.flatMap((one) =>
        one.state === state && one.type !== 'Issue' && one.userId !== null ? [[one.subject, one.userId]] : [],
      ),
    );
  return {
    issues,
    mergeRequests,
    labels,
    users,
    states: inOrder,
    labelings: [...labelings.values()].sort(earlierFirst),
    mergers: last('merged'),
    closers: last('closed'),
    files,
  };
}

function earlierFirst(one: { id: number; at: string | null }, other: { id: number; at: string | null }): number {
  const [left, right] = [one.at ?? '', other.at ?? ''];
  return left === right ? one.id - other.id : left < right ? -1 : 1;
}
