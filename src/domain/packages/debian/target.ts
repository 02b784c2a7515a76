import type { Actor, Context } from '#src/access/permissions/actor.ts';
import { saveVersion } from '#src/domain/packages/publish.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** The distribution that something is published in. */
export interface TargetDistribution {
  codename: string;
  components: string[];
  architectures: string[];
}

/** The distribution of the project, or else of the nearest group around it, by its codename or suite. Throws BadRequest. */
export async function distributionFor(
  { db }: Pick<Context, 'db'>,
  { id, namespaceId }: ProjectRow,
  wanted: string,
): Promise<TargetDistribution> {
  const [found] = wanted.includes('\0')
    ? []
    : await db.$queryRaw<TargetDistribution[]>`
    SELECT d.codename, d.components, d.architectures FROM debian_distributions d
    WHERE (d.project_id = ${id} OR d.group_id = ANY((SELECT n.lineage FROM namespaces n WHERE n.id = ${namespaceId})::int[]))
      AND (d.codename = ${wanted} OR d.suite = ${wanted})
    ORDER BY d.project_id IS NULL, (SELECT cardinality(g.lineage) FROM namespaces g WHERE g.id = d.group_id) DESC LIMIT 1`;
  if (!found) throw new BadRequest(`distribution does not exist: create ${wanted.slice(0, 100)} first`, 'distribution');
  return found;
}

/** The component, the first one of the distribution unless given. Throws BadRequest. */
export function componentIn({ codename, components }: TargetDistribution, given: string | null): string {
  const component = given ?? components[0] ?? 'main';
  if (!components.includes(component))
    throw new BadRequest(`component is invalid: ${codename} has ${components.join(', ')}`, 'component');
  return component;
}

/** Throws BadRequest unless packages for the architecture are in the distribution. */
export function requireArchitecture({ codename, architectures }: TargetDistribution, architecture = 'all'): void {
  if (!architectures.includes(architecture))
    throw new BadRequest(
      `${codename} has no packages for ${architecture.slice(0, 100)}, but for ${architectures.join(', ')}`,
    );
}

/** As `saveVersion`, of a source package in a distribution, which it stays in. Returns its ID. Throws BadRequest. */
export async function saveInDistribution(
  tx: Transaction,
  by: { actor: Actor; project: ProjectRow },
  { name, version }: { name: string; version: string },
  { codename }: TargetDistribution,
): Promise<number> {
  const id = await saveVersion(tx, by, { type: 'debian', name, version });
  const { manifest } = await tx.package.findUniqueOrThrow({ where: { id }, select: { manifest: true } });
  const distribution = (manifest as { distribution?: unknown } | null)?.distribution;
  if (distribution !== undefined && distribution !== codename)
    throw new BadRequest(`${name} ${version} is in the distribution ${distribution} already`);
  if (distribution === undefined)
    await tx.package.update({ where: { id }, data: { manifest: { distribution: codename } } });
  return id;
}
