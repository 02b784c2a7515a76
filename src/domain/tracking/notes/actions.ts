import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { locateIssue } from '#src/domain/tracking/issues/find.ts';
import { targetOf as issueTarget, updateIssue } from '#src/domain/tracking/issues/update.ts';
import { locateMergeRequest } from '#src/domain/tracking/merge_requests/find.ts';
import { targetOf as mergeRequestTarget, updateMergeRequest } from '#src/domain/tracking/merge_requests/update.ts';
import type { Noteable } from '#src/domain/tracking/noteable.ts';
import { type Copied, finish, obey } from '#src/domain/tracking/notes/orders.ts';
import { applyEffects, hasEffects } from '#src/domain/tracking/quick_actions/apply.ts';
import { type WantedChanges, wordOf } from '#src/domain/tracking/quick_actions/interpret.ts';
import { type ReadTexts, readQuickActionsOf } from '#src/domain/tracking/quick_actions/read.ts';
import type { QuickAction } from '#src/domain/tracking/quick_actions/split.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { DomainError, ValidationFailed } from '#src/platform/errors.ts';

/** What became of the quick actions, before the notes are written. */
interface Obeyed {
  /** The texts without the actions that do something. */
  texts: readonly string[];
  /** Why others do nothing. */
  notApplied: readonly string[];
  /** What became of each, in the order of the texts. */
  quickActions: readonly QuickActionResult[];
}

/** What a quick action of a note has done. */
export interface QuickActionResult {
  /** As it is written, without the slash. */
  name: string;
  argument: string;
  /** Whether it did something; not always all that it says. */
  applied: boolean;
  /** Why it did nothing, or not all that it says. */
  message: string | null;
}

/** Does something in a transaction, with what the quick actions do. */
type Work = <T>(write: (tx: Transaction, obeyed: Obeyed) => Promise<T>) => Promise<T>;

/**
 * The texts of notes on a record without any quick actions, and a function that writes the notes and applies these, as if they
 * were of one text: it throws ValidationFailed where nothing but actions is left and none does anything. Snippets have none.
 */
export async function readNoteActions(
  context: Context,
  actor: Actor,
  { type, id, iid, title, project }: Noteable,
  bodies: readonly string[],
): Promise<{ texts: readonly string[]; work: Work }> {
  if (type === 'Snippet' || iid === null) {
    const obeyed = { texts: bodies, notApplied: [], quickActions: [] };
    return { texts: bodies, work: (write) => context.db.$transaction((tx) => write(tx, obeyed)) };
  }
  const isIssue = type === 'Issue';
  const read = await readQuickActionsOf(context, actor, bodies, async () =>
    isIssue
      ? issueTarget(context, actor, await locateIssue(context, project.id, iid))
      : mergeRequestTarget(context, actor, await locateMergeRequest(context, project.id, iid)),
  );
  const subject = { type, id, iid, title, project };
  const { effects, orders } = read;
  const update = isIssue ? updateIssue : updateMergeRequest;
  const apply = async <T>(
    changes: WantedChanges & Pick<Copied, 'addLabels'>,
    write: (tx: Transaction) => Promise<T>,
  ): Promise<T> => {
    const both = async (tx: Transaction) => {
      const written = await write(tx);
      if (hasEffects(effects)) await applyEffects(tx, context, actor, subject, effects);
      return written;
    };
    if (!isAny(changes)) return context.db.$transaction(both);
    const written: T[] = [];
    await update(context, project.id, iid, changes, async (tx) => {
      written.push(await both(tx));
    });
    return written.at(-1) as T;
  };
  return {
    texts: read.textsWith(new Map()),
    work: async (write) => {
      const refusals = new Map(read.refusals);
      const done = [];
      let copied: Copied = {};
      for (const order of orders) {
        const reason = await refusalOf(async () => {
          const more = await obey(context, subject, order);
          const addLabels = [...(copied.addLabels ?? []), ...(more.addLabels ?? [])];
          copied = { ...copied, ...more, ...(addLabels.length > 0 && { addLabels }) };
        });
        if (reason === null) done.push(order);
        else refusals.set(order.action, { reason: `/${order.name}: ${reason}`, left: order.action.written });
      }
      const hasDone = isAny(read.changes) || hasEffects(effects) || done.length > 0;
      const obeyed = outcomeOf(read, refusals, hasDone);
      const written = await apply({ ...copied, ...read.changes }, (tx) => write(tx, obeyed));
      for (const order of done) await finish(context, subject, order);
      return written;
    },
  };
}

function isAny(changes: WantedChanges): boolean {
  return Object.keys(changes).length > 0;
}

/** Throws ValidationFailed if there is nothing to write, and nothing was done. */
function outcomeOf(read: ReadTexts, refusals: ReadTexts['refusals'], hasDone: boolean): Obeyed {
  const notApplied = [...refusals.values()].map(({ reason }) => reason);
  const isNothing = read.isBare && read.count > 0 && !hasDone && read.count === refusals.size;
  if (isNothing) throw new ValidationFailed({ commands_only: notApplied });
  return { texts: read.textsWith(refusals), notApplied, quickActions: read.actions.map(resultIn(read, refusals)) };
}

function resultIn({ overridden }: ReadTexts, refusals: ReadTexts['refusals']) {
  return (action: QuickAction): QuickActionResult => {
    const refusal = refusals.get(action);
    const isOverridden = overridden.has(action);
    return {
      name: wordOf(action).replace(/^\//, ''),
      argument: action.argument,
      applied: !isOverridden && refusal?.left !== action.written,
      message: isOverridden ? `${wordOf(action)} is overridden by a later one` : (refusal?.reason ?? null),
    };
  };
}

/** Why a command was refused; null if it was not. */
async function refusalOf(command: () => Promise<void>): Promise<string | null> {
  try {
    await command();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}
