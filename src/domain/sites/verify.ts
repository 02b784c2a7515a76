import { timingSafeEqual } from 'node:crypto';
import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { administered } from '#src/domain/sites/administered.ts';
import { auditedDomain } from '#src/domain/sites/domains.ts';
import { findDomain } from '#src/domain/sites/list.ts';
import { fetchProof } from '#src/domain/sites/proof_file.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { NotFound, nullIfNotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { ImportSettings } from '#src/platform/outbound/options.ts';
import { select } from '#src/platform/records/selection.ts';

declare module '#src/platform/background/queue.ts' {
  interface Jobs {
    /** Looks again at the proofs of domains. */
    'sites.verify_domains': Record<string, never>;
  }
}

/** The names of TXT records that prove a domain, before it, and what a record begins with; those of the original, which its clients set, are as good. */
const NAMES = [
  ['_gantry-pages-verification-code', 'gantry-pages-verification-code'],
  ['_gitlab-pages-verification-code', 'gitlab-pages-verification-code'],
] as const;

/** Days for which a domain that was proved leads to the site, and after how many it is looked at again. */
const ENABLED_DAYS = 7;
const LOOKED_AT_DAYS = 1;

/** Domains that are looked at in one go. */
const BATCH_SIZE = 100;

const KNOWN = select('PagesDomain', { id: true, domain: true, verificationCode: true });

/** The TXT record that proves a domain: its name and its value. */
export function proofRecord({ domain, verificationCode }: { domain: string; verificationCode: string }) {
  const [[name, key]] = NAMES;
  return { name: `${name}.${domain}`, value: `${key}=${verificationCode}` };
}

/**
 * Looks whether a domain is proved, by a TXT record or a file, and lets it lead to the site if so. Another project that had proved it before loses it. Throws
 * NotFound, Forbidden, and ValidationFailed if it is not proved.
 */
export async function verifyDomain(context: Context, ref: IdOrPath, name: string): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const found = await findDomain(context, project, name, KNOWN);
  const isProved = await hasProof(context.imports, found);
  const event = { action: 'pages_domain_verified', ...auditedDomain(project, found) } as const;
  await context.db.$transaction(async (tx) => {
    await keepResult(tx, found, isProved);
    if (isProved) await audit(tx, context, event);
  });
  if (!isProved)
    throw new ValidationFailed({ domain: ['could not be verified: neither the TXT record nor the file was found'] });
  return { project, id: found.id };
}

/** Looks again at the domains that were proved; those that are not any more lead to their sites for a week. */
export async function verifyDomains({ db, imports }: Pick<Context, 'db' | 'imports'>): Promise<void> {
  const due = await db.$queryRaw<{ id: number; domain: string; verificationCode: string }[]>`
    SELECT id, domain, verification_code AS "verificationCode" FROM pages_domains
    WHERE verified_at IS NOT NULL AND checked_at < now() - make_interval(days => ${LOOKED_AT_DAYS}) ORDER BY checked_at LIMIT ${BATCH_SIZE}`;
  for (const one of due) {
    const isProved = await hasProof(imports, one);
    // A domain that was deleted meanwhile is of no interest any more.
    await db.$transaction((tx) => keepResult(tx, one, isProved)).catch(nullIfNotFound);
  }
}

/** Keeps whether a domain is proved. One that is not any more, or that another project proves, is no primary domain. Throws NotFound. */
async function keepResult(
  tx: Transaction,
  { id, domain }: { id: number; domain: string },
  isProved: boolean,
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`pages domain ${domain}`}))`;
  if (isProved) {
    await tx.$executeRaw`UPDATE pages_domains SET verified_at = NULL, enabled_until = NULL, updated_at = now()
      WHERE domain = ${domain} AND id <> ${id} AND verified_at IS NOT NULL`;
    const kept =
      await tx.$executeRaw`UPDATE pages_domains SET verified_at = now(), checked_at = now(), updated_at = now(),
      enabled_until = now() + make_interval(days => ${ENABLED_DAYS}) WHERE id = ${id}`;
    if (kept === 0) throw new NotFound('PagesDomain');
  } else {
    await tx.$executeRaw`UPDATE pages_domains SET checked_at = now(), updated_at = now(),
      verified_at = CASE WHEN enabled_until > now() THEN verified_at END WHERE id = ${id}`;
  }
  await tx.$executeRaw`UPDATE pages_settings s SET primary_domain = NULL WHERE s.primary_domain = ${domain} AND NOT EXISTS (
    SELECT 1 FROM pages_domains d WHERE d.project_id = s.project_id AND d.domain = ${domain} AND d.verified_at IS NOT NULL)`;
}

async function hasProof(
  imports: ImportSettings,
  { domain, verificationCode }: { domain: string; verificationCode: string },
): Promise<boolean> {
  for (const [name, key] of NAMES) {
    for (const at of [`${name}.${domain}`, domain]) {
      const records = await imports.resolveTxt(at).catch(() => []);
      if (records.some((record) => isSame(record.trim(), `${key}=${verificationCode}`))) return true;
    }
  }
  const text = await fetchProof(domain, imports);
  return text !== null && isSame(text.trim(), verificationCode);
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
