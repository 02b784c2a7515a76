import { PASSWORD_COST } from '#src/access/sign_in/hash_password.ts';

/** A thirtieth of the work: hundreds of passwords are hashed that no test is about. */
export function hashQuickly(): void {
  PASSWORD_COST.N = 2 ** 10;
}

/** Has passwords cost what they cost on a server, for the rest of the file. */
export function hashAsServed(): void {
  PASSWORD_COST.N = 2 ** 15;
}
