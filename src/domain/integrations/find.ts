import { authorize } from '#src/access/permissions/abilities.ts';
import { type Context, requireActor, requireAdmin } from '#src/access/permissions/actor.ts';
import type { GroupRow, IdOrPath } from '#src/domain/groups/find.ts';
import type { FieldValue } from '#src/domain/integrations/base/field.ts';
import type { Kind } from '#src/domain/integrations/base/kind.ts';
import { KINDS, kindOf } from '#src/domain/integrations/kinds.ts';
import { shownSettings } from '#src/domain/integrations/stored.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { findOwner } from '#src/domain/projects/owner.ts';
import { type Db, Prisma, type Transaction } from '#src/platform/database/db.ts';
import { NotFound } from '#src/platform/errors.ts';
import { forPermittedParents } from '#src/platform/records/parents.ts';

const { sql } = Prisma;

/** Where integrations are: a project, a group, or the server if neither. */
export type Place =
  | { project: ProjectRow; group: null }
  | { project: null; group: GroupRow }
  | { project: null; group: null };

/** Names a place: a project, a group, or the server. */
export interface PlaceRef {
  project?: IdOrPath | null | undefined;
  group?: IdOrPath | null | undefined;
  ofServer?: boolean | null | undefined;
}

/** An integration as a place has it. */
export interface IntegrationView {
  place: Place;
  kind: Kind;
  /** Its own, else the one that counts there; null if there is none. */
  row: IntegrationRow | null;
  /** Whether it is that of a group around the place, or of the server. */
  isInherited: boolean;
  /** The values of its fields by their names, without secrets. */
  properties: Record<string, FieldValue>;
}

/** An integration as it is stored, without its secrets. */
export interface IntegrationRow {
  id: number;
  projectId: number | null;
  groupId: number | null;
  slug: string;
  active: boolean;
  events: string[];
  properties: unknown;
  secretNames: string[];
  createdAt: Date;
  updatedAt: Date;
  /** The hook by which it is told of events; null if it is not. */
  hookId: number | null;
  failures: number | null;
  disabledAt: Date | null;
}

/** The place, for those who administer its integrations. Throws Unauthenticated, NotFound, Forbidden, ValidationFailed. */
export async function requirePlace(context: Context, { ofServer, ...ref }: PlaceRef): Promise<Place> {
  requireActor(context);
  const place: Place = ofServer ? { project: null, group: null } : await findOwner(context, ref);
  authorizePlace(context, place);
  return place;
}

function authorizePlace(context: Context, { project, group }: Place): void {
  const actor = requireActor(context);
  if (project) authorize(actor, 'admin_integration', project);
  else if (group) authorize(actor, 'admin_group_integration', group);
  else requireAdmin(context);
}

/** All kinds of integrations as each place has them, in one statement; Forbidden in place of those that the actor does not administer. */
export function listIntegrations(context: Context, places: readonly Place[]): Promise<(IntegrationView[] | Error)[]> {
  return forPermittedParents(
    places,
    (place) => authorizePlace(context, place),
    async (permitted) => {
      const found = await readAll(context.db, permitted);
      return permitted.map((place, index) => {
        const rows = found.filter(({ at }) => at === index);
        return KINDS.map((kind) => viewOf(place, kind, rows));
      });
    },
  );
}

/** The integration of one kind; null for an unknown kind. The place was checked. */
export async function viewIntegration(
  { db }: { db: Db | Transaction },
  place: Place,
  slug: string,
): Promise<IntegrationView | null> {
  const kind = kindOf(slug);
  return kind && viewOf(place, kind, await readAll(db, [place]));
}

function viewOf(place: Place, kind: Kind, rows: readonly IntegrationRow[]): IntegrationView {
  const row = rows.find(({ slug }) => slug === kind.slug) ?? null;
  const isOwn = row?.projectId === (place.project?.id ?? null) && row?.groupId === (place.group?.id ?? null);
  return {
    place,
    kind,
    row,
    isInherited: row !== null && !isOwn,
    properties: shownSettings(kind, row?.properties ?? {}),
  };
}

/** The integrations that count in places, with the index of the place. */
function readAll(db: Db | Transaction, places: readonly Place[]): Promise<(IntegrationRow & { at: number })[]> {
  const projects = places.map(({ project }) => project?.id ?? null);
  const groups = places.map(({ group }) => group?.id ?? null);
  return db.$queryRaw`
    SELECT p.at::int - 1 AS at, i.id, i.project_id AS "projectId", i.group_id AS "groupId", i.slug, i.active, i.events, i.properties,
      i.secret_names AS "secretNames", i.created_at AS "createdAt", i.updated_at AS "updatedAt", h.id AS "hookId", h.failures,
      h.disabled_at AS "disabledAt"
    FROM unnest(${projects}::int[], ${groups}::int[]) WITH ORDINALITY p (project_id, group_id, at)
      CROSS JOIN LATERAL (${counting(sql`p`)}) i LEFT JOIN hooks h ON h.integration_id = i.id`;
}

/** The integrations that count in a place of the columns `project_id` and `group_id`. */
function counting(place: Prisma.Sql): Prisma.Sql {
  return sql`SELECT * FROM integrations_of(${place}.project_id) WHERE ${place}.project_id IS NOT NULL
    UNION ALL SELECT * FROM integrations_of_group(${place}.group_id) WHERE ${place}.project_id IS NULL`;
}

/** The hook by which an integration that the place has itself is told of events. Throws NotFound, Forbidden. */
export async function findIntegrationHook(
  context: Context,
  ref: PlaceRef,
  slug: string,
): Promise<{ id: number; projectId: number | null; namespaceId: number | null; isOfIntegration: true }> {
  const place = await requirePlace(context, ref);
  const found = await viewIntegration(context, place, slug);
  if (!found?.row?.hookId || found.isInherited) throw new NotFound('Integration');
  const { hookId: id, projectId, groupId: namespaceId } = found.row;
  return { id, projectId, namespaceId, isOfIntegration: true };
}
