import type { Actor } from '#src/access/permissions/actor.ts';
import { type Line, linesOf } from '#src/domain/project_archives/lines.ts';
import { treeFile, USERS } from '#src/domain/project_archives/place.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** How many addresses are looked up at a time. */
const BATCH_SIZE = 500;

/** The users whom an archive names, by their IDs there. */
export class People {
  readonly #importer: Actor;
  readonly #names = new Map<number, string>();
  readonly #known = new Map<number, number>();

  private constructor(importer: Actor) {
    this.#importer = importer;
  }

  /**
   * Reads the users of an archive, and finds who of them has an account here: for administrators by an address that is confirmed, for
   * others by a public one, besides the importer.
   */
  static async read(tx: Transaction, importer: Actor, file: string): Promise<People> {
    const people = new People(importer);
    let batch: { id: number; email: string }[] = [];
    const look = async () => {
      const found = await accounts(
        tx,
        importer,
        batch.map(({ email }) => email),
      );
      for (const { id, email } of batch) {
        const account = found.get(email);
        if (account !== undefined) people.#known.set(id, account);
      }
      batch = [];
    };
    for await (const { record } of linesOf(file, treeFile(USERS))) {
      const { id, name, email } = record as Line['record'];
      if (!Number.isSafeInteger(id)) continue;
      if (typeof name === 'string') people.#names.set(id as number, name.slice(0, 255).toWellFormed());
      if (typeof email !== 'string' || email.length > 254 || email.includes('\0')) continue;
      batch.push({ id: id as number, email: email.trim().toLowerCase() });
      if (batch.length === BATCH_SIZE) await look();
    }
    await look();
    return people;
  }

  /** The account here of a user, whoever imports: to make it a member. */
  account(id: number): number | null {
    return this.#known.get(id) ?? null;
  }

  /**
   * The account in whose name records of a user are imported; null if there is none. Only administrators write in the name of others;
   * everybody does in their own.
   */
  author(id: number): number | null {
    const account = this.account(id);
    return this.#importer.admin || account === this.#importer.id ? account : null;
  }

  /** The importer, who takes the place of authors without an account. */
  get importer(): number {
    return this.#importer.id;
  }

  /** A line of Markdown that names the author of a text, and when it was written. */
  signature(id: number, time: unknown): string {
    const name = (this.#names.get(id) ?? 'an unknown user').replace(/[\\`*_{}[\]<>()#+!|~@&:-]/g, '\\$&');
    const when = typeof time === 'string' ? ` on ${time}` : '';
    return `*By ${name.replace(/\s+/g, ' ')}${when} (imported)*`;
  }
}

/** The active users whom the importer may know by these addresses, in lower case. */
async function accounts(
  tx: Transaction,
  { id: importerId, admin }: Actor,
  addresses: readonly string[],
): Promise<Map<string, number>> {
  if (addresses.length === 0) return new Map();
  const wanted = [...new Set(addresses)];
  const isKnown = sql`(${admin} OR u.id = ${importerId})`;
  const rows = await tx.$queryRaw<{ email: string; id: number }[]>`
    SELECT lower(u.email) AS email, u.id FROM users u
    WHERE lower(u.email) = ANY(${wanted}::text[]) AND u.confirmed_at IS NOT NULL AND ${isKnown}
      AND u.state = 'active' AND NOT u.ghost AND NOT u.bot
    UNION ALL SELECT lower(e.email), u.id FROM emails e JOIN users u ON u.id = e.user_id
    WHERE lower(e.email) = ANY(${wanted}::text[]) AND e.confirmed_at IS NOT NULL AND ${isKnown}
      AND u.state = 'active' AND NOT u.ghost AND NOT u.bot
    UNION ALL SELECT u.public_email, u.id FROM users u
    WHERE u.public_email = ANY(${wanted}::text[]) AND u.state = 'active' AND NOT u.ghost AND NOT u.bot`;
  return new Map(rows.map(({ email, id }) => [email, id]));
}
