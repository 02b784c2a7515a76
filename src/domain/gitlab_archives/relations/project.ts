import { DEFAULT_POLICY, type Policy, requirePolicy } from '#src/domain/container_registry/expiration_policy.ts';
import { takeAwards, takeNotes } from '#src/domain/gitlab_archives/relations/notes.ts';
import { isFirst, leaveOutUnknown, type Take } from '#src/domain/gitlab_archives/relations/relation.ts';
import {
  flag,
  type Given,
  integer,
  named,
  object,
  oneOf,
  text,
  time,
  times,
  visibility,
} from '#src/domain/gitlab_archives/relations/values.ts';
import { DomainError } from '#src/platform/errors.ts';

/** A user of an archive: addresses are those that the user shows, or in archives of earlier versions all. */
export function known(user: Given | null) {
  return {
    username: named(user?.username),
    name: named(user?.name),
    email: named(user?.public_email) ?? named(user?.email),
  };
}

export const takeMember: Take = async (translation, record, at) => {
  const { out } = translation;
  const user = object(record.user);
  const userId = out.user(user?.id ?? record.user_id, known(user));
  // They asked for access, and never got it.
  if (record.requested_at != null) return out.leaveOut(at, 'Requests for access do not come along.');
  if (userId === null) return out.leaveOut(at, 'Invitations of people without an account do not come along.');
  if (!isFirst(translation, `members ${userId}`, at)) return;
  const expiresAt = record.expires_at ?? null;
  const accessLevel = Math.min(integer(record.access_level) ?? 0, 40);
  const row = { id: out.id('members'), userId, accessLevel, expiresAt, createdAt: time(record.created_at) };
  await out.add('members', row, at);
};

/** Users who wrote something: they are no records here, but what they are called is told with the others. */
export const takeContributor: Take = async ({ out }, record) => {
  out.user(record.id, known(record));
};

const OF_SNIPPETS: ReadonlySet<string> = new Set(['award_emoji', 'notes']);

export const takeSnippet: Take = async (translation, record, at) => {
  const { out } = translation;
  const id = out.id('snippets');
  const isThere = await out.add(
    'snippets',
    {
      ...{ id, title: named(record.title), description: text(record.description), content: text(record.content) ?? '' },
      ...{ fileName: named(record.file_name) ?? 'snippet.txt', authorId: out.user(record.author_id) },
      ...{ visibility: visibility(record.visibility_level) ?? 'private', ...times(record) },
    },
    at,
  );
  if (!isThere) return;
  leaveOutUnknown(translation, record, OF_SNIPPETS, at);
  await takeAwards(translation, record.award_emoji, { type: 'Snippet', id }, at);
  await takeNotes(translation, record.notes, { type: 'Snippet', id }, at);
};

export const takeBadge: Take = async (translation, record, at) => {
  if (record.type === 'GroupBadge') return translation.out.leaveOut(at, 'Badges of groups stay with their group.');
  const { out } = translation;
  const row = { id: out.id('badges'), name: named(record.name), linkUrl: record.link_url, imageUrl: record.image_url };
  await out.add('badges', { ...row, createdAt: time(record.created_at) }, at);
};

export const takePolicy: Take = async (translation, record, at) => {
  const { out } = translation;
  if (!isFirst(translation, 'policy', at)) return;
  const policy: Policy = {
    enabled: flag(record.enabled) ?? false,
    cadence: text(record.cadence) ?? DEFAULT_POLICY.cadence,
    keepN: integer(record.keep_n),
    olderThan: text(record.older_than),
    nameRegex: text(record.name_regex) ?? DEFAULT_POLICY.nameRegex,
    nameRegexKeep: text(record.name_regex_keep),
    nextRunAt: null,
  };
  try {
    await requirePolicy(policy, 'imports');
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return out.leaveOut(at, 'The policy has a value that is not allowed here.');
  }
  await out.add('container_policies', { ...policy }, at);
};

/** The names of features there, with theirs here. */
export const FEATURES = {
  issues: 'issues',
  merge_requests: 'mergeRequests',
  repository: 'repository',
  builds: 'jobs',
  wiki: 'wiki',
  snippets: 'snippets',
  container_registry: 'containerRegistry',
  feature_flags: 'featureFlags',
} as const;

/** The levels of who can use a feature: numbers in archives, and these words in the API, as here of the sites of a project. */
export const FEATURE_LEVELS: Readonly<Record<string, string>> = {
  ...{ 0: 'disabled', 10: 'private', 20: 'enabled', 30: 'public' },
};

/** Who can use the features of the project: nobody, its members, or everybody who sees it. */
export const takeFeatures: Take = async ({ settings }, record) => {
  Object.assign(settings, featureSettings(record));
};

/** What the levels of the features of a project are here, by the names of place.ts; they are numbers in archives, and words in the API. */
export function featureSettings(record: Given): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  const membersOnly: string[] = [];
  for (const [name, feature] of Object.entries(FEATURES)) {
    const level = featureLevel(record[`${name}_access_level`]);
    if (level === null) continue;
    settings[`${feature}Enabled`] = level > 0;
    if (level === 10) membersOnly.push(feature);
  }
  settings.membersOnly = membersOnly;
  const pages = oneOf(record.pages_access_level, FEATURE_LEVELS);
  if (pages !== null) settings.pagesAccess = pages;
  return settings;
}

function featureLevel(given: unknown): number | null {
  const [level] = Object.entries(FEATURE_LEVELS).find(([, name]) => name === given) ?? [];
  return level === undefined ? integer(given) : Number(level);
}

export const takeCiSettings: Take = async ({ settings }, record) => {
  if (flag(record.group_runners_enabled) !== null) settings.groupRunnersEnabled = record.group_runners_enabled;
  if (integer(record.default_git_depth) !== null) settings.ciDefaultGitDepth = record.default_git_depth;
};
