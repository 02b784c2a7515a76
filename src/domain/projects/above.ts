import { can } from '#src/access/permissions/abilities.ts';
import type { Context } from '#src/access/permissions/actor.ts';
import { findProjectsByIds } from '#src/domain/projects/find.ts';

/** Segments of the longest path that is looked up. */
const MAX_PATH_SEGMENTS = 30;

/** The full path of the project at or above a path whose repository the actor may read; null if there is none. */
export async function findRepositoryAbove(context: Context, parts: readonly string[]): Promise<string | null> {
  const places = parts
    .slice(1, MAX_PATH_SEGMENTS)
    .map((own, at) => ({ around: parts.slice(0, at + 1).join('/'), own }));
  const [arounds, owns] = [places.map(({ around }) => around), places.map(({ own }) => own)];
  const rows = await context.db.$queryRaw<{ id: number }[]>`
    SELECT p.id FROM unnest(${arounds}::text[], ${owns}::text[]) w (around, own)
    JOIN namespaces n ON lower(n.full_path) = lower(w.around) AND n.deleted_at IS NULL
    JOIN projects p ON p.namespace_id = n.id AND lower(p.path) = lower(w.own) AND p.deleted_at IS NULL`;
  const found = await findProjectsByIds(
    context,
    rows.map(({ id }) => id),
  );
  return found.find((project) => can(context.actor, 'read_repository', project))?.fullPath ?? null;
}
