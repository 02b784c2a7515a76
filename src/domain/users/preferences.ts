import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { DiffView, FirstPage, Theme } from '#src/generated/prisma/client.ts';
import { type FieldErrors, ValidationFailed } from '#src/platform/errors.ts';
import { knownLanguage } from '#src/platform/texts/texts.ts';
import { zoneOf } from '#src/platform/time_zones.ts';

/** What users choose for themselves. */
export interface Preferences {
  viewDiffsFileByFile: boolean;
  showWhitespaceInDiffs: boolean;
  passUserIdentitiesToCiJwt: boolean;
  theme: Theme;
  diffView: DiffView;
  firstPage: FirstPage;
  /** Name in the IANA database; null for none chosen. */
  timezone: string | null;
  /** One of the languages; null for none chosen. */
  preferredLanguage: string | null;
}

export type PreferenceChanges = { [Name in keyof Preferences]?: Preferences[Name] | null | undefined };

/**
 * Changes the preferences of the actor; what is unset stays. Null clears time zone and language, and leaves the others.
 * Throws Unauthenticated, InsufficientScope, ValidationFailed for an unknown time zone or language.
 */
export async function updatePreferences(context: Context, changes: PreferenceChanges): Promise<void> {
  const { id } = requireActor(context);
  const { viewDiffsFileByFile, showWhitespaceInDiffs, passUserIdentitiesToCiJwt, theme, diffView, firstPage } = changes;
  const given = {
    ...{ viewDiffsFileByFile, showWhitespaceInDiffs, passUserIdentitiesToCiJwt },
    ...{ theme, diffView, firstPage },
  };
  const data = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
  await context.db.user.update({ where: { id }, data: { ...data, ...chosenPlace(changes) } });
}

/** Time zone and language as they are stored; absent unless they change. Throws ValidationFailed. */
function chosenPlace({ timezone, preferredLanguage }: PreferenceChanges) {
  const zone = timezone ? zoneOf(timezone) : null;
  const errors: FieldErrors = {};
  if (timezone && !zone) errors.timezone = ['is not a time zone'];
  if (preferredLanguage && !knownLanguage(preferredLanguage)) {
    errors.preferred_language = ['is not included in the list'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return {
    ...(timezone === undefined ? {} : { timezone: zone }),
    ...(preferredLanguage === undefined ? {} : { preferredLanguage: preferredLanguage || null }),
  };
}

/** What the clock shows in a time zone: `3:38 PM`. */
export function localTime(timezone: string): string {
  const time = new Date().toLocaleTimeString('en-US', { timeZone: timezone, hour: 'numeric', minute: '2-digit' });
  return time.replace(/\s/u, ' ');
}
