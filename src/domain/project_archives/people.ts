import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { ArchiveInvalid, type Line, linesOf } from '#src/domain/project_archives/lines.ts';
import { treeFile, USERS } from '#src/domain/project_archives/place.ts';
import {
  ensurePlaceholders,
  type ImportedPlace,
  identifierOf,
  type PlaceOfPlaceholders,
  placeholdersOf,
  type SourceUser,
} from '#src/domain/users/placeholders.ts';
import { Prisma, type Transaction } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** How many addresses are looked up at a time. */
const BATCH_SIZE = 500;
/** How many users without an account an archive may name. */
export const MAX_UNKNOWN_USERS = 20_000;
/** Names of hosts, with a port. */
const HOST = /^[\w.:[\]-]{1,255}$/;

/** Where the placeholders of an import are. */
interface Place extends PlaceOfPlaceholders {
  tx: Transaction;
  context: Pick<Context, 'db' | 'secret' | 'jobs'>;
}

/** A membership of a user who has no account here. */
export interface UnknownMember {
  /** The ID of the user at the source. */
  user: number;
  place: ImportedPlace;
  accessLevel: number;
  /** `YYYY-MM-DD` */
  expiresAt: string | null;
}

/** The users whom an archive names, by their IDs there. */
export class People {
  readonly #importer: Actor;
  readonly #users = new Map<number, SourceUser>();
  readonly #known = new Map<number, number>();
  readonly #placeholders = new Map<number, number>();
  #place: Place | null = null;

  private constructor(importer: Actor) {
    this.#importer = importer;
  }

  /**
   * Reads the users of an archive, and finds who of them has an account here: for administrators by an address that is confirmed, for
   * others by a public one, besides the importer. Throws ArchiveInvalid if too many have none.
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
      const { id, email } = record as Line['record'];
      if (!Number.isSafeInteger(id)) continue;
      people.#users.set(id as number, sourceUser(id as number, record));
      people.#requireFew();
      if (typeof email !== 'string' || email.length > 254 || email.includes('\0')) continue;
      batch.push({ id: id as number, email: email.trim().toLowerCase() });
      if (batch.length === BATCH_SIZE) await look();
    }
    await look();
    people.#requireFew(0);
    return people;
  }

  #requireFew(unread = BATCH_SIZE): void {
    if (this.#users.size - this.#known.size <= MAX_UNKNOWN_USERS + unread) return;
    throw new ArchiveInvalid(`The archive names more than ${MAX_UNKNOWN_USERS} users who have no account here.`);
  }

  /** Lets users without an account be placeholders of the namespace that a project or group is in. */
  async placeIn(tx: Transaction, context: Place['context'], place: ImportedPlace): Promise<void> {
    this.#place = { tx, context, ...(await placeholdersOf(tx, this.#importer, place)) };
  }

  /** Finds the placeholders of these users, or makes them: `author` has those from then on. */
  async prepare(ids: Iterable<number>): Promise<void> {
    if (this.#place === null) return;
    const { tx, context, namespaceId, importType } = this.#place;
    const byHost = new Map<string, SourceUser[]>();
    for (const id of new Set(ids)) {
      const user = this.#users.get(id);
      if (user === undefined || this.#placeholders.has(id) || this.#own(id) !== null) continue;
      byHost.set(user.hostname, [...(byHost.get(user.hostname) ?? []), { ...user, importType }]);
    }
    for (const users of byHost.values()) {
      const found = await ensurePlaceholders(context, tx, namespaceId, users);
      for (const user of users) this.#placeholders.set(user.id, found.get(identifierOf(user)) ?? 0);
    }
  }

  /**
   * Keeps memberships for whoever takes over the placeholders, which `prepare` has to have found. They give no rights.
   *
   * @param members with no more than the importer has
   */
  async keepMemberships(members: readonly UnknownMember[]): Promise<void> {
    if (this.#place === null) return;
    const { tx } = this.#place;
    const kept = members.flatMap(({ user, place, accessLevel, expiresAt }) => {
      const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
      const placeholder = this.#placeholders.get(user);
      if (isOver || placeholder === undefined) return [];
      return [{ placeholder, ...placeColumns(place), access_level: accessLevel, expires_at: expiresAt }];
    });
    for (let start = 0; start < kept.length; start += BATCH_SIZE) {
      const batch = JSON.stringify(kept.slice(start, start + BATCH_SIZE));
      await tx.$executeRaw`
        INSERT INTO import_source_memberships (source_user_id, project_id, group_id, access_level, expires_at, importer_id)
        SELECT s.id, m.project_id, m.group_id, m.access_level, m.expires_at, ${this.#importer.id}
        FROM jsonb_to_recordset(${batch}::jsonb) AS m (placeholder int, project_id int, group_id int, access_level int, expires_at date)
        JOIN import_source_users s ON s.placeholder_user_id = m.placeholder ON CONFLICT DO NOTHING`;
    }
  }

  /** Has a job give what was imported to the accounts that have taken over earlier placeholders, where a manager imports. */
  async settle(): Promise<void> {
    if (!this.#place?.isManager || this.#placeholders.size === 0) return;
    const { tx, context } = this.#place;
    const rows = await tx.$queryRaw<{ id: number }[]>`
      UPDATE import_source_users s SET status = 'reassignment_in_progress', updated_at = now() FROM users u
      WHERE s.placeholder_user_id = ANY(${[...this.#placeholders.values()]}::int[]) AND s.accepted_at IS NOT NULL
        AND s.status <> 'keep_as_placeholder' AND u.id = s.reassign_to_user_id AND u.state = 'active' RETURNING s.id`;
    for (const { id } of rows) await context.jobs.enqueue(tx, 'users.take_over_placeholders', { sourceUserId: id });
  }

  /** The account here of a user, whoever imports: to make it a member. */
  account(id: number): number | null {
    return this.#known.get(id) ?? null;
  }

  /** What a user is called at the source; empty if it is not known. */
  username(id: number): string {
    return this.#users.get(id)?.username ?? '';
  }

  /**
   * The account in whose name records of a user are imported; null if there is none. Only administrators write in the name of others, and
   * everybody does in their own; for all others there are placeholders, which `prepare` has to have found.
   */
  author(id: number): number | null {
    return this.#own(id) ?? this.#placeholders.get(id) ?? null;
  }

  #own(id: number): number | null {
    const account = this.account(id);
    return this.#importer.admin || account === this.#importer.id ? account : null;
  }

  /** The importer, who takes the place of authors without an account. */
  get importer(): number {
    return this.#importer.id;
  }

  /** A line of Markdown that names the author of a text, and when it was written. */
  signature(id: number, time: unknown): string {
    const name = (this.#users.get(id)?.name || 'an unknown user').replace(/[\\`*_{}[\]<>()#+!|~@&:-]/g, '\\$&');
    const when = typeof time === 'string' ? ` on ${time}` : '';
    return `*By ${name.replace(/\s+/g, ' ')}${when} (imported)*`;
  }
}

function placeColumns(place: ImportedPlace): { project_id: number | null; group_id: number | null } {
  return 'projectId' in place
    ? { project_id: place.projectId, group_id: null }
    : { project_id: null, group_id: place.groupId };
}

function sourceUser(id: number, { username, name, host }: Line['record']): SourceUser {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 255).toWellFormed() : '');
  const hostname = typeof host === 'string' && HOST.test(host) ? host.toLowerCase() : '';
  return { id, username: text(username), name: text(name), hostname };
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
