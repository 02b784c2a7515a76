import type { AuthContext, PublicKeyAuthContext } from 'ssh2';
import { findHolder, fingerprintOf } from '#src/domain/users/keys/holder.ts';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';
import { isProof, isUsable } from '#src/entrances/ssh/signature.ts';
import type { Db } from '#src/platform/database/db.ts';

/** The user name of all clients; their keys identify them. */
const NAME = 'git';

/** The methods offered after a failed attempt. */
const METHODS: ['publickey'] = ['publickey'];

/** Logs a client in by a public key with proof of possession. One per connection. */
export class Login {
  readonly #db: Db;
  readonly #limits: Pick<SshLimits, 'offers' | 'wrongSignatures'>;
  #offers = 0;
  #wrong = 0;
  /** Fingerprint of the proven key; null before. */
  fingerprint: string | null = null;

  constructor(db: Db, limits: Pick<SshLimits, 'offers' | 'wrongSignatures'>) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Whether an attempt has failed. */
  get hasFailed(): boolean {
    return this.fingerprint === null && this.#offers > 0;
  }

  /** Answers one attempt. Returns false after too many, when the connection must end. */
  async attempt(context: AuthContext): Promise<boolean> {
    // Clients begin with this to learn the methods.
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
