import type { Context } from '#src/access/permissions/actor.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { ValidationFailed } from '#src/platform/errors.ts';
import { isPublicHost } from '#src/platform/outbound/address.ts';
import { addressIn, BLOCKED, isNamedHost, isPlainlyPrivate, parseImportUrl } from '#src/platform/outbound/url.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** Milliseconds that a request waits for a DNS answer. The job handles later ones. */
const DNS_TIMEOUT_MS = 3_000;

/**
 * The validated URL of an import source; null if there is none. The job checks each address that it actually connects to. Throws
 * ValidationFailed, which does not repeat the URL.
 */
export async function checkedSource(
  { imports }: Pick<Context, 'imports'>,
  text: string | null,
): Promise<string | null> {
  const given = text?.trim() ?? '';
  if (given === '') return null;
  const source = parseImportUrl(given);
  if (typeof source === 'string') throw new ValidationFailed({ import_url: [source] });
  const { url } = source;
  if (isNamedHost(url, imports.hosts)) return given;
  if (isPlainlyPrivate(url)) throw new ValidationFailed({ import_url: [BLOCKED] });
  if (addressIn(url) === null && (await leadsInside(url.hostname, imports))) {
    throw new ValidationFailed({ import_url: [BLOCKED] });
  }
  return given;
}

/** Enqueues a job that imports the repository of a new project when the transaction commits. */
export async function scheduleImport(
  tx: Transaction,
  { jobs, secret }: Pick<Context, 'jobs' | 'secret'>,
  projectId: number,
  source: string,
): Promise<void> {
  await tx.projectImport.create({ data: { projectId, source: encrypt(source, secret) } });
  await tx.project.update({ where: { id: projectId }, data: { importStatus: 'scheduled' } });
  await jobs.enqueue(tx, 'projects.import', { projectId });
}

/** Whether a host is known to be in a private network. */
async function leadsInside(host: string, { lookup }: Context['imports']): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, DNS_TIMEOUT_MS, true);
  });
  try {
    // An unknown host may be known when the job runs.
    return !(await Promise.race([isPublicHost(host, lookup).catch(() => true), late]));
  } finally {
    clearTimeout(timer);
  }
}
