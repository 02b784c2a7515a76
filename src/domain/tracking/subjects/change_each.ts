import { DomainError, type ErrorCode, ValidationFailed } from '#src/platform/errors.ts';

/** How many records one command changes at most. */
export const MAX_CHANGED = 100;

/** A record that was left as it was, and why. */
export interface Unchanged {
  id: number;
  message: string;
}

/** The IDs of the records that were changed, and of those that were not. */
export interface ChangedEach {
  changed: number[];
  unchanged: Unchanged[];
}

/** What is wrong with one record alone; anything else ends the command. */
const OF_ONE: readonly ErrorCode[] = ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED', 'BAD_REQUEST', 'CONFLICT'];

/**
 * Changes records one after the other, each with the rights that it needs and in a transaction of its own. Those that are refused stay
 * as they are, and keep no others from being changed. Throws ValidationFailed for none and for too many.
 */
export async function changeEach(
  ids: readonly number[],
  change: (id: number) => Promise<unknown>,
): Promise<ChangedEach> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) throw new ValidationFailed({ ids: ["can't be blank"] });
  if (wanted.length > MAX_CHANGED)
    throw new ValidationFailed({ ids: [`has too many records (maximum is ${MAX_CHANGED})`] });
  const result: ChangedEach = { changed: [], unchanged: [] };
  for (const id of wanted) {
    try {
      await change(id);
      result.changed.push(id);
    } catch (error) {
      if (!(error instanceof DomainError) || !OF_ONE.includes(error.code)) throw error;
      result.unchanged.push({ id, message: error.message });
    }
  }
  return result;
}
