import type { Actor } from '#src/access/actor.ts';
import type { Credentials } from '#src/access/authenticate.ts';
import { type Beside, formerOwner, isSame, lookUp, noteUse, type TokenKey, tokenKey } from '#src/access/token_owner.ts';
import { Budget, DEFAULT_BUDGET, within } from '#src/platform/budget.ts';
import { DatabaseAway } from '#src/platform/database/lost.ts';
import { type Db, jsonWithin, type Prisma } from '#src/platform/db.ts';

interface Presumed {
  /** What is read beside who asks, and what it is expected to be. */
  beside: { what: Beside; expected: string } | undefined;
  /** Whether a client wrote what is read. */
  isForeign: boolean;
}

/**
 * Who asks, as long as nobody has looked: whom the token belonged to when it last came. A request that changes nothing is worked
 * on as if that still held, up to the first JSON that it reads; that is read in the statement which finds out who asks. What
 * came of it may be told to the caller only once `settle` has returned.
 */
export class Presumption {
  readonly actor: Actor;
  readonly #db: Db;
  readonly #token: TokenKey;
  readonly #beside: Presumed['beside'];
  readonly #isForeign: boolean;
  #read: Promise<string | null> | undefined;
  #outcome: 'holds' | Mispresumed | undefined;

  constructor(db: Db, token: TokenKey, actor: Actor, { beside, isForeign }: Presumed) {
    this.#db = db;
    this.#token = token;
    this.actor = actor;
    this.#beside = beside;
    this.#isForeign = isForeign;
  }

  /**
   * Reads an expression in the statement that finds out who asks; null for the second one, which is read by itself.
   *
   * @returns the text of its JSON; empty when there is more of it than one answer may hold
   */
  read(json: Prisma.Sql): Promise<string | null> | null {
    if (this.#read) return null;
    this.#read = this.#lookUp(jsonWithin(json));
    return this.#read;
  }

  /**
   * Makes certain that it holds.
   *
   * @param isComplete whether the request came to its end, and so would have read all that it reads
   * @throws Mispresumed if it does not: then the request has to be worked on anew; DatabaseAway if nobody can tell
   */
  async settle(isComplete: boolean): Promise<void> {
    // Whoever asked for what was read has heard of an error.
    const failure: unknown = await this.#read?.then(
      () => null,
      (error) => error,
    );
    // To ask again would only double the time that a caller waits for that answer.
    if (failure instanceof DatabaseAway) throw failure;
    if (!this.#read && isComplete) this.#beside?.what.readAlone();
    if (!this.#outcome) await this.#lookUpAlone();
    if (this.#outcome instanceof Mispresumed) throw this.#outcome;
  }

  /** Whatever became of the operation, who asks is found out. */
  async #lookUpAlone(): Promise<void> {
    using own = new Budget(DEFAULT_BUDGET, { isForeign: this.#isForeign });
    await within(own, () => this.#lookUp());
  }

  async #lookUp(json?: Prisma.Sql): Promise<string | null> {
    const { what, expected } = this.#beside ?? {};
    const more = [...(what ? [what.json(this.actor)] : []), ...(json ? [json] : [])];
    const { owner, texts } = await lookUp(this.#db, this.#token, more);
    const isSameOwner = owner && !owner.ended && isSame(this.actor, owner.actor);
    if (!isSameOwner || (what && texts[0] !== expected)) {
      // It was read for whom was presumed.
      if (what && isSameOwner && typeof texts[0] === 'string') what.found(owner.actor, texts[0]);
      this.#outcome = new Mispresumed();
      throw this.#outcome;
    }
    this.#outcome = 'holds';
    await noteUse(this.#db, owner);
    return json ? (texts.at(-1) ?? null) : null;
  }
}

/** Who asks, or what they ask for, is not what it was before. */
export class Mispresumed extends Error {
  constructor() {
    super('Who asks, or the project that they ask for, has changed');
  }
}

/**
 * Who the credentials belong to if nothing has changed; null where nothing is known, or where they are more than one token.
 * It authenticates nobody: `settle` does.
 *
 * @param isForeign whether a client wrote what is read
 */
export function presume(
  db: Db,
  { privateToken, bearer, sudo }: Credentials,
  { beside, isForeign = false }: { beside?: Beside | undefined; isForeign?: boolean } = {},
): Presumption | null {
  const [token, other] = [privateToken, bearer].filter((value) => value !== undefined);
  if (token === undefined || other !== undefined || sudo !== undefined) return null;
  const key = tokenKey(token);
  const actor = formerOwner(key);
  if (!actor) return null;
  if (!beside) return new Presumption(db, key, actor, { beside: undefined, isForeign });
  const expected = beside.presume(actor);
  if (expected === undefined) return null;
  return new Presumption(db, key, actor, { beside: { what: beside, expected }, isForeign });
}
