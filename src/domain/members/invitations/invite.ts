import { audit } from '#src/access/audit/record.ts';
import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import { countUses, digest } from '#src/access/sign_in/attempts.ts';
import { lastOwner, MAX_ADDED_MEMBERS, type NewMember, noUser, putMember } from '#src/domain/members/add.ts';
import { INVITATION_DAYS } from '#src/domain/members/expire.ts';
import { enqueueInvitationMail } from '#src/domain/members/invitations/mail.ts';
import { handedOverToken } from '#src/domain/members/invitations/token.ts';
import { checkGrant, levelErrors } from '#src/domain/members/level.ts';
import type { MemberOutcome } from '#src/domain/members/outcomes.ts';
import { auditPlace, authorizeMembers, type Source, sourceAt } from '#src/domain/members/source.ts';
import type { OwnerRef } from '#src/domain/projects/owner.ts';
import { domainErrors } from '#src/domain/users/domains.ts';
import { isAddress, normaliseAddress } from '#src/domain/users/emails/address.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import {
  AlreadyExists,
  BadRequest,
  DomainError,
  RateLimited,
  ValidationFailed,
  WrongState,
} from '#src/platform/errors.ts';
import { sendsMail } from '#src/platform/outbound/mail/sending.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** Whom to invite: addresses, with an account or without, and users by their IDs. */
export interface Invited {
  emails?: readonly string[] | null | undefined;
  userIds?: readonly number[] | null | undefined;
}

/** What came of inviting: why some were not, by address or ID, or one text if nobody was; and what came of each. */
export interface InvitedResult {
  source: Source;
  refused: ReadonlyMap<string, DomainError> | string;
  outcomes: readonly MemberOutcome[];
  /** The tokens of links to hand over, which nobody is told again. Empty where they were mailed. */
  links: readonly InvitationLink[];
}

/** The token of an invitation that is handed over, since the server sends no mail. */
export interface InvitationLink {
  email: string;
  token: string;
}

/** Mails of invitations that one user can cause in an hour, and that one address gets in an hour, whoever causes them. */
export const MAILS_OF_USER = 200;
export const MAILS_TO_ADDRESS = 5;
const HOUR = 60 * 60;

/**
 * Makes users, and the accounts of addresses, members at once: those who are members already get the new level. Other addresses get
 * a mail with a link. Throws NotFound for the place, Forbidden, BadRequest, ValidationFailed, RateLimited.
 *
 * @param handOver whether links are returned where the server sends no mail; such addresses are refused otherwise
 */
export async function inviteMembers(
  context: Context,
  place: OwnerRef,
  { emails, userIds }: Invited,
  membership: Omit<NewMember, 'userId' | 'givenById'>,
  handOver = false,
): Promise<InvitedResult> {
  const actor = requireActor(context);
  const source = await sourceAt(context, place);
  authorizeMembers(actor, source);
  const addresses = [...new Set((emails ?? []).map(normaliseAddress))].filter((address) => address !== '');
  const ids = [...new Set(userIds ?? [])];
  if (addresses.length + ids.length === 0) {
    throw new BadRequest('Must provide either email or user_id as a parameter', 'emails', 'nobodyInvited');
  }
  if (!addresses.every(isAddress)) {
    throw new BadRequest('email contains an invalid email address', 'emails', 'valueInvalid');
  }
  const errors = levelErrors(source, membership.accessLevel);
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  checkGrant(actor, source, membership.accessLevel);
  if (addresses.length + ids.length > MAX_ADDED_MEMBERS) {
    return { source, refused: `Too many users specified (limit is ${MAX_ADDED_MEMBERS})`, outcomes: [], links: [] };
  }
  if (isPast(membership.expiresAt)) {
    const all = new Map([...addresses, ...ids.map(String)].map((one) => [one, past()]));
    return { source, refused: all, outcomes: outcomesOf({ emails, userIds }, new Map(), all), links: [] };
  }
  const accounts = await accountsOf(context, addresses, ids);
  const known = new Set(accounts.map(({ given }) => given));
  const refused = new Map<string, DomainError>(
    ids.filter((id) => !known.has(String(id))).map((id) => [String(id), noUser()]),
  );
  const unknown = await invitable(
    context,
    source,
    addresses.filter((address) => !known.has(address)),
    refused,
    handOver,
  );
  const links: InvitationLink[] = [];
  await context.db.$transaction(async (tx) => {
    for (const { given, userId } of accounts) {
      if (!(await putMember(tx, context, source, { userId, ...membership }))) {
        refused.set(given, lastOwner());
      }
    }
    await tx.invitation.deleteMany({
      where: { ...idsOf(source), email: { in: accounts.map(({ given }) => given) } },
    });
    for (const email of unknown) {
      const token = sendsMail(context.db) ? null : handedOverToken();
      if (!(await insertInvitation(tx, context, source, { email, ...membership, token }, actor.id)))
        refused.set(email, invitedAlready());
      else if (token !== null) links.push({ email, token });
    }
  });
  const users = new Map(accounts.map(({ given, userId }) => [given, userId]));
  return { source, refused, outcomes: outcomesOf({ emails, userIds }, users, refused), links };
}

/** What came of each address and ID, by the account that it names and why it was refused. Blank addresses count for nothing. */
function outcomesOf(
  { emails, userIds }: Invited,
  users: ReadonlyMap<string, number>,
  refused: ReadonlyMap<string, DomainError>,
): MemberOutcome[] {
  const outcome = (list: MemberOutcome['list'], given: string, position: number): MemberOutcome[] =>
    given === '' ? [] : [{ list, position, userId: users.get(given) ?? null, refused: refused.get(given) ?? null }];
  return [
    ...(emails ?? []).flatMap((email, position) => outcome('emails', normaliseAddress(email), position)),
    ...(userIds ?? []).flatMap((id, position) => outcome('userIds', String(id), position)),
  ];
}

function invitedAlready(): AlreadyExists {
  return new AlreadyExists('Invite email has already been taken');
}

function past(): DomainError {
  return new DomainError('valuesInvalid', 'Expires at cannot be a date in the past');
}

/** Whether nothing is left of a membership that ends on that day, in UTC. */
export function isPast(day: string | null | undefined): boolean {
  return day != null && day <= new Date().toISOString().slice(0, 10);
}

/** The columns of an invitation that name its place. */
export function idsOf({ kind, record }: Source): { projectId: number } | { groupId: number } {
  return kind === 'project' ? { projectId: record.id } : { groupId: record.id };
}

/** Accounts of the IDs, and of the addresses: of primary ones, confirmed or not, and confirmed secondary ones. */
async function accountsOf(
  { db }: Context,
  addresses: readonly string[],
  ids: readonly number[],
): Promise<{ given: string; userId: number }[]> {
  return db.$queryRaw`
    SELECT DISTINCT found.given, found.id AS "userId" FROM (
      SELECT id::text AS given, id FROM users WHERE id = ANY(${[...ids]}::int[])
      UNION ALL SELECT lower(email), id FROM users WHERE lower(email) = ANY(${[...addresses]}::text[])
      UNION ALL SELECT lower(email), user_id FROM emails
        WHERE lower(email) = ANY(${[...addresses]}::text[]) AND confirmed_at IS NOT NULL) found
    JOIN users u ON u.id = found.id AND NOT u.ghost AND NOT u.bot ORDER BY found.id`;
}

/**
 * Those of the addresses to which an invitation can be mailed or, with `handOver`, given in another way; the others get a reason.
 * Counts them. Throws RateLimited.
 */
async function invitable(
  context: Context,
  source: Source,
  addresses: readonly string[],
  refused: Map<string, DomainError>,
  handOver: boolean,
): Promise<string[]> {
  const { db } = context;
  const settings = await currentSettings(db);
  const taken = await db.invitation.findMany({
    where: { ...idsOf(source), email: { in: [...addresses] }, createdAt: { gt: daysAgo(INVITATION_DAYS) } },
    select: { email: true, expiresAt: true },
  });
  const today = new Date(new Date().toISOString().slice(0, 10));
  const pending = new Set(taken.filter(({ expiresAt }) => !expiresAt || expiresAt > today).map(({ email }) => email));
  const free = addresses.filter((address) => {
    const [unwanted] = domainErrors(settings, address);
    if (pending.has(address)) refused.set(address, invitedAlready());
    else if (!settings.signupEnabled)
      refused.set(address, new WrongState('There is no account with this address, and sign-up is disabled'));
    else if (!handOver && !sendsMail(db))
      refused.set(address, new WrongState('There is no account with this address, and the server sends no mail'));
    else if (unwanted !== undefined) refused.set(address, new DomainError('valuesInvalid', `Email ${unwanted}`));
    return !refused.has(address);
  });
  if (free.length === 0) return [];
  await countUses(db, HOUR, { [`invitations #${requireActor(context).id}`]: MAILS_OF_USER }, free.length);
  const mailed: string[] = [];
  for (const address of free) {
    try {
      await countUses(db, HOUR, { [`invitations to ${digest(address)}`]: MAILS_TO_ADDRESS });
      mailed.push(address);
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      refused.set(address, new RateLimited(HOUR, 'Too many invitations were sent to this address'));
    }
  }
  return mailed;
}

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 24 * HOUR * 1000);
}

/** False if the address has a pending invitation to the place; one that is void is replaced. */
async function insertInvitation(
  tx: Transaction,
  context: Context,
  source: Source,
  { email, accessLevel, expiresAt = null, token }: Omit<NewMember, 'userId'> & { email: string; token: string | null },
  createdById: number,
): Promise<boolean> {
  const [projectId, groupId] = source.kind === 'project' ? [source.record.id, null] : [null, source.record.id];
  await tx.$executeRaw`DELETE FROM invitations WHERE email = ${email}
    AND project_id IS NOT DISTINCT FROM ${projectId}::int AND group_id IS NOT DISTINCT FROM ${groupId}::int
    AND (created_at <= now() - make_interval(days => ${INVITATION_DAYS}) OR expires_at <= (now() AT TIME ZONE 'UTC')::date)`;
  const [made] = await tx.$queryRaw<{ id: number }[]>`
    INSERT INTO invitations (project_id, group_id, email, access_level, expires_at, created_by_id, token_hash)
    VALUES (${projectId}, ${groupId}, ${email}, ${accessLevel}, ${expiresAt}::date, ${createdById},
      ${token === null ? null : tokenHash(token)})
    ON CONFLICT DO NOTHING RETURNING id`;
  if (!made) return false;
  const event = {
    action: 'invitation_created',
    place: auditPlace(source),
    attribute: 'access_level',
    to: accessLevel,
  } as const;
  await audit(tx, context, { ...event, target: { type: 'Invitation', id: made.id, name: email } });
  if (token === null) await enqueueInvitationMail(context, tx, made.id);
  return true;
}
