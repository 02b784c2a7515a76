import { statSync } from 'node:fs';
import { programVersion } from '#src/git/program/detect.ts';
import type { Config } from '#src/platform/config/config.ts';
import { readHolder } from '#src/platform/database/lock.ts';
import { hasTable, look } from '#src/platform/database/look.ts';
import { reasonOf } from '#src/platform/database/reason.ts';
import { givenSecret, type SecretConfig, secretDigest, secretFile } from '#src/platform/lifecycle/secret.ts';
import { opens } from '#src/platform/secrets.ts';
import { type Finding, fail, ok, warn } from './check.ts';

/** Milliseconds within which the server or the mail server must answer. */
const ANSWER_TIMEOUT_MS = 8_000;

/** Checks whether the server's key exists, is readable by its owner only, and matches the database. */
export async function checkSecret(config: SecretConfig, url: string | null): Promise<Finding> {
  const file = secretFile(config);
  const secret = givenSecret(config);
  const source = config.secret === undefined ? file : 'GANTRY_SECRET';
  const known = url === null ? null : await knownSecret(url);
  if (secret === undefined) {
    if (known === null) return ok('not there yet; the first start makes one');
    return fail(
      `neither GANTRY_SECRET nor ${file} is there`,
      'Restore the secret of this server: what is stored encrypted is lost without it.',
    );
  }
  if (known !== null && !fits(secret, known)) {
    return fail(
      `${source} does not fit the database`,
      'Set GANTRY_SECRET to the value that this database was used with, or restore the file.',
    );
  }
  const facts = `${source} ${url === null ? 'is there' : 'fits the database'}`;
  if (source === file && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    return warn(`${facts}, but others can read the file`, `Run \`chmod 600 ${file}\`.`);
  }
  return ok(facts);
}

/** How a database identifies its secret: by a digest; in those of earlier versions by a value that it decrypts. */
interface KnownSecret {
  digest: Buffer | null;
  sample: Buffer | null;
}

function fits(secret: string, { digest, sample }: KnownSecret): boolean {
  if (digest !== null) return digest.equals(secretDigest(secret));
  return sample === null || opens(sample, secret);
}

async function knownSecret(url: string): Promise<KnownSecret | null> {
  return look(url, async (query) => {
    const digest = (await hasTable(query, 'secret_check'))
      ? (await query<{ digest: Buffer }>('SELECT digest FROM secret_check'))[0]?.digest
      : undefined;
    const sample = (await hasTable(query, 'users'))
      ? (await query<{ sample: Buffer }>('SELECT private_token_encrypted AS sample FROM users ORDER BY id LIMIT 1'))[0]
          ?.sample
      : undefined;
    return digest || sample ? { digest: digest ?? null, sample: sample ?? null } : null;
  });
}

/** Checks whether there is a git program. */
export async function checkGit(): Promise<Finding> {
  const version = await programVersion();
  if (version !== null) return ok(`git ${version}`);
  return warn(
    'there is no git program of version 2.38 or later on the PATH',
    'Install git: without it nobody can clone, push or import.',
  );
}

/** Checks whether the mail server accepts the login; nothing is sent. */
export async function checkMail({ mail }: Config): Promise<Finding> {
  if (!mail) return ok('SMTP_URL is not set: no mail is sent');
  const { hostname, port } = new URL(mail.url);
  const place = `${hostname}${port === '' ? '' : `:${port}`}`;
  const { verifyMailServer } = await import('#src/platform/outbound/mail/mailer.ts');
  try {
    await verifyMailServer(mail, ANSWER_TIMEOUT_MS);
  } catch (error) {
    return fail(`${place} cannot be used: ${reasonOf(error)}`, 'Correct SMTP_URL, or look at the mail server.');
  }
  return ok(`${place} accepts connections and credentials, for mail from ${mail.from}`);
}

/** Checks whether the mailbox of incoming mail can be opened; nothing is taken from it. */
export async function checkMailIn({ mailIn }: Config): Promise<Finding> {
  if (!mailIn) return ok('GANTRY_MAIL_IN_ADDRESS is not set: no mail is received');
  if (mailIn.imapUrl === undefined) return ok(`mail to ${mailIn.address} is received by gantry mail-in`);
  const { hostname, port } = new URL(mailIn.imapUrl);
  const place = `${hostname}${port === '' ? '' : `:${port}`}`;
  const { verifyMailbox } = await import('#src/platform/outbound/mail/imap.ts');
  try {
    await verifyMailbox(mailIn.imapUrl, ANSWER_TIMEOUT_MS);
  } catch (error) {
    return fail(`${place} cannot be used: ${reasonOf(error)}`, 'Correct GANTRY_MAIL_IN_IMAP, or look at the mailbox.');
  }
  return ok(`the mailbox at ${place} can be opened, for mail to ${mailIn.address}`);
}

/** Checks whether the server of this data directory is running and ready. */
export async function checkServer({ dataDir }: Config): Promise<Finding> {
  const holder = readHolder(dataDir);
  if (!holder?.url || !isServer(holder.command)) return ok('no server runs on this data directory');
  const answer = await fetch(new URL('/-/readiness', originOf(holder.url)), {
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  }).catch((error) => new Error(reasonOf(error.cause ?? error)));
  const place = `process ${holder.pid} at ${holder.url}`;
  if (answer instanceof Error)
    return warn(`${place} cannot be reached from here: ${answer.message}`, 'Look at its log, and at the way to it.');
  if (answer.status === 200) return ok(`${place} is ready`);
  return fail(`${place} is not ready: ${answer.status} ${(await answer.text()).slice(0, 200)}`, 'Look at its log.');
}

function isServer(command: string): boolean {
  return command === 'gantry serve';
}

function originOf(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Checks whether the external URL leads to this server. */
export async function checkExternalUrl({ externalUrl, mail, dataDir }: Config): Promise<Finding> {
  if (externalUrl === undefined) {
    if (mail)
      return warn('GANTRY_URL is not set, and links in mail begin with where the server listens', 'Set GANTRY_URL.');
    return ok('GANTRY_URL is not set: links begin with the address of each request');
  }
  try {
    const url = `${externalUrl}/-/liveness`;
    const { status } = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS), redirect: 'manual' });
    if (status === 200) return ok(`${externalUrl} leads to the server`);
    return warn(`${url} answers ${status}`, 'Correct GANTRY_URL, or the proxy in front of the server.');
  } catch (error) {
    const reason = reasonOf((error as Error).cause ?? error);
    if (!isServer(readHolder(dataDir)?.command ?? ''))
      return ok(`${externalUrl} gives no answer, as no server runs here`);
    return warn(
      `${externalUrl} cannot be reached from here: ${reason}`,
      'Correct GANTRY_URL, or the proxy in front of the server.',
    );
  }
}
