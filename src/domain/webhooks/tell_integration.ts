import type { ToldKind } from '#src/domain/integrations/base/events.ts';
import type { EventPayload, OutgoingRequest } from '#src/domain/integrations/base/kind.ts';
import { kindOf } from '#src/domain/integrations/kinds.ts';
import { settingsOf } from '#src/domain/integrations/stored.ts';
import { listProtections, protectionOf } from '#src/domain/repository/protections/of_branches.ts';
import '#src/domain/webhooks/mail_event.ts';
import type { EventToSend, Stores, ToldIntegration } from '#src/domain/webhooks/request.ts';
import { type Outcome, send, unsent } from '#src/domain/webhooks/send.ts';
import type { JobQueue } from '#src/platform/background/queue.ts';
import { allowedHosts, parseHookUrl } from '#src/platform/outbound/hook_url.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';

/** Milliseconds after which an integration sends no further request of an event: others wait for their turn. */
const MAX_TELLING_MS = 30_000;

/** Headers of each request of an integration. */
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'Gantry-Integrations' };

/** Tells an integration of an event. Where there is nothing to say, the outcome is an empty success. */
export async function tellIntegration(
  options: Stores & { imports: ImportSettings; jobs: JobQueue },
  integration: ToldIntegration,
  { id: eventId, kind: eventKind, projectId }: EventToSend,
  payload: string,
): Promise<{ headers: Record<string, string> | null; outcome: Outcome }> {
  const kind = kindOf(integration.slug);
  if (!kind?.tell) return { headers: null, outcome: unsent('This integration is not told of events.') };
  const settings = settingsOf(kind, integration, options.secret);
  const secrets = kind.fields.flatMap(({ name, secret }) => (secret && settings[name] ? [String(settings[name])] : []));
  const webhookHosts = await allowedHosts(options);
  const end = performance.now() + MAX_TELLING_MS;
  let headers: Record<string, string> | null = null;
  const tools = {
    send: async ({ url, method = 'POST', headers: own = {}, body, verify = true }: OutgoingRequest) => {
      const to = parseHookUrl(url);
      if (to === null) return unsent('The URL is not valid.');
      if (performance.now() > end) return unsent('The receiver took too long for all requests of the event.');
      secrets.push(...Object.values(own));
      headers = { ...HEADERS, ...Object.fromEntries(Object.keys(own).map((name) => [name, '[REDACTED]'])) };
      const sending = { url: to, method, headers: { ...own, ...HEADERS }, body: body ?? '', verify };
      return send(sending, { ...options.imports, webhookHosts });
    },
    mail: async (to: readonly string[]) => {
      await options.db.$transaction(async (tx) => {
        for (const one of to)
          await options.jobs.enqueue(tx, 'integrations.mail', { hookId: integration.hookId, eventId, to: one });
      });
      return { ...unsent(null), succeeded: true };
    },
    isProtected: async (branch: string) =>
      projectId !== null && protectionOf(await listProtections(options.db, projectId), branch).protected,
  };
  const event = { kind: eventKind as ToldKind, payload: JSON.parse(payload) as EventPayload, settings };
  const answer = await kind.tell(event, tools);
  const outcome = answer ?? { ...unsent(null), succeeded: true, isEmpty: true };
  return { headers, outcome: withoutSecrets(outcome, secrets) };
}

/** The outcome without the secrets that the receiver may have repeated. */
function withoutSecrets(outcome: Outcome, secrets: readonly string[]): Outcome {
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '[REDACTED]'), text);
  const { headers, body, error } = outcome;
  const cleaned = Object.entries(headers ?? {}).map(([name, value]) => [name, clean(value)] as const);
  return {
    ...outcome,
    headers: headers && Object.fromEntries(cleaned),
    body: body === null ? null : clean(body),
    error: error === null ? null : clean(error),
  };
}
