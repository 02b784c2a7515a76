import { type Context, requireActor } from '#src/access/permissions/actor.ts';

/** What users choose for themselves. */
export interface Preferences {
  viewDiffsFileByFile: boolean;
  showWhitespaceInDiffs: boolean;
  passUserIdentitiesToCiJwt: boolean;
}

export type PreferenceChanges = { [Name in keyof Preferences]?: boolean | null | undefined };

/** Changes the preferences of the actor; what is unset or null stays. Throws Unauthenticated, InsufficientScope. */
export async function updatePreferences(context: Context, changes: PreferenceChanges): Promise<void> {
  const { id } = requireActor(context);
  const { viewDiffsFileByFile, showWhitespaceInDiffs, passUserIdentitiesToCiJwt } = changes;
  const given = { viewDiffsFileByFile, showWhitespaceInDiffs, passUserIdentitiesToCiJwt };
  const data = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
  await context.db.user.update({ where: { id }, data });
}
