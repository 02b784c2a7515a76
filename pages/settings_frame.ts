import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type Facts, type Page, page, type Showing } from '#pages/engine/row.ts';
import { PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import type { GroupSettingsFragment, ProjectSettingsFragment } from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** An operation whose result is looked at by the functions of a row. */
export type Query<Data> = TypedDocumentNode<Data, never>;

interface Entry {
  section: string;
  label: string;
  /** Below the place. */
  path: string;
}

type MenuOf<Place> = readonly (Entry & { may: (place: Place) => boolean })[];

const OF_PROJECT: MenuOf<ProjectSettingsFragment> = [
  { section: 'general', label: label('General'), path: 'settings/general', may: (one) => one.viewerCanUpdate },
  { section: 'members', label: label('Members'), path: 'project_members', may: (one) => one.viewerCanManageMembers },
  {
    section: 'merge_requests',
    label: label('Merge requests'),
    path: 'settings/merge_requests',
    may: (one) => one.viewerCanUpdate,
  },
  {
    section: 'approvals',
    label: label('Approval rules'),
    path: 'settings/approvals',
    may: (one) => one.viewerCanManageApprovalRules,
  },
  { section: 'templates', label: label('Templates'), path: 'settings/templates', may: (one) => one.viewerCanUpdate },
  {
    section: 'repository',
    label: label('Protected branches and tags'),
    path: 'settings/repository',
    may: (one) => one.viewerCanManageProtectedBranches,
  },
  {
    section: 'push_rules',
    label: label('Push rules'),
    path: 'settings/push_rules',
    may: (one) => one.viewerCanManagePushRules,
  },
  { section: 'mirrors', label: label('Mirrors'), path: 'settings/mirrors', may: (one) => one.viewerCanManageMirrors },
  { section: 'ci_cd', label: label('Pipelines'), path: 'settings/ci_cd', may: (one) => one.viewerCanUpdate },
  {
    section: 'variables',
    label: label('Variables'),
    path: 'settings/ci_cd/variables',
    may: (one) => one.viewerCanManageVariables,
  },
  { section: 'runners', label: label('Runners'), path: 'runners', may: (one) => one.viewerCanManageRunners },
  {
    section: 'access_tokens',
    label: label('Access tokens'),
    path: 'settings/access_tokens',
    may: (one) => one.viewerCanManageAccessTokens,
  },
  {
    section: 'service_accounts',
    label: label('Service accounts'),
    path: 'settings/service_accounts',
    may: (one) => one.viewerCanManageServiceAccounts,
  },
  {
    section: 'deploy_keys',
    label: label('Deploy keys'),
    path: 'settings/deploy_keys',
    may: (one) => one.viewerCanManageDeployKeys,
  },
  {
    section: 'deploy_tokens',
    label: label('Deploy tokens'),
    path: 'settings/deploy_tokens',
    may: (one) => one.viewerCanManageDeployTokens,
  },
  {
    section: 'integrations',
    label: label('Integrations'),
    path: 'settings/integrations',
    may: (one) => one.viewerCanManageIntegrations,
  },
  { section: 'hooks', label: label('Webhooks'), path: 'hooks', may: (one) => one.viewerCanManageWebhooks },
  { section: 'badges', label: label('Badges'), path: 'settings/badges', may: (one) => one.viewerCanManageBadges },
  {
    section: 'packages',
    label: label('Packages and registry'),
    path: 'settings/packages_and_registries',
    may: (one) => one.viewerCanUpdate,
  },
  { section: 'export', label: label('Export'), path: 'settings/export', may: (one) => one.viewerCanExport },
  { section: 'audit', label: label('Audit log'), path: 'audit_events', may: (one) => one.viewerCanReadAuditEvents },
];

const OF_GROUP: MenuOf<GroupSettingsFragment> = [
  { section: 'general', label: label('General'), path: 'settings/general', may: (one) => one.viewerCanUpdate },
  { section: 'members', label: label('Members'), path: 'group_members', may: (one) => one.viewerCanManageMembers },
  {
    section: 'variables',
    label: label('Variables'),
    path: 'settings/ci_cd',
    may: (one) => one.viewerCanManageVariables,
  },
  { section: 'runners', label: label('Runners'), path: 'runners', may: (one) => one.viewerCanManageRunners },
  {
    section: 'access_tokens',
    label: label('Access tokens'),
    path: 'settings/access_tokens',
    may: (one) => one.viewerCanManageAccessTokens,
  },
  {
    section: 'service_accounts',
    label: label('Service accounts'),
    path: 'settings/service_accounts',
    may: (one) => one.viewerCanManageServiceAccounts,
  },
  {
    section: 'deploy_tokens',
    label: label('Deploy tokens'),
    path: 'settings/repository',
    may: (one) => one.viewerCanManageDeployTokens,
  },
  {
    section: 'push_rules',
    label: label('Push rules'),
    path: 'settings/push_rules',
    may: (one) => one.viewerCanManagePushRules,
  },
  {
    section: 'integrations',
    label: label('Integrations'),
    path: 'settings/integrations',
    may: (one) => one.viewerCanManageIntegrations,
  },
  { section: 'hooks', label: label('Webhooks'), path: 'hooks', may: (one) => one.viewerCanManageWebhooks },
  { section: 'badges', label: label('Badges'), path: 'settings/badges', may: (one) => one.viewerCanManageBadges },
  { section: 'packages', label: label('Packages and registry'), path: 'packages', may: (one) => one.viewerCanUpdate },
  {
    section: 'package_settings',
    label: label('Package settings'),
    path: 'settings/packages_and_registries',
    may: (one) => one.viewerCanManagePackages,
  },
  { section: 'export', label: label('Export'), path: 'settings/export', may: (one) => one.viewerCanExport },
  { section: 'usage', label: label('Usage'), path: 'usage_quotas', may: (one) => one.viewerCanDelete },
  { section: 'audit', label: label('Audit log'), path: 'audit_events', may: (one) => one.viewerCanReadAuditEvents },
];

/** What the menu of the settings has for the reader. */
function menuOf(kind: PlaceKind, place: ProjectSettingsFragment | GroupSettingsFragment): Entry[] {
  const all: MenuOf<never> = kind === 'project' ? OF_PROJECT : OF_GROUP;
  return all.filter(({ may }) => may(place as never)).map(({ may: _, ...entry }) => entry);
}

export type SettingsPlace = ProjectSettingsFragment | GroupSettingsFragment;

/** What the frame of pages of settings shows. */
export function shownSettings<Place extends SettingsPlace>(kind: PlaceKind, place: Place, section: string) {
  return { ...shownIn(kind, place), tab: 'settings', section, menu: menuOf(kind, place) };
}

type ShownSettings<Place extends SettingsPlace> = ReturnType<typeof shownSettings<Place>>;

interface Placed {
  place?: SettingsPlace | null;
}

/** The place that an operation found. */
type PlaceOf<Data extends Placed> = NonNullable<Data['place']>;

interface SettingsOptions<Data extends Placed, View extends string, Shown extends object> {
  kind: PlaceKind;
  /** Below the place. */
  at: string;
  operation: Query<Data>;
  view: View;
  /** The entry of the menu that it belongs to. */
  section: string;
  title: (place: PlaceOf<Data>, facts: Facts) => string;
  /** Whether there is such a page for the reader. */
  may: (place: PlaceOf<Data>) => unknown;
  /** What the template shows besides the place; `data` is all that the operation found. */
  show?: (place: PlaceOf<Data>, facts: Facts, data: Data) => Shown;
  variables?: (given: Facts['given']) => Facts['given'];
  /** Whether visitors see the page of a place that is public; no, where not said. */
  forVisitors?: boolean;
}

/** A page of the settings of a project or group. */
export function settingsPage<
  Data extends Placed,
  const View extends string,
  Shown extends object = Record<never, never>,
>({
  kind,
  at,
  operation,
  view,
  section,
  title,
  may,
  show,
  variables = (given) => given,
  forVisitors = false,
}: SettingsOptions<Data, View, Shown>): Page & Showing<`settings/${View}`, ShownSettings<PlaceOf<Data>> & Shown> {
  return page({
    path: `${PLACES[kind]}/${at}`,
    operation,
    view: `settings/${view}` as const,
    variables,
    found: (data): { place: PlaceOf<Data>; data: Data } | null => {
      const place = data.place as PlaceOf<Data> | null | undefined;
      return place && may(place) ? { place, data } : null;
    },
    title: ({ place }, facts) => `${title(place, facts)} · ${place.fullPath}`,
    show: ({ place, data }, facts) => ({
      ...shownSettings(kind, place, section),
      ...(show?.(place, facts, data) ?? ({} as Shown)),
    }),
    signIn: !forVisitors,
  });
}

/** What is in the danger zone of a place (`settings/danger`): where it leads, what it is and does, and whether the reader may do it. */
export type Danger = readonly [name: string, label: string, text: string, isShown: unknown];

/** A field of a page that asks, as of `field` or, if it is a box to tick, of `check`; with `from`, a picker of what that address answers. */
interface AskedField {
  name: string;
  label: string;
  hint?: string;
  value?: string;
  isBox?: boolean;
  plain?: boolean;
  optional?: boolean;
  autocomplete?: string;
  from?: string;
}

/** What a page asks before something is done (`settings/ask`). */
export interface PlaceQuestion {
  heading: string;
  /** Paragraphs of what it means. */
  says: readonly string[];
  /** What will be gone. */
  gone?: readonly string[];
  button: string;
  /** Where the form is sent: below the place. */
  action: string;
  /** Where somebody goes who does not want it: below the place. */
  back: string;
  /** Whether it cannot be undone, or makes something unreachable. */
  isDangerous?: boolean;
  /** Full path of the place, where it must be typed. */
  typed?: string;
  fields?: readonly AskedField[];
  /** Fields that are not seen, with their values. */
  hidden?: Readonly<Record<string, string | undefined>>;
}

interface AskOptions<Data extends Placed>
  extends Omit<SettingsOptions<Data, 'ask', object>, 'view' | 'show' | 'title'> {
  ask: (place: PlaceOf<Data>, facts: Facts) => PlaceQuestion;
}

/** A page that asks before something is done. */
export function confirmPage<Data extends Placed>({ ask, ...options }: AskOptions<Data>) {
  return settingsPage<Data, 'ask', { ask: PlaceQuestion }>({
    ...options,
    view: 'ask',
    title: (place, facts) => ask(place, facts).heading,
    show: (place, facts) => ({ ask: ask(place, facts) }),
  });
}

/** What is told only once (`settings/secret`). */
export interface Secret {
  heading: string;
  secrets: readonly { label: string; value: string }[];
  back: { path: string; label: string };
}
