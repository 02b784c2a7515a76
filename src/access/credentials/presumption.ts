import type { Credentials } from '#src/access/credentials/authenticate.ts';
import { LIMITS, ReadAhead } from '#src/access/credentials/read_ahead.ts';
import {
  type Beside,
  cachedOwner,
  isSame,
  lookUp,
  noteUse,
  type TokenKey,
  tokenKey,
} from '#src/access/credentials/token_owner.ts';
import type { Actor } from '#src/access/permissions/actor.ts';
import { type Db, jsonText, jsonWithin, type Prisma } from '#src/platform/database/db.ts';
import { DatabaseUnavailable } from '#src/platform/database_unavailable.ts';
import { Budget, currentBudget, DEFAULT_BUDGET, within } from '#src/platform/limits/budget.ts';

interface Presumed {
  /** What is read beside who asks, and what it is expected to be. */
  beside: { what: Beside; expected: string } | undefined;
  /** Whether a client wrote what is read. */
  isForeign: boolean;
  /** What the request is likely to read next. */
  ahead: ReadAhead | undefined;
}

/**
 * The caller, assumed to be the user that the token belonged to when it was last used. A request that changes nothing is worked on
 * under this assumption; the first JSON that it reads is read in the statement that looks the token up, together with what such
 * requests read next. Nothing of the result may be sent to the caller before `settle` has returned.
 */
export class Presumption {
  readonly actor: Actor;
  readonly #db: Db;
  readonly #token: TokenKey;
  readonly #beside: Presumed['beside'];
  readonly #isForeign: boolean;
  readonly #ahead: ReadAhead | undefined;
  #read: Promise<string | null> | undefined;
  #textsAhead: readonly (string | null)[] = [];
  #outcome: 'holds' | Mispresumed | undefined;

  constructor(db: Db, token: TokenKey, actor: Actor, { beside, isForeign, ahead }: Presumed) {
    this.#db = db;
    this.#token = token;
    this.actor = actor;
    this.#beside = beside;
    this.#isForeign = isForeign;
    this.#ahead = ahead;
  }

  /**
   * Reads an expression: the first one in the statement that finds out who asks, others by themselves unless they were read
   * ahead.
   *
   * @returns the text of its JSON; empty when there is more of it than one answer may hold
   */
  read(json: Prisma.Sql): Promise<string | null> {
    if (this.#read) return this.#readNext(json);
    this.#read = this.#lookUp(json);
    return this.#read;
  }

  async #readNext(json: Prisma.Sql): Promise<string | null> {
    // What is read at the same time as the first does not depend on it, and is quicker by itself.
    if (!this.#ahead || this.#outcome !== 'holds') return jsonText(this.#db, json);
    const place = this.#ahead.placeOf(json);
    // Empty where it was too long to be read ahead.
    const text = this.#textsAhead[place] || (await jsonText(this.#db, json));
    this.#ahead.note(this.#ahead.expressions[place] ?? json, text?.length ?? 0);
    return text;
  }

  /**
   * Checks the assumption, unless a read has done so already.
   *
   * @param isComplete whether the request succeeded, and so has read all that such requests read
   * @throws Mispresumed if it is wrong, and the request has to start over; DatabaseUnavailable if the database does not answer
   */
  async settle(isComplete: boolean): Promise<void> {
    // Whoever wanted the JSON has been told of the error.
    const failure: unknown = await this.#read?.then(
      () => null,
      (error) => error,
    );
    // Asking again would only double the wait.
    if (failure instanceof DatabaseUnavailable) throw failure;
    if (!this.#read && isComplete) this.#beside?.what.readAlone();
    if (!this.#outcome) await this.#lookUpAlone();
    if (this.#outcome instanceof Mispresumed) throw this.#outcome;
    if (isComplete) this.#ahead?.keep();
  }

  /** Looks the token up by itself, within a budget of its own: that of the operation may be used up. */
  async #lookUpAlone(): Promise<void> {
    using own = new Budget(DEFAULT_BUDGET, { isForeign: this.#isForeign });
    await within(own, () => this.#lookUp());
  }

  async #lookUp(json?: Prisma.Sql): Promise<string | null> {
    const { what, expected } = this.#beside ?? {};
    const beside = what ? [what.json(this.actor)] : [];
    const ahead = (json && this.#ahead?.expressions) ?? [];
    const own = json ? [jsonWithin(json)] : [];
    const more = [...beside, ...own, ...ahead.map((expression) => jsonWithin(expression, LIMITS.json))];
    const { owner, texts } = await lookUp(this.#db, this.#token, more).catch((error: unknown) => {
      throw ahead.length > 0 ? this.#startOver(error) : error;
    });
    const isSameOwner = owner && !owner.ended && isSame(this.actor, owner.actor);
    if (!isSameOwner || (what && texts[0] !== expected)) {
      // The JSON was read for the assumed user, so it is only worth keeping if that is the owner.
      if (what && isSameOwner && typeof texts[0] === 'string') what.found(owner.actor, texts[0]);
      this.#outcome = new Mispresumed();
      throw this.#outcome;
    }
    this.#outcome = 'holds';
    await noteUse(this.#db, owner);
    const [text = null, ...textsAhead] = texts.slice(beside.length);
    this.#textsAhead = textsAhead;
    return text;
  }

  /** What to throw when a statement has failed, for which what it read ahead may be the reason. */
  #startOver(error: unknown): unknown {
    this.#ahead?.forget();
    if (error instanceof DatabaseUnavailable || currentBudget()?.exceeded) return error;
    this.#outcome = new Mispresumed();
    return this.#outcome;
  }
}

/** The request has to start over: the owner of the token or the project has changed, or what was read ahead has failed. */
export class Mispresumed extends Error {
  constructor() {
    super('The request has to start over');
  }
}

/** Bytes of a name that is worth its hash. */
const LONGEST_NAME = 8 * 1024;

/**
 * The user that the credentials belong to, if nothing has changed; null for tokens not seen before, and for more than one token.
 * This authenticates nobody: `settle` does.
 *
 * @param isForeign whether a client wrote what is read
 * @param name the same for requests of the caller that ask for the same
 */
export function presume(
  db: Db,
  { privateToken, bearer, sudo }: Credentials,
  { beside, isForeign = false, name }: { beside?: Beside | undefined; isForeign?: boolean; name?: Uint8Array } = {},
): Presumption | null {
  const [token, other] = [privateToken, bearer].filter((value) => value !== undefined);
  if (token === undefined || other !== undefined || sudo !== undefined) return null;
  const key = tokenKey(token);
  const actor = cachedOwner(key);
  if (!actor) return null;
  const expected = beside?.presume(actor);
  if (beside && expected === undefined) return null;
  const ahead = name && name.length <= LONGEST_NAME ? new ReadAhead(key.hash, name) : undefined;
  const known = beside && expected !== undefined ? { what: beside, expected } : undefined;
  return new Presumption(db, key, actor, { beside: known, isForeign, ahead });
}
