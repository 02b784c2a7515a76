import { keptLikeSettings } from '#src/platform/settings/current.ts';

/** The colours of a message, each a combination of a background and a text that can be read on it. */
export const BROADCAST_THEMES = [
  'indigo',
  'light-indigo',
  'blue',
  'light-blue',
  'green',
  'light-green',
  'red',
  'light-red',
  'dark',
  'light',
] as const;

export const BROADCAST_TYPES = ['banner', 'notification'] as const;

/** How many messages are shown or wait for their time. */
export const MAX_MESSAGES = 100;

/** The messages that have not ended, oldest first. They are kept like the settings; which of them are due changes with time. */
export const currentBroadcasts = keptLikeSettings((db) =>
  db.broadcastMessage.findMany({ where: { endsAt: { gt: new Date() } }, orderBy: { id: 'asc' }, take: MAX_MESSAGES }),
);

/** Whether a message is shown now. */
export function isActive({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }, now = new Date()): boolean {
  return startsAt <= now && now < endsAt;
}

/**
 * Whether the path of a page is one of those of a pattern, in which `*` stands for any text. A slash at the end makes no difference.
 * Takes time by the length of both alone.
 */
export function isOnPath(pattern: string | null, path: string): boolean {
  if (pattern === null) return true;
  const wanted = trimmed(pattern.startsWith('/') || pattern.startsWith('*') ? pattern : `/${pattern}`);
  const parts = wanted.split(/\*+/);
  const [first = '', ...rest] = parts;
  const given = trimmed(path);
  if (rest.length === 0) return given === first;
  if (!given.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = given.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return given.length - last.length >= at && given.endsWith(last);
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
