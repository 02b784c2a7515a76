import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { textsForAddress } from '#src/access/credentials/mail/recipient_texts.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { invitationLink, mailedToken } from '#src/domain/members/invitations/token.ts';
import { levelName } from '#src/domain/members/level.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import { tokenHash } from '#src/platform/secrets.ts';
import type { Texts } from '#src/platform/texts/texts.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Mails the link of an invitation, if that is still there. */
    'invitations.mail': { invitationId: number };
  }
}

/** Enqueues the mail of an invitation. */
export function enqueueInvitationMail(
  { jobs }: Pick<Context, 'jobs'>,
  tx: Transaction,
  invitationId: number,
): Promise<void> {
  return jobs.enqueue(tx, 'invitations.mail', { invitationId });
}

/**
 * Mails an invitation with a new token, of which only the hash is kept; the link of an earlier mail stops working. Throws errors of
 * the mail server, to be retried later.
 */
export async function sendInvitation(
  { db, mailer, baseUrl }: Outgoing & { db: Db },
  invitationId: number,
): Promise<void> {
  const token = mailedToken();
  const { count } = await db.invitation.updateMany({
    where: { id: invitationId },
    data: { tokenHash: tokenHash(token) },
  });
  if (count === 0) return;
  const [found] = await db.$queryRaw<Invited[]>`
    SELECT iv.email, iv.access_level AS "accessLevel", u.name AS inviter, u.username,
      CASE WHEN p.id IS NULL THEN 'group' ELSE 'project' END AS kind,
      COALESCE(n.full_path || '/' || p.path, n.full_path) AS "fullPath"
    FROM invitations iv JOIN users u ON u.id = iv.created_by_id LEFT JOIN projects p ON p.id = iv.project_id
    JOIN namespaces n ON n.id = COALESCE(p.namespace_id, iv.group_id) WHERE iv.id = ${invitationId}`;
  const base = await baseUrl();
  if (!found) return;
  const texts = await textsForAddress(db, found.email);
  await mailer.send(compose(found, invitationLink(base, token), base, texts));
}

interface Invited {
  email: string;
  accessLevel: number;
  inviter: string;
  username: string;
  kind: string;
  fullPath: string;
}

function compose(
  { email, accessLevel, inviter, username, kind, fullPath }: Invited,
  link: string,
  baseUrl: string,
  { language, t }: Texts,
): Message {
  const facts = { inviter, username, place: fullPath, level: t(levelName(accessLevel)) };
  const sentence =
    kind === 'group'
      ? t('{inviter} (@{username}) invites you to the group {place}, as {level}.', facts)
      : t('{inviter} (@{username}) invites you to the project {place}, as {level}.', facts);
  const small = t(
    'Follow the link to accept or to decline. You can sign in with an account that you have, or create one. If you do not know the sender, you can ignore this email.',
  );
  const [hello, server] = [t('Hello,'), t('Gantry at {url}', { url: baseUrl })];
  const lines = [hello, sentence, link, small, server];
  const html = `<!doctype html>
<html lang="${language}"><body style="font-family: sans-serif; line-height: 1.5">
<p>${escapeHtml(hello)}</p>
<p>${escapeHtml(sentence)}</p>
<p><a href="${escapeHtml(link)}">${escapeHtml(t('See the invitation'))}</a></p>
<p><small>${escapeHtml(small)}</small></p>
<p><small>${escapeHtml(server)}</small></p>
</body></html>
`;
  return { to: email, subject: t('Invitation to {place}', facts), text: `${lines.join('\n\n')}\n`, html };
}
