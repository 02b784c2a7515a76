import type { Context } from '#src/access/permissions/actor.ts';
import type { ImageRepository } from '#src/domain/container_registry/access.ts';
import { Prisma } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** A part of a list, and where the next one begins; null at the end. */
export interface Part<T, Mark> {
  nodes: T[];
  last: Mark | null;
}

/** Names of the tags of a repository behind a name, in the order of their bytes. */
export async function tagNames(
  { db }: Pick<Context, 'db'>,
  { id }: ImageRepository,
  { limit, after }: { limit: number; after: string },
): Promise<Part<string, string>> {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT name FROM container_tags WHERE repository_id = ${id} AND name > ${after} ORDER BY name LIMIT ${limit + 1}`;
  const nodes = rows.slice(0, limit).map(({ name }) => name);
  return { nodes, last: rows.length > limit ? (nodes.at(-1) ?? null) : null };
}

/** A manifest that is about another one. */
export interface Referrer {
  mediaType: string;
  digest: string;
  size: number;
  artifactType?: string;
  annotations?: Record<string, string>;
}

/** How many referrers one answer has. */
const PAGE_SIZE = 50;

/** The manifests of a repository that are about a digest, oldest first, whether there is such a manifest or not. */
export async function referrersOf(
  { db }: Pick<Context, 'db'>,
  { id }: ImageRepository,
  { digest, artifactType, after }: { digest: string; artifactType: string | null; after: number },
): Promise<Part<Referrer, number>> {
  const isWanted = artifactType === null ? Prisma.empty : sql`AND artifact_type = ${artifactType}`;
  const rows = await db.$queryRaw<{ id: number; record: Referrer }[]>`
    SELECT id, json_strip_nulls(json_build_object('mediaType', media_type, 'digest', digest, 'size', size,
      'artifactType', artifact_type, 'annotations', annotations)) AS record
    FROM container_manifests WHERE repository_id = ${id} AND subject_digest = ${digest} AND id > ${after} ${isWanted}
    ORDER BY id LIMIT ${PAGE_SIZE + 1}`;
  const shown = rows.slice(0, PAGE_SIZE);
  return {
    nodes: shown.map(({ record }) => record),
    last: rows.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null,
  };
}
