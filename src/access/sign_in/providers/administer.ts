import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { allProviders } from '#src/access/sign_in/providers/registry.ts';
import { reasonOf } from '#src/platform/database/reason.ts';
import { NotFound } from '#src/platform/errors.ts';
import { CallerSemaphore } from '#src/platform/limits/caller_semaphore.ts';
import { currentSettings } from '#src/platform/settings/current.ts';

/** A provider of sign-in as administrators see it, without its secrets. */
export interface ConfiguredProvider {
  name: string;
  label: string;
  type: 'openid' | 'ldap';
  /** The issuer, or the URL of the directory. */
  address: string;
  /** Whether people can sign in with it now. */
  enabled: boolean;
}

/** All providers of the configuration, for administrators, also those that the settings disable. */
export async function configuredProviders(context: Context): Promise<ConfiguredProvider[]> {
  requireAdmin(context);
  const { disabledOauthSignInSources: disabled } = await currentSettings(context.db);
  const { openId, directories } = allProviders(context.db);
  return [...openId, ...directories].map(({ settings }) => ({
    name: settings.name,
    label: settings.label,
    type: settings.type,
    address: addressOf(settings.type === 'openid' ? settings.issuer : settings.url),
    enabled: !disabled.includes(settings.name),
  }));
}

/** Without a password that somebody wrote into it. */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Whether a provider answers as it should, and what is wrong where it does not. */
export interface ProviderTest {
  succeeded: boolean;
  /** What was found, in one line. */
  message: string;
}

/** Tests that run at a time; each may take as long as a provider takes to answer. */
const tests = new CallerSemaphore({ concurrency: 4, perCaller: 1, waitingPerCaller: 4, waiting: 40, patience: 20_000 });

/** Characters that are told of an error. */
const MAX_ERROR_LENGTH = 300;

/**
 * Asks a provider for its endpoints, or a directory for the place of people as the account that searches. For administrators.
 * Throws NotFound.
 */
export async function testProvider(context: Context, name: string): Promise<ProviderTest> {
  const { id } = requireAdmin(context);
  const { openId, directories } = allProviders(context.db);
  const found = [...openId, ...directories].find(({ settings }) => settings.name === name);
  if (!found) throw new NotFound('Provider');
  return tests.run(String(id), async () => {
    try {
      return { succeeded: true, message: await found.test() };
    } catch (error) {
      return { succeeded: false, message: causeOf(error).slice(0, MAX_ERROR_LENGTH) };
    }
  });
}

/** What is at the bottom of an error of the network, which is called "fetch failed" otherwise. */
function causeOf(error: unknown): string {
  const reasons: string[] = [];
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const reason = reasonOf(at);
    if (reason !== '' && !reasons.includes(reason)) reasons.push(reason);
  }
  return reasons.join(': ') || 'The provider does not answer.';
}
