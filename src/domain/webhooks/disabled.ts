import type { Outgoing } from '#src/access/credentials/mail/deliver.ts';
import { textsFor } from '#src/access/credentials/mail/recipient_texts.ts';
import { membershipsAt } from '#src/access/permissions/visibility.ts';
import { MAX_FAILING_DAYS } from '#src/domain/webhooks/settle.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { type Db, Prisma } from '#src/platform/database/db.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import type { Message } from '#src/platform/outbound/mail/mailer.ts';
import type { Texts } from '#src/platform/texts/texts.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Sends a user the mail about a disabled hook. */
    'hooks.tell_disabled': { hookId: number; userId: number };
  }
}

const { sql } = Prisma;

/** Maximum number of users notified. */
const MAX_NOTIFIED_USERS = 50;

/** Enqueues a mail for each user who administers a disabled hook. */
export async function enqueueDisabledMail({ db, jobs }: { db: Db; jobs: JobQueue }, hookId: number): Promise<void> {
  const users = await administrators(db, hookId);
  await db.$transaction(async (tx) => {
    for (const { id: userId } of users) await jobs.enqueue(tx, 'hooks.tell_disabled', { hookId, userId });
  });
}

/** Masters and owners of its project, owners of its group, or administrators of the server. */
function administrators(db: Db, hookId: number): Promise<{ id: number }[]> {
  return db.$queryRaw`
    WITH place AS (SELECT h.project_id, h.namespace_id, n.lineage, n.owner_id, CASE WHEN h.project_id IS NULL THEN 50 ELSE 40 END AS level
      FROM hooks h LEFT JOIN projects p ON p.id = h.project_id LEFT JOIN namespaces n ON n.id = COALESCE(p.namespace_id, h.namespace_id)
      WHERE h.id = ${hookId} AND h.disabled_at IS NOT NULL)
    SELECT u.id FROM users u, place WHERE u.state = 'active' AND NOT u.ghost AND CASE
      WHEN place.project_id IS NULL AND place.namespace_id IS NULL THEN u.admin
      ELSE u.id = place.owner_id OR u.id IN (SELECT m.user_id FROM (${membershipsAt(sql`place.project_id`, sql`place.lineage`)}) m
        WHERE m.access_level >= place.level) END
    ORDER BY u.id LIMIT ${MAX_NOTIFIED_USERS}`;
}

/** Sends the mail, if the hook is still disabled. Throws errors of the mail server, to be retried later. */
export async function sendDisabled(
  { db, mailer, baseUrl }: Outgoing & { db: Db },
  { hookId, userId }: { hookId: number; userId: number },
): Promise<void> {
  const hook = await db.hook.findFirst({
    where: { id: hookId, disabledAt: { not: null } },
    select: {
      id: true,
      url: true,
      namespace: { select: { fullPath: true } },
      project: { select: { path: true, namespace: { select: { fullPath: true } } } },
    },
  });
  const user = await db.user.findFirst({
    where: { id: userId, state: 'active' },
    select: { email: true, username: true },
  });
  if (!hook || !user) return;
  const texts = await textsFor(db, { id: userId });
  const { whose, page } = placeOf(hook);
  const described = { ...hook, whose: whose ?? texts.t('this server'), page };
  await mailer.send(compose(user, described, await baseUrl(), texts));
}

interface Owned {
  id: number;
  namespace: { fullPath: string } | null;
  project: { path: string; namespace: { fullPath: string } } | null;
}

/** The full path of what a hook belongs to, null for the server, and the path of the page that shows the hook. */
function placeOf({ id, namespace, project }: Owned): { whose: string | null; page: string } {
  if (project) {
    const whose = `${project.namespace.fullPath}/${project.path}`;
    return { whose, page: `/${whose}/-/hooks/${id}` };
  }
  if (namespace) return { whose: namespace.fullPath, page: `/groups/${namespace.fullPath}/-/hooks/${id}` };
  return { whose: null, page: '/admin/hooks' };
}

function compose(
  { email, username }: { email: string; username: string },
  { id, url, whose, page }: { id: number; url: string; whose: string; page: string },
  baseUrl: string,
  { language, t }: Texts,
): Message {
  const { origin } = new URL(url);
  const sentence = t(
    'Webhook {id} of {whose}, which leads to {origin}, was switched off: nothing could be delivered to it for {days} days.',
    { id, whose, origin, days: MAX_FAILING_DAYS },
  );
  const advice = t(
    'The log of its deliveries says why. Once the receiver works again, switch the webhook on again; the events of the meantime are not sent.',
  );
  const link = `${baseUrl}${page}`;
  const before = [t('Hello {username},', { username }), sentence, advice];
  const after = t('Gantry at {url}', { url: baseUrl });
  const paragraph = (content: string) => `<p>${content}</p>`;
  const html = `<!doctype html>
<html lang="${language}"><body style="font-family: sans-serif; line-height: 1.5">
${before.map((line) => paragraph(escapeHtml(line))).join('\n')}
${paragraph(`<a href="${escapeHtml(link)}">${escapeHtml(t('Show the webhook'))}</a>`)}
${paragraph(escapeHtml(after))}
</body></html>
`;
  const lines = [...before, link, after];
  const subject = t('Webhook of {whose} was switched off', { whose });
  return { to: email, subject, text: `${lines.join('\n\n')}\n`, html };
}
