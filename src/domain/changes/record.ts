import type { Change, DomainChange, Subject } from '#src/domain/changes/change.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';

declare module '#src/access/permissions/actor.ts' {
  interface Context {
    /** Who follows what commands record; see recordChange. */
    readonly followers: readonly Follower[];
  }
}

/** What recording a change takes. Without a queue, followers leave no work for later. */
export interface ChangeContext {
  readonly db: Db;
  readonly jobs?: JobQueue | undefined;
  readonly followers: readonly Follower[];
}

type Kind = DomainChange['type'];

/** Writes what follows from a change: one function for each kind of change that it is interested in. */
export type Follower = {
  readonly [K in Kind]?: (
    tx: Transaction,
    context: ChangeContext,
    change: Extract<DomainChange, { type: K }>,
  ) => Promise<void>;
};

/**
 * Records what a command changed, once, in the transaction of the change and after it. The followers write what follows from it:
 * feeds, system notes, todos, mail, webhooks, references, pipelines. They run one after the other, in the order of
 * `src/entrances/server/followers.ts`; if one fails, the change is not made either.
 */
export async function recordChange<K extends Kind>(
  tx: Transaction,
  context: ChangeContext,
  change: Extract<DomainChange, { type: K }>,
): Promise<void> {
  const type: K = change.type as K;
  for (const follower of context.followers) await follower[type]?.(tx, context, change);
}

/** As recordChange, for what one command changed about an issue or merge request. Records nothing without changes. */
export async function recordSubjectChanges(
  tx: Transaction,
  context: ChangeContext,
  actor: { id: number },
  subject: Subject,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length > 0) await recordChange(tx, context, { type: 'subjectChanged', actor, subject, changes });
}
