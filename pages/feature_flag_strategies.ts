import type { Facts } from '#pages/engine/row.ts';
import { label } from '#src/platform/texts/texts.ts';

/** For whom a flag can be on, in the words of forms. */
export const STRATEGIES = [
  ['DEFAULT', label('All users')],
  ['FLEXIBLE_ROLLOUT', label('Percentage of users, sessions or requests')],
  ['GRADUAL_ROLLOUT_USER_ID', label('Percentage of signed-in users')],
  ['USER_WITH_ID', label('Users by ID')],
  ['GITLAB_USER_LIST', label('User list')],
] as const;

/** By what a share is chosen, in the words of forms. */
export const STICKINESS = [
  ['default', label('Available ID')],
  ['userId', label('User ID')],
  ['sessionId', label('Session ID')],
  ['random', label('Random')],
] as const;

interface Strategy {
  name: string;
  parameters: unknown;
  userList: { name: string } | null;
}

/** For whom a strategy is, in one line. */
export function strategyInWords({ name, parameters, userList }: Strategy, t: Facts['t']): string {
  const { percentage, rollout, userIds = '' } = parameters as Readonly<Record<string, string>>;
  switch (name) {
    case 'FLEXIBLE_ROLLOUT':
      return t('{percent} % of users, sessions or requests', { percent: rollout ?? '' });
    case 'GRADUAL_ROLLOUT_USER_ID':
      return t('{percent} % of signed-in users', { percent: percentage ?? '' });
    case 'USER_WITH_ID':
      return t('{count, plural, one {# user by ID} other {# users by ID}}', { count: idsIn(userIds) });
    case 'GITLAB_USER_LIST':
      return t('User list {name}', { name: userList?.name ?? '' });
    default:
      return t('All users');
  }
}

/** How many IDs a text has, separated by commas. */
export function idsIn(text: string): number {
  return text === '' ? 0 : text.split(',').length;
}

/** The strategies of an input, from the fields of a form about one strategy. */
export function withStrategy(given: Facts['given']): Facts['given'] {
  const text = (field: string) => String([given[field] ?? ''].flat().at(-1));
  const name = text('strategy').toUpperCase();
  if (name === '') return given;
  const id = text('strategyId');
  const strategy = {
    ...(id === '' ? {} : { id }),
    name,
    parameters: parametersOf(name, text),
    userListId: name === 'GITLAB_USER_LIST' && text('userListId') !== '' ? text('userListId') : null,
    scopes: scopesOf(given, text('environments')),
  };
  return { ...given, strategies: [strategy] };
}

/** The strategies of an input that removes one. */
export function withoutStrategy(given: Facts['given']): Facts['given'] {
  return { ...given, strategies: [{ id: String(given.strategyId ?? ''), remove: true }] };
}

function parametersOf(name: string, text: (field: string) => string): Record<string, string> {
  const groupId = text('groupId') || 'default';
  switch (name) {
    case 'FLEXIBLE_ROLLOUT':
      return { groupId, rollout: text('percent'), stickiness: stickinessOf(text('stickiness')) };
    case 'GRADUAL_ROLLOUT_USER_ID':
      return { groupId, percentage: text('percent') };
    case 'USER_WITH_ID':
      return { userIds: userIdsIn(text('userIds')) };
    default:
      return {};
  }
}

/** Menus send their values in lower case. */
function stickinessOf(given: string): string {
  return STICKINESS.find(([value]) => value.toLowerCase() === given.toLowerCase())?.[0] ?? 'default';
}

/** IDs by lines or commas, as the graph has them. */
export function userIdsIn(text: string): string {
  const ids = text.split(/[\n,]/).map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ''))].join();
}

/** The environments that the form names, beside the scopes that the strategy had: `12 production` in a hidden field each. */
function scopesOf(given: Facts['given'], environments: string): object[] {
  const wanted = new Set(
    environments
      .split(/[\n,]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  const before = [given.scope ?? []].flat().map((text) => {
    const [id = '', ...name] = String(text).split(' ');
    return { id, name: name.join(' ') };
  });
  const gone = before.filter(({ name }) => !wanted.has(name)).map(({ id }) => ({ id, remove: true }));
  const made = [...wanted].filter((name) => !before.some((one) => one.name === name));
  return [...gone, ...made.map((environmentScope) => ({ environmentScope }))];
}
