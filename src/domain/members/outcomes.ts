import type { DomainError } from '#src/platform/errors.ts';

/** What came of one of the people whom a command names in lists. */
export interface MemberOutcome {
  list: 'userIds' | 'usernames' | 'emails';
  /** Its position in the list, from 0. */
  position: number;
  /** The user, who is a member now unless refused; null for an address without an account, and for nobody. */
  userId: number | null;
  refused: DomainError | null;
}

/** Why people were refused, as v4 tells it: by address, username or ID. */
export function messagesOf(refused: ReadonlyMap<string, DomainError>): Map<string, string> {
  return new Map([...refused].map(([name, { message }]) => [name, message]));
}
