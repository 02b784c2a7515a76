import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import { findHolder, fingerprintOf } from '#src/domain/users/keys/holder.ts';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';
import { isProof, isUsable } from '#src/entrances/ssh/signature.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The user name of every client: who they are, their keys tell. */
const NAME = 'git';

/** What is left to try for those who were turned down. */
const METHODS: ['publickey'] = ['publickey'];

/** Lets a client in by a key that somebody has, and that it proves to have. Each connection has one. */
export class Login {
  readonly #db: Db;
  readonly #limits: Pick<SshLimits, 'offers' | 'wrongSignatures'>;
  #offers = 0;
  #wrong = 0;
  /** Of the key that was proved; null before. */
  fingerprint: string | null = null;

  constructor(db: Db, limits: Pick<SshLimits, 'offers' | 'wrongSignatures'>) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Whether something was tried and came to nothing. */
  get hasFailed(): boolean {
    return this.fingerprint === null && this.#offers > 0;
  }

  /** Answers one attempt. False when there were too many, and the connection is to end. */
  async attempt(context: AuthContext): Promise<boolean> {
    // Clients begin so, to hear what there is to try.
    if (context.method === 'none') return this.#turnDown(context);
    this.#offers += 1;
    if (this.#offers > this.#limits.offers) return false;
    if (context.method !== 'publickey' || context.username !== NAME) return this.#turnDown(context);
    return this.#look(context);
  }

  async #look(context: PublicKeyAuthContext): Promise<boolean> {
    const { key, hashAlgo: hash, signature, blob } = context;
    if (!isUsable({ algorithm: key.algo, hash })) return this.#turnDown(context);
    const fingerprint = fingerprintOf(key.data);
    if ((await findHolder(this.#db, fingerprint)) === null) return this.#turnDown(context);
    if (signature === undefined || blob === undefined) {
      context.accept();
      return true;
    }
    if (!isProof({ algorithm: key.algo, key: key.data, hash, signed: blob, signature })) {
      this.#wrong += 1;
      return this.#turnDown(context) && this.#wrong < this.#limits.wrongSignatures;
    }
    this.fingerprint = fingerprint;
    context.accept();
    return true;
  }

  #turnDown(context: AuthContext): true {
    context.reject(METHODS);
    return true;
  }
}
