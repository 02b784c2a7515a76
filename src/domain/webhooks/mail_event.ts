import { activeUser } from '#src/access/credentials/authenticate.ts';
import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { can } from '#src/access/permissions/abilities.ts';
import type { ToldKind } from '#src/domain/integrations/base/events.ts';
import type { EventPayload } from '#src/domain/integrations/base/kind.ts';
import { mailTexts } from '#src/domain/integrations/chat/mail_texts.ts';
import { type EventMail, mailOf, recipientsIn } from '#src/domain/integrations/kinds/mails.ts';
import { kindOf } from '#src/domain/integrations/kinds.ts';
import { settingsOf } from '#src/domain/integrations/stored.ts';
import { findProjectsByIds } from '#src/domain/projects/find.ts';
import type { RepositoryStore } from '#src/domain/repository/store.ts';
import { GitError } from '#src/git/base/errors.ts';
import { diffTrees } from '#src/git/diff/diff.ts';
import { wholeText } from '#src/git/diff/whole_text.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Sends one mail about an event that an integration was told of. */
    'integrations.mail': { hookId: number; eventId: number; to: string };
  }
}

const { sql } = Prisma;

/** Characters of the changes of files in a mail, and files that are compared for it. */
const MAX_DIFF_LENGTH = 50_000;
const MAX_FILES = 100;

interface Wanted {
  hookId: number;
  eventId: number;
  to: string;
}

/**
 * Sends the mail, if the integration still counts for the project, is still told of such events and still names the address, and if its
 * account, if it is that of one, can see now what the mail is about. Throws errors of the mail server, to be retried later.
 */
export async function mailEvent(
  { db, repositories, secret, mailer }: Outgoing & { db: Db; repositories: RepositoryStore; secret: string },
  wanted: Wanted,
): Promise<void> {
  const found = await find(db, wanted);
  const kind = found && kindOf(found.slug);
  if (!found || !kind) return;
  const settings = settingsOf(kind, found, secret);
  if (!recipientsIn(settings).includes(wanted.to)) return;
  if (!(await maySee(db, wanted.to, found))) return;
  const mail = mailOf({ kind: found.kind, payload: found.payload, settings });
  if (!mail) return;
  const verbatim = mail.range ? await changesOf(db, repositories, found.projectId, mail.range) : '';
  const footer = `Sent to ${wanted.to} by the integration “${kind.title}” of ${found.payload.project.path_with_namespace}.`;
  const { subject, fromName } = mail;
  await mailer.send({ to: wanted.to, fromName, subject, ...mailTexts(mail.message, { verbatim, footer }) });
}

interface Found {
  slug: string;
  properties: unknown;
  secretsEncrypted: Uint8Array | null;
  kind: ToldKind;
  projectId: number;
  payload: EventPayload;
}

/** The event, and the integration that is still told of such. */
async function find(db: Db, { hookId, eventId }: Wanted): Promise<Found | null> {
  const [found] = await db.$queryRaw<(Omit<Found, 'payload'> & { payload: string })[]>(sql`
    SELECT i.slug, i.properties, i.secrets_encrypted AS "secretsEncrypted", e.kind, e.project_id AS "projectId", e.payload
    FROM hook_events e JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
      JOIN hooks h ON h.id = ${hookId} AND h.id IN (SELECT hooks_for(e.kind, e.project_id))
      JOIN integrations i ON i.id = h.integration_id
    WHERE e.id = ${eventId} AND e.payload IS NOT NULL`);
  return found ? { ...found, payload: JSON.parse(found.payload) as EventPayload } : null;
}

/** Whether an address may get the mail: one of no account was chosen by those who administer the integration. */
async function maySee(db: Db, address: string, { kind, projectId }: Found): Promise<boolean> {
  const owners = await db.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE lower(email) = lower(${address}) AND confirmed_at IS NOT NULL
    UNION SELECT user_id FROM emails WHERE lower(email) = lower(${address}) AND confirmed_at IS NOT NULL`;
  const [owner] = owners;
  if (!owner) return true;
  const actor = await activeUser(db, owner.id);
  const [project] = actor ? await findProjectsByIds({ db, actor }, [projectId]) : [];
  return project != null && can(actor, kind === 'pipeline' ? 'read_pipeline' : 'read_repository', project);
}

/** The difference of two commits as a text that is cut where it is long; empty if it is not known any more. */
async function changesOf(
  db: Db,
  repositories: RepositoryStore,
  projectId: number,
  { from, to }: NonNullable<EventMail['range']>,
): Promise<string> {
  const place = await db.project.findUnique({
    where: { id: projectId },
    select: { id: true, repositoryStorage: true },
  });
  const reader = place && (await repositories.open(place));
  if (!reader) return '';
  try {
    const { entries } = await diffTrees(reader, from, to, { limits: { files: MAX_FILES } });
    const text = wholeText(entries).replaceAll('\0', '');
    return text.length <= MAX_DIFF_LENGTH ? text : `${text.slice(0, MAX_DIFF_LENGTH).toWellFormed()}\n… (cut)`;
  } catch (error) {
    if (error instanceof GitError) return '';
    throw error;
  }
}
