import type { Actor } from '#src/access/permissions/actor.ts';
import { Prisma } from '#src/platform/database/db.ts';
import type { Alias } from '#src/platform/records/alias.ts';

const { sql } = Prisma;

/** The features of a project that can be switched off, or kept for its members. */
export const FEATURES = [
  'issues',
  'mergeRequests',
  'repository',
  'jobs',
  'wiki',
  'snippets',
  'containerRegistry',
  'featureFlags',
] as const;
export type Feature = (typeof FEATURES)[number];

/** Those that labels and milestones are for. */
export const TRACKED = ['issues', 'mergeRequests'] as const satisfies readonly Feature[];

/** Who can use a feature: nobody, the members of the project, or everyone who sees the project; within their rights. */
export type FeatureLevel = 'disabled' | 'private' | 'enabled';

/** The features of a project: which are on, and which of these are for its members alone. */
export type Features = { readonly [Name in `${Feature}Enabled`]: boolean } & { readonly membersOnly: string[] };

/** Selects the features of a project. */
export const FEATURE_COLUMNS = {
  issuesEnabled: true,
  mergeRequestsEnabled: true,
  repositoryEnabled: true,
  jobsEnabled: true,
  wikiEnabled: true,
  snippetsEnabled: true,
  containerRegistryEnabled: true,
  featureFlagsEnabled: true,
  membersOnly: true,
} as const satisfies Record<keyof Features, true>;

/** Who can use a feature of a project. */
export function levelOf(feature: Feature, project: Features): FeatureLevel {
  if (!project[`${feature}Enabled`]) return 'disabled';
  return project.membersOnly.includes(feature) ? 'private' : 'enabled';
}

/** Whether a feature of a project that the actor sees is there for the actor; rights are another matter. */
export function hasFeature(
  actor: Pick<Actor, 'admin'> | null,
  feature: Feature,
  project: Partial<Features> & { readonly membersOnly: string[]; readonly accessLevel: number },
): boolean {
  if (project[`${feature}Enabled`] === false) return false;
  return !project.membersOnly.includes(feature) || actor?.admin === true || project.accessLevel > 0;
}

/**
 * Like hasFeature, as a condition on a project.
 *
 * @param isMember whether the actor has any access level in the project, or is an administrator
 */
export function featureThere(
  feature: Feature,
  project: Pick<Alias<'Project'>, `${Feature}Enabled` | 'membersOnly'>,
  isMember: Prisma.Sql | boolean,
): Prisma.Sql {
  const isOn = project[`${feature}Enabled`];
  if (isMember === true) return isOn;
  const isOpen = sql`NOT ${Prisma.raw(`'${feature}'`)} = ANY(${project.membersOnly})`;
  return isMember === false ? sql`(${isOn} AND ${isOpen})` : sql`(${isOn} AND (${isOpen} OR ${isMember}))`;
}

/** Those that show the repository, and so are open to nobody to whom it is not. */
const OF_REPOSITORY = ['mergeRequests', 'jobs'] as const;

const WIDTH = { disabled: 0, private: 1, enabled: 2 } as const;

/**
 * The columns of a project's features after a change. A switch that is turned on opens the feature to everyone if it was off, and
 * otherwise leaves it; a level goes before the switch. Merge requests and jobs are open to nobody to whom the repository is not.
 */
export function changedFeatures(
  before: Features,
  switches: { readonly [Name in `${Feature}Enabled`]?: boolean | null | undefined },
  levels: { readonly [Name in Feature]?: FeatureLevel | null | undefined },
): Features {
  const after = Object.fromEntries(
    FEATURES.map((feature) => {
      const present = levelOf(feature, before);
      const isOn = switches[`${feature}Enabled`];
      const switched = isOn == null ? present : !isOn ? 'disabled' : present === 'disabled' ? 'enabled' : present;
      return [feature, levels[feature] ?? switched];
    }),
  ) as Record<Feature, FeatureLevel>;
  for (const feature of OF_REPOSITORY) {
    if (WIDTH[after[feature]] > WIDTH[after.repository]) after[feature] = after.repository;
  }
  const columns = FEATURES.map((feature) => [`${feature}Enabled`, after[feature] !== 'disabled']);
  const membersOnly = FEATURES.filter((feature) => after[feature] === 'private');
  return { ...Object.fromEntries(columns), membersOnly } as Features;
}

/** The features of a new project: all on, for everyone who sees it. */
export const ALL_FEATURES: Features = {
  issuesEnabled: true,
  mergeRequestsEnabled: true,
  repositoryEnabled: true,
  jobsEnabled: true,
  wikiEnabled: true,
  snippetsEnabled: true,
  containerRegistryEnabled: true,
  featureFlagsEnabled: true,
  membersOnly: [],
};
