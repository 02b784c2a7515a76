import type { Change, DomainChange, Subject } from '#src/domain/changes/change.ts';
import { writeLastChange } from '#src/domain/changes/last_change.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** The followers of recorded changes; see recordChange. */
    readonly followers: readonly Follower[];
  }
}

/** What recording a change needs. Without a queue, followers enqueue no jobs. */
export interface ChangeContext {
  readonly db: Db;
  readonly jobs?: JobQueue | undefined;
  readonly followers: readonly Follower[];
}

type Kind = DomainChange['type'];

/** Writes the consequences of changes: one function per kind of change that it handles. */
export type Follower = {
  readonly [K in Kind]?: (
    tx: Transaction,
    context: ChangeContext,
    change: Extract<DomainChange, { type: K }>,
  ) => Promise<void>;
};

/**
 * Records what a command changed, once, in the transaction of the change and after it. The followers write what follows from it:
 * feeds, system notes, todos, mail, webhooks, references, pipelines. They run sequentially, in the order of
 * `src/entrances/server/followers.ts`; if one fails, the change is rolled back.
 */
export async function recordChange<K extends Kind>(
  tx: Transaction,
  context: ChangeContext,
  change: Extract<DomainChange, { type: K }>,
): Promise<void> {
  const type: K = change.type as K;
  for (const follower of context.followers) await follower[type]?.(tx, context, change);
}

/**
 * Like recordChange, for what one command changed in an issue or merge request, of which it writes who changed it. Does nothing without
 * changes.
 */
export async function recordSubjectChanges(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const all = [...changes, ...(await writeLastChange(tx, actor, subject, changes))];
  await recordChange(tx, context, { type: 'subjectChanged', actor, subject, changes: all });
}
