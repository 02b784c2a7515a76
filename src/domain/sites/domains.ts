import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { administered, holdSite } from '#src/domain/sites/administered.ts';
import { findDomain } from '#src/domain/sites/list.ts';
import { violates } from '#src/platform/database/db.ts';
import { LimitReached, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type Selection, select } from '#src/platform/records/selection.ts';

/** Domains of the site of one project. */
export const MAX_DOMAINS = 50;

/** A name of several parts, as DNS has it. */
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const KNOWN = select('PagesDomain', { id: true, domain: true });

/** Lets a domain lead to the site of a project, once it is proved. Throws NotFound, Forbidden, ValidationFailed, LimitReached. */
export async function createDomain(
  context: Context,
  ref: IdOrPath,
  { domain: given, autoSslEnabled }: { domain: string; autoSslEnabled?: boolean | null | undefined },
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const domain = given.trim().toLowerCase();
  const problem = domainProblem(context, domain);
  if (problem !== null) throw new ValidationFailed({ domain: [problem] });
  return context.db
    .$transaction(async (tx) => {
      await holdSite(tx, project);
      if ((await tx.pagesDomain.count({ where: { projectId: project.id } })) >= MAX_DOMAINS) {
        throw new LimitReached(`The site of a project can have at most ${MAX_DOMAINS} domains`);
      }
      const verificationCode = randomBytes(16).toString('hex');
      const data = { projectId: project.id, domain, verificationCode, autoSslEnabled: autoSslEnabled ?? true };
      const { id } = await tx.pagesDomain.create({ data, select: { id: true } });
      await audit(tx, context, { action: 'pages_domain_created', ...auditedDomain(project, { id, domain }) });
      return { project, id };
    })
    .catch((error: unknown) => {
      if (violates(error, 'domain')) throw new ValidationFailed({ domain: ['has already been taken'] }).asExisting();
      throw error;
    });
}

/** Changes whether the proxy before the server gets certificates for a domain. Throws NotFound, Forbidden. */
export async function updateDomain(
  context: Context,
  ref: IdOrPath,
  name: string,
  { autoSslEnabled }: { autoSslEnabled?: boolean | null | undefined },
): Promise<ChangedRecord> {
  const project = await administered(context, ref);
  const { id, domain } = await findDomain(context, project, name, KNOWN);
  await context.db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'PagesDomain', id);
    if (before.columns.id === undefined) throw new NotFound('PagesDomain');
    const data = { ...(autoSslEnabled == null ? {} : { autoSslEnabled }), updatedAt: new Date() };
    await tx.pagesDomain.update({ where: { id }, data });
    await auditChanges(
      tx,
      context,
      { action: 'pages_domain_updated', ...auditedDomain(project, { id, domain }) },
      before,
    );
  });
  return { project, id };
}

/** Takes a domain from the site of a project, and returns the selected fields as they were. Throws NotFound, Forbidden. */
export async function deleteDomain<R>(
  context: Context,
  ref: IdOrPath,
  name: string,
  selection: Selection<'PagesDomain', R>,
): Promise<R & { id: number; domain: string }> {
  const project = await administered(context, ref);
  const found = await findDomain(context, project, name, selection.with(KNOWN));
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.pagesDomain.deleteMany({ where: { id: found.id } });
    if (count === 0) throw new NotFound('PagesDomain');
    const where = { projectId: project.id, primaryDomain: found.domain };
    await tx.pagesSettings.updateMany({ where, data: { primaryDomain: null } });
    await audit(tx, context, { action: 'pages_domain_deleted', ...auditedDomain(project, found) });
  });
  return found;
}

/** What the audit log has of a domain. */
export function auditedDomain({ id: projectId }: { id: number }, { id, domain }: { id: number; domain: string }) {
  return { place: { projectId }, target: { type: 'PagesDomain' as const, id, name: domain } };
}

/** Why a domain cannot lead to a site; null if it can. */
export function domainProblem({ sites }: Pick<Context, 'sites'>, domain: string): string | null {
  if (!DOMAIN.test(domain) || isIP(domain) !== 0) return 'must be the name of a host, such as www.example.com';
  const own = sites ? [sites.hostname, sites.serverHostname] : [];
  if (own.some((host) => `.${domain}`.endsWith(`.${host}`))) return 'must not be one of this server';
  return null;
}
