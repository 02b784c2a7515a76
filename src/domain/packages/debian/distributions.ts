import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { audit } from '#src/access/audit/record.ts';
import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, readerOf, requireActor } from '#src/access/permissions/actor.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { findGroup, type GroupRow, type IdOrPath } from '#src/domain/groups/find.ts';
import {
  type DistributionChanges,
  MAX_DISTRIBUTIONS,
  requireValidDistribution,
} from '#src/domain/packages/debian/distribution_values.ts';
import { findProject, type ProjectRow } from '#src/domain/projects/find.ts';
import { newSigningKey } from '#src/domain/users/gpg_keys/read.ts';
import type { Prisma } from '#src/generated/prisma/client.ts';
import { violates } from '#src/platform/database/db.ts';
import { BadRequest, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import type { Page, PageRequest } from '#src/platform/page.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';
import { encrypt } from '#src/platform/secrets.ts';

/** Where a distribution is. */
export type DistributionPlace =
  | { readonly project: ProjectRow; readonly group?: undefined }
  | { readonly group: GroupRow; readonly project?: undefined };

/** Names the project or the group of a distribution: exactly one of them. */
export interface DistributionPlaceRef {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
}

const COLUMNS = {
  ...{ id: true, projectId: true, groupId: true, codename: true, suite: true, origin: true, label: true },
  ...{ version: true, description: true, validTime: true, components: true, architectures: true },
  ...{ publicKey: true, createdAt: true, updatedAt: true },
} as const satisfies Prisma.DebianDistributionSelect;

/** A distribution without its private key. */
export type DistributionRow = Prisma.DebianDistributionGetPayload<{ select: typeof COLUMNS }>;

/** Which distributions a list has. */
export interface DistributionFilter {
  codename?: string | null | undefined;
  suite?: string | null | undefined;
}

/**
 * A page of the distributions of each project or group, in one statement, as each has few; in place of those that the actor may not read
 * why: Forbidden, Unauthenticated, InsufficientScope.
 */
export async function listDistributions(
  context: Context,
  places: readonly DistributionPlace[],
  { codename, suite }: DistributionFilter,
  { limit, offset, order }: PageRequest,
): Promise<(Page<DistributionRow> | Error)[]> {
  const listed = async (permitted: readonly DistributionPlace[]) => {
    const found = await context.db.debianDistribution.findMany({
      where: {
        OR: [
          { projectId: { in: permitted.flatMap(({ project }) => project?.id ?? []) } },
          { groupId: { in: permitted.flatMap(({ group }) => group?.id ?? []) } },
        ],
        ...(codename != null && { codename }),
        ...(suite != null && { suite }),
      },
      select: COLUMNS,
      orderBy: { id: order?.direction === 'desc' ? 'desc' : 'asc' },
    });
    return permitted.map(({ project, group }) => {
      const rows = found.filter((row) => (project ? row.projectId === project.id : row.groupId === group.id));
      return { nodes: rows.slice(offset, offset + limit), offset, total: rows.length };
    });
  };
  return forPermittedParents(places, (place) => requireReader(context, place), listed);
}

/** A distribution of a project or group by its codename. Throws NotFound, Forbidden, Unauthenticated, InsufficientScope. */
export async function findDistribution(
  context: Context,
  place: DistributionPlace,
  codename: string,
): Promise<DistributionRow> {
  requireReader(context, place);
  const where = { ...ownerOf(place), codename };
  const found = codename.includes('\0')
    ? null
    : await context.db.debianDistribution.findFirst({ where, select: COLUMNS });
  if (!found) throw new NotFound('DebianDistribution');
  return found;
}

/** As `findDistribution`, by its codename or suite. */
export async function findDistributionNamed(
  context: Context,
  place: DistributionPlace,
  name: string,
): Promise<DistributionRow> {
  requireReader(context, place);
  const where = { ...ownerOf(place), OR: [{ codename: name }, { suite: name }] };
  const found = name.includes('\0') ? null : await context.db.debianDistribution.findFirst({ where, select: COLUMNS });
  if (!found) throw new NotFound('DebianDistribution');
  return found;
}

/** The distributions with these IDs, where `placeOf` finds their project or group. */
export async function findDistributionsByIds(
  context: Context,
  ids: readonly number[],
  placeOf: (owner: { projectId: number | null; groupId: number | null }) => Promise<DistributionPlace | null>,
): Promise<DistributionRow[]> {
  const where = { id: { in: [...ids] } };
  const rows = await context.db.debianDistribution.findMany({ where, select: COLUMNS });
  const seen = rows.map(async (row) => {
    const place = await placeOf(row);
    return place && mayRead(context, place) ? [row] : [];
  });
  return (await Promise.all(seen)).flat();
}

/** Creates a distribution with a key that signs its indexes. Throws NotFound, Forbidden, ValidationFailed, Unavailable. */
export async function createDistribution(
  context: Context,
  ref: DistributionPlaceRef,
  given: DistributionChanges & { codename: string },
): Promise<DistributionRow> {
  const place = await changeable(context, ref, 'publish');
  const values = requireValidDistribution(given);
  const title = place.project ? place.project.fullPath : place.group.fullPath;
  const { publicKey, privateKey } = await newSigningKey(
    callerOf(context.actor, context.clientAddress),
    `${title} ${values.codename} (Debian packages)`,
  );
  const privateKeyEncrypted = encrypt(privateKey, context.secret);
  return taken(() =>
    context.db.$transaction(async (tx) => {
      if (place.project) await tx.$queryRaw`SELECT 1 FROM projects WHERE id = ${place.project.id} FOR UPDATE`;
      else await tx.$queryRaw`SELECT 1 FROM namespaces WHERE id = ${place.group.id} FOR UPDATE`;
      const others = await tx.debianDistribution.findMany({ where: ownerOf(place), select: COLUMNS });
      if (others.length >= MAX_DISTRIBUTIONS)
        throw new ValidationFailed({ base: [`there can be at most ${MAX_DISTRIBUTIONS} distributions`] });
      requireOwnNames(others, values);
      const data = { ...values, ...ownerOf(place), publicKey, privateKeyEncrypted };
      const made = await tx.debianDistribution.create({ data, select: COLUMNS });
      await audit(tx, context, { action: 'debian_distribution_created', ...audited(place, made) });
      return made;
    }),
  );
}

/** Changes a distribution; what is left out stays as it is. Throws NotFound, Forbidden, ValidationFailed. */
export async function updateDistribution(
  context: Context,
  ref: DistributionPlaceRef,
  codename: string,
  changes: DistributionChanges,
): Promise<DistributionRow> {
  const place = await changeable(context, ref, 'publish');
  return taken(() =>
    context.db.$transaction(async (tx) => {
      const all = await tx.debianDistribution.findMany({ where: ownerOf(place), select: COLUMNS });
      const known = all.find((one) => one.codename === codename);
      if (!known) throw new NotFound('DebianDistribution');
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const values = requireValidDistribution({ ...known, ...given, codename });
      const others = all.filter(({ id }) => id !== known.id);
      requireOwnNames(others, values);
      const before = await rowBefore(tx, 'DebianDistribution', known.id);
      const data = { ...values, updatedAt: new Date() };
      const changed = await tx.debianDistribution.update({ where: { id: known.id }, data, select: COLUMNS });
      await auditChanges(tx, context, { action: 'debian_distribution_updated', ...audited(place, known) }, before);
      return changed;
    }),
  );
}

/** Deletes a distribution with its key; packages stay, and are in it again if it is made anew. Returns its ID. Throws NotFound, Forbidden. */
export async function deleteDistribution(
  context: Context,
  ref: DistributionPlaceRef,
  codename: string,
): Promise<{ id: number }> {
  const place = await changeable(context, ref, 'delete');
  const known = await findDistribution(context, place, codename);
  await context.db.$transaction(async (tx) => {
    const { count } = await tx.debianDistribution.deleteMany({ where: { id: known.id } });
    if (count === 0) throw new NotFound('DebianDistribution');
    await audit(tx, context, { action: 'debian_distribution_deleted', ...audited(place, known) });
  });
  return { id: known.id };
}

function audited({ project, group }: DistributionPlace, { id, codename }: Pick<DistributionRow, 'id' | 'codename'>) {
  const target = { type: 'DebianDistribution', id, name: codename } as const;
  return { place: project ? { projectId: project.id } : { groupId: group.id }, target };
}

function ownerOf({ project, group }: DistributionPlace) {
  return group ? { groupId: group.id } : { projectId: project.id };
}

function requireReader(context: Context, { project }: DistributionPlace): void {
  if (project) authorize(context.actor, 'read_package', project);
  else readerOf(context);
}

function mayRead(context: Context, place: DistributionPlace): boolean {
  try {
    requireReader(context, place);
    return true;
  } catch {
    return false;
  }
}

async function changeable(
  context: Context,
  { project, group }: DistributionPlaceRef,
  what: 'publish' | 'delete',
): Promise<DistributionPlace> {
  const actor = requireActor(context);
  if ((project == null) === (group == null)) throw new BadRequest('Name either a project or a group', 'project');
  if (project != null) {
    const found = await findProject(context, project);
    authorize(actor, `${what}_package`, found);
    return { project: found };
  }
  const found = await findGroup(context, group ?? 0);
  authorize(actor, `${what}_group_package`, found);
  return { group: found };
}

/** A name is the codename or the suite of one distribution alone. Throws ValidationFailed. */
function requireOwnNames(
  others: readonly DistributionRow[],
  { codename, suite }: { codename: string; suite: string | null },
): void {
  const names = new Set(others.flatMap((one) => [one.codename, one.suite]));
  const wrong = {
    ...(names.has(codename) && { codename: TAKEN }),
    ...(suite !== null && (names.has(suite) || suite === codename) && { suite: TAKEN }),
  };
  if (Object.keys(wrong).length > 0) throw new ValidationFailed(wrong).asExisting();
}

const TAKEN = ['has already been taken'];

async function taken<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (violates(error, 'suite')) throw new ValidationFailed({ suite: TAKEN }).asExisting();
    if (violates(error, 'codename')) throw new ValidationFailed({ codename: TAKEN }).asExisting();
    throw error;
  }
}
