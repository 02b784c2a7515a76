import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import type { Transaction } from '#src/platform/database/db.ts';
import { FEATURE_TOGGLES_LOCK } from '#src/platform/database/lock_names.ts';
import { BadRequest, LimitReached } from '#src/platform/errors.ts';

/** Whether a toggle is on for everything, for nothing, or for some. */
export type ToggleState = 'on' | 'off' | 'conditional';

/** A way in which a toggle is on: for all, for some requests or actors, or for groups and records that are named. */
export interface ToggleGate {
  key: 'boolean' | 'percentage_of_time' | 'percentage_of_actors' | 'groups' | 'actors';
  value: boolean | number | string[];
}

export interface FeatureToggle {
  name: string;
  state: ToggleState;
  gates: ToggleGate[];
}

/** What is set of a toggle: one of on, off and a percentage, for all or for what is named. */
export interface ToggleSetting {
  value: boolean | number;
  /** What a percentage counts. */
  of: 'time' | 'actors';
  /** Name of a group of users by a rule, such as `administrators`. */
  featureGroup?: string | null | undefined;
  /** Usernames. */
  users: readonly string[];
  /** Full paths of projects, and of groups. */
  projects: readonly string[];
  groups: readonly string[];
}

/** Maximum number of toggles, of records that one names, and characters of a name. */
const MAX_TOGGLES = 1_000;
const MAX_NAMED = 1_000;
const MAX_NAME_LENGTH = 255;

const COLUMNS = {
  name: true,
  enabled: true,
  percentageOfTime: true,
  percentageOfActors: true,
  groups: true,
  actors: true,
} as const;

interface Row {
  name: string;
  enabled: boolean;
  percentageOfTime: number;
  percentageOfActors: number;
  groups: string[];
  actors: string[];
}

/** All toggles by name, for administrators. Throws Forbidden. */
export async function listFeatureToggles(context: Context): Promise<FeatureToggle[]> {
  requireAdmin(context);
  const rows = await context.db.featureToggle.findMany({
    select: COLUMNS,
    orderBy: { name: 'asc' },
    take: MAX_TOGGLES,
  });
  return rows.map(shown);
}

/** Sets a toggle, which is made if there is none of the name. For administrators. Throws Forbidden, BadRequest, LimitReached. */
export async function setFeatureToggle(context: Context, name: string, set: ToggleSetting): Promise<FeatureToggle> {
  requireAdmin(context);
  if (!/^[\w.-]+$/.test(name) || name.length > MAX_NAME_LENGTH)
    throw new BadRequest('name is invalid', 'name', 'valueInvalid');
  const { value } = set;
  if (typeof value === 'number' && !(value >= 0 && value <= 100)) {
    throw new BadRequest('value must be true, false, or a percentage from 0 to 100', 'value');
  }
  return context.db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${FEATURE_TOGGLES_LOCK}, 0))`;
    const actors = await actorsOf(tx, set);
    const before = await tx.featureToggle.findUnique({ where: { name }, select: COLUMNS });
    if (!before && (await tx.featureToggle.count()) >= MAX_TOGGLES) {
      throw new LimitReached(`There are ${MAX_TOGGLES} feature toggles already, which is the maximum`);
    }
    const next = changed(before ?? { name, ...OFF }, set, actors);
    if (next.actors.length + next.groups.length > MAX_NAMED) {
      throw new LimitReached(`A feature toggle names at most ${MAX_NAMED} records`);
    }
    const { name: _, ...columns } = next;
    await tx.featureToggle.upsert({
      where: { name },
      create: next,
      update: { ...columns, updatedAt: new Date() },
    });
    return shown(next);
  });
}

/** Removes a toggle, if there is one of the name. For administrators. Throws Forbidden. */
export async function deleteFeatureToggle(context: Context, name: string): Promise<void> {
  requireAdmin(context);
  await context.db.featureToggle.deleteMany({ where: { name } });
}

const OFF = { enabled: false, percentageOfTime: 0, percentageOfActors: 0, groups: [], actors: [] };

function changed(before: Row, { value, of, featureGroup }: ToggleSetting, actors: readonly string[]): Row {
  const groups = featureGroup ? [featureGroup] : [];
  if (typeof value === 'number') {
    return { ...before, [of === 'actors' ? 'percentageOfActors' : 'percentageOfTime']: value };
  }
  if (groups.length + actors.length === 0) return { ...before, ...OFF, enabled: value };
  const joined = (there: readonly string[], named: readonly string[]) =>
    value ? [...new Set([...there, ...named])] : there.filter((one) => !named.includes(one));
  return { ...before, groups: joined(before.groups, groups), actors: joined(before.actors, actors) };
}

/** The records that are named, such as `User:1`. Throws BadRequest for those that there are not. */
async function actorsOf(tx: Transaction, { users, projects, groups }: ToggleSetting): Promise<string[]> {
  const most = Math.max(users.length, projects.length, groups.length);
  if (most > MAX_NAMED) throw new BadRequest(`at most ${MAX_NAMED} records can be named`);
  const found = await tx.$queryRaw<{ kind: string; named: string; id: number | null }[]>`
    SELECT 'User' AS kind, g.named, (SELECT id FROM users WHERE lower(username) = lower(g.named)) AS id
      FROM unnest(${[...users]}::text[]) g (named)
    UNION ALL SELECT 'Project', g.named, (SELECT p.id FROM projects p JOIN namespaces n ON n.id = p.namespace_id
      WHERE lower(n.full_path || '/' || p.path) = lower(g.named) AND p.deleted_at IS NULL)
      FROM unnest(${[...projects]}::text[]) g (named)
    UNION ALL SELECT 'Group', g.named, (SELECT id FROM namespaces
      WHERE kind = 'group' AND lower(full_path) = lower(g.named) AND deleted_at IS NULL)
      FROM unnest(${[...groups]}::text[]) g (named)`;
  const missing = found.find(({ id }) => id === null);
  if (missing) throw new BadRequest(`${missing.named} is not found!`, missing.kind.toLowerCase());
  return found.map(({ kind, id }) => `${kind}:${id}`);
}

function shown({ name, enabled, percentageOfTime, percentageOfActors, groups, actors }: Row): FeatureToggle {
  const some: ToggleGate[] = [
    { key: 'percentage_of_time', value: percentageOfTime },
    { key: 'percentage_of_actors', value: percentageOfActors },
    { key: 'groups', value: groups },
    { key: 'actors', value: actors },
  ];
  const gates = some.filter(({ value }) => value !== 0 && !(Array.isArray(value) && value.length === 0));
  const isOn = enabled || percentageOfTime === 100 || percentageOfActors === 100;
  const state = isOn ? 'on' : gates.length > 0 ? 'conditional' : 'off';
  return { name, state, gates: [{ key: 'boolean', value: enabled }, ...gates] };
}
