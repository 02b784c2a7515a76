import { type Context, requireActor } from '#src/access/permissions/actor.ts';
import type { DiffView, FirstPage, Theme } from '#src/generated/prisma/client.ts';

/** What users choose for themselves. */
export interface Preferences {
  viewDiffsFileByFile: boolean;
  showWhitespaceInDiffs: boolean;
  passUserIdentitiesToCiJwt: boolean;
  theme: Theme;
  diffView: DiffView;
  firstPage: FirstPage;
}

export type PreferenceChanges = { [Name in keyof Preferences]?: Preferences[Name] | null | undefined };

/** Changes the preferences of the actor; what is unset or null stays. Throws Unauthenticated, InsufficientScope. */
export async function updatePreferences(context: Context, changes: PreferenceChanges): Promise<void> {
  const { id } = requireActor(context);
  const { viewDiffsFileByFile, showWhitespaceInDiffs, passUserIdentitiesToCiJwt, theme, diffView, firstPage } = changes;
  const given = {
    ...{ viewDiffsFileByFile, showWhitespaceInDiffs, passUserIdentitiesToCiJwt },
    ...{ theme, diffView, firstPage },
  };
  const data = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
  await context.db.user.update({ where: { id }, data });
}
